//! German texts of mail messages.
mod board;
mod board_week;
mod deprecation;
mod marketplace;
mod quota;
mod review;
mod team;

use jiff::Timestamp;
use labs_crypto::secret::SecretText;

use super::{Draft, MailLinks, TokenInput, TokenRoute, moment, sanitize, sanitize_reason, token_route};
use crate::message::{Asking, ClosingStep, MailContent, Notice, SecurityEvent};

mod subscription;

/// Sentence before the address of the next step.
pub(super) const NEXT_STEP: &str = "Der nächste Schritt ist hier erklärt und lässt sich dort ausführen:";

pub(super) fn render(content: &MailContent, places: &MailLinks<'_>) -> Draft {
    match content {
        MailContent::Asking { about, token, expires_at } => render_token_request(about, token, *expires_at, places),
        MailContent::Telling(notice) => render_notice(notice, places),
    }
}

/// Returns a neutral subject, used if the usual one would contain an address that a user chose.
pub(super) fn neutral_subject(is_invitation: bool, platform: &str) -> String {
    if is_invitation { format!("Sie sind zu {platform} eingeladen") } else { format!("Eine Nachricht von {platform}") }
}

fn render_token_request(about: &Asking, token: &SecretText, expires_at: Timestamp, places: &MailLinks<'_>) -> Draft {
    let platform = places.platform;
    let draft = match about {
        Asking::VerifyEmail { name, company, registered_at } => {
            let hour = registered_at.map(|at| format!(" ({})", moment(at))).unwrap_or_default();
            greet(format!("Bestätigen Sie Ihre E-Mail-Adresse für {platform}"), name).push_paragraph(format!(
                "{} wurde bei {platform} unter dieser Adresse registriert{hour}. Wenn Sie das waren, folgen Sie \
                 diesem Link und bestätigen Sie die Registrierung mit dem Passwort, das Sie dabei gewählt haben:",
                sanitize(company)
            ))
        }
        Asking::ResetPassword { name } => greet(format!("Neues Passwort für {platform}"), name)
            .push_paragraph("jemand, vermutlich Sie, hat ein neues Passwort angefordert. Unter diesem Link können Sie eines wählen:"),
        Asking::ConfirmNewEmail { name } => {
            greet(format!("Bestätigen Sie Ihre neue E-Mail-Adresse für {platform}"), name).push_paragraph(format!(
                "mit dieser Adresse melden Sie sich künftig bei {platform} an. Bestätigen Sie die Adresse unter \
                 diesem Link:"
            ))
        }
        Asking::CancelEmailChange { name } => {
            greet(format!("Ihre E-Mail-Adresse bei {platform} wird geändert"), name).push_paragraph(format!(
                "jemand, vermutlich Sie, ändert die E-Mail-Adresse Ihres Kontos bei {platform}. Wenn Sie es nicht \
                 waren, brechen Sie die Änderung unter diesem Link ab. Das beendet auch alle Sitzungen Ihres Kontos:"
            ))
        }
        Asking::Invitation { company, inviter, role } => {
            let (company, role) = (sanitize(company), self::role(role));
            let who = inviter.as_ref().map_or_else(|| company.clone(), |name| format!("{} von {company}", sanitize(name)));
            Draft::new(format!("{company} lädt Sie zu {platform} ein"), "Guten Tag,".to_owned()).push_paragraph(format!(
                "{who} lädt Sie ein, bei {platform} mitzuarbeiten. Ihre Rolle: {role}. Nehmen Sie unter diesem Link an:"
            ))
        }
        Asking::FirstAdministrator { company } => {
            Draft::new(format!("Ihr Konto für {} bei {platform}", sanitize(company)), "Guten Tag,".to_owned()).push_paragraph(format!(
                "wir haben bei {platform} ein Konto für {} eröffnet und laden Sie ein, es zu verwalten. Nehmen Sie \
                 unter diesem Link an:",
                sanitize(company)
            ))
        }
        Asking::StaffInvitation { name, inviter } => greet(format!("Ihr Mitarbeiterkonto bei {platform}"), name).push_paragraph(format!(
            "{} hat für Sie ein Mitarbeiterkonto bei {platform} angelegt. Wählen Sie unter diesem Link ein Passwort; Sie \
             brauchen außerdem eine Authenticator-App:",
            sanitize(inviter)
        )),
    };
    let token_route = token_route(about);
    push_ways(draft, token, (&token_route, expires_at), places).push_paragraph(match about {
        Asking::CancelEmailChange { .. } => "Wenn Sie selbst die Adresse ändern, ist nichts zu tun.",
        Asking::VerifyEmail { .. } => {
            "Wenn Sie diese Firma nicht zu dieser Zeit registriert haben, war es eine andere Person. Ignorieren Sie \
             diese E-Mail: Ohne den Link ändert sich nichts. Geben Sie den Link nicht weiter."
        }
        _ => {
            "Wenn Sie diese E-Mail nicht erwartet haben, ignorieren Sie sie: Ohne den Link ändert sich nichts. Geben \
             Sie den Link nicht weiter."
        }
    })
}

/// Appends the link, the command if the route has one, and the time until which they can be used.
fn push_ways(
    draft: Draft,
    token: &SecretText,
    (route, expires_at): (&TokenRoute, Timestamp),
    places: &MailLinks<'_>,
) -> Draft {
    let (draft, until) = (draft.push_token_link(token, route, places), moment(expires_at));
    let Some(asks) = route.asks else {
        return draft.push_paragraph(format!("Sie können ihn einmal nutzen, bis {until}."));
    };
    let from_terminal = match asks {
        TokenInput::Nothing => ("Oder führen Sie diesen Befehl im Terminal aus:", ""),
        TokenInput::Password => {
            ("Oder führen Sie diesen Befehl im Terminal aus. Er fragt nach dem Passwort:", "Passwort:")
        }
    };
    draft
        .push_token_command(token, (route, asks), from_terminal, places)
        .push_paragraph(format!("Sie können einen der beiden Wege einmal nutzen, bis {until}."))
}

fn render_notice(notice: &Notice, places: &MailLinks<'_>) -> Draft {
    let platform = places.platform;
    match notice {
        Notice::AlreadyRegistered { name } => greet(format!("Sie sind bei {platform} schon registriert"), name)
            .push_paragraph(format!(
                "jemand, vielleicht Sie, wollte sich mit dieser Adresse bei {platform} registrieren. Sie hat schon ein \
                 Konto, deshalb wurde nichts registriert."
            ))
            .push_paragraph(
                "Melden Sie sich wie gewohnt an. Wenn Sie das Passwort vergessen haben, fordern Sie ein neues an.",
            )
            .push_paragraph("Wenn Sie es nicht waren, ist nichts zu tun."),
        Notice::EmailTaken { name } => greet(format!("Ihre E-Mail-Adresse hat bei {platform} schon ein Konto"), name)
            .push_paragraph(format!(
                "jemand, vielleicht Sie, wollte diese Adresse für ein anderes Konto bei {platform} verwenden. Sie hat \
                 schon ein Konto, deshalb wurde nichts geändert."
            ))
            .push_paragraph("Wenn Sie es nicht waren, ist nichts zu tun."),
        Notice::Security { name, event, occurred_at } => {
            let (subject, what) = render_security(*event);
            greet(format!("{subject} bei {platform}"), name)
                .push_paragraph(format!("{what} Das war am {}.", moment(*occurred_at)))
                .push_paragraph("Wenn Sie es waren oder davon wissen, ist nichts zu tun.")
                .push_paragraph(format!(
                    "Andernfalls setzen Sie sofort Ihr Passwort zurück, prüfen Sie die Sicherheitsereignisse Ihres \
                     Kontos und schreiben Sie dem Support von {platform}."
                ))
        }
        Notice::PartnerSuspended { name, company, reason } => {
            greet(format!("{} ist bei {platform} gesperrt", sanitize(company)), name)
                .push_paragraph(format!(
                    "das Konto von {} bei {platform} ist gesperrt. Bis zum Ende der Sperre können sich weder \
                     Personen noch Programme Ihres Unternehmens anmelden. Als Grund wurde angegeben:",
                    sanitize(company)
                ))
                .push_paragraph(format!("    {}", sanitize_reason(reason)))
                .push_paragraph(format!("Der Support von {platform} hilft weiter."))
        }
        Notice::PartnerReinstated { name, company } => {
            greet(format!("{} ist bei {platform} wieder aktiv", sanitize(company)), name).push_paragraph(format!(
                "das Konto von {} bei {platform} ist wieder aktiv. Sie können sich wie zuvor anmelden.",
                sanitize(company)
            ))
        }
        Notice::NameDecided { name, company, wanted, reason } => {
            renaming(name, &sanitize(company), &sanitize(wanted), reason.as_deref(), platform)
        }
        Notice::PartnerClosing { name, company, step } => render_closing(name, &sanitize(company), step, platform),
        Notice::DataExport { name, company, until } => render_archive(name, &sanitize(company), *until, platform),
        Notice::Subscription(notice) => subscription::render_email(notice, platform),
        Notice::SubmissionDecided { name, app, version, decision } => {
            marketplace::render_decision(name, &sanitize(app), &sanitize(version), *decision)
        }
        Notice::VersionReview(review) => marketplace::render_version_review(review, places),
        Notice::Listing(notice) => marketplace::render_listing(notice, platform),
        Notice::Membership(membership) => team::render_membership(membership, platform),
        Notice::Ticket(ticket) => team::render_ticket(ticket, places),
        Notice::Board(notice) => board::render_email(notice),
        Notice::BoardWeek(week) => board_week::render_email(week, places),
        Notice::Review(notice) => review::render_email(notice),
        Notice::Deprecation(notice) => deprecation::render_email(notice, places),
        Notice::Quota(notice) => quota::render_email(notice, platform),
    }
}

fn renaming(name: &str, company: &str, wanted: &str, reason: Option<&str>, platform: &str) -> Draft {
    let Some(reason) = reason else {
        return greet(format!("{company} hat bei {platform} einen neuen Namen"), name).push_paragraph(format!(
            "der Support von {platform} hat den neuen Namen Ihres Unternehmens bestätigt. Ab jetzt zeigt der Marktplatz \
             {wanted}."
        ));
    };
    greet(format!("{company} behält bei {platform} den Namen"), name)
        .push_paragraph(format!(
            "der Support von {platform} hat {wanted} als neuen Namen Ihres Unternehmens nicht bestätigt. Der Marktplatz \
             zeigt weiter {company}. Als Grund wurde angegeben:"
        ))
        .push_paragraph(format!("    {}", sanitize_reason(reason)))
}

fn render_closing(name: &str, company: &str, step: &ClosingStep, platform: &str) -> Draft {
    match step {
        ClosingStep::Requested { closes_at } => {
            greet(format!("{company} soll bei {platform} geschlossen werden"), name)
                .push_paragraph(format!(
                    "jemand aus Ihrem Team möchte das Konto von {company} bei {platform} schließen. Es wird am {} \
                     geschlossen. Bis dahin ändert sich nichts.",
                    moment(*closes_at)
                ))
                .push_paragraph(
                    "Wenn das nicht gewollt ist, kann jeder Administrator die Schließung bis dahin im Konto \
                     zurücknehmen.",
                )
        }
        ClosingStep::Cancelled => greet(format!("{company} bleibt bei {platform}"), name).push_paragraph(format!(
            "das Konto von {company} bei {platform} wird nicht geschlossen. Es ändert sich nichts."
        )),
        ClosingStep::Closed { until, reason } => {
            let draft = greet(format!("{company} ist bei {platform} geschlossen"), name).push_paragraph(format!(
                "das Konto von {company} bei {platform} ist geschlossen. Weder Personen noch Programme Ihres \
                 Unternehmens können sich noch anmelden, und seine Apps sind nicht mehr im Marktplatz."
            ));
            let draft = match reason {
                Some(reason) => draft
                    .push_paragraph("Als Grund wurde angegeben:")
                    .push_paragraph(format!("    {}", sanitize_reason(reason))),
                None => draft,
            };
            draft.push_paragraph(format!("Bis {} kann es der Support von {platform} wieder öffnen.", moment(*until)))
        }
    }
}

fn render_archive(name: &str, company: &str, until: Option<Timestamp>, platform: &str) -> Draft {
    match until {
        Some(until) => greet(format!("Der Datenexport von {company} bei {platform} ist fertig"), name).push_paragraph(format!(
            "das Archiv mit allen Daten von {company} bei {platform} ist fertig. Jeder Administrator kann es bis {} \
             im Konto herunterladen; danach wird es gelöscht.",
            moment(until)
        )),
        None => greet(format!("Der Datenexport von {company} bei {platform} ist fehlgeschlagen"), name).push_paragraph(format!(
            "das Archiv mit allen Daten von {company} bei {platform} konnte nicht erstellt werden. Es gingen keine \
             Daten verloren. Fordern Sie das Archiv noch einmal an. Wenn es wieder fehlschlägt, schreiben Sie dem \
             Support von {platform}."
        )),
    }
}

fn greet(subject: String, name: &str) -> Draft {
    Draft::new(subject, format!("Guten Tag {},", sanitize(name)))
}

fn role(role: &str) -> &str {
    match role {
        "ADMINISTRATOR" => "Administration",
        "DEVELOPER" => "Entwicklung",
        "EDITOR" => "Redaktion",
        "ACCOUNTANT" => "Buchhaltung",
        "VIEWER" => "Ansicht",
        other => other,
    }
}

fn render_security(event: SecurityEvent) -> (&'static str, &'static str) {
    match event {
        SecurityEvent::PasswordChanged => {
            ("Passwort geändert", "das Passwort Ihres Kontos wurde geändert; alle anderen Sitzungen wurden beendet.")
        }
        SecurityEvent::PasswordReset => (
            "Passwort zurückgesetzt",
            "mit einem Token aus einer E-Mail wurde ein neues Passwort gesetzt; alle Sitzungen Ihres Kontos wurden \
             beendet.",
        ),
        SecurityEvent::SecondFactorEnabled => {
            ("Zweiter Faktor aktiviert", "bei der Anmeldung wird nun eine Authenticator-App verlangt.")
        }
        SecurityEvent::SecondFactorDisabled => {
            ("Zweiter Faktor deaktiviert", "bei der Anmeldung wird keine Authenticator-App mehr verlangt.")
        }
        SecurityEvent::SecondFactorReset => (
            "Zweiter Faktor zurückgesetzt",
            "unsere Mitarbeiter haben den zweiten Faktor Ihres Kontos entfernt, weil jemand darum gebeten hat.",
        ),
        SecurityEvent::RecoveryCodeUsed => (
            "Wiederherstellungscode benutzt",
            "für eine Anmeldung bei Ihrem Konto wurde statt der Authenticator-App ein Wiederherstellungscode benutzt.",
        ),
        SecurityEvent::RecoveryCodesRegenerated => (
            "Neue Wiederherstellungscodes",
            "für Ihr Konto wurden neue Wiederherstellungscodes erzeugt. Die alten gelten nicht mehr.",
        ),
        SecurityEvent::WrongCodes => (
            "Falsche Anmeldecodes",
            "jemand hat mehrmals falsche Codes des zweiten Faktors eingegeben. Diese Person kennt das Passwort Ihres \
             Kontos. Die Anmeldung ist nicht gelungen.",
        ),
        SecurityEvent::RefreshReused => (
            "Sitzungen beendet",
            "ein Anmeldenachweis Ihres Kontos wurde ein zweites Mal benutzt. Er könnte kopiert worden sein, deshalb \
             wurden alle Sitzungen beendet, die damit begonnen wurden.",
        ),
        SecurityEvent::EmailChanged => ("E-Mail-Adresse geändert", "die E-Mail-Adresse Ihres Kontos wurde geändert."),
        SecurityEvent::AccountLocked => (
            "Konto gesperrt",
            "unsere Mitarbeiter haben Ihr Konto gesperrt. Sie können sich erst wieder anmelden, wenn sie es \
             entsperren.",
        ),
        SecurityEvent::AccountUnlocked => {
            ("Konto entsperrt", "unsere Mitarbeiter haben Ihr Konto entsperrt. Sie können sich wieder anmelden.")
        }
    }
}

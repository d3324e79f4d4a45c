//! German texts of mail messages.
mod board;
mod board_week;
mod deprecation;
mod marketplace;
mod review;
mod team;

use jiff::Timestamp;

use super::{Asks, Draft, Places, moment, tame, tame_reason, way};
use crate::core::crypto::secret::SecretText;
use crate::core::mail::message::{Asking, ClosingStep, Letter, Notice, SecurityEvent};

mod subscription;

pub(super) fn draft(letter: &Letter, places: &Places<'_>) -> Draft {
    match letter {
        Letter::Asking { about, token, expires_at } => asking(about, token, *expires_at, places),
        Letter::Telling(notice) => telling(notice, places),
    }
}

/// Returns a neutral subject, used if the usual one would contain an address that a user chose.
pub(super) fn neutral(is_invitation: bool, platform: &str) -> String {
    if is_invitation { format!("Sie sind zu {platform} eingeladen") } else { format!("Eine Nachricht von {platform}") }
}

fn asking(about: &Asking, token: &SecretText, expires_at: Timestamp, places: &Places<'_>) -> Draft {
    let platform = places.platform;
    let draft = match about {
        Asking::VerifyEmail { name, company, registered_at } => {
            let hour = registered_at.map(|at| format!(" ({})", moment(at))).unwrap_or_default();
            greet(format!("Bestätigen Sie Ihre E-Mail-Adresse für {platform}"), name).say(format!(
                "{} wurde bei {platform} unter dieser Adresse registriert{hour}. Wenn Sie das waren, folgen Sie \
                 diesem Link und bestätigen Sie die Registrierung mit dem Passwort, das Sie dabei gewählt haben:",
                tame(company)
            ))
        }
        Asking::ResetPassword { name } => greet(format!("Neues Passwort für {platform}"), name)
            .say("jemand, vermutlich Sie, hat ein neues Passwort angefordert. Unter diesem Link können Sie eines wählen:"),
        Asking::ConfirmNewEmail { name } => {
            greet(format!("Bestätigen Sie Ihre neue E-Mail-Adresse für {platform}"), name).say(format!(
                "mit dieser Adresse melden Sie sich künftig bei {platform} an. Bestätigen Sie die Adresse unter \
                 diesem Link:"
            ))
        }
        Asking::CancelEmailChange { name } => {
            greet(format!("Ihre E-Mail-Adresse bei {platform} wird geändert"), name).say(format!(
                "jemand, vermutlich Sie, ändert die E-Mail-Adresse Ihres Kontos bei {platform}. Wenn Sie es nicht \
                 waren, brechen Sie die Änderung unter diesem Link ab. Das beendet auch alle Sitzungen Ihres Kontos:"
            ))
        }
        Asking::Invitation { company, inviter, role } => {
            let (company, role) = (tame(company), self::role(role));
            let who = inviter.as_ref().map_or_else(|| company.clone(), |name| format!("{} von {company}", tame(name)));
            Draft::new(format!("{company} lädt Sie zu {platform} ein"), "Guten Tag,".to_owned()).say(format!(
                "{who} lädt Sie ein, bei {platform} mitzuarbeiten. Ihre Rolle: {role}. Nehmen Sie unter diesem Link an:"
            ))
        }
        Asking::FirstAdministrator { company } => {
            Draft::new(format!("Ihr Konto für {} bei {platform}", tame(company)), "Guten Tag,".to_owned()).say(format!(
                "wir haben bei {platform} ein Konto für {} eröffnet und laden Sie ein, es zu verwalten. Nehmen Sie \
                 unter diesem Link an:",
                tame(company)
            ))
        }
        Asking::StaffInvitation { name, inviter } => greet(format!("Ihr Mitarbeiterkonto bei {platform}"), name).say(format!(
            "{} hat für Sie ein Mitarbeiterkonto bei {platform} angelegt. Wählen Sie unter diesem Link ein Passwort; Sie \
             brauchen außerdem eine Authenticator-App:",
            tame(inviter)
        )),
    };
    let way = way(about);
    let from_terminal = match way.asks {
        Asks::Nothing => ("Oder führen Sie diesen Befehl im Terminal aus:", ""),
        Asks::Password => ("Oder führen Sie diesen Befehl im Terminal aus. Er fragt nach dem Passwort:", "Passwort:"),
        Asks::NameAndPassword => (
            "Wenn Sie noch kein Konto haben, können Sie auch diesen Befehl im Terminal ausführen. Er fragt nach \
             Ihrem Namen und einem Passwort:",
            "Ihr Name, und in der Zeile darunter ein Passwort:",
        ),
    };
    let draft = draft.hand_over(token, &way, from_terminal, places);
    draft.say(format!("Sie können einen der beiden Wege einmal nutzen, bis {}.", moment(expires_at))).say(match about {
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

fn telling(notice: &Notice, places: &Places<'_>) -> Draft {
    let platform = places.platform;
    match notice {
        Notice::AlreadyRegistered { name } => greet(format!("Sie sind bei {platform} schon registriert"), name)
            .say(format!(
                "jemand, vielleicht Sie, wollte sich mit dieser Adresse bei {platform} registrieren. Sie hat schon ein \
                 Konto, deshalb wurde nichts registriert."
            ))
            .say("Melden Sie sich wie gewohnt an. Wenn Sie das Passwort vergessen haben, fordern Sie ein neues an.")
            .say("Wenn Sie es nicht waren, ist nichts zu tun."),
        Notice::EmailTaken { name } => greet(format!("Ihre E-Mail-Adresse hat bei {platform} schon ein Konto"), name)
            .say(format!(
                "jemand, vielleicht Sie, wollte diese Adresse für ein anderes Konto bei {platform} verwenden. Sie hat \
                 schon ein Konto, deshalb wurde nichts geändert."
            ))
            .say("Wenn Sie es nicht waren, ist nichts zu tun."),
        Notice::Security { name, event, occurred_at } => {
            let (subject, what) = security(*event);
            greet(format!("{subject} bei {platform}"), name)
                .say(format!("{what} Das war am {}.", moment(*occurred_at)))
                .say("Wenn Sie es waren oder davon wissen, ist nichts zu tun.")
                .say(format!(
                    "Andernfalls setzen Sie sofort Ihr Passwort zurück, prüfen Sie die Sicherheitsereignisse Ihres \
                     Kontos und schreiben Sie dem Support von {platform}."
                ))
        }
        Notice::PartnerSuspended { name, company, reason } => {
            greet(format!("{} ist bei {platform} gesperrt", tame(company)), name)
                .say(format!(
                    "das Konto von {} bei {platform} ist gesperrt. Bis zum Ende der Sperre können sich weder \
                     Personen noch Programme Ihres Unternehmens anmelden. Als Grund wurde angegeben:",
                    tame(company)
                ))
                .say(format!("    {}", tame_reason(reason)))
                .say(format!("Der Support von {platform} hilft weiter."))
        }
        Notice::PartnerReinstated { name, company } => {
            greet(format!("{} ist bei {platform} wieder aktiv", tame(company)), name).say(format!(
                "das Konto von {} bei {platform} ist wieder aktiv. Sie können sich wie zuvor anmelden.",
                tame(company)
            ))
        }
        Notice::NameDecided { name, company, wanted, reason } => {
            renaming(name, &tame(company), &tame(wanted), reason.as_deref(), platform)
        }
        Notice::PartnerClosing { name, company, step } => closing(name, &tame(company), step, platform),
        Notice::DataExport { name, company, until } => archive(name, &tame(company), *until, platform),
        Notice::Subscription(notice) => subscription::telling(notice, platform),
        Notice::SubmissionDecided { name, app, version, decision } => {
            marketplace::decided(name, &tame(app), &tame(version), *decision)
        }
        Notice::VersionReview(review) => marketplace::version_review(review, places),
        Notice::Listing(notice) => marketplace::listing(notice, platform),
        Notice::Membership(membership) => team::membership(membership, platform),
        Notice::Ticket(ticket) => team::ticket(ticket, places),
        Notice::Board(notice) => board::telling(notice),
        Notice::BoardWeek(week) => board_week::telling(week, places),
        Notice::Review(notice) => review::telling(notice),
        Notice::Deprecation(notice) => deprecation::telling(notice, places),
    }
}

fn renaming(name: &str, company: &str, wanted: &str, reason: Option<&str>, platform: &str) -> Draft {
    let Some(reason) = reason else {
        return greet(format!("{company} hat bei {platform} einen neuen Namen"), name).say(format!(
            "der Support von {platform} hat den neuen Namen Ihres Unternehmens bestätigt. Ab jetzt zeigt der Marktplatz \
             {wanted}."
        ));
    };
    greet(format!("{company} behält bei {platform} den Namen"), name)
        .say(format!(
            "der Support von {platform} hat {wanted} als neuen Namen Ihres Unternehmens nicht bestätigt. Der Marktplatz \
             zeigt weiter {company}. Als Grund wurde angegeben:"
        ))
        .say(format!("    {}", tame_reason(reason)))
}

fn closing(name: &str, company: &str, step: &ClosingStep, platform: &str) -> Draft {
    match step {
        ClosingStep::Requested { closes_at } => {
            greet(format!("{company} soll bei {platform} geschlossen werden"), name)
                .say(format!(
                    "jemand aus Ihrem Team möchte das Konto von {company} bei {platform} schließen. Es wird am {} \
                     geschlossen. Bis dahin ändert sich nichts.",
                    moment(*closes_at)
                ))
                .say(
                    "Wenn das nicht gewollt ist, kann jeder Administrator die Schließung bis dahin im Konto \
                     zurücknehmen.",
                )
        }
        ClosingStep::Cancelled => greet(format!("{company} bleibt bei {platform}"), name)
            .say(format!("das Konto von {company} bei {platform} wird nicht geschlossen. Es ändert sich nichts.")),
        ClosingStep::Closed { until, reason } => {
            let draft = greet(format!("{company} ist bei {platform} geschlossen"), name).say(format!(
                "das Konto von {company} bei {platform} ist geschlossen. Weder Personen noch Programme Ihres \
                 Unternehmens können sich noch anmelden, und seine Apps sind nicht mehr im Marktplatz."
            ));
            let draft = match reason {
                Some(reason) => draft.say("Als Grund wurde angegeben:").say(format!("    {}", tame_reason(reason))),
                None => draft,
            };
            draft.say(format!("Bis {} kann es der Support von {platform} wieder öffnen.", moment(*until)))
        }
    }
}

fn archive(name: &str, company: &str, until: Option<Timestamp>, platform: &str) -> Draft {
    match until {
        Some(until) => greet(format!("Der Datenexport von {company} bei {platform} ist fertig"), name).say(format!(
            "das Archiv mit allen Daten von {company} bei {platform} ist fertig. Jeder Administrator kann es bis {} \
             im Konto herunterladen; danach wird es gelöscht.",
            moment(until)
        )),
        None => greet(format!("Der Datenexport von {company} bei {platform} ist fehlgeschlagen"), name).say(format!(
            "das Archiv mit allen Daten von {company} bei {platform} konnte nicht erstellt werden. Es gingen keine \
             Daten verloren. Fordern Sie das Archiv noch einmal an. Wenn es wieder fehlschlägt, schreiben Sie dem \
             Support von {platform}."
        )),
    }
}

fn greet(subject: String, name: &str) -> Draft {
    Draft::new(subject, format!("Guten Tag {},", tame(name)))
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

fn security(event: SecurityEvent) -> (&'static str, &'static str) {
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

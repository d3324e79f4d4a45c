//! English texts of mail messages.
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
pub(super) const NEXT_STEP: &str = "The next step is explained here, and can be done there:";

pub(super) fn render(content: &MailContent, places: &MailLinks<'_>) -> Draft {
    match content {
        MailContent::Asking { about, token, expires_at } => render_token_request(about, token, *expires_at, places),
        MailContent::Telling(notice) => render_notice(notice, places),
    }
}

/// Returns a neutral subject, used if the usual one would contain an address that a user chose.
pub(super) fn neutral_subject(is_invitation: bool, platform: &str) -> String {
    if is_invitation { format!("You are invited to {platform}") } else { format!("A message from {platform}") }
}

fn render_token_request(about: &Asking, token: &SecretText, expires_at: Timestamp, places: &MailLinks<'_>) -> Draft {
    let platform = places.platform;
    let draft = match about {
        Asking::VerifyEmail { name, company, registered_at } => {
            let hour = registered_at.map(|at| format!(" at {}", moment(at))).unwrap_or_default();
            greet(format!("Confirm your e-mail address for {platform}"), name).push_paragraph(format!(
                "{} was registered with {platform}{hour} under this address. If you did that, follow this link and \
                 confirm the registration with the password that you chose:",
                sanitize(company)
            ))
        }
        Asking::ResetPassword { name } => greet(format!("Choose a new password for {platform}"), name)
            .push_paragraph("a new password was requested for your account, probably by you. Choose one at this link:"),
        Asking::ConfirmNewEmail { name } => greet(format!("Confirm your new e-mail address for {platform}"), name)
            .push_paragraph(format!(
                "this address will become your sign-in address for {platform}. Confirm it at this link:"
            )),
        Asking::CancelEmailChange { name } => {
            greet(format!("Your e-mail address at {platform} is being changed"), name).push_paragraph(format!(
                "the e-mail address of your account at {platform} is being changed, probably by you. If it was not \
                 you, cancel the change at this link. This also ends every session of your account:"
            ))
        }
        Asking::Invitation { company, inviter, role } => {
            let (company, role) = (sanitize(company), self::role(role));
            let who =
                inviter.as_ref().map_or_else(|| company.clone(), |name| format!("{} of {company}", sanitize(name)));
            Draft::new(format!("{company} invites you to {platform}"), "Hello,".to_owned()).push_paragraph(format!(
                "{who} invites you to work on their apps at {platform}, as {role}. Accept at this link:"
            ))
        }
        Asking::FirstAdministrator { company } => Draft::new(
            format!("Your account for {} at {platform}", sanitize(company)),
            "Hello,".to_owned(),
        )
        .push_paragraph(format!(
            "we created an account for {} at {platform}, and you will be its first administrator. Accept at this link:",
            sanitize(company)
        )),
        Asking::StaffInvitation { name, inviter } => greet(format!("Your staff account at {platform}"), name)
            .push_paragraph(format!(
                "{} created a staff account for you at {platform}. Choose a password at this link. You will also \
                 need an authenticator app:",
                sanitize(inviter)
            )),
    };
    let token_route = token_route(about);
    push_ways(draft, token, (&token_route, expires_at), places).push_paragraph(match about {
        Asking::CancelEmailChange { .. } => "If you made the change yourself, you can ignore this e-mail.",
        Asking::VerifyEmail { .. } => {
            "If you did not register this company at that time, another person did. Ignore this e-mail, and do not \
             share the link."
        }
        _ => "If you did not expect this e-mail, ignore it: without the link, nothing changes. Do not share the link.",
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
        return draft.push_paragraph(format!("You can use it once, until {until}."));
    };
    let from_terminal = match asks {
        TokenInput::Nothing => ("Or do it at a terminal:", ""),
        TokenInput::Password => ("Or do it at a terminal, which asks for the password:", "Password:"),
    };
    draft
        .push_token_command(token, (route, asks), from_terminal, places)
        .push_paragraph(format!("You can use one of them, once, until {until}."))
}

fn render_notice(notice: &Notice, places: &MailLinks<'_>) -> Draft {
    let platform = places.platform;
    match notice {
        Notice::AlreadyRegistered { name } => greet(format!("You are already registered with {platform}"), name)
            .push_paragraph(format!(
                "someone, perhaps you, tried to register with {platform} under this address. The address already has \
                 an account, so nothing was registered."
            ))
            .push_paragraph("Sign in as usual. If you have forgotten the password, ask for a new one.")
            .push_paragraph("If it was not you, you can ignore this e-mail."),
        Notice::EmailTaken { name } => greet(format!("Your e-mail address already has an account at {platform}"), name)
            .push_paragraph(format!(
                "someone, perhaps you, tried to use this address for another account at {platform}. The address \
                 already has an account, so nothing was changed."
            ))
            .push_paragraph("If it was not you, you can ignore this e-mail."),
        Notice::Security { name, event, occurred_at } => {
            let (subject, what) = render_security(*event);
            greet(format!("{subject} at {platform}"), name)
                .push_paragraph(format!("{what} This happened at {}.", moment(*occurred_at)))
                .push_paragraph("If you did this or know about it, you can ignore this e-mail.")
                .push_paragraph(format!(
                    "Otherwise, reset your password at once, check the security events of your account, and contact \
                     the support of {platform}."
                ))
        }
        Notice::PartnerSuspended { name, company, reason } => {
            greet(format!("{} is suspended at {platform}", sanitize(company)), name)
                .push_paragraph(format!(
                    "the account of {} at {platform} is suspended. Until the suspension ends, no user and no machine \
                     client of your company can sign in. The reason given:",
                    sanitize(company)
                ))
                .push_paragraph(format!("    {}", sanitize_reason(reason)))
                .push_paragraph(format!("Contact the support of {platform} for help."))
        }
        Notice::PartnerReinstated { name, company } => {
            greet(format!("{} is active at {platform} again", sanitize(company)), name).push_paragraph(format!(
                "the account of {} at {platform} is active again. You can sign in as before.",
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
        return greet(format!("{company} has its new name at {platform}"), name).push_paragraph(format!(
            "the support of {platform} confirmed the new name of your company. The storefront now shows {wanted}."
        ));
    };
    greet(format!("{company} keeps its name at {platform}"), name)
        .push_paragraph(format!(
            "the support of {platform} did not confirm {wanted} as the new name of your company. The storefront still shows \
             {company}. The reason:"
        ))
        .push_paragraph(format!("    {}", sanitize_reason(reason)))
}

fn render_closing(name: &str, company: &str, step: &ClosingStep, platform: &str) -> Draft {
    match step {
        ClosingStep::Requested { closes_at } => greet(format!("{company} will be closed at {platform}"), name)
            .push_paragraph(format!(
                "a member of your team requested to close the account of {company} at {platform}. It will be closed \
                 at {}. Until then, nothing changes.",
                moment(*closes_at)
            ))
            .push_paragraph(
                "If this was not intended, any administrator can cancel the closure in the account until then.",
            ),
        ClosingStep::Cancelled => greet(format!("{company} stays open at {platform}"), name)
            .push_paragraph(format!("the account of {company} at {platform} will not be closed. Nothing changes.")),
        ClosingStep::Closed { until, reason } => {
            let draft = greet(format!("{company} is closed at {platform}"), name).push_paragraph(format!(
                "the account of {company} at {platform} is closed. No user and no machine client of your company can \
                 sign in any more, and its apps are not on the storefront any more."
            ));
            let draft = match reason {
                Some(reason) => {
                    draft.push_paragraph("The reason given:").push_paragraph(format!("    {}", sanitize_reason(reason)))
                }
                None => draft,
            };
            draft.push_paragraph(format!("Until {} the support of {platform} can reopen it.", moment(*until)))
        }
    }
}

fn render_archive(name: &str, company: &str, until: Option<Timestamp>, platform: &str) -> Draft {
    match until {
        Some(until) => greet(format!("The data export of {company} at {platform} is ready"), name).push_paragraph(format!(
            "the archive of all data of {company} at {platform} is ready. Any administrator can download it from the \
             account until {}; then it is deleted.",
            moment(until)
        )),
        None => greet(format!("The data export of {company} at {platform} failed"), name).push_paragraph(format!(
            "the archive of all data of {company} at {platform} could not be created. No data was lost. Request it \
             again, and contact the support of {platform} if it fails again."
        )),
    }
}

fn greet(subject: String, name: &str) -> Draft {
    Draft::new(subject, format!("Hello {},", sanitize(name)))
}

fn role(role: &str) -> &str {
    match role {
        "ADMINISTRATOR" => "administrator",
        "DEVELOPER" => "developer",
        "EDITOR" => "editor",
        "ACCOUNTANT" => "accountant",
        "VIEWER" => "viewer",
        other => other,
    }
}

fn render_security(event: SecurityEvent) -> (&'static str, &'static str) {
    match event {
        SecurityEvent::PasswordChanged => (
            "Your password was changed",
            "the password of your account was changed, and all other sessions were ended.",
        ),
        SecurityEvent::PasswordReset => (
            "Your password was reset",
            "a new password was set with a token from an e-mail, and all sessions of your account were ended.",
        ),
        SecurityEvent::SecondFactorEnabled => {
            ("Second factor enabled", "sign-in to your account now requires an authenticator app.")
        }
        SecurityEvent::SecondFactorDisabled => {
            ("Second factor disabled", "sign-in to your account no longer requires the authenticator app.")
        }
        SecurityEvent::SecondFactorReset => (
            "Second factor reset",
            "our staff removed the second factor of your account, because someone asked for it.",
        ),
        SecurityEvent::RecoveryCodeUsed => (
            "A recovery code was used",
            "a recovery code was used to sign in to your account, instead of the authenticator app.",
        ),
        SecurityEvent::RecoveryCodesRegenerated => (
            "New recovery codes",
            "new recovery codes were created for your account. The old ones are not valid any more.",
        ),
        SecurityEvent::WrongCodes => (
            "Wrong sign-in codes",
            "wrong codes of the second factor were entered several times. The person who entered them knows the \
             password of your account. The sign-in did not succeed.",
        ),
        SecurityEvent::RefreshReused => (
            "Sessions ended",
            "a sign-in credential of your account was used a second time. It may have been copied, so all sessions \
             based on it were ended.",
        ),
        SecurityEvent::EmailChanged => {
            ("Your e-mail address was changed", "the e-mail address of your account was changed.")
        }
        SecurityEvent::AccountLocked => {
            ("Your account is locked", "our staff locked your account. You cannot sign in until they unlock it.")
        }
        SecurityEvent::AccountUnlocked => {
            ("Your account is unlocked", "our staff unlocked your account. You can sign in again.")
        }
    }
}

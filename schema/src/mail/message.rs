//! Letters: every mail that Labs writes, as data, and the sealed form in which they wait.
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

mod membership;
mod ticket;
pub use super::closing::ClosingStep;
use super::subscription::SubscriptionNotice;
use super::words;
use crate::keep::email::EmailAddress;
use crate::keep::sealed::{MasterKey, SealBroken};
use crate::keep::secret::SecretText;
pub use membership::{Membership, MembershipChange};
pub use ticket::{Ticket, TicketEvent};

/// A mail to one person, ready to be put into words.
#[derive(Clone, Debug)]
pub struct Message {
    /// Its row in the outbox. The Message-ID is made of it, so that a mail sent twice is recognised as one.
    pub message_uuid: Uuid,
    /// To whom.
    pub recipient: EmailAddress,
    /// In which language.
    pub locale: Locale,
    /// When it was queued; becomes its date, so that sending again gives the same bytes.
    pub written_at: Timestamp,
    /// What it says.
    pub letter: Letter,
}

/// What a mail says.
#[derive(Clone, Debug)]
pub enum Letter {
    /// It carries a token and asks the person to use it.
    Asking {
        /// What for.
        about: Asking,
        /// The one-time token. Never in a subject, never in a log.
        token: SecretText,
        /// When the token ends.
        expires_at: Timestamp,
    },
    /// It tells something and carries nothing secret.
    Telling(Notice),
}

/// What a mail with a token asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Asking {
    /// Confirm the address of a registration.
    VerifyEmail {
        /// The person.
        name: String,
        /// The company that was registered.
        company: String,
    },
    /// Choose a new password.
    ResetPassword {
        /// The person.
        name: String,
    },
    /// Confirm the new address of an account; goes to the new one.
    ConfirmNewEmail {
        /// The person.
        name: String,
    },
    /// Stop a change of address that was not meant; goes to the old one.
    CancelEmailChange {
        /// The person.
        name: String,
    },
    /// Join a partner's team.
    Invitation {
        /// The company that invites.
        company: String,
        /// Who invites, where it is somebody of the team.
        inviter: Option<String>,
        /// The role offered, as the contract names it.
        role: String,
    },
    /// Begin as the first administrator of a partner that staff made.
    FirstAdministrator {
        /// The company.
        company: String,
    },
    /// Begin as a member of staff.
    StaffInvitation {
        /// The person.
        name: String,
        /// Who invites.
        inviter: String,
    },
}

/// What a mail without a token tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Notice {
    /// Somebody registered with an address that has an account already.
    AlreadyRegistered {
        /// The person whose account it is.
        name: String,
    },
    /// Somebody wanted to change to an address that has an account already.
    EmailTaken {
        /// The person whose account it is.
        name: String,
    },
    /// Something happened to the person's account that only they should have done.
    Security {
        /// The person.
        name: String,
        /// What.
        event: SecurityEvent,
        /// When.
        occurred_at: Timestamp,
    },
    /// A partner may not use its account for now.
    PartnerSuspended {
        /// The person.
        name: String,
        /// The company.
        company: String,
        /// What staff gave as the reason.
        reason: String,
    },
    /// A suspended partner may use its account again.
    PartnerReinstated {
        /// The person.
        name: String,
        /// The company.
        company: String,
    },
    /// A partner's account is to end, stays after all, or has ended.
    PartnerClosing {
        /// The person.
        name: String,
        /// The company.
        company: String,
        /// How far it is.
        step: ClosingStep,
    },
    /// A submission was decided.
    SubmissionDecided {
        /// The person.
        name: String,
        /// The app.
        app: String,
        /// The version's number.
        version: String,
        /// How.
        decision: Decision,
    },
    /// Somebody's place in their team changed.
    Membership(Membership),
    /// Something happened to a support ticket.
    Ticket(Ticket),
    /// Something happened to the company's subscription.
    Subscription(SubscriptionNotice),
}

/// What happened to an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SecurityEvent {
    /// The password was changed by somebody signed in.
    PasswordChanged,
    /// The password was set anew with a token from a mail.
    PasswordReset,
    /// An authenticator app came into force.
    SecondFactorEnabled,
    /// The authenticator app is no longer asked for.
    SecondFactorDisabled,
    /// Staff took the second factor away.
    SecondFactorReset,
    /// A recovery code was used in place of the authenticator app.
    RecoveryCodeUsed,
    /// New recovery codes were made.
    RecoveryCodesRegenerated,
    /// A refresh token was used a second time, so all sessions of its family were ended.
    RefreshReused,
    /// The address was changed.
    EmailChanged,
    /// Staff locked the account.
    AccountLocked,
    /// Staff unlocked the account.
    AccountUnlocked,
}

/// How a submission was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Decision {
    /// The version may be published.
    Approved,
    /// The version needs changes first.
    ChangesRequested,
    /// The version is refused.
    Rejected,
}

/// The languages that mails are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Locale {
    /// English, also for everybody whose language we do not write.
    #[default]
    English,
    /// German.
    German,
}

impl Locale {
    /// The best language for a BCP 47 tag.
    pub fn of(tag: &str) -> Locale {
        let language = tag.split(['-', '_']).next().unwrap_or_default();
        if language.eq_ignore_ascii_case("de") { Locale::German } else { Locale::English }
    }
}

/// A letter as it lies sealed in the outbox. The only form in which a letter's token is written anywhere.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Stored<'a> {
    Asking { asking: Asking, token: &'a str, expires_at: Timestamp },
    Telling { telling: Notice },
}

impl Letter {
    /// A letter that asks.
    pub fn asking(about: Asking, token: SecretText, expires_at: Timestamp) -> Letter {
        Letter::Asking { about, token, expires_at }
    }

    /// The stable name of its kind, for the outbox's column.
    pub fn kind(&self) -> &'static str {
        match self {
            Letter::Asking { about, .. } => match about {
                Asking::VerifyEmail { .. } => "VERIFY_EMAIL",
                Asking::ResetPassword { .. } => "RESET_PASSWORD",
                Asking::ConfirmNewEmail { .. } => "CONFIRM_NEW_EMAIL",
                Asking::CancelEmailChange { .. } => "CANCEL_EMAIL_CHANGE",
                Asking::Invitation { .. } => "INVITATION",
                Asking::FirstAdministrator { .. } => "FIRST_ADMINISTRATOR",
                Asking::StaffInvitation { .. } => "STAFF_INVITATION",
            },
            Letter::Telling(notice) => match notice {
                Notice::AlreadyRegistered { .. } => "ALREADY_REGISTERED",
                Notice::EmailTaken { .. } => "EMAIL_TAKEN",
                Notice::Security { .. } => "SECURITY",
                Notice::PartnerSuspended { .. } => "PARTNER_SUSPENDED",
                Notice::PartnerReinstated { .. } => "PARTNER_REINSTATED",
                Notice::PartnerClosing { .. } => "PARTNER_CLOSING",
                Notice::SubmissionDecided { .. } => "SUBMISSION_DECIDED",
                Notice::Membership(_) => "MEMBERSHIP",
                Notice::Ticket(_) => "TICKET",
                Notice::Subscription(_) => "SUBSCRIPTION",
            },
        }
    }

    /// Its subject. Never holds anything secret, so it may be listed.
    pub fn subject(&self, locale: Locale, platform: &str) -> String {
        words::subject(self, locale, platform)
    }

    /// The letter as it is stored, bound to its row.
    pub fn seal(&self, key: &MasterKey, message_uuid: Uuid) -> Vec<u8> {
        let stored = match self {
            Letter::Asking { about, token, expires_at } => {
                Stored::Asking { asking: about.clone(), token: token.expose(), expires_at: *expires_at }
            }
            Letter::Telling(notice) => Stored::Telling { telling: notice.clone() },
        };
        // Serialising these types cannot fail; an empty letter would be refused by `open`.
        let plain = zeroize::Zeroizing::new(serde_json::to_vec(&stored).unwrap_or_default());
        key.seal(&purpose(message_uuid), &plain)
    }

    /// The letter that was sealed for this row.
    ///
    /// # Errors
    /// [`SealBroken`] when it was sealed for another row, under another key, or cannot be read.
    pub fn open(key: &MasterKey, message_uuid: Uuid, sealed: &[u8]) -> Result<Letter, SealBroken> {
        let plain = key.open(&purpose(message_uuid), sealed)?;
        let stored: Stored<'_> = serde_json::from_slice(&plain).map_err(|_| SealBroken)?;
        Ok(match stored {
            Stored::Asking { asking, token, expires_at } => {
                Letter::Asking { about: asking, token: SecretText::new(token), expires_at }
            }
            Stored::Telling { telling } => Letter::Telling(telling),
        })
    }
}

fn purpose(message_uuid: Uuid) -> String {
    format!("mail/{message_uuid}")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(crate) fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_795_267_500 + second).unwrap()
    }

    /// One letter of every kind; `text` stands wherever a person's own words do.
    pub(crate) fn one_of_each(text: &str) -> Vec<Letter> {
        let text = || text.to_owned();
        let asking = [
            Asking::VerifyEmail { name: text(), company: text() },
            Asking::ResetPassword { name: text() },
            Asking::ConfirmNewEmail { name: text() },
            Asking::CancelEmailChange { name: text() },
            Asking::Invitation { company: text(), inviter: Some(text()), role: "EDITOR".to_owned() },
            Asking::FirstAdministrator { company: text() },
            Asking::StaffInvitation { name: text(), inviter: text() },
        ];
        let mut telling = vec![
            Notice::AlreadyRegistered { name: text() },
            Notice::EmailTaken { name: text() },
            Notice::PartnerSuspended { name: text(), company: text(), reason: text() },
            Notice::PartnerReinstated { name: text(), company: text() },
        ];
        for decision in [Decision::Approved, Decision::ChangesRequested, Decision::Rejected] {
            telling.push(Notice::SubmissionDecided { name: text(), app: text(), version: text(), decision });
        }
        for step in super::super::closing::tests::steps(text()) {
            telling.push(Notice::PartnerClosing { name: text(), company: text(), step });
        }
        for news in super::super::subscription::SubscriptionNews::ALL {
            let (at, reason) = (Some(at(0)), Some(text()));
            let notice = SubscriptionNotice { name: text(), company: text(), news, tier: text(), at, reason };
            telling.push(Notice::Subscription(notice));
        }
        for event in EVENTS {
            telling.push(Notice::Security { name: text(), event, occurred_at: at(0) });
        }
        telling.extend(Membership::one_of_each(&text()).into_iter().map(Notice::Membership));
        telling.extend(Ticket::one_of_each(&text()).into_iter().map(Notice::Ticket));
        let token = || SecretText::new("labs_ot_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQ0123456789-_");
        let asking = asking.map(|about| Letter::asking(about, token(), at(3_600)));
        asking.into_iter().chain(telling.into_iter().map(Letter::Telling)).collect()
    }

    const EVENTS: [SecurityEvent; 11] = [
        SecurityEvent::PasswordChanged,
        SecurityEvent::PasswordReset,
        SecurityEvent::SecondFactorEnabled,
        SecurityEvent::SecondFactorDisabled,
        SecurityEvent::SecondFactorReset,
        SecurityEvent::RecoveryCodeUsed,
        SecurityEvent::RecoveryCodesRegenerated,
        SecurityEvent::RefreshReused,
        SecurityEvent::EmailChanged,
        SecurityEvent::AccountLocked,
        SecurityEvent::AccountUnlocked,
    ];

    #[test]
    fn every_letter_opens_as_it_was_sealed() {
        let key = MasterKey::from_bytes([1; 32]);
        let row = Uuid::from_u128(5);
        for letter in one_of_each("Jörg \"Jo\" O'Neil") {
            let opened = Letter::open(&key, row, &letter.seal(&key, row)).unwrap();
            match (&letter, &opened) {
                (Letter::Telling(one), Letter::Telling(two)) => assert_eq!(one, two),
                (
                    Letter::Asking { about: one, token: first, expires_at: soon },
                    Letter::Asking { about: two, token: second, expires_at: late },
                ) => {
                    assert_eq!((one, soon), (two, late));
                    assert!(first.same_as(second));
                }
                _ => panic!("{letter:?} became {opened:?}"),
            }
        }
    }

    #[test]
    fn a_sealed_letter_shows_nothing_and_cannot_change_rows() {
        let key = MasterKey::from_bytes([1; 32]);
        for letter in one_of_each("Marta") {
            let sealed = letter.seal(&key, Uuid::from_u128(5));
            assert!(!sealed.windows(5).any(|window| window == b"Marta"));
            let moved = Letter::open(&key, Uuid::from_u128(6), &sealed);
            assert!(matches!(moved, Err(SealBroken)));
        }
    }

    #[test]
    fn a_letter_prints_without_its_token() {
        for letter in one_of_each("Marta") {
            assert!(!format!("{letter:?}").contains("labs_ot_"));
        }
    }

    #[test]
    fn kinds_are_named_as_they_are_serialised() {
        for letter in one_of_each("Marta") {
            let json = match &letter {
                Letter::Asking { about, .. } => serde_json::to_value(about),
                Letter::Telling(notice) => serde_json::to_value(notice),
            };
            assert_eq!(json.unwrap()["kind"], letter.kind());
        }
    }

    #[test]
    fn a_language_tag_finds_its_language() {
        for tag in ["de", "de-AT", "DE", "de_CH"] {
            assert_eq!(Locale::of(tag), Locale::German, "{tag}");
        }
        for tag in ["en", "en-GB", "fr", "", "den", "d"] {
            assert_eq!(Locale::of(tag), Locale::English, "{tag}");
        }
    }
}

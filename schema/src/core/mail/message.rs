//! Letters: every mail that Labs writes, as data, and the sealed form in which they wait.
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

mod board;
mod board_week;
mod deprecation;
mod marketplace;
mod membership;
mod review;
mod ticket;
pub use super::closing::ClosingStep;
use super::subscription::SubscriptionNotice;
use super::words;
use crate::core::crypto::sealed::{MasterKey, OpenError};
use crate::core::crypto::secret::SecretText;
use crate::core::email::EmailAddress;
use crate::core::locale::{best, preference};
pub use board::{BoardNews, BoardNotice};
pub use board_week::BoardWeek;
pub use deprecation::{DeprecatedCall, DeprecationNotice};
pub use marketplace::{Decision, ListingEvent, ListingNotice, VersionReview, VersionReviewEvent};
pub use membership::{Membership, MembershipChange};
pub use review::{ReviewNews, ReviewNotice};
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
        /// When it was registered; none in a mail that waits since before the hour was told.
        #[serde(default)]
        registered_at: Option<Timestamp>,
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
        /// Name of the inviting company.
        company: String,
        /// Who invites, where it is somebody of the team.
        inviter: Option<String>,
        /// The role offered, as the contract names it.
        role: String,
    },
    /// Begin as the first administrator of a partner that staff made.
    FirstAdministrator {
        /// Id of the partner.
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
        /// Id of the partner.
        company: String,
        /// What staff gave as the reason.
        reason: String,
    },
    /// A suspended partner may use its account again.
    PartnerReinstated {
        /// The person.
        name: String,
        /// Id of the partner.
        company: String,
    },
    /// Staff confirmed or rejected the new name of a company.
    NameDecided {
        /// The person.
        name: String,
        /// Name of the company before the decision.
        company: String,
        /// The new name.
        wanted: String,
        /// Reason of a rejection. None if the name was confirmed.
        reason: Option<String>,
    },
    /// A partner's account is to end, stays after all, or has ended.
    PartnerClosing {
        /// The person.
        name: String,
        /// Id of the partner.
        company: String,
        /// How far it is.
        step: ClosingStep,
    },
    /// The archive of everything that a company has is made, or could not be.
    DataExport {
        /// The person.
        name: String,
        /// Id of the partner.
        company: String,
        /// Until when it can be fetched; none where it could not be made.
        until: Option<Timestamp>,
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
    /// Something happened to a version that is with the reviewers.
    VersionReview(VersionReview),
    /// Staff did something to a listing.
    Listing(ListingNotice),
    /// Somebody's place in their team changed.
    Membership(Membership),
    /// Something happened to a support ticket.
    Ticket(Ticket),
    /// Something happened to the company's subscription.
    Subscription(SubscriptionNotice),
    /// Something that staff did to what a person wrote on the board.
    Board(BoardNotice),
    /// How much happened on the board in a week.
    BoardWeek(BoardWeek),
    /// Something happened to a customer's review.
    Review(ReviewNotice),
    /// The company still calls what is to go.
    Deprecation(DeprecationNotice),
}

/// The kind of the mail about a new review, which is counted apart: a person gets one a day.
pub(crate) const CUSTOMER_REVIEW: &str = "CUSTOMER_REVIEW";

/// The kind of the mail about wrong codes, which is counted apart: an account gets one a day.
pub(crate) const WRONG_CODES: &str = "WRONG_CODES";

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
    /// Wrong codes were tried, several in a row.
    WrongCodes,
    /// A refresh token was used a second time, so all sessions of its family were ended.
    RefreshReused,
    /// The address was changed.
    EmailChanged,
    /// Staff locked the account.
    AccountLocked,
    /// Staff unlocked the account.
    AccountUnlocked,
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
        let preference = preference(Some(tag.replace('_', "-"))).unwrap_or_default();
        if best(["en", "de"], &preference) == Some("de") { Locale::German } else { Locale::English }
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
                Notice::Security { event: SecurityEvent::WrongCodes, .. } => WRONG_CODES,
                Notice::Security { .. } => "SECURITY",
                Notice::PartnerSuspended { .. } => "PARTNER_SUSPENDED",
                Notice::PartnerReinstated { .. } => "PARTNER_REINSTATED",
                Notice::NameDecided { .. } => "COMPANY_NAME",
                Notice::PartnerClosing { .. } => "PARTNER_CLOSING",
                Notice::DataExport { .. } => "DATA_EXPORT",
                Notice::SubmissionDecided { .. } => "SUBMISSION_DECIDED",
                Notice::VersionReview(_) => "VERSION_REVIEW",
                Notice::Listing(_) => "LISTING",
                Notice::Membership(_) => "MEMBERSHIP",
                Notice::Ticket(_) => "TICKET",
                Notice::Subscription(_) => "SUBSCRIPTION",
                Notice::Board(_) => "BOARD",
                Notice::BoardWeek(_) => "BOARD_WEEK",
                Notice::Review(ReviewNotice { news: ReviewNews::Shown, .. }) => CUSTOMER_REVIEW,
                Notice::Review(_) => "REVIEW_FLAG",
                Notice::Deprecation(_) => "DEPRECATION",
            },
        }
    }

    /// Its subject. Never holds anything secret, so it may be listed.
    pub fn subject(&self, locale: Locale, platform: &str) -> String {
        words::subject(self, locale, platform)
    }

    /// Where whoever gets it can end it with one click (RFC 8058); none for what concerns them alone.
    pub(in crate::core::mail) fn unsubscribe_at(&self, base_url: &str) -> Option<String> {
        match self {
            Letter::Telling(Notice::BoardWeek(week)) => Some(week.unsubscribe_at(base_url)),
            _ => None,
        }
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
    /// [`OpenError`] when it was sealed for another row, under another key, or cannot be read.
    pub fn open(key: &MasterKey, message_uuid: Uuid, sealed: &[u8]) -> Result<Letter, OpenError> {
        let plain = key.open(&purpose(message_uuid), sealed)?;
        let stored: Stored<'_> = serde_json::from_slice(&plain).map_err(|_| OpenError)?;
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
pub(super) mod tests;

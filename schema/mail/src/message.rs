//! Content of every mail message of Labs, as data, and its sealed form in the outbox.
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

mod board;
mod board_week;
mod deprecation;
mod marketplace;
mod membership;
mod quota;
mod review;
mod ticket;
use labs_core::email::EmailAddress;
use labs_core::locale::{best, preference};
use labs_crypto::sealed::{MasterKey, OpenError};
use labs_crypto::secret::SecretText;

pub use super::closing::ClosingStep;
use super::subscription::SubscriptionNotice;
use super::words;
pub use board::{BoardNews, BoardNotice};
pub use board_week::BoardWeek;
pub use deprecation::{DeprecatedCall, DeprecationNotice};
pub use marketplace::{Decision, ListingEvent, ListingNotice, VersionReview, VersionReviewEvent};
pub use membership::{Membership, MembershipChange};
pub use quota::QuotaNotice;
pub use review::{ReviewNews, ReviewNotice};
pub use ticket::{Ticket, TicketEvent};

/// Mail message to one user, ready to be rendered.
#[derive(Clone, Debug)]
pub struct Message {
    /// Row in the outbox. The Message-ID is derived from it, so that a repeated message is recognised.
    pub message_uuid: Uuid,
    /// Recipient.
    pub recipient: EmailAddress,
    /// Language of the text.
    pub locale: Locale,
    /// Time when it was queued. Used as its date, so that a repeat has the same bytes.
    pub written_at: Timestamp,
    /// Content of the message.
    pub content: MailContent,
}

/// Content of a mail message.
#[derive(Clone, Debug)]
pub enum MailContent {
    /// Contains a token and asks the user to use it.
    Asking {
        /// Purpose of the token.
        about: Asking,
        /// The one-time token. Never in a subject, never in a log.
        token: SecretText,
        /// Time when the token expires.
        expires_at: Timestamp,
    },
    /// Contains information and no secret.
    Telling(Notice),
}

/// Purpose of a mail message with a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Asking {
    /// Confirm the address of a registration.
    VerifyEmail {
        /// Name of the user.
        name: String,
        /// Name of the registered company.
        company: String,
        /// Time of the registration; `None` in a queued message of an earlier version without this field.
        #[serde(default)]
        registered_at: Option<Timestamp>,
    },
    /// Choose a new password.
    ResetPassword {
        /// Name of the user.
        name: String,
    },
    /// Confirm the new address of an account; sent to the new address.
    ConfirmNewEmail {
        /// Name of the user.
        name: String,
    },
    /// Cancel an unwanted change of address; sent to the old address.
    CancelEmailChange {
        /// Name of the user.
        name: String,
    },
    /// Join a partner's team.
    Invitation {
        /// Name of the inviting company.
        company: String,
        /// Name of the inviter, if it is a user of the team.
        inviter: Option<String>,
        /// The offered role, as named in the contract.
        role: String,
    },
    /// Start as the first administrator of a partner that staff created.
    FirstAdministrator {
        /// Name of the company.
        company: String,
    },
    /// Start as a staff member.
    StaffInvitation {
        /// Name of the user.
        name: String,
        /// Name of the inviter.
        inviter: String,
    },
}

/// Content of a mail message without a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Notice {
    /// A registration used an address that already has an account.
    AlreadyRegistered {
        /// Name of the user who owns the account.
        name: String,
    },
    /// A user tried to change to an address that already has an account.
    EmailTaken {
        /// Name of the user who owns the account.
        name: String,
    },
    /// A security event of the user's account.
    Security {
        /// Name of the user.
        name: String,
        /// The event.
        event: SecurityEvent,
        /// Time of the event.
        occurred_at: Timestamp,
    },
    /// Staff suspended the partner.
    PartnerSuspended {
        /// Name of the user.
        name: String,
        /// Name of the company.
        company: String,
        /// Reason given by staff.
        reason: String,
    },
    /// Staff reinstated the partner.
    PartnerReinstated {
        /// Name of the user.
        name: String,
        /// Name of the company.
        company: String,
    },
    /// Staff confirmed or rejected the new name of a company.
    NameDecided {
        /// Name of the user.
        name: String,
        /// Name of the company before the decision.
        company: String,
        /// The new name.
        wanted: String,
        /// Reason of a rejection. None if the name was confirmed.
        reason: Option<String>,
    },
    /// The closure of a partner's account was requested, cancelled or completed.
    PartnerClosing {
        /// Name of the user.
        name: String,
        /// Name of the company.
        company: String,
        /// Step of the closure.
        step: ClosingStep,
    },
    /// The data export of a company is ready, or failed.
    DataExport {
        /// Name of the user.
        name: String,
        /// Name of the company.
        company: String,
        /// Time until which it can be downloaded; `None` if it failed.
        until: Option<Timestamp>,
    },
    /// A submission was decided.
    SubmissionDecided {
        /// Name of the user.
        name: String,
        /// Name of the app.
        app: String,
        /// Number of the app version.
        version: String,
        /// The decision.
        decision: Decision,
    },
    /// An event of an app version in review.
    VersionReview(VersionReview),
    /// An action of staff on a listing.
    Listing(ListingNotice),
    /// A change of a user's team membership.
    Membership(Membership),
    /// An event of a support ticket.
    Ticket(Ticket),
    /// An event of the company's subscription.
    Subscription(SubscriptionNotice),
    /// An action of staff on a user's contribution to the board.
    Board(BoardNotice),
    /// Weekly numbers of the board.
    BoardWeek(BoardWeek),
    /// An event of a customer review.
    Review(ReviewNotice),
    /// The company still calls deprecated elements.
    Deprecation(DeprecationNotice),
    /// The daily budget of the company is nearly spent.
    Quota(QuotaNotice),
}

/// Kind of the mail about a new customer review, which is counted separately: a user gets one a day.
pub const CUSTOMER_REVIEW: &str = "CUSTOMER_REVIEW";

/// Kind of the mail about wrong codes, which is counted separately: an account gets one a day.
pub const WRONG_CODES: &str = "WRONG_CODES";

/// Security event of an account, for its mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum SecurityEvent {
    /// A signed-in user changed the password.
    PasswordChanged,
    /// The password was reset with a token from a mail message.
    PasswordReset,
    /// An authenticator app was activated.
    SecondFactorEnabled,
    /// The authenticator app was deactivated.
    SecondFactorDisabled,
    /// Staff reset the second factor.
    SecondFactorReset,
    /// A recovery code was used instead of the authenticator app.
    RecoveryCodeUsed,
    /// New recovery codes were generated.
    RecoveryCodesRegenerated,
    /// Several wrong codes were entered in a row.
    WrongCodes,
    /// A refresh token was reused, so all sessions of its family were ended.
    RefreshReused,
    /// The address was changed.
    EmailChanged,
    /// Staff locked the account.
    AccountLocked,
    /// Staff unlocked the account.
    AccountUnlocked,
}

/// Language of a mail message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Locale {
    /// English, also the fallback for all languages without a translation.
    #[default]
    English,
    /// German.
    German,
}

impl Locale {
    /// Selects the best language for a BCP 47 tag.
    pub fn of(tag: &str) -> Locale {
        let preference = preference(Some(tag.replace('_', "-"))).unwrap_or_default();
        if best(["en", "de"], &preference) == Some("de") { Locale::German } else { Locale::English }
    }
}

/// Sealed form of a content in the outbox. The only form in which its token is stored.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredMail<'a> {
    Asking { asking: Asking, token: &'a str, expires_at: Timestamp },
    Telling { telling: Notice },
}

impl MailContent {
    /// Creates a content with a token.
    pub fn with_token(about: Asking, token: SecretText, expires_at: Timestamp) -> MailContent {
        MailContent::Asking { about, token, expires_at }
    }

    /// Returns the stable name of its kind, for the outbox column.
    pub fn kind(&self) -> &'static str {
        match self {
            MailContent::Asking { about, .. } => match about {
                Asking::VerifyEmail { .. } => "VERIFY_EMAIL",
                Asking::ResetPassword { .. } => "RESET_PASSWORD",
                Asking::ConfirmNewEmail { .. } => "CONFIRM_NEW_EMAIL",
                Asking::CancelEmailChange { .. } => "CANCEL_EMAIL_CHANGE",
                Asking::Invitation { .. } => "INVITATION",
                Asking::FirstAdministrator { .. } => "FIRST_ADMINISTRATOR",
                Asking::StaffInvitation { .. } => "STAFF_INVITATION",
            },
            MailContent::Telling(notice) => match notice {
                Notice::AlreadyRegistered { .. } => "ALREADY_REGISTERED",
                Notice::EmailTaken { .. } => "EMAIL_TAKEN",
                Notice::Security { event: SecurityEvent::WrongCodes, .. } => WRONG_CODES,
                Notice::Security { .. } => "SECURITY",
                Notice::PartnerSuspended { .. } => "PARTNER_SUSPENDED",
                Notice::PartnerReinstated { .. } => "PARTNER_REINSTATED",
                Notice::NameDecided { .. } => "NAME_DECIDED",
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
                Notice::Quota(_) => "QUOTA",
            },
        }
    }

    /// Returns the subject. It never contains a secret, so it may appear in lists.
    pub fn subject(&self, locale: Locale, platform: &str) -> String {
        words::subject(self, locale, platform)
    }

    /// Returns the address that unsubscribes the recipient with one click (RFC 8058); `None` for messages about the
    /// recipient's own affairs.
    pub(crate) fn unsubscribe_at(&self, base_url: &str) -> Option<String> {
        match self {
            MailContent::Telling(Notice::BoardWeek(week)) => Some(week.unsubscribe_at(base_url)),
            _ => None,
        }
    }

    /// Seals the content for storage, bound to its row.
    pub fn seal(&self, key: &MasterKey, message_uuid: Uuid) -> Vec<u8> {
        let stored = match self {
            MailContent::Asking { about, token, expires_at } => {
                StoredMail::Asking { asking: about.clone(), token: token.expose(), expires_at: *expires_at }
            }
            MailContent::Telling(notice) => StoredMail::Telling { telling: notice.clone() },
        };
        // Serialising these types cannot fail; `open` would reject an empty content.
        let plain = zeroize::Zeroizing::new(serde_json::to_vec(&stored).unwrap_or_default());
        key.seal(&purpose(message_uuid), &plain)
    }

    /// Opens the content that was sealed for this row.
    ///
    /// # Errors
    /// [`OpenError`] if it was sealed for another row or under another key, or cannot be parsed.
    pub fn open(key: &MasterKey, message_uuid: Uuid, sealed: &[u8]) -> Result<MailContent, OpenError> {
        let plain = key.open(&purpose(message_uuid), sealed)?;
        let stored: StoredMail<'_> = serde_json::from_slice(&plain).map_err(|_| OpenError)?;
        Ok(match stored {
            StoredMail::Asking { asking, token, expires_at } => {
                MailContent::Asking { about: asking, token: SecretText::new(token), expires_at }
            }
            StoredMail::Telling { telling } => MailContent::Telling(telling),
        })
    }
}

fn purpose(message_uuid: Uuid) -> String {
    format!("mail/{message_uuid}")
}

#[cfg(test)]
pub(super) mod tests;

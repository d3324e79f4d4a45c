//! Input and output types of contacts.

use labs_core::describe::{InputType, MaybeUndefined, OutputType};
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::PartnerContactKind;

/// A contact person, or a mailbox that several people read. A contact cannot sign in.
#[derive(Clone, Debug, serde::Serialize, OutputType, sqlx::FromRow)]
pub struct PartnerContact {
    /// UUID of the contact.
    pub(super) uuid: Uuid,
    /// Purpose of the contact.
    pub(super) kind: PartnerContactKind,
    /// Name of the person or the mailbox.
    pub(super) name: String,
    /// E-mail address of the contact.
    pub(super) email: String,
    /// Telephone number in international format.
    pub(super) phone: Option<String>,
    /// Time when the contact was created.
    pub(super) created_at: Time,
    /// Time when the contact last changed.
    pub(super) updated_at: Time,
    /// Address in the form in which it is compared.
    #[serde(skip)]
    pub(super) email_normalised: String,
}

/// A contact to create.
#[derive(serde::Deserialize, InputType)]
pub(super) struct PartnerContactCreate {
    /// Purpose of the contact.
    pub(super) kind: PartnerContactKind,
    /// Name of the person or the mailbox, in one line. 1 to 120 characters.
    pub(super) name: String,
    /// E-mail address of the contact. An address occurs at most once for each kind.
    pub(super) email: String,
    /// Telephone number in international format, starting with a plus sign and the country code.
    pub(super) phone: Option<String>,
}

/// A merge patch (RFC 7396) of a contact. Omitted fields keep their values, null clears a field.
#[derive(serde::Deserialize, InputType)]
pub(super) struct PartnerContactUpdate {
    /// Purpose of the contact.
    pub(super) kind: Option<PartnerContactKind>,
    /// Name of the person or the mailbox, in one line. 1 to 120 characters.
    pub(super) name: Option<String>,
    /// E-mail address of the contact. An address occurs at most once for each kind.
    pub(super) email: Option<String>,
    /// Telephone number in international format, starting with a plus sign and the country code.
    #[serde(default)]
    pub(super) phone: MaybeUndefined<String>,
}

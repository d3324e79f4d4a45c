//! Input and output types of contacts.

use labs_core::describe::{InputType, MaybeUndefined, OutputType};
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::PartnerContactKind;

/// A contact of a partner.
#[derive(Clone, Debug, serde::Serialize, OutputType, sqlx::FromRow)]
pub struct PartnerContact {
    /// Uuid of the contact.
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
    /// Name of the person or the mailbox.
    pub(super) name: String,
    /// E-mail address of the contact.
    pub(super) email: String,
    /// Telephone number in international format.
    pub(super) phone: Option<String>,
}

/// A merge patch of a contact (RFC 7396).
#[derive(serde::Deserialize, InputType)]
pub(super) struct PartnerContactUpdate {
    /// Purpose of the contact.
    pub(super) kind: Option<PartnerContactKind>,
    /// Name of the person or the mailbox.
    pub(super) name: Option<String>,
    /// E-mail address of the contact.
    pub(super) email: Option<String>,
    /// Telephone number in international format.
    #[serde(default)]
    pub(super) phone: MaybeUndefined<String>,
}

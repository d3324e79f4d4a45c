//! Contacts as they are shown, and what is sent to make or change one.

use async_graphql::{InputObject, MaybeUndefined, SimpleObject};
use uuid::Uuid;

use super::rules::PartnerContactKind;
use crate::core::time::Time;

/// Somebody to turn to.
#[derive(Clone, Debug, serde::Serialize, SimpleObject, sqlx::FromRow)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerContact {
    /// Uuid of the contact.
    pub(super) uuid: Uuid,
    /// What for.
    pub(super) kind: PartnerContactKind,
    /// Name of the person or the mailbox.
    pub(super) name: String,
    /// E-mail address of the contact.
    pub(super) email: String,
    /// In international form.
    pub(super) phone: Option<String>,
    /// Time when the contact was created.
    pub(super) created_at: Time,
    /// Time when the contact last changed.
    pub(super) updated_at: Time,
    /// The address as it is compared.
    #[graphql(skip)]
    #[serde(skip)]
    pub(super) email_normalised: String,
}

/// A contact to create.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerContactCreate {
    /// What for.
    pub(super) kind: PartnerContactKind,
    /// Name of the person or the mailbox.
    pub(super) name: String,
    /// E-mail address of the contact.
    pub(super) email: String,
    /// In international form.
    pub(super) phone: Option<String>,
}

/// A merge patch of a contact (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerContactUpdate {
    /// What for.
    pub(super) kind: Option<PartnerContactKind>,
    /// Name of the person or the mailbox.
    pub(super) name: Option<String>,
    /// E-mail address of the contact.
    pub(super) email: Option<String>,
    /// In international form.
    pub(super) phone: MaybeUndefined<String>,
}

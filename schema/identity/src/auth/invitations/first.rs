//! Invitation of the first administrator of a partner that staff created and whose team is still empty.

use labs_core::db::Db;
use labs_core::email::EmailAddress;
use labs_core::fault::Fault;
use labs_core::principal::Role;
use labs_core::services::Services;
use labs_core::time::Time;
use labs_crypto::secret::SecretKind;
use labs_crypto::uuid_at;
use labs_mail::message::{Asking, MailContent};
use labs_mail::outbox;
use labs_mail::outbox::Recipient;
use uuid::Uuid;

use super::rules;
use super::store::first;

/// The invited first administrator and the company.
pub struct FirstInvitation<'a> {
    /// The partner, whose team is still empty.
    pub partner_uuid: Uuid,
    /// Company name, as shown in the mail.
    pub company_name: &'a str,
    /// Address of the mail.
    pub email: &'a EmailAddress,
    /// Language of the mail.
    pub locale: &'a str,
}

/// Invites the first administrator. Writes the row, the token and the mail in one transaction. It makes no difference
/// here whether the address has an account elsewhere: only the reader of the mail learns this.
///
/// # Errors
/// If the database does not answer.
pub async fn invite_first(db: &Db, services: &Services, now: Time, new: &FirstInvitation<'_>) -> Result<(), Fault> {
    let token = SecretKind::OneTime.issue();
    let expires_at = now.plus_seconds(rules::INVITATION_SECONDS);
    let row = first::NewRow {
        invitation_uuid: uuid_at(now.0),
        partner_uuid: new.partner_uuid,
        email: new.email.as_str(),
        email_normalised: new.email.normalised(),
        role: Role::Administrator.name(),
        locale: new.locale,
        token_sha256: &token.digest,
        expires_at,
    };
    first::insert(db, &row).await?;
    let to = Recipient {
        person_uuid: None,
        partner_uuid: Some(new.partner_uuid),
        email: new.email.as_str().to_owned(),
        name: new.email.as_str().to_owned(),
        locale: new.locale.to_owned(),
    };
    let about = Asking::FirstAdministrator { company: new.company_name.to_owned() };
    outbox::queue_by(db, services, uuid_at(now.0), &to, &MailContent::with_token(about, token.text, expires_at.0)).await
}

//! Resolvers of registrations.

use labs_blocking::BlockingError;
use labs_core::actor::Actor;
use labs_core::context::RequestContext;
use labs_core::describe::{InputType, MaybeUndefined, OutputType};
use labs_core::email::EmailAddress;
use labs_core::fault::Fault;
use labs_core::operation::{Operation, operation, operations};
use labs_core::time::Time;
use labs_core::words::Word as _;
use labs_crypto::secret::{SecretKind, SecretText};
use labs_mail::message::{Asking as AskingFor, MailContent, Notice};
use labs_mail::outbox;
use labs_mail::outbox::{Recipient, load_addressee};
use uuid::Uuid;

use super::rules;
use super::store::{self, NewAdministrator};
use super::validation::{self, RegistrationFields, ValidatedRegistration};
use super::verify;
use crate::auth::people::rules::{PersonAction, PersonState, next_person_state};
use crate::auth::security_events::{NewSecurityEvent, SecurityEventKind};
use crate::partner::company::{self, Company, Patch};
use labs_subscription::changing;

/// Receipt for a registration, or for a request to resend its e-mail.
#[derive(serde::Serialize, OutputType)]
pub(super) struct RegistrationReceipt {
    /// Always `VERIFICATION_SENT`, whether or not the service sent an e-mail.
    status: &'static str,
    /// Address from the request.
    email: String,
    /// Seconds until the token in the e-mail expires. The service deletes a registration that is not verified by then.
    expires_in: i64,
}

/// The verified registration. The administrator can now sign in.
#[derive(serde::Serialize, OutputType)]
pub(super) struct VerifiedRegistration {
    /// Result of the verification.
    status: &'static str,
    /// UUID of the partner, for the paths under `/v1/partner/{partner_uuid}`.
    partner_uuid: Uuid,
    /// UUID of the administrator.
    user_uuid: Uuid,
    /// E-mail address to sign in with.
    email: String,
    /// Time of the verification.
    verified_at: Time,
}

/// A company that registers as a partner, and its first administrator.
#[derive(serde::Deserialize, InputType)]
pub(super) struct RegistrationInput {
    /// Name of the company, as customers know it. 2 to 120 characters. A name that looks like the platform or like
    /// another company with published listings is rejected with `NAME_IMITATES`.
    company_name: String,
    /// Country of the company's registered office.
    country: String,
    /// Legal form of the company, as in its commercial register.
    #[serde(default)]
    legal_form: MaybeUndefined<String>,
    /// VAT identification number with its prefix, in capital letters, without spaces and dots. The company's country
    /// determines its format. For the members of the European Union, GB, CH and NO, the service checks every character.
    /// The prefix is `EL` for Greece, `XI` for Northern Ireland, `CHE` for Switzerland, `GB` for the Isle of Man, `FI`
    /// for Åland, and `FR` for Monaco and the French overseas departments. Elsewhere the number starts with the country
    /// code.
    #[serde(default)]
    vat_id: MaybeUndefined<String>,
    /// Website of the company, as an https address.
    #[serde(default)]
    website: MaybeUndefined<String>,
    /// First administrator of the company.
    pub(super) administrator: RegistrationAdministratorInput,
    /// Tier of the first subscription. It must be a tier with `self_service` from `GET /v1/subscription/public/tiers`.
    /// By default, the first of these tiers that is free. A cancelled subscription falls back to the same tier.
    pub(super) tier_code: Option<String>,
    /// Whether the company accepts the terms of the platform. Must be true.
    pub(super) accept_terms: bool,
}

/// The user who becomes the first administrator.
#[derive(serde::Deserialize, InputType)]
pub(super) struct RegistrationAdministratorInput {
    /// Full name of the user. 1 to 120 characters. A name that looks like the platform or its staff is rejected with
    /// `NAME_IMITATES`.
    pub(super) name: String,
    /// E-mail address that the user signs in with. The service sends the token to it.
    pub(super) email: String,
    /// Password to sign in with.
    pub(super) password: String,
    /// Language of e-mails to the user, if a translation exists. English (`en`) by default.
    locale: Option<String>,
}

/// Address to be verified.
#[derive(serde::Deserialize, InputType)]
pub(super) struct VerificationRequest {
    /// E-mail address of the registration's administrator.
    email: String,
}

/// Token from an e-mail, and the password of the registration that the e-mail is about.
#[derive(serde::Deserialize, InputType)]
pub(super) struct EmailVerification {
    /// Token from the e-mail, unchanged.
    token: String,
    /// Password chosen at registration.
    password: String,
}

impl RegistrationInput {
    /// Returns the company fields of the registration.
    pub(super) fn company(&self) -> Patch {
        Patch {
            company_name: Some(self.company_name.clone()),
            country: Some(self.country.clone()),
            legal_form: self.legal_form.clone(),
            vat_id: self.vat_id.clone(),
            website: self.website.clone(),
            ..Patch::default()
        }
    }
}

/// Mail kinds of registrations.
const MAIL_KINDS: [&str; 2] = ["VERIFY_EMAIL", "ALREADY_REGISTERED"];

/// Operations of this file.
pub(in crate::auth) const OPERATIONS: &[Operation] =
    operations![auth_registrations_create, auth_registrations_resend_verification, auth_registrations_verify_email];

/// Register a partner.
#[operation(mutation, access = "public", find_faults = validation::find_faults)]
async fn auth_registrations_create(cx: &RequestContext, body: RegistrationInput) -> Result<RegistrationReceipt, Fault> {
    let checked = check_registration(cx, &body).await?;
    let email = &checked.email;
    // The address is looked up only now, so that both responses take equally long.
    let password = SecretText::new(body.administrator.password.as_str());
    let password_hash = cx.services.passwords.hash(password).await.map_err(err_busy)?;
    store::lock_email(&cx.db, email.normalised()).await?;
    if outbox::remaining_for(cx, email.as_str(), &MAIL_KINDS).await?.left > 0 {
        match store::get_holder(&cx.db, email.normalised()).await? {
            Some(holder_uuid) => notify_owner(cx, holder_uuid).await?,
            None => register(cx, &checked, &password_hash).await?,
        }
    }
    let expires_in = rules::VERIFY_SECONDS;
    Ok(RegistrationReceipt { status: "VERIFICATION_SENT", email: body.administrator.email, expires_in })
}

/// Resend a registration's verification e-mail.
#[operation(mutation, access = "public")]
async fn auth_registrations_resend_verification(
    cx: &RequestContext,
    body: VerificationRequest,
) -> Result<RegistrationReceipt, Fault> {
    let mut errors = Vec::new();
    let Some(email) = company::email("/email", &body.email, &mut errors) else {
        return Err(Fault::invalid(errors));
    };
    store::lock_email(&cx.db, email.normalised()).await?;
    let room = outbox::remaining_for(cx, email.as_str(), &MAIL_KINDS).await?.left;
    let holder = store::get_holder(&cx.db, email.normalised()).await?;
    let waiting = store::waiting_page(&cx.db, email.normalised()).await?;
    let waiting = waiting.iter().filter(|_| holder.is_none()).take(room);
    resend(cx, holder.filter(|_| room > 0), waiting.collect()).await?;
    let expires_in = rules::VERIFY_SECONDS;
    Ok(RegistrationReceipt { status: "VERIFICATION_SENT", email: body.email, expires_in })
}

/// Verify a registration's e-mail address.
#[operation(mutation, access = "public")]
async fn auth_registrations_verify_email(
    cx: &RequestContext,
    body: EmailVerification,
) -> Result<VerifiedRegistration, Fault> {
    let digest = SecretKind::OneTime.digest(&body.token).ok_or_else(rules::err_void_token)?;
    let held = store::get_token(&cx.db.outside_transaction(), &digest).await?.ok_or_else(rules::err_void_token)?;
    let password = SecretText::new(body.password);
    let verdict = cx.services.passwords.verify(password, held.password_hash.as_deref()).await.map_err(err_busy)?;
    // Locked before the token, so that a confirmation of another registration of the address does not wait for this
    // one.
    store::lock_email(&cx.db, &held.email_normalised).await?;
    // The address may have been taken by another method, for example by a staff member.
    if store::get_holder(&cx.db, &held.email_normalised).await?.is_some() {
        return Err(rules::err_void_token());
    }
    let tried = store::try_token(&cx.db, &digest, verdict.matches).await?.ok_or_else(rules::err_void_token)?;
    let user_uuid = tried.person_uuid;
    let event = |has_succeeded| NewSecurityEvent::new(SecurityEventKind::EmailVerified, has_succeeded);
    if !verdict.matches {
        event(false).with_subject(user_uuid, tried.partner_uuid).write(cx).await?;
        return Err(rules::err_wrong_password());
    }
    // A user who is not UNVERIFIED has nothing to verify, so the token counts as used.
    let state = PersonState::read(&tried.state).ok_or_else(rules::err_void_token)?;
    let state = next_person_state(state, PersonAction::Verify, false).map_err(|_| rules::err_void_token())?;
    let proved = (user_uuid, held.email_normalised.as_str());
    let verified = verify(&cx.db, proved, state, Actor::partner_user(user_uuid)).await?;
    event(true).with_subject(user_uuid, Some(verified.partner_uuid)).write(cx).await?;
    Ok(VerifiedRegistration {
        status: "VERIFIED",
        partner_uuid: verified.partner_uuid,
        user_uuid,
        email: verified.email,
        verified_at: verified.verified_at,
    })
}

/// A validated registration.
struct CheckedRegistration {
    company: Company,
    name: String,
    email: EmailAddress,
    locale: String,
    tier_uuid: Uuid,
}

/// Validates a registration. Holds no connection while the password is validated.
async fn check_registration(cx: &RequestContext, body: &RegistrationInput) -> Result<CheckedRegistration, Fault> {
    let judged =
        validation::validate(&cx.services, &cx.db.outside_transaction(), RegistrationFields::from_input(body)).await?;
    let ValidatedRegistration { company, name, email: Some(email), tier_uuid: Some(tier_uuid), errors } = judged else {
        return Err(Fault::invalid(judged.errors));
    };
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    let locale = body.administrator.locale.clone().unwrap_or_else(|| "en".to_owned());
    Ok(CheckedRegistration { company, name, email, locale, tier_uuid })
}

/// Creates the company with its related rows, and queues the mail with the token.
async fn register(cx: &RequestContext, checked: &CheckedRegistration, password_hash: &str) -> Result<(), Fault> {
    let CheckedRegistration { company, name, email, locale, tier_uuid } = checked;
    let (partner_uuid, person_uuid) = (cx.new_uuid(), cx.new_uuid());
    let token = SecretKind::OneTime.issue();
    let expires_at = cx.now.plus_seconds(rules::VERIFY_SECONDS);
    company::insert(&cx.db, partner_uuid, company).await?;
    changing::begin(&cx.db, partner_uuid, *tier_uuid, Actor::partner_user(person_uuid)).await?;
    let administrator = NewAdministrator {
        person_uuid,
        partner_uuid,
        name,
        email,
        locale,
        password_hash,
        token_sha256: &token.digest,
        token_expires_at: expires_at,
    };
    store::insert_administrator(&cx.db, &administrator).await?;
    let mut event = NewSecurityEvent::new(SecurityEventKind::Registration, true);
    (event.person_uuid, event.partner_uuid) = (Some(person_uuid), Some(partner_uuid));
    event.write(cx).await?;
    let waiting = store::WaitingRow {
        person_uuid,
        partner_uuid,
        email: email.as_str().to_owned(),
        name: name.clone(),
        locale: locale.clone(),
        company_name: company.company_name.clone(),
        registered_at: cx.now,
    };
    outbox::queue(cx, &addressee(&waiting), &compose_mail(&waiting, token.text, expires_at)).await
}

fn addressee(waiting: &store::WaitingRow) -> Recipient {
    Recipient {
        person_uuid: Some(waiting.person_uuid),
        partner_uuid: Some(waiting.partner_uuid),
        email: waiting.email.clone(),
        name: waiting.name.clone(),
        locale: waiting.locale.clone(),
    }
}

/// Builds the mail with the token. It names the company and the time, because one address can have several pending
/// registrations.
fn compose_mail(waiting: &store::WaitingRow, token: SecretText, expires_at: Time) -> MailContent {
    let about = AskingFor::VerifyEmail {
        name: waiting.name.clone(),
        company: waiting.company_name.clone(),
        registered_at: Some(waiting.registered_at.0),
    };
    MailContent::with_token(about, token, expires_at.0)
}

/// Mails a new token for each pending registration and voids the old one. If the address has an account, its owner gets
/// a notice. The amount of work does not depend on the number of registrations.
async fn resend(cx: &RequestContext, holder: Option<Uuid>, waiting: Vec<&store::WaitingRow>) -> Result<(), Fault> {
    let account = match holder {
        Some(person_uuid) => load_addressee(&cx.db, person_uuid).await?,
        None => None,
    };
    for place in 0..rules::MOST_RESENT {
        let waiting = waiting.get(place).copied();
        let token = SecretKind::OneTime.issue();
        let expires_at = cx.now.plus_seconds(rules::VERIFY_SECONDS);
        store::renew_token(&cx.db, waiting.map(|waiting| waiting.person_uuid), &token.digest, expires_at).await?;
        let to = waiting.map(addressee).or_else(|| account.clone().filter(|_| place == 0));
        outbox::queue_perhaps(cx, to.as_ref(), |name| match waiting {
            Some(waiting) => compose_mail(waiting, token.text, expires_at),
            None => MailContent::Telling(Notice::AlreadyRegistered { name }),
        })
        .await?;
    }
    Ok(())
}

/// Notifies only the owner of an address of an attempt to register with it.
async fn notify_owner(cx: &RequestContext, person_uuid: Uuid) -> Result<(), Fault> {
    let mut event = NewSecurityEvent::new(SecurityEventKind::Registration, false);
    event.person_uuid = Some(person_uuid);
    event.write(cx).await?;
    outbox::queue_to_person(cx, person_uuid, |name| MailContent::Telling(Notice::AlreadyRegistered { name })).await
}

pub(super) fn err_busy(_: BlockingError) -> Fault {
    Fault::unavailable("Too many registrations are in progress. Try again in a moment.")
}

//! What may be asked of registrations.

use async_graphql::{Context, InputObject, Object, SimpleObject};
use uuid::Uuid;

use super::rules;
use super::store::{self, NewRegistration};
use crate::access::access;
use crate::ask::{Ask, Asking};
use crate::auth::people::rules::{Action, State, after};
use crate::auth::people::{Addressee, addressee_get};
use crate::auth::security_events::SecurityEvent;
use crate::fault::Fault;
use crate::keep::email::EmailAddress;
use crate::keep::lane::LaneError;
use crate::keep::secret::{SecretKind, SecretText};
use crate::mail::message::{Asking as AskingFor, Letter, Notice};
use crate::outbox;
use crate::time::Time;

/// The registration was taken.
#[derive(SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct RegistrationReceipt {
    /// `VERIFICATION_SENT`: a mail is on its way.
    status: &'static str,
    /// The address that was sent in.
    email: String,
    /// Seconds until the token in the mail ends.
    expires_in: i64,
}

/// The administrator can sign in now.
#[derive(SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct VerifiedRegistration {
    /// `VERIFIED`.
    status: &'static str,
    /// The business partner.
    partner_uuid: Uuid,
    /// The administrator.
    user_uuid: Uuid,
    /// The address to sign in with.
    email: String,
    /// When it was verified.
    verified_at: Time,
}

/// A company that wants to build here, and its first administrator.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct RegistrationInput {
    /// The company's name, as customers know it.
    company_name: String,
    /// ISO 3166-1 code of two letters.
    country: String,
    /// As its register writes it.
    legal_form: Option<String>,
    /// With its country prefix.
    vat_id: Option<String>,
    /// Its website.
    website: Option<String>,
    /// Its first administrator.
    administrator: RegistrationAdministratorInput,
    /// The tier to start on; `FREE` when none is named.
    tier_code: Option<String>,
    /// Always true.
    accept_terms: bool,
}

/// The person who becomes the first administrator.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct RegistrationAdministratorInput {
    /// Full name.
    name: String,
    /// The address to sign in with.
    email: String,
    /// The password to sign in with.
    password: String,
    /// The language of mails; `en` when none is named.
    locale: Option<String>,
}

/// Whose address is to be verified.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct VerificationRequest {
    /// The address of the registration.
    email: String,
}

/// A token out of a mail.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct OneTimeTokenInput {
    /// As the mail has it.
    token: String,
}

/// The mails about registrations.
const MAIL_KINDS: [&str; 2] = ["VERIFY_EMAIL", "ALREADY_REGISTERED"];

/// Writes of registrations.
#[derive(Default)]
pub(crate) struct RegistrationsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl RegistrationsMutation {
    /// Registers a company, its first administrator and its subscription in one step.
    #[graphql(directive = access::apply("public".into()))]
    async fn auth_registrations_create(
        &self,
        ctx: &Context<'_>,
        body: RegistrationInput,
    ) -> Result<RegistrationReceipt, Fault> {
        let ask = ctx.ask();
        let (email, tier_uuid) = checked(ask, &body).await?;
        // Whether the address is known is looked up only now, so that both answers take as long.
        let password = SecretText::new(body.administrator.password.as_str());
        let password_hash = ask.services.passwords.hash(password).await.map_err(busy)?;
        store::email_lock(&ask.db, email.normalised()).await?;
        if outbox::recent_count(ask, email.as_str(), &MAIL_KINDS).await? < rules::MAILS_PER_HOUR {
            match store::holder_get(&ask.db, email.normalised()).await? {
                Some(holder) if holder.is_pending => {
                    store::pending_delete(&ask.db, holder.person_uuid).await?;
                    register(ask, &body, &email, tier_uuid, &password_hash).await?;
                }
                Some(holder) => already_registered(ask, holder.person_uuid).await?,
                None => register(ask, &body, &email, tier_uuid, &password_hash).await?,
            }
        }
        let expires_in = rules::VERIFY_SECONDS;
        Ok(RegistrationReceipt { status: "VERIFICATION_SENT", email: body.administrator.email, expires_in })
    }

    /// Sends the mail with the token again.
    #[graphql(directive = access::apply("public".into()))]
    async fn auth_registrations_resend_verification(
        &self,
        ctx: &Context<'_>,
        body: VerificationRequest,
    ) -> Result<RegistrationReceipt, Fault> {
        let ask = ctx.ask();
        let email = EmailAddress::parse(&body.email)
            .map_err(|problem| Fault::field("/email", "FORMAT", format!("This cannot be used: {problem}.")))?;
        store::email_lock(&ask.db, email.normalised()).await?;
        let holder = match outbox::recent_count(ask, email.as_str(), &MAIL_KINDS).await? < rules::MAILS_PER_HOUR {
            true => store::holder_get(&ask.db, email.normalised()).await?,
            false => None,
        };
        resend(ask, holder.as_ref()).await?;
        let expires_in = rules::VERIFY_SECONDS;
        Ok(RegistrationReceipt { status: "VERIFICATION_SENT", email: body.email, expires_in })
    }

    /// Takes the token from the mail and makes the administrator active.
    #[graphql(directive = access::apply("public".into()))]
    async fn auth_registrations_verify_email(
        &self,
        ctx: &Context<'_>,
        body: OneTimeTokenInput,
    ) -> Result<VerifiedRegistration, Fault> {
        let ask = ctx.ask();
        let digest = SecretKind::OneTime.digest(&body.token).ok_or_else(rules::void_token)?;
        let (user_uuid, state) = store::token_set_used(&ask.db, &digest).await?.ok_or_else(rules::void_token)?;
        // Whoever is no longer UNVERIFIED has nothing to verify, so the token is as void as a used one.
        let state = State::parse(&state).ok_or_else(rules::void_token)?;
        let state = after(state, Action::Verify, false).map_err(|_| rules::void_token())?;
        let verified = store::set_verified(&ask.db, user_uuid, state.name()).await?;
        let mut event = SecurityEvent::new("EMAIL_VERIFIED", true);
        (event.person_uuid, event.partner_uuid) = (Some(user_uuid), Some(verified.partner_uuid));
        event.write(ask).await?;
        Ok(VerifiedRegistration {
            status: "VERIFIED",
            partner_uuid: verified.partner_uuid,
            user_uuid,
            email: verified.email,
            verified_at: verified.verified_at,
        })
    }
}

/// Judges a registration, holding no connection while the password is judged.
async fn checked(ask: &Ask, body: &RegistrationInput) -> Result<(EmailAddress, Uuid), Fault> {
    let administrator = &body.administrator;
    let email = EmailAddress::parse(&administrator.email);
    let password = SecretText::new(administrator.password.as_str());
    let judged = ask.services.passwords.check_rule(password, &administrator.email, &administrator.name);
    let problems = judged.await.map_err(busy)?.err().unwrap_or_default();
    let code = body.tier_code.as_deref().unwrap_or(rules::FIRST_TIER);
    let tier = store::tier_get(&ask.db.aside(), code).await?;
    let findings = rules::Findings {
        company_name: &body.company_name,
        accepts_terms: body.accept_terms,
        email: email.as_ref().err().copied(),
        password: &problems,
        tier_is_offered: tier.is_some(),
    };
    let errors = rules::errors(&findings);
    match (email, tier) {
        (Ok(email), Some(tier_uuid)) if errors.is_empty() => Ok((email, tier_uuid)),
        _ => Err(Fault::invalid(errors)),
    }
}

/// Makes the company and everything that belongs to it, and queues the mail with the token.
async fn register(
    ask: &Ask,
    body: &RegistrationInput,
    email: &EmailAddress,
    tier_uuid: Uuid,
    password_hash: &str,
) -> Result<(), Fault> {
    let token = SecretKind::OneTime.issue();
    let expires_at = ask.now.plus_seconds(rules::VERIFY_SECONDS);
    let new = NewRegistration {
        partner_uuid: ask.new_uuid(),
        company_name: body.company_name.trim(),
        country: &body.country,
        legal_form: body.legal_form.as_deref(),
        vat_id: body.vat_id.as_deref(),
        website: body.website.as_deref(),
        person_uuid: ask.new_uuid(),
        name: body.administrator.name.trim(),
        email: email.as_str(),
        email_normalised: email.normalised(),
        locale: body.administrator.locale.as_deref().unwrap_or("en"),
        password_hash,
        tier_uuid,
        event_uuid: ask.new_uuid(),
        token_sha256: &token.digest,
        token_expires_at: expires_at,
    };
    insert(ask, &new).await?;
    let mut event = SecurityEvent::new("REGISTRATION", true);
    (event.person_uuid, event.partner_uuid) = (Some(new.person_uuid), Some(new.partner_uuid));
    event.write(ask).await?;
    let to = Addressee {
        person_uuid: Some(new.person_uuid),
        partner_uuid: Some(new.partner_uuid),
        email: new.email.to_owned(),
        name: new.name.to_owned(),
        locale: new.locale.to_owned(),
    };
    let about = AskingFor::VerifyEmail { name: new.name.to_owned(), company: new.company_name.to_owned() };
    outbox::queue(ask, &to, &Letter::asking(about, token.text, expires_at.0)).await
}

/// Inserts under the first slug that is free: the plain one, else one that is the only one.
async fn insert(ask: &Ask, new: &NewRegistration<'_>) -> Result<(), Fault> {
    let slug = rules::slug_of(new.company_name);
    let tail = ask.new_uuid().simple().to_string();
    let tail = tail.get(24..).unwrap_or_default();
    if store::insert(&ask.db, new, &slug).await? || store::insert(&ask.db, new, &rules::slug_with(&slug, tail)).await? {
        return Ok(());
    }
    Err(Fault::internal("no slug is free for a new partner"))
}

/// Mails a new token to whoever waits to be verified, in place of the old one, and a notice to whoever has an account;
/// to nobody it does the same work.
async fn resend(ask: &Ask, holder: Option<&store::HolderRow>) -> Result<(), Fault> {
    let token = SecretKind::OneTime.issue();
    let expires_at = ask.now.plus_seconds(rules::VERIFY_SECONDS);
    let pending_uuid = holder.filter(|holder| holder.is_pending).map(|holder| holder.person_uuid);
    let company = store::token_renew(&ask.db, pending_uuid, &token.digest, expires_at).await?;
    let to = match holder {
        Some(holder) => addressee_get(&ask.db, holder.person_uuid).await?,
        None => None,
    };
    outbox::queue_perhaps(ask, to.as_ref(), |name| match company {
        Some(company) => Letter::asking(AskingFor::VerifyEmail { name, company }, token.text, expires_at.0),
        None => Letter::Telling(Notice::AlreadyRegistered { name }),
    })
    .await
}

/// Tells the owner of an address, and nobody else, that somebody tried to register with it.
async fn already_registered(ask: &Ask, person_uuid: Uuid) -> Result<(), Fault> {
    let mut event = SecurityEvent::new("REGISTRATION", false);
    event.person_uuid = Some(person_uuid);
    event.write(ask).await?;
    outbox::queue_to_person(ask, person_uuid, |name| Letter::Telling(Notice::AlreadyRegistered { name })).await
}

fn busy(_: LaneError) -> Fault {
    Fault::unavailable("Too many registrations at the same time. Try again in a moment.")
}

//! The first staff member, and any other that the operator makes by hand.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::record::{Act, Said};
use super::{rules, store};
use crate::auth::account::person_name;
use crate::auth::sessions::all_set_ended;
use crate::auth::{mfa, passwords};
use crate::core::audit_target::AuditTargetKind;
use crate::core::blocking::BlockingError;
use crate::core::crypto::random_bytes;
use crate::core::crypto::secret::SecretText;
use crate::core::db::Db;
use crate::core::email::EmailAddress;
use crate::core::fault::{Fault, FieldError};
use crate::core::services::Services;

/// A staff member to be.
#[derive(Clone, Debug)]
pub struct NewStaff {
    /// The address to sign in with.
    pub email: String,
    /// Name as colleagues see it, 1 to 120 characters.
    pub name: String,
    /// Codes of staff roles, in any case; none: `ADMINISTRATOR`.
    pub roles: Vec<String>,
    /// The password; one is made when there is none.
    pub password: Option<SecretText>,
}

/// A staff member just made, with what is shown this one time. Never printed.
pub struct StaffCreated {
    /// Who.
    pub person_uuid: Uuid,
    /// The password that was made; none when one was given.
    pub password: Option<String>,
    /// The second factor.
    pub factor: SecondFactor,
}

impl std::fmt::Debug for StaffCreated {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("StaffCreated").field("person_uuid", &self.person_uuid).finish_non_exhaustive()
    }
}

/// A staff member as the command line lists them.
#[derive(Clone, Debug)]
pub struct StaffListed {
    /// The address to sign in with.
    pub email: String,
    /// Name as colleagues see it.
    pub name: String,
    /// INVITED, ACTIVE, LOCKED or DISABLED.
    pub state: String,
    /// Whether a second factor is active.
    pub has_second_factor: bool,
    /// Codes of their roles, in alphabetical order.
    pub roles: Vec<String>,
}

/// A second factor just put in force, with what is shown this one time. Never printed.
pub struct SecondFactor {
    /// The authenticator's secret in base 32, for typing in.
    pub totp_secret: String,
    /// The same as an `otpauth` address.
    pub otpauth_uri: String,
    /// Ten codes for the day when the device is lost.
    pub recovery_codes: Vec<String>,
}

impl std::fmt::Debug for SecondFactor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SecondFactor").finish_non_exhaustive()
    }
}

/// Characters of a password that is made: five bits each, a hundred in all.
const PASSWORD_CHARACTERS: usize = 20;
/// No two of them look alike.
const PASSWORD_ALPHABET: &[u8; 32] = b"abcdefghijkmnopqrstuvwxyz2345679";
/// Makes a staff member who can sign in at once: ACTIVE, with the address taken for theirs, and with a second
/// factor in force. The factor needs no first code here, because staff reach nothing without one and the secret
/// leaves over the same screen as the password.
///
/// # Errors
/// [`crate::Code::ValidationFailed`] for an address, name, role or password that cannot be;
/// [`crate::Code::Conflict`] when the address is somebody's already; [`crate::Code::Unavailable`].
pub fn staff_create<'a>(
    pool: &'a PgPool,
    services: &'a Services,
    new: NewStaff,
) -> BoxFuture<'a, Result<StaffCreated, Fault>> {
    async move {
        let (email, name) = check(services, &new).await?;
        let made = new.password.is_none().then(password);
        let password = new.password.unwrap_or_else(|| SecretText::new(made.clone().unwrap_or_default()));
        let password_hash = services.passwords.hash(password).await.map_err(busy)?;
        let act = Act::begin(pool, services);
        let person_uuid = act.new_uuid();
        let roles = rules::role_codes(&new.roles);
        store::roles_exist(&act.db, &roles).await?;
        store::staff_insert(&act.db, person_uuid, &email, &name, &password_hash).await?;
        store::roles_grant(&act.db, person_uuid, &roles).await?;
        let factor = put_in_force(&act, services, person_uuid, email.as_str()).await?;
        let said = Said {
            operation: "staff_create",
            target_kind: AuditTargetKind::StaffMember,
            target_uuid: person_uuid,
            target_label: &name,
            partner_uuid: None,
            parameters: json!({ "roles": roles }),
        };
        act.commit(&said).await?;
        Ok(StaffCreated { person_uuid, password: made, factor })
    }
    .boxed()
}

/// Every staff member who is not removed, by address.
///
/// # Errors
/// [`crate::Code::Unavailable`] when the database is away.
pub fn staff_list(pool: &PgPool) -> BoxFuture<'_, Result<Vec<StaffListed>, Fault>> {
    async move { store::staff_list(&Db::pooled(pool.clone())).await }.boxed()
}

/// Gives a staff member a new password, which is answered and shown this one time. Every session ends, and whoever was
/// invited may sign in. Whoever is disabled stays so.
///
/// # Errors
/// [`crate::Code::NotFound`] when no staff member has the address; [`crate::Code::Unavailable`].
pub fn staff_reset_password<'a>(
    pool: &'a PgPool,
    services: &'a Services,
    email: &'a str,
) -> BoxFuture<'a, Result<String, Fault>> {
    async move {
        let password = password();
        let hash = services.passwords.hash(SecretText::new(password.clone())).await.map_err(busy)?;
        let act = Act::begin(pool, services);
        let member = hold(&act, email).await?;
        passwords::reset(&act.db, member.person_uuid, &member.email_normalised, &hash).await?;
        act.commit(&member.said("staff_reset_password")).await?;
        Ok(password)
    }
    .boxed()
}

/// Gives a staff member another second factor, in force at once: the former one and its recovery codes are void, and
/// every session ends.
///
/// # Errors
/// [`crate::Code::NotFound`] when no staff member has the address; [`crate::Code::Unavailable`].
pub fn staff_reset_mfa<'a>(
    pool: &'a PgPool,
    services: &'a Services,
    email: &'a str,
) -> BoxFuture<'a, Result<SecondFactor, Fault>> {
    async move {
        let act = Act::begin(pool, services);
        let member = hold(&act, email).await?;
        mfa::take_away(&act.db, member.person_uuid).await?;
        let factor = put_in_force(&act, services, member.person_uuid, &member.email).await?;
        all_set_ended(&act.db, member.person_uuid, None, "SECOND_FACTOR_RESET").await?;
        act.commit(&member.said("staff_reset_mfa")).await?;
        Ok(factor)
    }
    .boxed()
}

/// The staff member of an address, held until the act ends.
async fn hold(act: &Act, email: &str) -> Result<store::StaffRow, Fault> {
    let none = || Fault::not_found("staff member with this address");
    let email = EmailAddress::parse(email).map_err(|_| none())?;
    store::staff_lock(&act.db, email.normalised()).await?.ok_or_else(none)
}

impl store::StaffRow {
    /// What the audit record says of something done to this person.
    fn said(&self, operation: &'static str) -> Said<'_> {
        Said {
            operation,
            target_kind: AuditTargetKind::StaffMember,
            target_uuid: self.person_uuid,
            target_label: &self.name,
            partner_uuid: None,
            parameters: json!({}),
        }
    }
}

async fn put_in_force(act: &Act, services: &Services, person_uuid: Uuid, email: &str) -> Result<SecondFactor, Fault> {
    let (seed, codes) = mfa::put_in_force(&act.db, &services.key, person_uuid).await?;
    Ok(SecondFactor {
        totp_secret: seed.base32().expose().to_owned(),
        otpauth_uri: seed.otpauth_uri(mfa::ISSUER, email).expose().to_owned(),
        recovery_codes: codes.iter().map(|code| code.shown().expose().to_owned()).collect(),
    })
}

/// Judges what was asked for.
async fn check(services: &Services, new: &NewStaff) -> Result<(EmailAddress, String), Fault> {
    let mut errors = Vec::new();
    let name = person_name(&new.name, "/name").map_err(|error| errors.push(error)).unwrap_or_default();
    if let Some(password) = &new.password {
        let judged = services.passwords.check_rule(password.clone(), &new.email, &new.name).await.map_err(busy)?;
        let problems = judged.err().unwrap_or_default();
        errors.extend(problems.iter().map(|problem| FieldError::at("/password", problem.code(), problem.message())));
    }
    match EmailAddress::parse(&new.email) {
        Ok(email) if errors.is_empty() => return Ok((email, name)),
        Ok(_) => {}
        Err(problem) => {
            errors.push(FieldError::at("/email", "FORMAT", format!("This address cannot be used: {problem}.")));
        }
    }
    Err(Fault::invalid(errors))
}

/// A password that nobody guesses and that can be typed: four groups of five.
pub(crate) fn password() -> String {
    let mut password = String::with_capacity(PASSWORD_CHARACTERS + 3);
    for (position, byte) in random_bytes::<PASSWORD_CHARACTERS>().into_iter().enumerate() {
        if position > 0 && position % 5 == 0 {
            password.push('-');
        }
        // 256 is a multiple of 32, so no character is favoured.
        let letter = PASSWORD_ALPHABET.get(usize::from(byte & 31)).copied().unwrap_or(b'x');
        password.push(char::from(letter));
    }
    password
}

fn busy(_: BlockingError) -> Fault {
    Fault::unavailable("Too many passwords are being hashed. Try again in a moment.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::crypto::password::password_rule;

    #[test]
    fn a_password_that_is_made_passes_the_rule_and_never_comes_twice() {
        let mut seen = std::collections::HashSet::new();
        for _ in 0..200 {
            let made = password();
            assert_eq!(made.len(), PASSWORD_CHARACTERS + 3);
            assert_eq!(password_rule(&made.as_str().into(), "ada@example.com", "Ada Byron"), Ok(()));
            assert!(seen.insert(made));
        }
    }
}

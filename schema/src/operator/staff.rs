//! Creation of the first and further staff members on the command line.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use labs_blocking::BlockingError;
use labs_core::audit_target::AuditTargetKind;
use labs_core::db::Db;
use labs_core::email::EmailAddress;
use labs_core::fault::{Fault, FieldError};
use labs_core::services::Services;
use labs_crypto::random_bytes;
use labs_crypto::secret::SecretText;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::record::{Act, AuditText};
use super::{rules, store};
use labs_identity::auth::account::person_name;
use labs_identity::auth::sessions::end_all;
use labs_identity::auth::{mfa, passwords};

/// A staff member to create.
#[derive(Clone, Debug)]
pub struct NewStaff {
    /// E-mail address for sign-in.
    pub email: String,
    /// Name that other staff see, 1 to 120 characters.
    pub name: String,
    /// Codes of staff roles, in any case; `ADMINISTRATOR` if empty.
    pub roles: Vec<String>,
    /// Password; generated if `None`.
    pub password: Option<SecretText>,
}

/// A newly created staff member with credentials that are shown only once. Never printed in debug output.
pub struct StaffCreated {
    /// UUID of the staff member.
    pub person_uuid: Uuid,
    /// Generated password; `None` if the operator gave one.
    pub password: Option<String>,
    /// Second factor.
    pub factor: SecondFactor,
}

impl std::fmt::Debug for StaffCreated {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("StaffCreated").field("person_uuid", &self.person_uuid).finish_non_exhaustive()
    }
}

/// A staff member in the list of the command line.
#[derive(Clone, Debug)]
pub struct StaffListed {
    /// E-mail address for sign-in.
    pub email: String,
    /// Name that other staff see.
    pub name: String,
    /// State: INVITED, ACTIVE, LOCKED or DISABLED.
    pub state: String,
    /// Whether a second factor is active.
    pub has_second_factor: bool,
    /// Codes of the roles, in alphabetical order.
    pub roles: Vec<String>,
}

/// A newly activated second factor with secrets that are shown only once. Never printed in debug output.
pub struct SecondFactor {
    /// TOTP secret in base 32, for typing.
    pub totp_secret: String,
    /// The secret as an `otpauth` URI.
    pub otpauth_uri: String,
    /// Ten recovery codes for a lost device.
    pub recovery_codes: Vec<String>,
}

impl std::fmt::Debug for SecondFactor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("SecondFactor").finish_non_exhaustive()
    }
}

/// Length of a generated password: five bits per character, a hundred bits in total.
const PASSWORD_CHARACTERS: usize = 20;
/// Alphabet without characters that look alike.
const PASSWORD_ALPHABET: &[u8; 32] = b"abcdefghijkmnopqrstuvwxyz2345679";
/// Creates a staff member who can sign in at once: ACTIVE, with a verified address and an active second factor. The
/// factor needs no first code here. Staff have no access without one, and the secret is shown on the same screen as the
/// password.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`] for an invalid address, name, role or password; [`labs_core::Code::Conflict`]
/// if the address belongs to another account; [`labs_core::Code::Unavailable`] if the database does not answer.
pub fn staff_create<'a>(
    pool: &'a PgPool,
    services: &'a Services,
    new: NewStaff,
) -> BoxFuture<'a, Result<StaffCreated, Fault>> {
    async move {
        let (email, name) = check(services, &new).await?;
        let made = new.password.is_none().then(password);
        let password = new.password.unwrap_or_else(|| SecretText::new(made.clone().unwrap_or_default()));
        let password_hash = services.passwords.hash(password).await.map_err(err_busy)?;
        let act = Act::begin(pool, services);
        let person_uuid = act.new_uuid();
        let roles = rules::role_codes(&new.roles);
        store::roles_exist(&act.db, &roles).await?;
        store::insert_staff(&act.db, person_uuid, &email, &name, &password_hash).await?;
        store::grant_roles(&act.db, person_uuid, &roles).await?;
        let factor = put_in_force(&act, services, person_uuid, email.as_str()).await?;
        let audit_text = AuditText {
            operation: "staff_create",
            target_kind: AuditTargetKind::StaffMember,
            target_uuid: person_uuid,
            target_label: &name,
            partner_uuid: None,
            parameters: json!({ "roles": roles }),
        };
        act.commit(&audit_text).await?;
        Ok(StaffCreated { person_uuid, password: made, factor })
    }
    .boxed()
}

/// Returns every staff member who is not removed, by address.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer.
pub fn staff_list(pool: &PgPool) -> BoxFuture<'_, Result<Vec<StaffListed>, Fault>> {
    async move { store::list_staff(&Db::from_pool(pool.clone())).await }.boxed()
}

/// Sets a new password for a staff member and returns it; it is shown only once. Every session ends. An invited staff
/// member may then sign in. A disabled one stays disabled.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if no staff member has the address; [`labs_core::Code::Unavailable`] if the database
/// does not answer.
pub fn staff_reset_password<'a>(
    pool: &'a PgPool,
    services: &'a Services,
    email: &'a str,
) -> BoxFuture<'a, Result<String, Fault>> {
    async move {
        let password = password();
        let hash = services.passwords.hash(SecretText::new(password.clone())).await.map_err(err_busy)?;
        let act = Act::begin(pool, services);
        let member = lock(&act, email).await?;
        passwords::reset(&act.db, member.person_uuid, &member.email_normalised, &hash).await?;
        act.commit(&member.to_audit_text("staff_reset_password")).await?;
        Ok(password)
    }
    .boxed()
}

/// Replaces the second factor of a staff member; the new one is active at once. The previous factor and its recovery
/// codes become void, and every session ends.
///
/// # Errors
/// [`labs_core::Code::NotFound`] if no staff member has the address; [`labs_core::Code::Unavailable`] if the database
/// does not answer.
pub fn staff_reset_mfa<'a>(
    pool: &'a PgPool,
    services: &'a Services,
    email: &'a str,
) -> BoxFuture<'a, Result<SecondFactor, Fault>> {
    async move {
        let act = Act::begin(pool, services);
        let member = lock(&act, email).await?;
        mfa::disable_factor(&act.db, member.person_uuid).await?;
        let factor = put_in_force(&act, services, member.person_uuid, &member.email).await?;
        end_all(&act.db, member.person_uuid, None, "SECOND_FACTOR_RESET").await?;
        act.commit(&member.to_audit_text("staff_reset_mfa")).await?;
        Ok(factor)
    }
    .boxed()
}

/// Locks the staff member with this address until the action ends.
async fn lock(act: &Act, email: &str) -> Result<store::StaffRow, Fault> {
    let none = || Fault::not_found("staff member with this address");
    let email = EmailAddress::parse(email).map_err(|_| none())?;
    store::lock_staff(&act.db, email.normalised()).await?.ok_or_else(none)
}

impl store::StaffRow {
    /// Returns the content of the audit record for an action on this staff member.
    fn to_audit_text(&self, operation: &'static str) -> AuditText<'_> {
        AuditText {
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
        recovery_codes: codes.iter().map(|code| code.to_text().expose().to_owned()).collect(),
    })
}

/// Validates the input.
async fn check(services: &Services, new: &NewStaff) -> Result<(EmailAddress, String), Fault> {
    let mut errors = Vec::new();
    let name = person_name(&new.name, "/name").map_err(|error| errors.push(error)).unwrap_or_default();
    if let Some(password) = &new.password {
        let judged = services.passwords.check_rule(password.clone(), &new.email, &new.name).await.map_err(err_busy)?;
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

/// Generates a random password that is easy to type: four groups of five characters.
pub(crate) fn password() -> String {
    let mut password = String::with_capacity(PASSWORD_CHARACTERS + 3);
    for (position, byte) in random_bytes::<PASSWORD_CHARACTERS>().into_iter().enumerate() {
        if position > 0 && position % 5 == 0 {
            password.push('-');
        }
        // 256 is a multiple of 32, so the distribution of characters is uniform.
        let letter = PASSWORD_ALPHABET.get(usize::from(byte & 31)).copied().unwrap_or(b'x');
        password.push(char::from(letter));
    }
    password
}

fn err_busy(_: BlockingError) -> Fault {
    Fault::unavailable("Too many passwords are being hashed. Try again in a moment.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_crypto::password::password_rule;

    #[test]
    fn generated_password_passes_rule_and_is_unique() {
        let mut seen = std::collections::HashSet::new();
        for _ in 0..200 {
            let made = password();
            assert_eq!(made.len(), PASSWORD_CHARACTERS + 3);
            assert_eq!(password_rule(&made.as_str().into(), "ada@example.com", "Ada Byron"), Ok(()));
            assert!(seen.insert(made));
        }
    }
}

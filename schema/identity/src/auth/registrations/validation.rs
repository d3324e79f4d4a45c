//! Collects all errors of a registration at once.

use labs_core::db::Db;
use labs_core::describe::MaybeUndefined;
use labs_core::email::EmailAddress;
use labs_core::fault::{Fault, FieldError};
use labs_core::imitation;
use labs_core::services::Services;
use labs_crypto::secret::SecretText;
use serde_json::Value;
use uuid::Uuid;

use super::resolvers::{RegistrationInput, err_busy};
use super::{rules, store};
use crate::partner::company::{self, Company, NamedBy, Patch};
use labs_subscription::changing;

/// Fields of a registration; `None` for a field that is missing or cannot be parsed.
pub(super) struct RegistrationFields {
    company: Patch,
    name: Option<String>,
    email: Option<String>,
    password: Option<SecretText>,
    tier_code: Option<String>,
    accepts_terms: bool,
}

/// Result of validating a registration.
pub(super) struct ValidatedRegistration {
    pub(super) company: Company,
    pub(super) name: String,
    pub(super) email: Option<EmailAddress>,
    pub(super) tier_uuid: Option<Uuid>,
    pub(super) errors: Vec<FieldError>,
}

impl RegistrationFields {
    /// Reads a body that the contract accepts.
    pub(super) fn from_input(body: &RegistrationInput) -> Self {
        let administrator = &body.administrator;
        Self {
            company: body.company(),
            name: Some(administrator.name.clone()),
            email: Some(administrator.email.clone()),
            password: Some(SecretText::new(administrator.password.as_str())),
            tier_code: body.tier_code.clone(),
            accepts_terms: body.accept_terms,
        }
    }

    /// Reads a body that the contract rejects.
    fn from_rejected_body(body: &Value) -> Self {
        let text = |pointer| body.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
        let perhaps = |pointer| text(pointer).map_or(MaybeUndefined::Undefined, MaybeUndefined::Value);
        let country = text("/country");
        // The format of the VAT id depends on the country.
        let vat_id = if country.is_some() { perhaps("/vat_id") } else { MaybeUndefined::Undefined };
        let company = Patch {
            company_name: text("/company_name"),
            country,
            legal_form: perhaps("/legal_form"),
            vat_id,
            website: perhaps("/website"),
            ..Patch::default()
        };
        Self {
            company,
            name: text("/administrator/name"),
            email: text("/administrator/email"),
            password: text("/administrator/password").map(SecretText::new),
            tier_code: text("/tier_code"),
            // The contract itself rejects a missing value and another type.
            accepts_terms: body.pointer("/accept_terms") != Some(&Value::Bool(false)),
        }
    }
}

/// Validates a registration. Holds no connection while the password is validated.
///
/// # Errors
/// [`labs_core::Code::Unavailable`]
pub(super) async fn validate(
    services: &Services,
    db: &Db,
    fields: RegistrationFields,
) -> Result<ValidatedRegistration, Fault> {
    let mut errors = Vec::new();
    let company = company::new_company(fields.company, &mut errors);
    let mut line = |name: &String| company::line("/administrator/name", name, rules::LONGEST_NAME, &mut errors);
    let name = fields.name.as_ref().map(&mut line).unwrap_or_default();
    errors.extend(imitation::of_platform("/administrator/name", &name));
    let by = NamedBy::Anonymous;
    errors.extend(company::find_imitation(db, None, &company.company_name, by).await?);
    let email = fields.email.as_ref().and_then(|email| company::email("/administrator/email", email, &mut errors));
    let problems = match fields.password {
        Some(password) => {
            let (email, name) =
                (fields.email.as_deref().unwrap_or_default(), fields.name.as_deref().unwrap_or_default());
            services.passwords.check_rule(password, email, name).await.map_err(err_busy)?.err()
        }
        None => None,
    };
    let tier_uuid = match fields.tier_code.as_deref() {
        Some(code) => store::get_tier(db, code).await?,
        None => changing::get_fallback(db).await?.map(|tier| tier.tier_uuid),
    };
    errors.extend(rules::errors(&rules::RegistrationErrors {
        accepts_terms: fields.accepts_terms,
        password: &problems.unwrap_or_default(),
        tier_is_offered: tier_uuid.is_some(),
    }));
    Ok(ValidatedRegistration { company, name, email, tier_uuid, errors })
}

/// Returns the faults that these rules find in a body that the contract already rejects.
///
/// # Errors
/// [`labs_core::Code::Unavailable`]
pub(super) async fn find_faults(services: &Services, db: &Db, body: &Value) -> Result<Vec<FieldError>, Fault> {
    Ok(validate(services, db, RegistrationFields::from_rejected_body(body)).await?.errors)
}

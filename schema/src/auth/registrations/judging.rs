//! Collects all errors of a registration at once.

use async_graphql::MaybeUndefined;
use serde_json::Value;
use uuid::Uuid;

use super::resolvers::{RegistrationInput, busy};
use super::{rules, store};
use crate::core::crypto::secret::SecretText;
use crate::core::db::Db;
use crate::core::email::EmailAddress;
use crate::core::fault::{Fault, FieldError};
use crate::core::imitation;
use crate::core::services::Services;
use crate::partner::company::{self, Company, NamedBy, Patch};
use crate::subscription::changing;

/// Fields of a registration; `None` for a field that is missing or cannot be parsed.
pub(super) struct Said {
    company: Patch,
    name: Option<String>,
    email: Option<String>,
    password: Option<SecretText>,
    tier_code: Option<String>,
    accepts_terms: bool,
}

/// Result of validating a registration.
pub(super) struct Judged {
    pub(super) company: Company,
    pub(super) name: String,
    pub(super) email: Option<EmailAddress>,
    pub(super) tier_uuid: Option<Uuid>,
    pub(super) errors: Vec<FieldError>,
}

impl Said {
    /// Reads a body that the contract accepts.
    pub(super) fn by(body: &RegistrationInput) -> Self {
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
    fn by_refused(body: &Value) -> Self {
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
            // The contract itself rejects any value except true.
            accepts_terms: true,
        }
    }
}

/// Validates a registration. Holds no connection while the password is validated.
///
/// # Errors
/// [`crate::Code::Unavailable`]
pub(super) async fn judge(services: &Services, db: &Db, said: Said) -> Result<Judged, Fault> {
    let mut errors = Vec::new();
    let company = company::new_company(said.company, &mut errors);
    let mut line = |name: &String| company::line("/administrator/name", name, rules::LONGEST_NAME, &mut errors);
    let name = said.name.as_ref().map(&mut line).unwrap_or_default();
    errors.extend(imitation::of_platform("/administrator/name", &name));
    let by = NamedBy::Anonymous;
    errors.extend(company::find_imitation(db, None, &company.company_name, by).await?);
    let email = said.email.as_ref().and_then(|email| company::email("/administrator/email", email, &mut errors));
    let problems = match said.password {
        Some(password) => {
            let (email, name) = (said.email.as_deref().unwrap_or_default(), said.name.as_deref().unwrap_or_default());
            services.passwords.check_rule(password, email, name).await.map_err(busy)?.err()
        }
        None => None,
    };
    let tier_uuid = match said.tier_code.as_deref() {
        Some(code) => store::tier_get(db, code).await?,
        None => changing::fallback_get(db).await?.map(|tier| tier.tier_uuid),
    };
    errors.extend(rules::errors(&rules::Findings {
        accepts_terms: said.accepts_terms,
        password: &problems.unwrap_or_default(),
        tier_is_offered: tier_uuid.is_some(),
    }));
    Ok(Judged { company, name, email, tier_uuid, errors })
}

/// Returns the faults that these rules find in a body that the contract already rejects.
///
/// # Errors
/// [`crate::Code::Unavailable`]
pub(crate) async fn find_faults(services: &Services, db: &Db, body: &Value) -> Result<Vec<FieldError>, Fault> {
    Ok(judge(services, db, Said::by_refused(body)).await?.errors)
}

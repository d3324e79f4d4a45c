//! Company data of a partner, which its team writes, and staff on its behalf.
//!
//! Both write the same data under the same rules. Only the permission differs.

pub mod renaming;
mod rules;
mod store;
mod types;

pub use rules::Patch;
pub use types::{
    AddressPatch, BillingAddress, BillingAddressPatch, CompanyAddress, CompanyAddressView, CompanyBillingAddress,
};

use labs_core::actor::Actor;
use labs_core::db::Db;
use labs_core::email::EmailAddress;
use labs_core::fault::{Fault, FieldError};
use labs_core::imitation;
use labs_core::slug::NewSlug;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::partner::events::{self, PartnerEvent, PartnerEventKind};

/// Number of names for which skeletons are computed at once.
const SKELETONS_AT_ONCE: i64 = 500;

/// Company data of a partner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Company {
    /// Name of the company, as customers know it.
    pub company_name: String,
    /// New name that staff have not decided on.
    pub(crate) pending_name: Option<String>,
    /// Legal form, as the company's register states it.
    pub(crate) legal_form: Option<String>,
    /// Number in the company's register.
    pub(crate) registration_number: Option<String>,
    /// VAT identification number with its prefix.
    pub(crate) vat_id: Option<String>,
    /// Two-letter ISO 3166-1 country code.
    pub(crate) country: Option<String>,
    /// Registered address.
    pub(crate) address: CompanyAddress,
    /// Billing address, if it differs from the registered address.
    pub(crate) billing_address: BillingAddress,
    /// E-mail address for invoices.
    pub(crate) billing_email: Option<String>,
    /// Website of the company.
    pub(crate) website: Option<String>,
}

/// Validates the data of a new company by the same rules as a change. Adds each invalid field to `errors`.
pub fn new_company(patch: Patch, errors: &mut Vec<FieldError>) -> Company {
    rules::merge(&Company::default(), patch, errors)
}

/// Creates the partner of a company, with the first derived slug that is free.
pub async fn insert(db: &Db, partner_uuid: Uuid, company: &Company) -> Result<(), Fault> {
    for slug in NewSlug::of(None, &company.company_name, "partner").candidates(partner_uuid) {
        if store::insert(db, partner_uuid, &slug, company).await? {
            return Ok(());
        }
    }
    Err(Fault::internal("no free slug was found for a new partner"))
}

/// Kind of caller who names a company. It decides which similar names are rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBy {
    /// An anonymous caller, who must not learn more than the storefront shows.
    Anonymous,
    /// A team member of the company.
    Team,
    /// A staff member.
    Staff {
        /// Whether they permit a name that resembles another name.
        allows_imitation: bool,
    },
}

/// Checks whether a company's name resembles the name of the platform or of another company. Returns no error if staff
/// permit the name.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer.
pub async fn find_imitation(
    db: &Db,
    partner_uuid: Option<Uuid>,
    name: &str,
    by: NamedBy,
) -> Result<Option<FieldError>, Fault> {
    if by == (NamedBy::Staff { allows_imitation: true }) {
        return Ok(None);
    }
    let pointer = "/company_name";
    if let Some(error) = imitation::of_platform(pointer, name) {
        return Ok(Some(error));
    }
    let skeletons = imitation::skeletons(name);
    let is_like = store::is_like_another(db, partner_uuid, &skeletons, by != NamedBy::Anonymous).await?;
    Ok(is_like.then(|| imitation::err_company_name(pointer)))
}

/// Computes the missing skeletons of names. Returns their number.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer.
pub async fn fill_skeletons(pool: &PgPool) -> Result<u64, Fault> {
    let mut filled = 0;
    loop {
        let names = store::page_without_skeletons(pool, SKELETONS_AT_ONCE).await?;
        for (partner_uuid, name) in &names {
            store::set_skeletons(pool, *partner_uuid, name).await?;
            filled += 1;
        }
        if names.len() < SKELETONS_AT_ONCE as usize {
            return Ok(filled);
        }
    }
}

/// Updates the data of a company: absent fields stay, null clears a field. If reviewers have seen the name of the
/// company, a new name that its team sends is pending until staff decide; sending the current name withdraws it. The
/// event lists the changed fields without their values. An update that changes nothing writes nothing. `None` if the
/// partner does not exist.
///
/// # Errors
/// [`labs_core::Code::ValidationFailed`], pointing to each field at fault.
pub async fn change(
    db: &Db,
    partner_uuid: Uuid,
    patch: Patch,
    (actor, by): (Actor, NamedBy),
    reason: Option<&str>,
) -> Result<Option<()>, Fault> {
    let Some(present) = store::lock(db, partner_uuid).await? else { return Ok(None) };
    let mut errors = Vec::new();
    let mut after = rules::merge(&present, patch, &mut errors);
    if after.company_name != present.company_name {
        errors.extend(find_imitation(db, Some(partner_uuid), &after.company_name, by).await?);
    }
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    let is_renamed = after.company_name != present.company_name;
    if by == NamedBy::Team && is_renamed && store::has_reviewed_name(db, partner_uuid).await? {
        rules::defer_name(&present, &mut after);
    }
    let fields = rules::changed_fields(&present, &after);
    if fields.is_empty() {
        return Ok(Some(()));
    }
    store::update(db, partner_uuid, &after).await?;
    let event = PartnerEvent::new(partner_uuid, PartnerEventKind::CompanyUpdated, actor).with_reason(reason);
    events::insert(db, &event.with_detail(json!({ "fields": fields }))).await?;
    Ok(Some(()))
}

/// Validates and normalizes an e-mail address.
pub fn email(pointer: &str, text: &str, errors: &mut Vec<FieldError>) -> Option<EmailAddress> {
    rules::email(pointer, text, errors)
}

/// Validates and normalizes a text of one line with a maximum number of characters.
pub fn line(pointer: &str, text: &str, most: usize, errors: &mut Vec<FieldError>) -> String {
    rules::line(pointer, text, most, errors)
}

//! The company behind a partner: what its team writes down of it, and staff where they help.
//!
//! Both write the same data under the same rules; only who may do so differs.

mod rules;
mod store;
mod types;

pub(crate) use rules::Patch;
pub(crate) use types::{
    AddressPatch, BillingAddress, BillingAddressPatch, CompanyAddress, CompanyAddressView, CompanyBillingAddress,
};

use serde_json::json;
use uuid::Uuid;

use crate::core::actor::Actor;
use crate::core::db::Db;
use crate::core::email::EmailAddress;
use crate::core::fault::{Fault, FieldError};
use crate::core::slug::NewSlug;
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};

/// What is written down of a company.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Company {
    /// Its name, as customers know it.
    pub(crate) company_name: String,
    /// As its register writes it.
    pub(crate) legal_form: Option<String>,
    /// The number in its register.
    pub(crate) registration_number: Option<String>,
    /// With its prefix.
    pub(crate) vat_id: Option<String>,
    /// ISO 3166-1 code of two letters.
    pub(crate) country: Option<String>,
    /// Where it has its seat.
    pub(crate) address: CompanyAddress,
    /// Where its bills go, where that is not its seat.
    pub(crate) billing_address: BillingAddress,
    /// Where its bills are mailed.
    pub(crate) billing_email: Option<String>,
    /// Its website.
    pub(crate) website: Option<String>,
}

/// The data of a company to be, judged by the same rules as a change of it: each field at fault is added to `errors`.
pub(crate) fn new_company(patch: Patch, errors: &mut Vec<FieldError>) -> Company {
    rules::merge(&Company::default(), patch, errors)
}

/// Creates a partner of a company, under the first derived slug that is free.
pub(crate) async fn insert(db: &Db, partner_uuid: Uuid, company: &Company) -> Result<(), Fault> {
    for slug in NewSlug::of(None, &company.company_name, "partner").candidates(partner_uuid) {
        if store::insert(db, partner_uuid, &slug, company).await? {
            return Ok(());
        }
    }
    Err(Fault::internal("no slug is free for a new partner"))
}

/// Changes a company's data: what is left out stays, null empties. The history tells which fields, not what is in
/// them. The same again writes nothing. `None` when there is no such partner.
///
/// # Errors
/// [`crate::Code::ValidationFailed`], pointing to each field at fault.
pub(crate) async fn change(
    db: &Db,
    partner_uuid: Uuid,
    patch: Patch,
    actor: Actor,
    reason: Option<&str>,
) -> Result<Option<()>, Fault> {
    let Some(present) = store::lock(db, partner_uuid).await? else { return Ok(None) };
    let mut errors = Vec::new();
    let after = rules::merge(&present, patch, &mut errors);
    if !errors.is_empty() {
        return Err(Fault::invalid(errors));
    }
    let fields = rules::changed_fields(&present, &after);
    if fields.is_empty() {
        return Ok(Some(()));
    }
    store::update(db, partner_uuid, &after).await?;
    let event = PartnerEvent::new(partner_uuid, PartnerEventKind::CompanyUpdated, actor).because(reason);
    events::insert(db, &event.telling(json!({ "fields": fields }))).await?;
    Ok(Some(()))
}

/// An address that mail can be sent to, as it is kept.
pub(crate) fn email(pointer: &str, text: &str, errors: &mut Vec<FieldError>) -> Option<EmailAddress> {
    rules::email(pointer, text, errors)
}

/// A text of one line as it is kept, of so many characters at most.
pub(crate) fn line(pointer: &str, text: &str, most: usize, errors: &mut Vec<FieldError>) -> String {
    rules::line(pointer, text, most, errors)
}

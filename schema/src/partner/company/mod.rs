//! The company behind a partner: what its team writes down of it, and staff where they help.
//!
//! Both write the same data under the same rules; only who may do so differs.

pub(crate) mod renaming;
mod rules;
mod store;
mod types;

pub(crate) use rules::Patch;
pub(crate) use types::{
    AddressPatch, BillingAddress, BillingAddressPatch, CompanyAddress, CompanyAddressView, CompanyBillingAddress,
};

use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::core::actor::Actor;
use crate::core::db::Db;
use crate::core::email::EmailAddress;
use crate::core::fault::{Fault, FieldError};
use crate::core::imitation;
use crate::core::slug::NewSlug;
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};

/// Names whose skeletons are computed at once.
const SKELETONS_AT_ONCE: i64 = 500;

/// What is written down of a company.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Company {
    /// Its name, as customers know it.
    pub(crate) company_name: String,
    /// New name that staff have not decided on.
    pub(crate) pending_name: Option<String>,
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
    Err(Fault::internal("no free slug was found for a new partner"))
}

/// Who names a company, which decides what the name may look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NamedBy {
    /// An anonymous caller. They learn no more than the storefront shows.
    Anonymous,
    /// Somebody of the company.
    Team,
    /// Staff.
    Staff {
        /// Whether they allow a name that looks like another.
        allows_imitation: bool,
    },
}

/// What is wrong with a company's name that looks like the platform's or another company's; nothing where staff allow it.
///
/// # Errors
/// [`crate::Code::Unavailable`]
pub(crate) async fn find_imitation(
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
    Ok(is_like.then(|| imitation::of_company(pointer)))
}

/// Computes the skeletons of names that have none; how many.
///
/// # Errors
/// [`crate::Code::Unavailable`]
pub(crate) async fn fill_skeletons(pool: &PgPool) -> Result<u64, Fault> {
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

/// Updates the data of a company: absent fields stay, null clears a field. If a company with published listings sends a
/// new name, the name is pending until staff decide; sending the current name withdraws it. The event lists the changed
/// fields without their values. An update that changes nothing writes nothing. `None` if the partner does not exist.
///
/// # Errors
/// [`crate::Code::ValidationFailed`], pointing to each field at fault.
pub(crate) async fn change(
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
    if by != NamedBy::Team && after.company_name == present.company_name {
        after.pending_name.clone_from(&present.pending_name);
    } else if by == NamedBy::Team && store::has_live_listing(db, partner_uuid).await? {
        rules::defer_name(&present, &mut after);
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

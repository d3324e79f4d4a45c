//! Operations on a partner's contacts.

use labs_core::context::RequestContext;
use labs_core::describe::{Created, MaybeUndefined};
use labs_core::fault::Fault;
use labs_core::list::PageRequest;
use labs_core::operation::{Operation, operation, operations};
use labs_core::page::List;
use labs_core::principal::Owner;
use serde_json::json;
use uuid::Uuid;

use super::list::{CONTACTS, ContactsOf, OWN, PartnerContactFilter};
use super::rules;
use super::store::{self, Content};
use super::types::{PartnerContact, PartnerContactCreate, PartnerContactUpdate};
use crate::partner::company;
use crate::partner::events::{self, PartnerEvent, PartnerEventKind};
use crate::partner::own::ensure_own;

/// Operations of this file.
pub(in crate::partner) const OPERATIONS: &[Operation] =
    operations![partner_contacts_list, partner_contacts_create, partner_contacts_update, partner_contacts_delete];

/// List contacts.
#[operation(query, access = "partner")]
async fn partner_contacts_list(
    cx: &RequestContext,
    partner_uuid: Uuid,
    filter: Option<PartnerContactFilter>,
    limit: Option<i32>,
    cursor: Option<String>,
) -> Result<List<PartnerContact>, Fault> {
    let partner_uuid = ensure_own(cx, partner_uuid)?.uuid();
    let contacts = ContactsOf { partner_uuid, filter: filter.unwrap_or_default() };
    Ok(CONTACTS.page(cx, &contacts, &PageRequest::new(None, limit, cursor)).await?.list())
}

/// Create a contact.
#[operation(mutation, access = "partner:write")]
async fn partner_contacts_create(
    cx: &RequestContext,
    partner_uuid: Uuid,
    body: PartnerContactCreate,
) -> Result<Created<PartnerContact>, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    let begun = Content::of_kind(body.kind);
    let wanted = PartnerContactUpdate {
        kind: None,
        name: Some(body.name),
        email: Some(body.email),
        phone: body.phone.map_or(MaybeUndefined::Undefined, MaybeUndefined::Value),
    };
    let content = merge(begun, wanted)?;
    store::lock_partner(&cx.db, owner).await?.ok_or_else(err_not_found)?;
    rules::ensure_quota(store::count(&cx.db, owner, content.kind, None).await?)?;
    let contact_uuid = cx.new_uuid();
    let row = store::insert(&cx.db, owner, contact_uuid, &content).await?.ok_or_else(rules::err_address_taken)?;
    record_event(cx, owner, PartnerEventKind::ContactAdded, &row).await?;
    Ok(Created::new(contact_uuid, row))
}

/// Update a contact.
#[operation(mutation, access = "partner:write")]
async fn partner_contacts_update(
    cx: &RequestContext,
    partner_uuid: Uuid,
    contact_uuid: Uuid,
    body: PartnerContactUpdate,
) -> Result<PartnerContact, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    let present = lock_contact(cx, owner, contact_uuid).await?;
    let before = Content::from(&present);
    let after = merge(before.clone(), body)?;
    if after == before {
        return Ok(present);
    }
    if after.kind != before.kind {
        rules::ensure_quota(store::count(&cx.db, owner, after.kind, None).await?)?;
        ensure_security_contact(cx, owner, &present).await?;
    }
    let row = store::update(&cx.db, owner, contact_uuid, &after).await?.ok_or_else(rules::err_address_taken)?;
    record_event(cx, owner, PartnerEventKind::ContactChanged, &row).await?;
    Ok(row)
}

/// Delete a contact.
#[operation(mutation, access = "partner:write")]
async fn partner_contacts_delete(cx: &RequestContext, partner_uuid: Uuid, contact_uuid: Uuid) -> Result<bool, Fault> {
    let owner = ensure_own(cx, partner_uuid)?;
    let present = lock_contact(cx, owner, contact_uuid).await?;
    ensure_security_contact(cx, owner, &present).await?;
    store::delete(&cx.db, owner, contact_uuid).await?;
    record_event(cx, owner, PartnerEventKind::ContactRemoved, &present).await?;
    Ok(true)
}

/// Merges a change into the contact.
fn merge(mut content: Content, update: PartnerContactUpdate) -> Result<Content, Fault> {
    let mut errors = Vec::new();
    if let Some(kind) = update.kind {
        content.kind = kind;
    }
    if let Some(name) = update.name {
        content.name = company::line("/name", &name, rules::LONGEST_NAME, &mut errors);
    }
    if let Some(email) = update.email.and_then(|text| company::email("/email", &text, &mut errors)) {
        content.email = email.as_str().to_owned();
        content.email_normalised = email.normalised().to_owned();
    }
    match update.phone {
        MaybeUndefined::Undefined => {}
        MaybeUndefined::Null => content.phone = None,
        MaybeUndefined::Value(phone) => {
            content.phone = Some(company::line("/phone", &phone, rules::LONGEST_PHONE, &mut errors));
        }
    }
    if errors.is_empty() { Ok(content) } else { Err(Fault::invalid(errors)) }
}

/// Loads the contact and locks its partner, so that two removals of the last contacts run one after the other.
async fn lock_contact(cx: &RequestContext, owner: Owner, contact_uuid: Uuid) -> Result<PartnerContact, Fault> {
    store::lock_partner(&cx.db, owner).await?.ok_or_else(err_not_found)?;
    OWN.fetch_one(&cx.db, [owner.uuid().into(), contact_uuid.into()]).await?.ok_or_else(err_not_found)
}

/// Checks that the contact may be removed from its kind.
async fn ensure_security_contact(cx: &RequestContext, owner: Owner, present: &PartnerContact) -> Result<(), Fault> {
    let others = store::count(&cx.db, owner, present.kind, Some(present.uuid)).await?;
    rules::ensure_security_contact(present.kind, others)
}

async fn record_event(
    cx: &RequestContext,
    owner: Owner,
    kind: PartnerEventKind,
    row: &PartnerContact,
) -> Result<(), Fault> {
    let event = PartnerEvent::by_caller(cx, owner.uuid(), kind)?.with_subject(row.uuid);
    events::insert(&cx.db, &event.with_detail(json!({ "kind": row.kind }))).await
}

fn err_not_found() -> Fault {
    Fault::not_found("contact")
}

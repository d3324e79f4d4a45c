//! What may be asked about a partner's contacts.

use async_graphql::{Context, MaybeUndefined, Object};
use serde_json::json;
use uuid::Uuid;

use super::list::{CONTACTS, ContactsOf, OWN, PartnerContactFilter};
use super::rules;
use super::store::{self, Content};
use super::types::{PartnerContact, PartnerContactCreate, PartnerContactUpdate};
use crate::access::access;
use crate::ask::{Ask, Asking};
use crate::fault::Fault;
use crate::list::PageRequest;
use crate::page::List;
use crate::partner::company;
use crate::partner::events::{self, PartnerEvent};
use crate::partner::own::own;
use crate::principal::Owner;

/// Reads of contacts.
#[derive(Default)]
pub(crate) struct ContactsQuery;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ContactsQuery {
    /// Whom the platform turns to.
    #[graphql(directive = access::apply("partner".into()))]
    async fn partner_contacts_list(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        filter: Option<PartnerContactFilter>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<PartnerContact>>, Fault> {
        let ask = ctx.ask();
        let partner_uuid = own(ask, partner_uuid)?.uuid();
        let contacts = ContactsOf { partner_uuid, filter: filter.unwrap_or_default() };
        ask.answer_list(CONTACTS.page(ask, &contacts, &PageRequest::new(None, limit, cursor)).await?.list())
    }
}

/// Writes of contacts.
#[derive(Default)]
pub(crate) struct ContactsMutation;

#[Object(rename_fields = "snake_case", rename_args = "snake_case")]
impl ContactsMutation {
    /// Adds a contact.
    #[graphql(directive = access::apply("partner:write".into()))]
    async fn partner_contacts_create(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        body: PartnerContactCreate,
    ) -> Result<Option<PartnerContact>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        let begun = Content::of_kind(body.kind);
        let wanted = PartnerContactUpdate {
            kind: None,
            name: Some(body.name),
            email: Some(body.email),
            phone: body.phone.map_or(MaybeUndefined::Undefined, MaybeUndefined::Value),
        };
        let content = merged(begun, wanted)?;
        store::partner_lock(&ask.db, owner).await?.ok_or_else(missing)?;
        rules::room(store::count(&ask.db, owner, content.kind, None).await?)?;
        let contact_uuid = ask.new_uuid();
        let row = store::insert(&ask.db, owner, contact_uuid, &content).await?.ok_or_else(rules::taken)?;
        noted(ask, owner, "CONTACT_ADDED", &row).await?;
        ask.answer_created(contact_uuid, row)
    }

    /// Changes a contact: what is left out stays, null empties.
    #[graphql(directive = access::apply("partner:write".into()))]
    async fn partner_contacts_update(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        contact_uuid: Uuid,
        body: PartnerContactUpdate,
    ) -> Result<Option<PartnerContact>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        let present = held(ask, owner, contact_uuid).await?;
        let before = Content::from(&present);
        let after = merged(before.clone(), body)?;
        if after == before {
            return ask.answer(present);
        }
        if after.kind != before.kind {
            rules::room(store::count(&ask.db, owner, after.kind, None).await?)?;
            left(ask, owner, &present).await?;
        }
        let row = store::update(&ask.db, owner, contact_uuid, &after).await?.ok_or_else(rules::taken)?;
        noted(ask, owner, "CONTACT_CHANGED", &row).await?;
        ask.answer(row)
    }

    /// Removes a contact.
    #[graphql(directive = access::apply("partner:write".into()))]
    async fn partner_contacts_delete(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        contact_uuid: Uuid,
    ) -> Result<Option<bool>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        let present = held(ask, owner, contact_uuid).await?;
        left(ask, owner, &present).await?;
        store::delete(&ask.db, owner, contact_uuid).await?;
        noted(ask, owner, "CONTACT_REMOVED", &present).await?;
        ask.answer(true)
    }
}

/// The contact with a change in it.
fn merged(mut content: Content, said: PartnerContactUpdate) -> Result<Content, Fault> {
    let mut errors = Vec::new();
    if let Some(kind) = said.kind {
        content.kind = kind;
    }
    if let Some(name) = said.name {
        content.name = company::line("/name", &name, rules::LONGEST_NAME, &mut errors);
    }
    if let Some(email) = said.email.and_then(|text| company::email("/email", &text, &mut errors)) {
        content.email = email.as_str().to_owned();
        content.email_normalised = email.normalised().to_owned();
    }
    match said.phone {
        MaybeUndefined::Undefined => {}
        MaybeUndefined::Null => content.phone = None,
        MaybeUndefined::Value(phone) => {
            content.phone = Some(company::line("/phone", &phone, rules::LONGEST_PHONE, &mut errors));
        }
    }
    if errors.is_empty() { Ok(content) } else { Err(Fault::invalid(errors)) }
}

/// The contact, its partner held, so that two who take the last ones away wait for one another.
async fn held(ask: &Ask, owner: Owner, contact_uuid: Uuid) -> Result<PartnerContact, Fault> {
    store::partner_lock(&ask.db, owner).await?.ok_or_else(missing)?;
    OWN.one(&ask.db, [owner.uuid().into(), contact_uuid.into()]).await?.ok_or_else(missing)
}

/// Whether the contact's kind can do without it.
async fn left(ask: &Ask, owner: Owner, present: &PartnerContact) -> Result<(), Fault> {
    let others = store::count(&ask.db, owner, present.kind, Some(present.uuid)).await?;
    rules::security_kept(present.kind, others)
}

async fn noted(ask: &Ask, owner: Owner, kind: &'static str, row: &PartnerContact) -> Result<(), Fault> {
    let event = PartnerEvent::by_caller(ask, owner.uuid(), kind)?.about(row.uuid);
    events::insert(&ask.db, &event.telling(json!({ "kind": row.kind }))).await
}

fn missing() -> Fault {
    Fault::not_found("contact")
}

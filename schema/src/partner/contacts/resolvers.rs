//! What may be asked about a partner's contacts.

use async_graphql::{Context, Enum, InputObject, MaybeUndefined, Object, SimpleObject};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::rules;
use super::store::{self, ContactRow, Content};
use crate::access::access;
use crate::ask::{Ask, Asking};
use crate::fault::Fault;
use crate::page::{List, Window, names};
use crate::partner::company;
use crate::partner::events::{self, PartnerEvent};
use crate::partner::own::own;
use crate::principal::Owner;
use crate::time::Time;

/// What a contact is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Enum, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum ContactKind {
    /// Bills and payments.
    Billing,
    /// Outages and changes of the interface.
    Technical,
    /// Weaknesses and incidents.
    Security,
}

/// Somebody to turn to.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(name = "PartnerContact", rename_fields = "snake_case")]
pub(crate) struct Contact {
    /// The contact.
    uuid: Uuid,
    /// What for.
    kind: ContactKind,
    /// A person or a mailbox.
    name: String,
    /// Where mail goes.
    email: String,
    /// In international form.
    phone: Option<String>,
    /// When it was added.
    created_at: Time,
    /// When it last changed.
    updated_at: Time,
}

/// A contact to add.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerContactCreate {
    /// What for.
    kind: ContactKind,
    /// A person or a mailbox.
    name: String,
    /// Where mail goes.
    email: String,
    /// In international form.
    phone: Option<String>,
}

/// A merge patch of a contact (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerContactUpdate {
    /// What for.
    kind: Option<ContactKind>,
    /// A person or a mailbox.
    name: Option<String>,
    /// Where mail goes.
    email: Option<String>,
    /// In international form.
    phone: MaybeUndefined<String>,
}

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
        kind: Option<Vec<ContactKind>>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Option<List<Contact>>, Fault> {
        let (ask, list) = (ctx.ask(), "partner_contacts_list");
        let (owner, kinds) = (own(ask, partner_uuid)?, names(kind));
        let window = Window::read(&ask.services.cursors, list, &(owner, &kinds), limit, cursor.as_deref())?;
        let rows = store::page(&ask.db, owner, kinds.as_deref(), &window).await?;
        let (rows, page) = window.cut(rows, ContactRow::keys);
        let data = rows.into_iter().map(Contact::try_from).collect::<Result<_, _>>()?;
        ask.answer_list(List { data, page })
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
    ) -> Result<Option<Contact>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        let wanted = PartnerContactUpdate {
            kind: Some(body.kind),
            name: Some(body.name),
            email: Some(body.email),
            phone: body.phone.map_or(MaybeUndefined::Undefined, MaybeUndefined::Value),
        };
        let content = merged(Content::default(), wanted)?;
        store::partner_lock(&ask.db, owner).await?.ok_or_else(missing)?;
        rules::room(store::count(&ask.db, owner, &content.kind, None).await?)?;
        let contact_uuid = ask.new_uuid();
        let row = store::insert(&ask.db, owner, contact_uuid, &content).await?.ok_or_else(rules::taken)?;
        noted(ask, owner, "CONTACT_ADDED", &row).await?;
        ask.answer_created(contact_uuid, row.try_into()?)
    }

    /// Changes a contact: what is left out stays, null empties.
    #[graphql(directive = access::apply("partner:write".into()))]
    async fn partner_contacts_update(
        &self,
        ctx: &Context<'_>,
        partner_uuid: Uuid,
        contact_uuid: Uuid,
        body: PartnerContactUpdate,
    ) -> Result<Option<Contact>, Fault> {
        let ask = ctx.ask();
        let owner = own(ask, partner_uuid)?;
        let present = held(ask, owner, contact_uuid).await?;
        let before = present.content();
        let after = merged(before.clone(), body)?;
        if after == before {
            return ask.answer(present.try_into()?);
        }
        if after.kind != before.kind {
            rules::room(store::count(&ask.db, owner, &after.kind, None).await?)?;
            left(ask, owner, &present).await?;
        }
        let row = store::update(&ask.db, owner, contact_uuid, &after).await?.ok_or_else(rules::taken)?;
        noted(ask, owner, "CONTACT_CHANGED", &row).await?;
        ask.answer(row.try_into()?)
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
        content.kind = kind.name().to_owned();
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
async fn held(ask: &Ask, owner: Owner, contact_uuid: Uuid) -> Result<ContactRow, Fault> {
    store::partner_lock(&ask.db, owner).await?.ok_or_else(missing)?;
    store::get(&ask.db, owner, contact_uuid).await?.ok_or_else(missing)
}

/// Whether the contact's kind can do without it.
async fn left(ask: &Ask, owner: Owner, present: &ContactRow) -> Result<(), Fault> {
    let others = store::count(&ask.db, owner, &present.kind, Some(present.contact_uuid)).await?;
    rules::security_kept(present.kind == ContactKind::Security.name(), others)
}

async fn noted(ask: &Ask, owner: Owner, kind: &'static str, row: &ContactRow) -> Result<(), Fault> {
    let event = PartnerEvent::by_caller(ask, owner.uuid(), kind)?.about(row.contact_uuid);
    events::insert(&ask.db, &event.telling(json!({ "kind": row.kind }))).await
}

fn missing() -> Fault {
    Fault::not_found("contact")
}

impl ContactKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Billing => "BILLING",
            Self::Technical => "TECHNICAL",
            Self::Security => "SECURITY",
        }
    }
}

impl TryFrom<ContactRow> for Contact {
    type Error = Fault;

    fn try_from(row: ContactRow) -> Result<Self, Fault> {
        let kinds = [ContactKind::Billing, ContactKind::Technical, ContactKind::Security];
        let kind = kinds.into_iter().find(|kind| kind.name() == row.kind);
        Ok(Self {
            uuid: row.contact_uuid,
            kind: kind.ok_or_else(|| Fault::internal(format!("a contact of the kind {}", row.kind)))?,
            name: row.name,
            email: row.email,
            phone: row.phone,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    }
}

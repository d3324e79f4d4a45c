//! A partner's account as its team is shown it, and what its team sends.

use async_graphql::{InputObject, MaybeUndefined, SimpleObject};
use serde_json::Value;
use uuid::Uuid;

use super::list::HistoryRow;
use super::store::AccountRow;
use crate::core::access;
use crate::core::context::RequestContext;
use crate::core::fault::Fault;
use crate::core::principal::PrincipalType;
use crate::core::time::Time;
use crate::core::words::{Word as _, words};
use crate::partner::company::{AddressPatch, BillingAddressPatch, CompanyAddressView, CompanyBillingAddress, Patch};
use crate::partner::standing::{Action, PartnerState, Side, allowed_actions};

/// The account data of a partner.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerAccount {
    /// The partner.
    uuid: Uuid,
    /// Its name in addresses.
    slug: String,
    /// Name of the company, as customers know it.
    company_name: String,
    /// New name of a company with published listings, not yet confirmed by staff. Null if no name is pending.
    pending_company_name: Option<String>,
    /// As its register writes it.
    legal_form: Option<String>,
    /// The number in its register.
    registration_number: Option<String>,
    /// The VAT identification number, with its prefix.
    vat_id: Option<String>,
    /// ISO 3166-1 code of two letters.
    country: Option<String>,
    /// Where it has its seat.
    address: CompanyAddressView,
    /// Where bills go; null: to the seat.
    billing_address: Option<CompanyBillingAddress>,
    /// Where bills are mailed; null: to the billing contacts, or else to the administrators.
    billing_email: Option<String>,
    /// Its website.
    website: Option<String>,
    /// Where it stands.
    state: PartnerState,
    /// When the account ends, while it is closing.
    closes_at: Option<Time>,
    /// Time when the partner was registered.
    registered_at: Time,
    /// Time when the data or the state of the partner last changed.
    updated_at: Time,
    /// What the caller can do with it now.
    allowed_actions: Vec<String>,
}

/// A merge patch of the company's data (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerAccountUpdate {
    /// Name of the company.
    company_name: Option<String>,
    /// As its register writes it.
    legal_form: MaybeUndefined<String>,
    /// The number in its register.
    registration_number: MaybeUndefined<String>,
    /// With its prefix.
    vat_id: MaybeUndefined<String>,
    /// ISO 3166-1 code of two letters.
    country: Option<String>,
    /// Where it has its seat.
    address: MaybeUndefined<AddressPatch>,
    /// Where bills go.
    billing_address: MaybeUndefined<BillingAddressPatch>,
    /// E-mail address for invoices.
    billing_email: MaybeUndefined<String>,
    /// Its website.
    website: MaybeUndefined<String>,
}

/// Why a team leaves.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ClosureRequest {
    /// In the team's own words.
    pub(super) reason: Option<String>,
}

words! {
    /// Where something in the history comes from.
    pub(crate) enum PartnerEventGroup {
        /// The account itself, its team, contacts and profile.
        Account = "ACCOUNT",
        /// The subscription.
        Subscription = "SUBSCRIPTION",
        /// What staff looked at or did.
        Staff = "STAFF",
    }
}

words! {
    /// Who did something, as a team is told.
    pub(crate) enum PartnerEventActorKind {
        /// Uuid of the team member.
        PartnerUser = "PARTNER_USER",
        /// A program of the partner.
        MachineClient = "MACHINE_CLIENT",
        /// Somebody who runs the platform.
        StaffUser = "STAFF_USER",
        /// The platform itself.
        System = "SYSTEM",
        /// Somebody unknown.
        Anonymous = "ANONYMOUS",
    }
}

/// Who did something. Staff act for the platform: which of them, the team is not told.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerEventActor {
    /// What kind.
    kind: PartnerEventActorKind,
    /// Who of the team, or which program.
    uuid: Option<Uuid>,
    /// Their name.
    name: Option<String>,
}

/// An event of a partner account.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(name = "PartnerEvent", rename_fields = "snake_case")]
pub(crate) struct PartnerEventView {
    /// The entry.
    uuid: Uuid,
    /// When it happened.
    occurred_at: Time,
    /// Where it comes from.
    group: PartnerEventGroup,
    /// What: `COMPANY_UPDATED`, `SUSPENDED`, `STAFF_ACCESS` and so on.
    kind: String,
    /// Who did it.
    actor: PartnerEventActor,
    /// Uuid of the affected object, if it is not the account itself.
    subject_uuid: Option<Uuid>,
    /// Which operation staff called, where they only looked or the history says no more.
    operation: Option<String>,
    /// Why, where a reason was given.
    reason: Option<String>,
    /// What there is to know besides.
    detail: Value,
}

impl From<PartnerAccountUpdate> for Patch {
    fn from(body: PartnerAccountUpdate) -> Self {
        Self {
            company_name: body.company_name,
            legal_form: body.legal_form,
            registration_number: body.registration_number,
            vat_id: body.vat_id,
            country: body.country,
            address: body.address,
            billing_address: body.billing_address,
            billing_email: body.billing_email,
            website: body.website,
        }
    }
}

impl PartnerAccount {
    /// A row as it is shown to the caller. A program cannot ask for the end.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] for a state that there is not.
    pub(super) fn of(row: AccountRow, cx: &RequestContext) -> Result<Self, Fault> {
        let state = PartnerState::parse(&row.state)?;
        let is_program = cx.principal()?.kind == PrincipalType::MachineClient;
        let mut allowed_actions = allowed_actions(state, Side::Team, row.closes_at, cx.now);
        let is_open = |name: &str| !is_program || name != Action::RequestClosure.name();
        allowed_actions.retain(|name| cx.may("partner:write") && is_open(name));
        Ok(Self {
            uuid: row.partner_uuid,
            slug: row.slug,
            company_name: row.company_name,
            pending_company_name: row.pending_company_name,
            legal_form: row.legal_form,
            registration_number: row.registration_number,
            vat_id: row.vat_id,
            country: row.country,
            address: row.address.0.into(),
            billing_address: CompanyBillingAddress::of(row.billing_address.0),
            billing_email: row.billing_email,
            website: row.website,
            state,
            closes_at: row.closes_at.filter(|_| state == PartnerState::Closing),
            registered_at: row.created_at,
            updated_at: row.updated_at,
            allowed_actions,
        })
    }
}

/// Whether the team reads the reason of an event: of a record, if its operation declares so; of its own histories, always.
fn is_reason_shown(operation: Option<&str>) -> bool {
    operation.is_none_or(|operation| access::list_disclosed().is_reason_disclosed(operation))
}

impl From<HistoryRow> for PartnerEventView {
    fn from(row: HistoryRow) -> Self {
        let kind = row.actor_kind;
        let is_own = matches!(kind, PartnerEventActorKind::PartnerUser | PartnerEventActorKind::MachineClient);
        Self {
            uuid: row.event_uuid,
            occurred_at: row.occurred_at,
            group: row.event_group,
            kind: row.kind,
            actor: PartnerEventActor {
                kind,
                uuid: row.actor_uuid.filter(|_| is_own),
                name: row.actor_name.filter(|_| is_own),
            },
            subject_uuid: row.subject_uuid,
            reason: row.reason.filter(|_| is_reason_shown(row.operation.as_deref())),
            operation: row.operation,
            detail: row.detail,
        }
    }
}

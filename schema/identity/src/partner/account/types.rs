//! Input and output types of a partner's account for its team.

use labs_core::access;
use labs_core::context::RequestContext;
use labs_core::describe::{InputType, MaybeUndefined, OutputType};
use labs_core::fault::Fault;
use labs_core::principal::PrincipalType;
use labs_core::time::Time;
use labs_core::words::{Word as _, words};
use labs_shared::states::PartnerState;
use serde_json::Value;
use uuid::Uuid;

use super::list::HistoryRow;
use super::store::AccountRow;
use crate::partner::company::{AddressPatch, BillingAddressPatch, CompanyAddressView, CompanyBillingAddress, Patch};
use crate::partner::lifecycle::{Action, PartnerActor, allowed_actions};

/// The account data of a partner.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerAccount {
    /// UUID of the partner, for use in paths.
    uuid: Uuid,
    /// Slug of the partner.
    slug: String,
    /// Name of the company, as customers know it.
    company_name: String,
    /// New name of a company with reviewed apps. The storefront shows `company_name` until staff confirm the new name.
    /// Null if no name is pending.
    pending_company_name: Option<String>,
    /// Legal form, as in the commercial register.
    legal_form: Option<String>,
    /// Number in the commercial register, including the name of the register where required.
    registration_number: Option<String>,
    /// VAT identification number with its prefix.
    vat_id: Option<String>,
    /// Country of the company's registered office, as a two-letter ISO 3166-1 code.
    country: Option<String>,
    /// Registered address of the company.
    address: CompanyAddressView,
    /// Billing address. Null if invoices go to the registered office.
    billing_address: Option<CompanyBillingAddress>,
    /// E-mail address for invoices. If null, invoices go to the billing contacts, or without any to the administrators.
    billing_email: Option<String>,
    /// Website of the company.
    website: Option<String>,
    /// State of the partner.
    state: PartnerState,
    /// Time when the account will be closed, while it is `CLOSING`. Null otherwise.
    closes_at: Option<Time>,
    /// Time when the company was registered.
    registered_at: Time,
    /// Time when the data or the state of the partner last changed.
    updated_at: Time,
    /// Actions that the caller can perform now.
    allowed_actions: Vec<String>,
}

/// A merge patch (RFC 7396) of the company's data. Omitted fields keep their values, null clears a field.
#[derive(serde::Deserialize, InputType)]
pub struct PartnerAccountUpdate {
    /// Name of the company, as customers know it, in one line. 2 to 120 characters.
    company_name: Option<String>,
    /// Legal form, as in the commercial register.
    #[serde(default)]
    legal_form: MaybeUndefined<String>,
    /// Number in the commercial register, including the name of the register where required.
    #[serde(default)]
    registration_number: MaybeUndefined<String>,
    /// VAT identification number with its prefix, in capital letters, without spaces and dots. The company's country
    /// determines its format. For the members of the European Union, GB, CH and NO, the service checks every character.
    /// The prefix is `EL` for Greece, `XI` for Northern Ireland, `CHE` for Switzerland, `GB` for the Isle of Man, `FI`
    /// for Åland, and `FR` for Monaco and the French overseas departments. Elsewhere the number starts with the country
    /// code.
    #[serde(default)]
    vat_id: MaybeUndefined<String>,
    /// Country of the company's registered office.
    country: Option<String>,
    /// Address of the company's registered office. Null clears it.
    #[serde(default)]
    address: MaybeUndefined<AddressPatch>,
    /// Billing address. With null, invoices go to the registered office.
    #[serde(default)]
    billing_address: MaybeUndefined<BillingAddressPatch>,
    /// E-mail address for invoices. With null, invoices go to the billing contacts, or without any to the
    /// administrators.
    #[serde(default)]
    billing_email: MaybeUndefined<String>,
    /// Website of the company, as an https address.
    #[serde(default)]
    website: MaybeUndefined<String>,
}

/// Optional reason for the closure.
#[derive(serde::Deserialize, InputType)]
pub(super) struct ClosureRequest {
    /// Reason of the team, in free text. The account events show it.
    pub(super) reason: Option<String>,
}

words! {
    /// Source of an event.
    pub enum PartnerEventGroup {
        /// The account with its team, contacts and profile.
        Account = "ACCOUNT",
        /// The subscription.
        Subscription = "SUBSCRIPTION",
        /// Reads and actions of the platform's staff.
        Staff = "STAFF",
    }
}

words! {
    /// Kind of the actor of an event.
    pub enum PartnerEventActorKind {
        /// A user of the team.
        PartnerUser = "PARTNER_USER",
        /// A machine client of the partner.
        MachineClient = "MACHINE_CLIENT",
        /// A staff member of the platform.
        StaffUser = "STAFF_USER",
        /// The platform itself.
        System = "SYSTEM",
        /// An unknown actor.
        Anonymous = "ANONYMOUS",
    }
}

/// Actor of a history entry. Staff act for the platform; the team does not see which staff member acted.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerEventActor {
    /// Kind of actor.
    kind: PartnerEventActorKind,
    /// UUID of the team member or machine client. Null for any other actor.
    uuid: Option<Uuid>,
    /// Current name of the actor. Null if the actor no longer belongs to the team.
    name: Option<String>,
}

/// An event of a partner account.
#[derive(serde::Serialize, OutputType)]
#[describe(name = "PartnerEvent")]
pub(super) struct PartnerEventView {
    /// UUID of the entry.
    uuid: Uuid,
    /// Time of the event.
    occurred_at: Time,
    /// Group of the event.
    group: PartnerEventGroup,
    /// Kind of the event, such as `REGISTERED`, `COMPANY_UPDATED`, `CONTACT_ADDED`, `SUSPENDED`, `CLOSURE_REQUESTED`,
    /// `MEMBER_JOINED` or `NAME_CONFIRMED`. `STAFF_ACCESS` means that staff called `operation` and the call wrote no
    /// other event here; mostly this is a read. New kinds may be added.
    kind: String,
    /// Actor of the event. Staff act on behalf of the platform, so the event does not identify the staff member.
    actor: PartnerEventActor,
    /// UUID of the affected object, if it is not the account itself.
    subject_uuid: Option<Uuid>,
    /// Id of the operation that staff called, as in this contract. Null unless the kind is `STAFF_ACCESS`.
    operation: Option<String>,
    /// Reason of the actor. Null if the actor gave no reason, or if only staff can read it.
    reason: Option<String>,
    /// Further data of the event. Its members depend on the kind; new members may be added.
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
    /// Converts a row to the representation for the caller. A machine client cannot request the closure.
    ///
    /// # Errors
    /// [`labs_core::Code::Internal`] for an unknown state.
    pub(super) fn of(row: AccountRow, cx: &RequestContext) -> Result<Self, Fault> {
        let state = PartnerState::parse(&row.state)?;
        let is_program = cx.principal()?.kind == PrincipalType::MachineClient;
        let mut allowed_actions = allowed_actions(state, PartnerActor::Team, row.closes_at, cx.now);
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

/// Whether the team can read the reason of an event. For an audit record, its operation must declare that. For an entry
/// of the team's histories, it always can.
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

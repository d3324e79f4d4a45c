//! Input and output types of partners for staff.

use labs_core::context::RequestContext;
use labs_core::describe::{InputType, MaybeUndefined, OutputType};
use labs_core::time::Time;
use labs_shared::states::PartnerState;
use uuid::Uuid;

use super::super::list::AdminPartnerRow;
use labs_identity::partner::company::renaming::PendingNameDecision;
use labs_identity::partner::company::{
    AddressPatch, BillingAddressPatch, CompanyAddressView, CompanyBillingAddress, Patch,
};
use labs_identity::partner::lifecycle::{PartnerActor, allowed_actions};

/// A partner, as seen by staff.
#[derive(serde::Serialize, OutputType)]
pub struct AdminPartner {
    /// UUID of the partner, for use in paths.
    pub(crate) uuid: Uuid,
    /// Slug of the partner.
    slug: String,
    /// Name of the company, as customers know it.
    company_name: String,
    /// New company name that staff have not confirmed yet. Null if no name is pending. A new name needs a confirmation
    /// if the company has a listing, or a version that is in review, approved or scheduled.
    pending_company_name: Option<String>,
    /// Legal form, as written in the company's register.
    legal_form: Option<String>,
    /// Number in the commercial register.
    registration_number: Option<String>,
    /// VAT identification number with its prefix.
    vat_id: Option<String>,
    /// Country of the registered office, as a two-letter ISO 3166-1 code.
    country: Option<String>,
    /// Registered address of the company.
    address: CompanyAddressView,
    /// Billing address. Null if it is the address of the registered office.
    billing_address: Option<CompanyBillingAddress>,
    /// E-mail address for invoices.
    billing_email: Option<String>,
    /// Website of the company.
    website: Option<String>,
    /// State of the partner.
    state: PartnerState,
    /// Reason for the current state, if one was given. Visible to the partner.
    state_reason: Option<String>,
    /// Time of the last state change.
    state_changed_at: Time,
    /// Time when the account will be closed. Null unless the partner is `CLOSING`.
    closes_at: Option<Time>,
    /// Time until which the account can be reopened. Null unless the partner is `CLOSED`.
    reopen_until: Option<Time>,
    /// Labels that staff assigned, in alphabetical order. The partner does not see them.
    labels: Vec<String>,
    /// Time when staff verified the identity of the company. Null if the identity is not verified.
    verified_at: Option<Time>,
    /// Summary of the subscription. Null if the partner has no subscription.
    subscription: Option<AdminPartnerSubscription>,
    /// Numbers of objects that belong to the partner.
    counts: AdminPartnerCounts,
    /// Time when the partner was registered.
    registered_at: Time,
    /// Time of the last change to the data or the state.
    updated_at: Time,
    /// Actions that the caller can perform now.
    allowed_actions: Vec<String>,
}

/// Summary of a partner's subscription.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct AdminPartnerSubscription {
    /// Code of the tier.
    tier_code: String,
    /// Name of the tier.
    tier_name: String,
    /// State of the subscription: `ACTIVE`, or `CANCELLING` until the period ends. States may be added.
    state: String,
    /// Time when the subscription started.
    started_at: Time,
    /// End of the period. Null for a tier without periods.
    period_end: Option<Time>,
}

/// Numbers of objects that belong to a partner.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct AdminPartnerCounts {
    /// Number of team members, except removed ones.
    members: i64,
    /// Number of pending invitations that have not expired.
    invitations: i64,
    /// Number of apps that are not archived.
    apps: i64,
    /// Number of listings that are visible on the storefront.
    listings: i64,
    /// Number of active machine clients.
    machine_clients: i64,
    /// Number of contacts.
    contacts: i64,
    /// Number of internal notes of staff.
    notes: i64,
}

/// A partner to create, and the first administrator to invite.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct AdminPartnerCreate {
    /// Name of the company, as customers know it, on one line. 2 to 120 characters.
    company_name: String,
    /// Legal form, as written in the company's register.
    #[serde(default)]
    legal_form: MaybeUndefined<String>,
    /// Number in the commercial register.
    #[serde(default)]
    registration_number: MaybeUndefined<String>,
    /// VAT identification number with its prefix, in the format of the company's country.
    #[serde(default)]
    vat_id: MaybeUndefined<String>,
    /// Country of the company's registered office.
    country: String,
    /// Address of the company's registered office.
    #[serde(default)]
    address: MaybeUndefined<AddressPatch>,
    /// Billing address. Null selects the address of the registered office.
    #[serde(default)]
    billing_address: MaybeUndefined<BillingAddressPatch>,
    /// E-mail address for invoices.
    #[serde(default)]
    billing_email: MaybeUndefined<String>,
    /// Website of the company, as an https address.
    #[serde(default)]
    website: MaybeUndefined<String>,
    /// First administrator to invite. The administrator chooses a name and a password when accepting the invitation.
    administrator: AdminPartnerAdministrator,
    /// Initial tier. Any offered tier is allowed, including a tier that partners cannot choose themselves. Defaults to
    /// the fallback tier of cancelled subscriptions: the first tier on the pricing page that is free and that partners
    /// can choose themselves.
    tier_code: Option<String>,
    /// Labels that staff assign.
    labels: Option<Vec<String>>,
    /// Whether `company_name` may resemble the platform's name or the name of another company. Otherwise the service
    /// rejects a similar name with `NAME_IMITATES`. Requires `reason`.
    pub(super) allow_similar_name: Option<bool>,
    /// Reason for the change. Kept in the audit record, and visible to the partner in its account events.
    reason: Option<String>,
}

/// First administrator of a partner, who receives an invitation.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct AdminPartnerAdministrator {
    /// E-mail address to which the invitation is sent.
    pub(super) email: String,
    /// Locale of the e-mails to the administrator, if a translation exists. English (`en`) by default.
    pub(super) locale: Option<String>,
}

/// A merge patch (RFC 7396) of a company's data. Omitted fields remain unchanged, null clears a field.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct AdminPartnerUpdate {
    /// Name of the company, as customers know it, on one line. 2 to 120 characters.
    company_name: Option<String>,
    /// Legal form, as written in the company's register.
    #[serde(default)]
    legal_form: MaybeUndefined<String>,
    /// Number in the commercial register.
    #[serde(default)]
    registration_number: MaybeUndefined<String>,
    /// VAT identification number with its prefix, in the format of the company's country.
    #[serde(default)]
    vat_id: MaybeUndefined<String>,
    /// Country of the company's registered office.
    country: Option<String>,
    /// Address of the company's registered office.
    #[serde(default)]
    address: MaybeUndefined<AddressPatch>,
    /// Billing address. Null selects the address of the registered office.
    #[serde(default)]
    billing_address: MaybeUndefined<BillingAddressPatch>,
    /// E-mail address for invoices.
    #[serde(default)]
    billing_email: MaybeUndefined<String>,
    /// Website of the company, as an https address.
    #[serde(default)]
    website: MaybeUndefined<String>,
    /// Whether staff have verified the identity of the company. The listings of a verified company show a mark.
    /// Requires a `reason`. A change of the company's name or country removes the mark, unless the same request sends
    /// `verified` true.
    pub(super) verified: Option<bool>,
    /// Whether `company_name` may resemble the platform's name or the name of another company. Otherwise the service
    /// rejects a similar name with `NAME_IMITATES`. Requires `reason`.
    pub(super) allow_similar_name: Option<bool>,
    /// Decision about the pending name. The service notifies the administrators by e-mail. If no name or another name
    /// is pending, the service returns 409.
    pub(super) pending_name: Option<PendingNameDecision>,
    /// Reason for the change. Kept in the audit record, and visible to the partner in its account events.
    reason: Option<String>,
}

/// Complete list of a partner's labels.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct PartnerLabelsPut {
    /// Labels that staff assign.
    pub(super) labels: Vec<String>,
}

/// Data of a new partner other than the company data.
pub(super) struct PartnerSettings {
    pub(super) administrator: AdminPartnerAdministrator,
    pub(super) tier_code: Option<String>,
    pub(super) labels: Option<Vec<String>>,
    pub(super) reason: Option<String>,
}

impl AdminPartnerCreate {
    /// Splits the input into company data and the rest.
    pub(super) fn into_parts(self) -> (Patch, PartnerSettings) {
        let patch = Patch {
            company_name: Some(self.company_name),
            legal_form: self.legal_form,
            registration_number: self.registration_number,
            vat_id: self.vat_id,
            country: Some(self.country),
            address: self.address,
            billing_address: self.billing_address,
            billing_email: self.billing_email,
            website: self.website,
        };
        let Self { administrator, tier_code, labels, reason, .. } = self;
        (patch, PartnerSettings { administrator, tier_code, labels, reason })
    }
}

impl AdminPartnerUpdate {
    /// Splits the input into company data and the reason for the change.
    pub(super) fn into_parts(self) -> (Patch, Option<String>) {
        let patch = Patch {
            company_name: self.company_name,
            legal_form: self.legal_form,
            registration_number: self.registration_number,
            vat_id: self.vat_id,
            country: self.country,
            address: self.address,
            billing_address: self.billing_address,
            billing_email: self.billing_email,
            website: self.website,
        };
        (patch, self.reason)
    }
}

impl AdminPartner {
    /// Converts a row to the representation for the caller.
    pub fn of(row: AdminPartnerRow, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.partners:write");
        let allowed = || allowed_actions(row.state, PartnerActor::Staff, row.closes_at, cx.now);
        let allowed_actions = if acts { allowed() } else { Vec::new() };
        let counts = AdminPartnerCounts {
            members: row.members_count,
            invitations: row.invitations_count,
            apps: row.apps_count,
            listings: row.listings_count,
            machine_clients: row.machine_clients_count,
            contacts: row.contacts_count,
            notes: row.notes_count,
        };
        Self {
            counts,
            subscription: AdminPartnerSubscription::of(&row),
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
            state: row.state,
            state_reason: row.state_reason,
            state_changed_at: row.state_changed_at,
            closes_at: row.closes_at.filter(|_| row.state == PartnerState::Closing),
            reopen_until: row.closes_at.filter(|_| row.state == PartnerState::Closed),
            labels: row.labels,
            verified_at: row.verified_at,
            registered_at: row.created_at,
            updated_at: row.updated_at,
            allowed_actions,
        }
    }
}

impl AdminPartnerSubscription {
    fn of(row: &AdminPartnerRow) -> Option<Self> {
        Some(Self {
            tier_code: row.tier_code.clone()?,
            tier_name: row.tier_name.clone()?,
            state: row.subscription_state.clone()?,
            started_at: row.subscription_started_at?,
            period_end: row.subscription_period_end,
        })
    }
}

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
    /// UUID of the partner.
    pub(crate) uuid: Uuid,
    /// Slug of the partner.
    slug: String,
    /// Name of the company, as customers know it.
    company_name: String,
    /// New name of a company with published listings, not yet confirmed by staff. Null if no name is pending.
    pending_company_name: Option<String>,
    /// Legal form, as the company's register states it.
    legal_form: Option<String>,
    /// Number in the company's register.
    registration_number: Option<String>,
    /// The VAT identification number, with its prefix.
    vat_id: Option<String>,
    /// Two-letter ISO 3166-1 country code.
    country: Option<String>,
    /// Registered address of the company.
    address: CompanyAddressView,
    /// Billing address; null if invoices are sent to the registered address.
    billing_address: Option<CompanyBillingAddress>,
    /// E-mail address for invoices.
    billing_email: Option<String>,
    /// Website of the company.
    website: Option<String>,
    /// State of the partner.
    state: PartnerState,
    /// Reason for the state, if one was given.
    state_reason: Option<String>,
    /// Time of the last state change.
    state_changed_at: Time,
    /// Time when the account closes, while it is closing.
    closes_at: Option<Time>,
    /// Time until which the account can be reopened, while it is closed.
    reopen_until: Option<Time>,
    /// Labels that staff assign, in alphabetical order.
    labels: Vec<String>,
    /// Time when staff verified the identity of the company; null if it is not verified.
    verified_at: Option<Time>,
    /// Subscription of the partner.
    subscription: Option<AdminPartnerSubscription>,
    /// Numbers of objects that belong to the partner.
    counts: AdminPartnerCounts,
    /// Time when the partner was registered.
    registered_at: Time,
    /// Time of the last change to the data or the state.
    updated_at: Time,
    /// Actions that the caller can currently perform on the partner.
    allowed_actions: Vec<String>,
}

/// Summary of a partner's subscription.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct AdminPartnerSubscription {
    /// Code of the tier.
    tier_code: String,
    /// Name of the tier.
    tier_name: String,
    /// `ACTIVE` or `CANCELLING`.
    state: String,
    /// Time when the subscription started.
    started_at: Time,
    /// Time when the period ends; null for a tier without a period.
    period_end: Option<Time>,
}

/// Numbers of objects that belong to a partner.
#[derive(serde::Serialize, OutputType)]
pub(crate) struct AdminPartnerCounts {
    /// Members of the team.
    members: i64,
    /// Open invitations.
    invitations: i64,
    /// Apps, except archived apps.
    apps: i64,
    /// Listings that are visible on the storefront.
    listings: i64,
    /// Machine clients that can authenticate.
    machine_clients: i64,
    /// Contacts.
    contacts: i64,
    /// Notes of staff.
    notes: i64,
}

/// A partner to create.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct AdminPartnerCreate {
    /// Name of the company.
    company_name: String,
    /// Legal form, as the company's register states it.
    #[serde(default)]
    legal_form: MaybeUndefined<String>,
    /// Number in the company's register.
    #[serde(default)]
    registration_number: MaybeUndefined<String>,
    /// VAT identification number with its prefix.
    #[serde(default)]
    vat_id: MaybeUndefined<String>,
    /// Two-letter ISO 3166-1 country code.
    country: String,
    /// Registered address of the company.
    #[serde(default)]
    address: MaybeUndefined<AddressPatch>,
    /// Billing address.
    #[serde(default)]
    billing_address: MaybeUndefined<BillingAddressPatch>,
    /// E-mail address for invoices.
    #[serde(default)]
    billing_email: MaybeUndefined<String>,
    /// Website of the company.
    #[serde(default)]
    website: MaybeUndefined<String>,
    /// First administrator to invite.
    administrator: AdminPartnerAdministrator,
    /// Code of the tier to start on; by default the tier to which cancelled subscriptions fall back.
    tier_code: Option<String>,
    /// Labels that staff assign.
    labels: Option<Vec<String>>,
    /// Whether the company's name may resemble the name of another partner.
    pub(super) allow_similar_name: Option<bool>,
    /// Reason for the creation. The partner can read it.
    reason: Option<String>,
}

/// First administrator of a partner, who receives an invitation.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct AdminPartnerAdministrator {
    /// E-mail address to which the invitation is sent.
    pub(super) email: String,
    /// Language of the mail; `en` by default.
    pub(super) locale: Option<String>,
}

/// A merge patch of a company's data (RFC 7396).
#[derive(serde::Deserialize, InputType)]
pub(crate) struct AdminPartnerUpdate {
    /// Name of the company.
    company_name: Option<String>,
    /// Legal form, as the company's register states it.
    #[serde(default)]
    legal_form: MaybeUndefined<String>,
    /// Number in the company's register.
    #[serde(default)]
    registration_number: MaybeUndefined<String>,
    /// VAT identification number with its prefix.
    #[serde(default)]
    vat_id: MaybeUndefined<String>,
    /// Two-letter ISO 3166-1 country code.
    country: Option<String>,
    /// Registered address of the company.
    #[serde(default)]
    address: MaybeUndefined<AddressPatch>,
    /// Billing address.
    #[serde(default)]
    billing_address: MaybeUndefined<BillingAddressPatch>,
    /// E-mail address for invoices.
    #[serde(default)]
    billing_email: MaybeUndefined<String>,
    /// Website of the company.
    #[serde(default)]
    website: MaybeUndefined<String>,
    /// Whether staff have verified the identity of the company.
    pub(super) verified: Option<bool>,
    /// Whether the company's name may resemble the name of another partner.
    pub(super) allow_similar_name: Option<bool>,
    /// Decision about the pending name.
    pub(super) pending_name: Option<PendingNameDecision>,
    /// Reason for the change. The partner can read it.
    reason: Option<String>,
}

/// Complete list of a partner's labels.
#[derive(serde::Deserialize, InputType)]
pub(crate) struct PartnerLabelsPut {
    /// The labels.
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

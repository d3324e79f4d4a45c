//! Partners as staff are shown them, and what staff send.

use async_graphql::{InputObject, MaybeUndefined, SimpleObject};
use uuid::Uuid;

use super::super::list::AdminPartnerRow;
use crate::core::context::RequestContext;
use crate::core::time::Time;
use crate::partner::company::renaming::NameDecision;
use crate::partner::company::{AddressPatch, BillingAddressPatch, CompanyAddressView, CompanyBillingAddress, Patch};
use crate::partner::standing::{PartnerState, Side, allowed_actions};

/// A partner, as seen by staff.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(complex, rename_fields = "snake_case")]
pub(crate) struct AdminPartner {
    /// The partner.
    pub(crate) uuid: Uuid,
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
    /// E-mail address for invoices.
    billing_email: Option<String>,
    /// Its website.
    website: Option<String>,
    /// Where it stands.
    state: PartnerState,
    /// Why, where a reason was given.
    state_reason: Option<String>,
    /// Time of the last state change.
    state_changed_at: Time,
    /// When it is closed, while it is closing.
    closes_at: Option<Time>,
    /// Until when it can be opened again, while it is closed.
    reopen_until: Option<Time>,
    /// Staff's labels, in alphabetical order.
    labels: Vec<String>,
    /// Since when staff know that it is the company it says; null while nobody has made sure.
    verified_at: Option<Time>,
    /// What it pays for.
    subscription: Option<AdminPartnerSubscription>,
    /// How much belongs to it.
    counts: AdminPartnerCounts,
    /// Time when the partner was registered.
    registered_at: Time,
    /// Time of the last change to the data or the state.
    updated_at: Time,
    /// What the caller can do with it now.
    allowed_actions: Vec<String>,
}

/// Summary of a partner's subscription.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AdminPartnerSubscription {
    /// Code of the tier.
    tier_code: String,
    /// Name of the tier.
    tier_name: String,
    /// `ACTIVE` or `CANCELLING`.
    state: String,
    /// Time when the subscription started.
    started_at: Time,
    /// When the period ends; null for a tier without one.
    period_end: Option<Time>,
}

/// Numbers of objects that belong to a partner.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AdminPartnerCounts {
    /// People in the team.
    members: i64,
    /// Invitations that wait for an answer.
    invitations: i64,
    /// Apps that are not archived.
    apps: i64,
    /// Listings that are on the storefront.
    listings: i64,
    /// Programs that may sign in.
    machine_clients: i64,
    /// Contacts.
    contacts: i64,
    /// Staff's notes.
    notes: i64,
}

/// A partner to be.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AdminPartnerCreate {
    /// Name of the company.
    company_name: String,
    /// As its register writes it.
    legal_form: MaybeUndefined<String>,
    /// The number in its register.
    registration_number: MaybeUndefined<String>,
    /// With its prefix.
    vat_id: MaybeUndefined<String>,
    /// ISO 3166-1 code of two letters.
    country: String,
    /// Where it has its seat.
    address: MaybeUndefined<AddressPatch>,
    /// Where bills go.
    billing_address: MaybeUndefined<BillingAddressPatch>,
    /// E-mail address for invoices.
    billing_email: MaybeUndefined<String>,
    /// Its website.
    website: MaybeUndefined<String>,
    /// Who is invited as its first administrator.
    administrator: AdminPartnerAdministrator,
    /// The tier to start on; the one that cancelled subscriptions fall back to when none is named.
    tier_code: Option<String>,
    /// Labels that staff assign.
    labels: Option<Vec<String>>,
    /// Whether the company's name may look like another.
    pub(super) allow_similar_name: Option<bool>,
    /// Why; the partner reads it.
    reason: Option<String>,
}

/// Who is invited as a partner's first administrator.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AdminPartnerAdministrator {
    /// E-mail address to which the invitation is sent.
    pub(super) email: String,
    /// The language of the mail; `en` when none is named.
    pub(super) locale: Option<String>,
}

/// A merge patch of a company's data (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct AdminPartnerUpdate {
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
    /// Whether staff have made sure that it is the company it says.
    pub(super) verified: Option<bool>,
    /// Whether the company's name may look like another.
    pub(super) allow_similar_name: Option<bool>,
    /// Decision about the pending name.
    pub(super) pending_name: Option<NameDecision>,
    /// Why; the partner reads it.
    reason: Option<String>,
}

/// Complete list of a partner's labels.
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerLabelsPut {
    /// The labels.
    pub(super) labels: Vec<String>,
}

/// What of a new partner is no company data.
pub(super) struct Further {
    pub(super) administrator: AdminPartnerAdministrator,
    pub(super) tier_code: Option<String>,
    pub(super) labels: Option<Vec<String>>,
    pub(super) reason: Option<String>,
}

impl AdminPartnerCreate {
    /// Company data, and the rest.
    pub(super) fn apart(self) -> (Patch, Further) {
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
        (patch, Further { administrator, tier_code, labels, reason })
    }
}

impl AdminPartnerUpdate {
    /// Company data, and why it is changed.
    pub(super) fn apart(self) -> (Patch, Option<String>) {
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
    /// A row as it is shown to the caller.
    pub(crate) fn of(row: AdminPartnerRow, cx: &RequestContext) -> Self {
        let acts = cx.may("labs.admin.partners:write");
        let allowed = || allowed_actions(row.state, Side::Staff, row.closes_at, cx.now);
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

//! Partners with their teams and profiles, staff members, and machine clients.

use serde::Deserialize;

use super::LookData;

/// A partner.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct PartnerData {
    pub(in crate::sample) slug: String,
    pub(in crate::sample) company: String,
    pub(in crate::sample) legal_form: String,
    pub(in crate::sample) registration: String,
    pub(in crate::sample) vat_id: String,
    pub(in crate::sample) country: String,
    pub(in crate::sample) address: AddressData,
    /// Domain of its e-mail addresses; ends in `.example`, so that mail never reaches a real address.
    pub(in crate::sample) domain: String,
    pub(in crate::sample) tier: String,
    /// Days since its registration.
    pub(in crate::sample) days: u32,
    pub(in crate::sample) labels: Vec<String>,
    /// The team, its first administrator first.
    pub(in crate::sample) team: Vec<PersonData>,
}

/// Address of a partner.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct AddressData {
    pub(in crate::sample) street: String,
    pub(in crate::sample) postal_code: String,
    pub(in crate::sample) city: String,
}

/// A team member or a staff member.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct PersonData {
    pub(in crate::sample) name: String,
    /// Local part of the e-mail address.
    pub(in crate::sample) local: String,
    /// Role in the team; the staff role of a staff member.
    pub(in crate::sample) role: String,
    pub(in crate::sample) locale: String,
    pub(in crate::sample) time_zone: String,
    pub(in crate::sample) state: String,
    /// Whether a second factor is enrolled.
    #[serde(default)]
    pub(in crate::sample) factor: bool,
    /// Days since the user joined.
    pub(in crate::sample) days: u32,
}

/// A partner's profile.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct ProfileData {
    /// Slug of the partner.
    pub(in crate::sample) partner: String,
    /// The texts, the default locale first.
    pub(in crate::sample) texts: Vec<ProfileText>,
    /// Languages of the partner's customer support.
    pub(in crate::sample) languages: Vec<String>,
    /// Regions of the partner.
    pub(in crate::sample) regions: Vec<String>,
    /// Style of its pictures; `None` without pictures. The profile is then unpublished.
    pub(in crate::sample) look: Option<LookData>,
    /// Days since the first and since the last publication.
    pub(in crate::sample) days: [u32; 2],
}

/// Texts of a profile in one locale.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct ProfileText {
    pub(in crate::sample) locale: String,
    pub(in crate::sample) tagline: String,
    pub(in crate::sample) description: String,
}

/// A machine client.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct ClientData {
    pub(in crate::sample) client_id: String,
    pub(in crate::sample) name: String,
    pub(in crate::sample) contact: String,
    /// Slug of its partner; empty for a client without a partner.
    #[serde(default)]
    pub(in crate::sample) partner: String,
    pub(in crate::sample) scopes: Vec<String>,
    /// Days since its creation.
    pub(in crate::sample) days: u32,
    /// Purpose, in one line.
    pub(in crate::sample) note: String,
}

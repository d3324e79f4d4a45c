//! Rows of the sample data. Each field has the name of its column; columns with a default are omitted.

use labs_core::time::Time;
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use super::board::BoardRows;
use super::desk::DeskRows;
use super::publication::{ItemRow, StepRow};

/// All rows, in the order of insertion.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) partners: Vec<PartnerRow>,
    pub(super) pages: Vec<PageRow>,
    pub(super) page_images: Vec<PageImageRow>,
    pub(super) people: Vec<PersonRow>,
    pub(super) factors: Vec<FactorRow>,
    pub(super) role_grants: Vec<RoleGrantRow>,
    pub(super) subscriptions: Vec<SubscriptionRow>,
    pub(super) clients: Vec<ClientRow>,
    pub(super) secrets: Vec<SecretRow>,
    pub(super) categories: Vec<CategoryRow>,
    pub(super) apps: Vec<AppRow>,
    pub(super) app_texts: Vec<TextRow>,
    pub(super) app_categories: Vec<ChoiceRow>,
    pub(super) versions: Vec<VersionRow>,
    pub(super) submissions: Vec<SubmissionRow>,
    pub(super) findings: Vec<FindingRow>,
    pub(super) media: Vec<MediaRow>,
    pub(super) events: Vec<EventRow>,
    pub(super) listings: Vec<ListingRow>,
    pub(super) listing_texts: Vec<TextRow>,
    pub(super) listing_categories: Vec<ChoiceRow>,
    pub(super) listing_media: Vec<ShownRow>,
    pub(super) changes: Vec<ChangeRow>,
    pub(super) reviews: Vec<ReviewRow>,
    pub(super) collections: Vec<CollectionRow>,
    pub(super) collection_listings: Vec<CollectionEntryRow>,
    pub(super) items: Vec<ItemRow>,
    pub(super) steps: Vec<StepRow>,
    pub(super) board: BoardRows,
    pub(super) desk: DeskRows,
}

#[derive(Serialize)]
pub(super) struct PartnerRow {
    pub(super) partner_uuid: Uuid,
    pub(super) slug: &'static str,
    pub(super) company_name: &'static str,
    pub(super) legal_form: &'static str,
    pub(super) registration_number: &'static str,
    pub(super) vat_id: &'static str,
    pub(super) country: &'static str,
    pub(super) address: Value,
    pub(super) billing_email: String,
    pub(super) website: String,
    pub(super) labels: &'static [String],
    pub(super) created_at: Time,
}

/// A profile with its published copy.
#[derive(Serialize)]
pub(super) struct PageRow {
    pub(super) partner_uuid: Uuid,
    pub(super) default_locale: &'static str,
    pub(super) texts: Value,
    pub(super) website_url: String,
    pub(super) languages: &'static [String],
    pub(super) regions: &'static [String],
    pub(super) state: &'static str,
    pub(super) state_changed_at: Time,
    pub(super) snapshot: Option<Value>,
    pub(super) first_published_at: Option<Time>,
    pub(super) published_at: Option<Time>,
    pub(super) created_at: Time,
}

#[derive(Serialize)]
pub(super) struct PageImageRow {
    pub(super) image_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) kind: &'static str,
    pub(super) alt_text: String,
    pub(super) media_type: &'static str,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) size_bytes: usize,
    pub(super) sha256: String,
    pub(super) object_key: String,
    pub(super) variants: Value,
    pub(super) renditions: Value,
    pub(super) created_at: Time,
}

#[derive(Serialize)]
pub(super) struct PersonRow {
    pub(super) person_uuid: Uuid,
    pub(super) kind: &'static str,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) email: String,
    pub(super) email_normalised: String,
    pub(super) name: &'static str,
    pub(super) locale: &'static str,
    pub(super) time_zone: &'static str,
    pub(super) role: Option<&'static str>,
    pub(super) state: &'static str,
    pub(super) password_hash: Option<String>,
    pub(super) email_verified_at: Option<Time>,
    pub(super) created_at: Time,
}

#[derive(Serialize)]
pub(super) struct FactorRow {
    pub(super) person_uuid: Uuid,
    /// Text form of bytea: `\x` and hexadecimal digits.
    pub(super) secret_sealed: String,
    pub(super) confirmed_at: Time,
}

#[derive(Serialize)]
pub(super) struct RoleGrantRow {
    pub(super) person_uuid: Uuid,
    pub(super) role_code: &'static str,
    pub(super) granted_by: Option<Uuid>,
    pub(super) granted_at: Time,
}

/// A subscription and its first event; the tier is given by its code.
#[derive(Serialize)]
pub(super) struct SubscriptionRow {
    pub(super) partner_uuid: Uuid,
    pub(super) tier: &'static str,
    pub(super) started_at: Time,
    pub(super) period_start: Time,
    pub(super) period_end: Option<Time>,
    pub(super) event_uuid: Uuid,
    pub(super) actor_uuid: Uuid,
}

#[derive(Serialize)]
pub(super) struct ClientRow {
    pub(super) client_uuid: Uuid,
    pub(super) client_id: &'static str,
    pub(super) partner_uuid: Option<Uuid>,
    pub(super) name: &'static str,
    pub(super) contact_email: &'static str,
    pub(super) allowed_scopes: &'static [String],
    pub(super) created_at: Time,
}

#[derive(Serialize)]
pub(super) struct SecretRow {
    pub(super) secret_uuid: Uuid,
    pub(super) client_uuid: Uuid,
    pub(super) prefix: String,
    pub(super) secret_sha256: String,
    pub(super) created_at: Time,
}

#[derive(Serialize)]
pub(super) struct CategoryRow {
    pub(super) category_uuid: Uuid,
    pub(super) parent_uuid: Option<Uuid>,
    pub(super) slug: &'static str,
    pub(super) icon: &'static str,
    pub(super) position: i32,
    pub(super) state: &'static str,
    pub(super) names: Value,
    pub(super) descriptions: Value,
    pub(super) also_called: Value,
    pub(super) created_at: Time,
}

#[derive(Clone, Serialize)]
pub(super) struct Links {
    pub(super) support_url: Option<String>,
    pub(super) support_email: Option<String>,
    pub(super) privacy_url: Option<String>,
    pub(super) website_url: Option<String>,
    pub(super) terms_url: Option<String>,
}

#[derive(Serialize)]
pub(super) struct AppRow {
    pub(super) app_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) slug: &'static str,
    pub(super) default_locale: &'static str,
    pub(super) state: &'static str,
    #[serde(flatten)]
    pub(super) links: Links,
    pub(super) state_reason: Option<&'static str>,
    pub(super) state_changed_at: Time,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

/// Texts of a draft or of a listing.
#[derive(Serialize)]
pub(super) struct TextRow {
    pub(super) app_uuid: Uuid,
    pub(super) locale: &'static str,
    pub(super) name: &'static str,
    pub(super) tagline: &'static str,
    pub(super) description: &'static str,
    pub(super) updated_at: Time,
}

#[derive(Serialize)]
pub(super) struct ChoiceRow {
    pub(super) app_uuid: Uuid,
    pub(super) category_uuid: Uuid,
    pub(super) position: i32,
}

#[derive(Serialize)]
pub(super) struct VersionRow {
    pub(super) version_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) number: &'static str,
    pub(super) major: i64,
    pub(super) minor: i64,
    pub(super) patch: i64,
    pub(super) prerelease: &'static str,
    pub(super) release_notes: Value,
    pub(super) manifest: Value,
    pub(super) state: &'static str,
    pub(super) state_changed_at: Time,
    pub(super) publish_at: Option<Time>,
    pub(super) published_at: Option<Time>,
    pub(super) created_by: Uuid,
    pub(super) created_at: Time,
}

#[derive(Serialize)]
pub(super) struct SubmissionRow {
    pub(super) submission_uuid: Uuid,
    pub(super) version_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) state: &'static str,
    pub(super) submitted_by: Uuid,
    pub(super) submitted_at: Time,
    pub(super) reviewer_uuid: Option<Uuid>,
    pub(super) claimed_at: Option<Time>,
    pub(super) decided_at: Option<Time>,
    pub(super) decision_note: Option<&'static str>,
    pub(super) appeal: bool,
    pub(super) appeal_text: Option<&'static str>,
    pub(super) snapshot: Value,
    pub(super) updated_at: Time,
    pub(super) waiting_on: Option<&'static str>,
    pub(super) due_at: Time,
}

#[derive(Serialize)]
pub(super) struct FindingRow {
    pub(super) finding_uuid: Uuid,
    pub(super) submission_uuid: Uuid,
    pub(super) requirement_code: &'static str,
    pub(super) text: &'static str,
    pub(super) place: &'static str,
    pub(super) position: i32,
    pub(super) resolved: bool,
    pub(super) created_at: Time,
}

#[derive(Clone, Serialize)]
pub(super) struct MediaRow {
    pub(super) media_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) kind: &'static str,
    pub(super) position: i32,
    pub(super) alt_text: String,
    pub(super) caption: &'static str,
    pub(super) media_type: &'static str,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) size_bytes: usize,
    pub(super) sha256: String,
    pub(super) object_key: String,
    pub(super) variants: Value,
    pub(super) renditions: Value,
    pub(super) created_at: Time,
}

#[derive(Serialize)]
pub(super) struct EventRow {
    pub(super) event_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) occurred_at: Time,
    pub(super) kind: &'static str,
    pub(super) actor_kind: &'static str,
    pub(super) actor_uuid: Option<Uuid>,
    pub(super) detail: Value,
}

#[derive(Serialize)]
pub(super) struct ListingRow {
    pub(super) app_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) slug: &'static str,
    pub(super) version_uuid: Uuid,
    pub(super) version_number: &'static str,
    pub(super) default_locale: &'static str,
    #[serde(flatten)]
    pub(super) links: Links,
    pub(super) published_at: Time,
    pub(super) first_published_at: Time,
    pub(super) visible: bool,
    pub(super) rating_count: i32,
    pub(super) rating_sum: i64,
}

#[derive(Serialize)]
pub(super) struct ShownRow {
    pub(super) app_uuid: Uuid,
    pub(super) media_uuid: Uuid,
    pub(super) kind: &'static str,
    pub(super) position: i32,
    pub(super) alt_text: String,
    pub(super) caption: &'static str,
}

#[derive(Serialize)]
pub(super) struct ChangeRow {
    pub(super) app_uuid: Uuid,
    pub(super) slug: &'static str,
    pub(super) change: &'static str,
    pub(super) changed_at: Time,
}

#[derive(Serialize)]
pub(super) struct ReviewRow {
    pub(super) review_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) text_uuid: Uuid,
    /// Invented name of the customer; no storefront has verified it.
    pub(super) customer: String,
    pub(super) rating: i32,
    pub(super) title: Option<&'static str>,
    pub(super) body: Option<&'static str>,
    pub(super) locale: &'static str,
    pub(super) version_number: &'static str,
    pub(super) state: &'static str,
    pub(super) moderated_at: Option<Time>,
    pub(super) moderated_by: Option<Uuid>,
    pub(super) rejected_note: Option<&'static str>,
    pub(super) flag_uuid: Uuid,
    pub(super) flagged_at: Option<Time>,
    pub(super) flag_note: Option<&'static str>,
    pub(super) reply_uuid: Uuid,
    pub(super) reply_body: Option<&'static str>,
    pub(super) reply_by: Option<Uuid>,
    pub(super) replied_at: Option<Time>,
    pub(super) created_at: Time,
    pub(super) updated_at: Time,
}

#[derive(Serialize)]
pub(super) struct CollectionRow {
    pub(super) collection_uuid: Uuid,
    pub(super) slug: &'static str,
    pub(super) titles: Value,
    pub(super) descriptions: Value,
    pub(super) position: i32,
    pub(super) shown_from: Time,
    pub(super) shown_until: Option<Time>,
    pub(super) created_at: Time,
}

#[derive(Serialize)]
pub(super) struct CollectionEntryRow {
    pub(super) collection_uuid: Uuid,
    pub(super) app_uuid: Uuid,
    pub(super) position: i32,
}

/// Returns bytes in the text form that the database reads.
pub(super) fn bytes(bytes: &[u8]) -> String {
    format!("\\x{}", hex::encode(bytes))
}

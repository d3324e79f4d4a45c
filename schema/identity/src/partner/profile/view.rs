//! The representation of a profile for its team and for staff.

use labs_core::describe::{InputType, Json, MaybeUndefined, OutputType};
use labs_shared::images::PartnerImageKind;
use std::collections::BTreeMap;

use labs_core::context::RequestContext;
use labs_core::fault::{Fault, FieldError};
use labs_core::time::Time;
use uuid::Uuid;

use super::rules::{
    self, Draft, PartnerProfileState, Patch, PublishChecks, Snapshot, Text, TextPatch, allowed_actions,
};
use super::store::ProfileRow;
use crate::partner::imagery::ImageRow;

/// A partner profile: the draft and the published version.
#[derive(serde::Serialize, OutputType)]
pub struct PartnerProfile {
    /// UUID of the partner.
    partner_uuid: Uuid,
    /// Slug of the partner in storefront URLs.
    slug: String,
    /// Name of the company. It is changed with the account.
    company_name: String,
    /// State of the profile.
    state: PartnerProfileState,
    /// Reason why staff took the profile down. Null otherwise.
    state_reason: Option<String>,
    /// Time when the profile entered this state.
    state_changed_at: Time,
    /// Locale for readers whose languages do not match any other.
    default_locale: String,
    /// Tagline and description by locale.
    texts: Json<BTreeMap<String, Text>>,
    /// Website of the company.
    website_url: Option<String>,
    /// Languages in which the company supports its customers.
    languages: Vec<String>,
    /// Regions of the company's customers: ISO 3166 countries, or areas by UN M49 number.
    regions: Vec<String>,
    /// Logo of the company. Null without a logo.
    logo: Option<PartnerProfileImage>,
    /// Banner of the company. Null without a banner.
    banner: Option<PartnerProfileImage>,
    /// Obstacles to the publication. Empty if the profile can be published.
    open_items: Vec<PartnerProfileOpenItem>,
    /// Whether the draft differs from the published version. Also true if nothing is published.
    has_changes: bool,
    /// Version that readers currently see. Null if readers see nothing.
    published: Option<PublishedPartnerProfile>,
    /// Time of the last change to a text, the website, the languages or the regions.
    updated_at: Time,
    /// Actions that the caller can perform now.
    allowed_actions: Vec<String>,
}

/// A partner profile, as readers see it.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PublishedPartnerProfile {
    /// Time when this version was published.
    published_at: Time,
    /// Locale for readers whose languages do not match any other.
    default_locale: String,
    /// Tagline and description by locale.
    texts: Json<BTreeMap<String, Text>>,
    /// Website of the company.
    website_url: Option<String>,
    /// Languages in which the company supports its customers.
    languages: Vec<String>,
    /// Regions of the company's customers.
    regions: Vec<String>,
    /// Logo of the company. Null without a logo.
    logo: Option<PartnerProfileImage>,
    /// Banner of the company. Null without a banner.
    banner: Option<PartnerProfileImage>,
}

/// Short form of a profile image.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerProfileImage {
    /// UUID of the object.
    uuid: Uuid,
    /// Media type of the image.
    media_type: String,
    /// Size of the original, in pixels.
    width: i32,
    /// Size of the original, in pixels.
    height: i32,
    /// Text alternative for readers who cannot see the image.
    alt_text: Option<String>,
}

/// An obstacle to the publication.
#[derive(serde::Serialize, OutputType)]
pub(super) struct PartnerProfileOpenItem {
    /// JSON pointer to the place in the profile where the obstacle can be fixed. Empty if the profile itself is not the
    /// cause.
    pointer: String,
    /// Kind of the obstacle. New codes may be added.
    /// - `REQUIRED`: required content is missing.
    /// - `PARTNER_NOT_ACTIVE`: the account of the company is not active.
    /// - `UNCHANGED`: staff took the profile down, and it has not changed since.
    code: String,
    /// Instruction for fixing the obstacle.
    message: String,
}

/// A merge patch (RFC 7396). Omitted fields keep their values, null clears a field that may be empty, and a locale with
/// the value null is removed.
#[derive(serde::Deserialize, InputType)]
pub(super) struct PartnerProfileUpdate {
    /// New default locale. If the profile has texts, it must be one of their locales. The first locale with a text
    /// becomes the default automatically.
    default_locale: Option<String>,
    /// Texts by locale. Only the texts in the request change. A profile has texts in at most 40 locales, including
    /// existing ones.
    texts: Option<Json<BTreeMap<String, Option<TextPatch>>>>,
    /// Website of the company, with https.
    #[serde(default)]
    website_url: MaybeUndefined<String>,
    languages: Option<Vec<String>>,
    regions: Option<Vec<String>>,
}

impl From<PartnerProfileUpdate> for Patch {
    fn from(body: PartnerProfileUpdate) -> Self {
        Self {
            default_locale: body.default_locale,
            texts: body.texts.map(|texts| texts.0).unwrap_or_default(),
            website_url: body.website_url,
            languages: body.languages,
            regions: body.regions,
        }
    }
}

/// A loaded profile with its images.
pub(super) struct Page {
    pub(super) row: ProfileRow,
    pub(super) images: Vec<ImageRow>,
    pub(super) state: PartnerProfileState,
}

impl Page {
    pub(super) fn new(row: ProfileRow, images: Vec<ImageRow>) -> Result<Self, Fault> {
        let state = PartnerProfileState::parse(&row.state)?;
        Ok(Self { row, images, state })
    }

    /// Returns the current draft, without the images.
    pub(super) fn draft(&self) -> Draft {
        let row = &self.row;
        Draft {
            default_locale: row.default_locale.clone(),
            texts: row.texts.0.clone(),
            website_url: row.website_url.clone(),
            languages: row.languages.clone(),
            regions: row.regions.clone(),
        }
    }

    /// Builds the snapshot that would be published now.
    pub(super) fn next(&self) -> Snapshot {
        let drawn = |kind| self.image(|image| image.in_draft && image.kind == kind).map(|image| image.image_uuid);
        Snapshot {
            draft: self.draft(),
            logo_uuid: drawn(PartnerImageKind::Logo),
            banner_uuid: drawn(PartnerImageKind::Banner),
        }
    }

    /// Returns the obstacles to a publication now.
    pub(super) fn open_items(&self) -> Vec<FieldError> {
        rules::open_items(&PublishChecks {
            next: &self.next(),
            former: self.row.snapshot.as_ref().map(|snapshot| &snapshot.0),
            state: self.state,
            partner_state: &self.row.partner_state,
        })
    }

    fn image(&self, is_it: impl Fn(&ImageRow) -> bool) -> Option<&ImageRow> {
        self.images.iter().find(|image| is_it(image))
    }

    fn picture(&self, image_uuid: Option<Uuid>) -> Option<PartnerProfileImage> {
        let image = self.image(|image| Some(image.image_uuid) == image_uuid)?;
        Some(PartnerProfileImage {
            uuid: image.image_uuid,
            media_type: image.media_type.clone(),
            width: image.width,
            height: image.height,
            alt_text: Some(image.alt_text.clone()).filter(|text| !text.is_empty()),
        })
    }
}

impl PartnerProfile {
    /// Converts a profile to the representation for the caller, who is a team member or staff.
    pub(super) fn of(page: Page, cx: &RequestContext, is_staff: bool) -> Self {
        let acts = cx.may(if is_staff { "labs.admin.partners:write" } else { "partner.profile:write" });
        let allowed_actions = if acts { allowed_actions(page.state, is_staff) } else { Vec::new() };
        let (next, open) = (page.next(), page.open_items());
        let is_shown = page.state == PartnerProfileState::Published;
        let shown = page.row.snapshot.as_ref().map(|snapshot| &snapshot.0).filter(|_| is_shown);
        let has_changes = shown != Some(&next);
        let published = shown.zip(page.row.published_at).map(|(snapshot, published_at)| {
            let draft = snapshot.draft.clone();
            PublishedPartnerProfile {
                published_at,
                default_locale: draft.default_locale,
                texts: Json(draft.texts),
                website_url: draft.website_url,
                languages: draft.languages,
                regions: draft.regions,
                logo: page.picture(snapshot.logo_uuid),
                banner: page.picture(snapshot.banner_uuid),
            }
        });
        let (logo, banner) = (page.picture(next.logo_uuid), page.picture(next.banner_uuid));
        let row = page.row;
        Self {
            partner_uuid: row.partner_uuid,
            slug: row.slug,
            company_name: row.company_name,
            state: page.state,
            state_reason: row.state_reason,
            state_changed_at: row.state_changed_at,
            default_locale: row.default_locale,
            texts: Json(row.texts.0),
            website_url: row.website_url,
            languages: row.languages,
            regions: row.regions,
            logo,
            banner,
            open_items: open.into_iter().map(PartnerProfileOpenItem::from).collect(),
            has_changes,
            published,
            updated_at: row.updated_at,
            allowed_actions,
        }
    }
}

impl From<FieldError> for PartnerProfileOpenItem {
    fn from(error: FieldError) -> Self {
        Self { pointer: error.pointer.unwrap_or_default(), code: error.code, message: error.message }
    }
}

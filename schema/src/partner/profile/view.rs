//! A vendor page as its team and staff see it.

use std::collections::BTreeMap;

use async_graphql::{InputObject, Json, MaybeUndefined, SimpleObject};
use uuid::Uuid;

use super::rules::{self, Draft, Ground, Patch, Snapshot, State, Text, TextPatch, allowed_actions};
use super::store::ProfileRow;
use crate::core::context::RequestContext;
use crate::core::fault::{Fault, FieldError};
use crate::core::time::Time;
use crate::partner::imagery::{ImageRow, PartnerImageKind};

/// A partner's vendor page: as it is being written, and as published.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerProfile {
    /// The partner.
    partner_uuid: Uuid,
    /// Its name in storefront addresses.
    slug: String,
    /// Name of the company.
    company_name: String,
    /// Whether readers see it.
    state: State,
    /// Why staff took it down.
    state_reason: Option<String>,
    /// Time when the profile entered this state.
    state_changed_at: Time,
    /// The locale that readers get when no other matches.
    default_locale: String,
    /// Tagline and description by locale.
    texts: Json<BTreeMap<String, Text>>,
    /// Website of the company.
    website_url: Option<String>,
    /// The languages in which the company helps its customers.
    languages: Vec<String>,
    /// Where the company's customers are: ISO 3166 countries, or areas by their UN M49 number.
    regions: Vec<String>,
    /// The logo of the draft.
    logo: Option<PartnerProfileImage>,
    /// The banner of the draft.
    banner: Option<PartnerProfileImage>,
    /// What stands in the way of a publication.
    open_items: Vec<PartnerProfileOpenItem>,
    /// Whether the draft differs from what readers see.
    has_changes: bool,
    /// What readers see; null while they see nothing.
    published: Option<PublishedPartnerProfile>,
    /// When the draft's texts last changed.
    updated_at: Time,
    /// What the caller can do with it now.
    allowed_actions: Vec<String>,
}

/// A partner profile, as readers see it.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PublishedPartnerProfile {
    /// Time when this version was published.
    published_at: Time,
    /// The locale that readers get when no other matches.
    default_locale: String,
    /// Tagline and description by locale.
    texts: Json<BTreeMap<String, Text>>,
    /// The company's own site.
    website_url: Option<String>,
    /// The languages in which the company helps its customers.
    languages: Vec<String>,
    /// Where the company's customers are.
    regions: Vec<String>,
    /// The logo.
    logo: Option<PartnerProfileImage>,
    /// The banner.
    banner: Option<PartnerProfileImage>,
}

/// A picture of a vendor page, in short.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerProfileImage {
    /// UUID of the object.
    uuid: Uuid,
    /// Its media type.
    media_type: String,
    /// Size of the original, in pixels.
    width: i32,
    /// Size of the original, in pixels.
    height: i32,
    /// What it shows, for those who cannot see it.
    alt_text: Option<String>,
}

/// An obstacle to the publication.
#[derive(serde::Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerProfileOpenItem {
    /// Where it is mended.
    pointer: String,
    /// The rule.
    code: String,
    /// What to do.
    message: String,
}

/// A merge patch of a vendor page (RFC 7396).
#[derive(InputObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct PartnerProfileUpdate {
    default_locale: Option<String>,
    texts: Option<Json<BTreeMap<String, Option<TextPatch>>>>,
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

/// A page read, with its pictures.
pub(super) struct Page {
    pub(super) row: ProfileRow,
    pub(super) images: Vec<ImageRow>,
    pub(super) state: State,
}

impl Page {
    pub(super) fn new(row: ProfileRow, images: Vec<ImageRow>) -> Result<Self, Fault> {
        let state = State::parse(&row.state)?;
        Ok(Self { row, images, state })
    }

    /// What is written now, the pictures aside.
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

    /// What would be published now.
    pub(super) fn next(&self) -> Snapshot {
        let drawn = |kind| self.image(|image| image.in_draft && image.kind == kind).map(|image| image.image_uuid);
        Snapshot {
            draft: self.draft(),
            logo_uuid: drawn(PartnerImageKind::Logo),
            banner_uuid: drawn(PartnerImageKind::Banner),
        }
    }

    /// What stands in the way of that.
    pub(super) fn open_items(&self) -> Vec<FieldError> {
        rules::open_items(&Ground {
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
    /// A page as it is shown to the caller, who is one of its team or of the staff.
    pub(super) fn of(page: Page, cx: &RequestContext, is_staff: bool) -> Self {
        let acts = cx.may(if is_staff { "labs.admin.partners:write" } else { "partner.profile:write" });
        let allowed_actions = if acts { allowed_actions(page.state, is_staff) } else { Vec::new() };
        let (next, open) = (page.next(), page.open_items());
        let is_shown = page.state == State::Published;
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

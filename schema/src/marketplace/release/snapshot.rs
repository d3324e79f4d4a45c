//! Complete listing at one point in time, stored with a submission (column `submission.snapshot`).
//!
//! The form is stored: fields may be added with a default, but never renamed.

use labs_core::describe::OutputType;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::marketplace::media::MediaKind;
use crate::marketplace::versions::AppManifest;

/// Listing at one point in time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::marketplace) struct Snapshot {
    /// Slug of the app; `None` in snapshots from before the slug was stored.
    #[serde(default)]
    pub(in crate::marketplace) slug: Option<String>,
    /// Locale that readers get if no other locale matches.
    pub(in crate::marketplace) default_locale: String,
    /// Texts, the default locale first.
    pub(in crate::marketplace) texts: Vec<SnapshotText>,
    /// Links to further information.
    pub(in crate::marketplace) links: SnapshotLinks,
    /// Categories, the primary category first.
    pub(in crate::marketplace) categories: Vec<Uuid>,
    /// Icon, banner, then screenshots in their order.
    pub(in crate::marketplace) media: Vec<Picture>,
    /// App version.
    pub(in crate::marketplace) version: Version,
    /// Note from the partner to the reviewers; never shown to readers.
    #[serde(default)]
    pub(in crate::marketplace) note: Option<String>,
}

/// Texts of the listing in one locale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, OutputType)]
pub(in crate::marketplace) struct SnapshotText {
    /// Locale of the texts.
    pub(in crate::marketplace) locale: String,
    /// Name of the app in the locale.
    pub(in crate::marketplace) name: String,
    /// Tagline, one line about the purpose of the app.
    pub(in crate::marketplace) tagline: String,
    /// Plain text; an empty line separates paragraphs.
    pub(in crate::marketplace) description: String,
}

/// Links to further information.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, OutputType)]
pub(in crate::marketplace) struct SnapshotLinks {
    /// URL of a help centre or contact page.
    pub(in crate::marketplace) support_url: Option<String>,
    /// E-mail address of customer support.
    pub(in crate::marketplace) support_email: Option<String>,
    /// URL of the privacy policy.
    pub(in crate::marketplace) privacy_url: Option<String>,
    /// URL of the app's website.
    pub(in crate::marketplace) website_url: Option<String>,
    /// URL of the terms of use.
    pub(in crate::marketplace) terms_url: Option<String>,
}

/// Media item with its texts at that time. Its content never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::marketplace) struct Picture {
    pub(in crate::marketplace) media_uuid: Uuid,
    pub(in crate::marketplace) kind: MediaKind,
    /// Position among the media items of the same kind, from 1.
    pub(in crate::marketplace) position: i32,
    pub(in crate::marketplace) alt_text: String,
    pub(in crate::marketplace) caption: String,
    /// Text alternatives in further locales; empty in snapshots from before they existed.
    #[serde(default)]
    pub(in crate::marketplace) alt_texts: BTreeMap<String, String>,
    /// Captions in further locales; empty in snapshots from before they existed.
    #[serde(default)]
    pub(in crate::marketplace) captions: BTreeMap<String, String>,
}

/// App version in a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::marketplace) struct Version {
    pub(in crate::marketplace) version_uuid: Uuid,
    pub(in crate::marketplace) number: String,
    pub(in crate::marketplace) release_notes: BTreeMap<String, String>,
    pub(in crate::marketplace) manifest: AppManifest,
}

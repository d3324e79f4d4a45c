//! Complete listing at one point in time, stored with a submission (column `submission.snapshot`).
//!
//! The form is stored: fields may be added with a default, but never renamed.

use std::collections::BTreeMap;

use labs_core::describe::OutputType;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::media::MediaKind;
use crate::versions::AppManifest;

/// Listing at one point in time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    /// Slug of the app; `None` in snapshots from before the slug was stored.
    #[serde(default)]
    pub(crate) slug: Option<String>,
    /// Locale that readers get if no other locale matches.
    pub(crate) default_locale: String,
    /// Texts, the default locale first.
    pub(crate) texts: Vec<SnapshotText>,
    /// Links to further information.
    pub(crate) links: SnapshotLinks,
    /// Categories, the primary category first.
    pub(crate) categories: Vec<Uuid>,
    /// Icon, banner, then screenshots in their order.
    pub(crate) media: Vec<Picture>,
    /// App version.
    pub(crate) version: Version,
    /// Note from the partner to the reviewers; never shown to readers.
    #[serde(default)]
    pub(crate) note: Option<String>,
}

/// Texts of the listing in one locale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, OutputType)]
pub(crate) struct SnapshotText {
    /// Locale of the texts.
    pub(crate) locale: String,
    /// Name of the app in this locale.
    pub(crate) name: String,
    /// Short description of the app in one line. Empty until written.
    pub(crate) tagline: String,
    /// Plain text. An empty line separates paragraphs. Empty until written.
    pub(crate) description: String,
}

/// Links to further information.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, OutputType)]
pub(crate) struct SnapshotLinks {
    /// URL of a help centre or contact page.
    pub(crate) support_url: Option<String>,
    /// E-mail address of customer support.
    pub(crate) support_email: Option<String>,
    /// URL of the privacy policy.
    pub(crate) privacy_url: Option<String>,
    /// URL of the app's website.
    pub(crate) website_url: Option<String>,
    /// URL of the terms of use.
    pub(crate) terms_url: Option<String>,
}

/// Media item with its texts at that time. Its content never changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Picture {
    pub(crate) media_uuid: Uuid,
    pub(crate) kind: MediaKind,
    /// Position among the media items of the same kind, from 1.
    pub(crate) position: i32,
    pub(crate) alt_text: String,
    pub(crate) caption: String,
    /// Text alternatives in further locales; empty in snapshots from before they existed.
    #[serde(default)]
    pub(crate) alt_texts: BTreeMap<String, String>,
    /// Captions in further locales; empty in snapshots from before they existed.
    #[serde(default)]
    pub(crate) captions: BTreeMap<String, String>,
}

/// App version in a snapshot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Version {
    pub(crate) version_uuid: Uuid,
    pub(crate) number: String,
    pub(crate) release_notes: BTreeMap<String, String>,
    pub(crate) manifest: AppManifest,
}

//! A whole listing at one moment, as it is kept with a submission (column `submission.snapshot`).
//!
//! It is a stored form: fields may be added with a default, never renamed.

use std::collections::BTreeMap;

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::marketplace::media::MediaKind;
use crate::marketplace::versions::AppManifest;

/// A listing at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::marketplace) struct Snapshot {
    /// The app's name in addresses; nothing in those that were taken before it was kept.
    #[serde(default)]
    pub(in crate::marketplace) slug: Option<String>,
    /// The locale readers get when no other matches.
    pub(in crate::marketplace) default_locale: String,
    /// The texts, the default locale first.
    pub(in crate::marketplace) texts: Vec<SnapshotText>,
    /// Where the reader finds more.
    pub(in crate::marketplace) links: SnapshotLinks,
    /// The categories, the primary one first.
    pub(in crate::marketplace) categories: Vec<Uuid>,
    /// Icon, banner, then screenshots in their order.
    pub(in crate::marketplace) media: Vec<Picture>,
    /// The version.
    pub(in crate::marketplace) version: Version,
    /// What its owner wrote to the reviewers; never shown to readers.
    #[serde(default)]
    pub(in crate::marketplace) note: Option<String>,
}

/// Texts of the listing in one locale.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct SnapshotText {
    /// The locale.
    pub(in crate::marketplace) locale: String,
    /// The app's name in it.
    pub(in crate::marketplace) name: String,
    /// One line on what the app does.
    pub(in crate::marketplace) tagline: String,
    /// Plain text; an empty line parts paragraphs.
    pub(in crate::marketplace) description: String,
}

/// Where the reader finds more.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(in crate::marketplace) struct SnapshotLinks {
    /// URL of a help centre or contact page.
    pub(in crate::marketplace) support_url: Option<String>,
    /// E-mail address of customer support.
    pub(in crate::marketplace) support_email: Option<String>,
    /// URL of the privacy policy.
    pub(in crate::marketplace) privacy_url: Option<String>,
    /// The app's own site.
    pub(in crate::marketplace) website_url: Option<String>,
    /// The terms of use.
    pub(in crate::marketplace) terms_url: Option<String>,
}

/// A picture, with what was said about it then. Its bytes never change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::marketplace) struct Picture {
    pub(in crate::marketplace) media_uuid: Uuid,
    pub(in crate::marketplace) kind: MediaKind,
    /// Its place among the pictures of its kind, from 1.
    pub(in crate::marketplace) position: i32,
    pub(in crate::marketplace) alt_text: String,
    pub(in crate::marketplace) caption: String,
    /// The first in further locales; nothing in those that were taken before there were any.
    #[serde(default)]
    pub(in crate::marketplace) alt_texts: BTreeMap<String, String>,
    /// The second, likewise.
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

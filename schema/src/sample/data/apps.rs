//! Apps with their versions, pictures and customer reviews, and the categories and collections that contain them.

use std::collections::BTreeMap;

use labs_core::texts::Words;
use labs_pictures::draw::Scene;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// An app with its history.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct AppData {
    pub(in crate::sample) slug: String,
    /// The slug of its partner.
    pub(in crate::sample) partner: String,
    /// Local part of the e-mail address of the team member who created it.
    pub(in crate::sample) author: String,
    pub(in crate::sample) state: String,
    /// Reason for its state; empty without a reason.
    #[serde(default)]
    pub(in crate::sample) reason: String,
    /// Hours since the last state change, except of a draft and of a listed app.
    #[serde(default)]
    pub(in crate::sample) state_hours: u32,
    /// Days since its creation.
    pub(in crate::sample) days: u32,
    /// Slugs of the categories, the primary one first.
    #[serde(default)]
    pub(in crate::sample) categories: Vec<String>,
    /// The texts, the default locale first.
    pub(in crate::sample) texts: Vec<TextData>,
    /// Published tagline, if the draft has another one since; otherwise empty.
    #[serde(default)]
    pub(in crate::sample) live_tagline: String,
    #[serde(default)]
    pub(in crate::sample) permissions: Vec<PermissionData>,
    /// Paths of redirect URIs on the partner's domain.
    #[serde(default)]
    pub(in crate::sample) redirects: Vec<String>,
    /// Whether the links are not yet filled in.
    #[serde(default)]
    pub(in crate::sample) lacks_links: bool,
    /// Style of its pictures; `None` without pictures.
    pub(in crate::sample) look: Option<LookData>,
    /// Versions, oldest first.
    #[serde(default)]
    pub(in crate::sample) versions: Vec<VersionData>,
}

/// Texts in one locale.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct TextData {
    pub(in crate::sample) locale: String,
    pub(in crate::sample) name: String,
    pub(in crate::sample) tagline: String,
    pub(in crate::sample) description: String,
}

/// A permission that the app asks for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct PermissionData {
    pub(in crate::sample) code: String,
    pub(in crate::sample) reason: String,
}

/// Visual style of pictures.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct LookData {
    /// Drawing on the icon, in the default locale of the texts; empty if the icon shows the first letter of the name.
    #[serde(default)]
    pub(in crate::sample) icon: String,
    /// Two colours as `0xRRGGBB`. The file has them as `#rrggbb`.
    #[serde(deserialize_with = "parse_colours")]
    pub(in crate::sample) colours: [u32; 2],
    /// Words on its screens, in capital letters.
    pub(in crate::sample) words: Vec<String>,
    /// Scenes of its screenshots.
    #[serde(default)]
    pub(in crate::sample) scenes: Vec<SceneData>,
}

impl LookData {
    /// Returns the words on its screens.
    pub(in crate::sample) fn words(&self) -> Vec<&str> {
        self.words.iter().map(String::as_str).collect()
    }
}

fn parse_colours<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u32; 2], D::Error> {
    let colour = |text: String| {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        u32::from_str_radix(digits, 16).ok()
    };
    let [first, second] = <[String; 2]>::deserialize(deserializer)?.map(colour);
    let both = first.zip(second).map(|(first, second)| [first, second]);
    both.ok_or_else(|| D::Error::custom("a colour must have the form #rrggbb"))
}

/// A screenshot.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct SceneData {
    #[serde(with = "SceneName")]
    pub(in crate::sample) scene: Scene,
    pub(in crate::sample) caption: String,
}

/// The names of the scenes in the files.
#[derive(Deserialize)]
#[serde(remote = "Scene", rename_all = "lowercase")]
enum SceneName {
    List,
    Board,
    Room,
    Week,
    Cards,
}

/// A version and its review history.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct VersionData {
    pub(in crate::sample) number: String,
    pub(in crate::sample) state: String,
    /// Hours since its last state change; for a published version, hours since the publication.
    pub(in crate::sample) hours: u32,
    /// Release notes by locale.
    pub(in crate::sample) notes: BTreeMap<String, String>,
    /// Findings of the reviewers.
    #[serde(default)]
    pub(in crate::sample) findings: Vec<FindingData>,
    /// Message of the reviewers with the last decision; empty without a message.
    #[serde(default)]
    pub(in crate::sample) decision: String,
    /// Message of the owner to the reviewers; empty without a message.
    #[serde(default)]
    pub(in crate::sample) word: String,
    /// Text of the appeal against the rejection; empty without an appeal.
    #[serde(default)]
    pub(in crate::sample) appeal: String,
}

/// A finding of a reviewer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct FindingData {
    /// Code of the requirement.
    pub(in crate::sample) requirement: String,
    pub(in crate::sample) text: String,
}

/// The customer reviews of one app.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct AppReviews {
    /// Slug of the app.
    pub(in crate::sample) app: String,
    /// Ratings without text, one digit each.
    pub(in crate::sample) stars: String,
    /// Reviews with text, oldest first.
    pub(in crate::sample) reviews: Vec<ReviewData>,
}

/// A customer review with text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct ReviewData {
    pub(in crate::sample) rating: i32,
    pub(in crate::sample) locale: String,
    pub(in crate::sample) title: String,
    pub(in crate::sample) body: String,
    /// Reply of the app's owner; empty without a reply.
    #[serde(default)]
    pub(in crate::sample) reply: String,
    #[serde(default)]
    pub(in crate::sample) fate: Fate,
}

/// Decision of the moderators.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::sample) enum Fate {
    #[default]
    Published,
    /// Waits for a moderator.
    Pending,
    /// Rejected, with the reason.
    Rejected(String),
    /// Published, and flagged by the app's owner with this reason.
    Flagged(String),
}

/// A text in each language of the category tree.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct Translations {
    pub(in crate::sample) en: String,
    pub(in crate::sample) de: String,
    pub(in crate::sample) fr: String,
}

/// A category.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct CategoryData {
    pub(in crate::sample) slug: String,
    /// Slug of the parent; empty at the root.
    #[serde(default)]
    pub(in crate::sample) parent: String,
    /// Name of a pictogram.
    pub(in crate::sample) icon: String,
    #[serde(default)]
    pub(in crate::sample) deactivated: bool,
    pub(in crate::sample) names: Translations,
    /// Synonyms of the names by locale, also in languages without a name.
    pub(in crate::sample) also_called: Words,
    pub(in crate::sample) descriptions: Translations,
}

/// A curated collection.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::sample) struct CollectionData {
    pub(in crate::sample) slug: String,
    pub(in crate::sample) titles: Translations,
    pub(in crate::sample) descriptions: Translations,
    /// Slugs of the apps, in order.
    pub(in crate::sample) apps: Vec<String>,
    /// Days until its publication; negative for days since.
    pub(in crate::sample) from_days: i64,
    /// Days until its end; `None` if it is permanent.
    pub(in crate::sample) until_days: Option<i64>,
}

//! Content of the sample data: embedded JSON files, and their types. Companies, persons and addresses are invented;
//! every domain ends in `.example`.

mod apps;
mod board;
mod partners;
mod publication;
mod tickets;

#[cfg(test)]
mod tests;

use std::sync::LazyLock;

use labs_core::fault::Fault;
use serde::de::DeserializeOwned;

pub(super) use apps::{
    AppData, AppReviews, CategoryData, CollectionData, Fate, FindingData, LookData, SceneData, TextData, Translations,
    VersionData,
};
pub(super) use board::{CommentData, FeatureRequestData, Mark, StatusData, TopicData};
pub(super) use partners::{AddressData, ClientData, PartnerData, PersonData, ProfileData};
pub(super) use publication::{ItemData, ResourceData};
pub(super) use tickets::{MessageData, TicketData};

/// Name and text of an embedded file. It contains a list, as JSON.
type File = (&'static str, &'static str);

/// Embeds files of this folder.
macro_rules! embed {
    ($($name:literal),+) => {
        &[$(($name, include_str!($name))),+]
    };
}

const PARTNERS: &[File] = embed!["partners.json"];
const PROFILES: &[File] = embed!["profiles.json"];
const STAFF: &[File] = embed!["staff.json"];
const CLIENTS: &[File] = embed!["clients.json"];
const CATEGORIES: &[File] = embed!["categories.json"];
const APPS: &[File] =
    embed!["apps/elbkontor.json", "apps/belle_tablee.json", "apps/murzeit.json", "apps/voorraadhuis.json"];
const REVIEWS: &[File] =
    embed!["reviews/elbkontor.json", "reviews/belle_tablee.json", "reviews/murzeit.json", "reviews/voorraadhuis.json"];
const COLLECTIONS: &[File] = embed!["collections.json"];
const ITEMS: &[File] = embed!["items.json"];
const RESOURCES: &[File] = embed!["resources.json"];
const TOPICS: &[File] = embed!["topics.json"];
const FEATURE_REQUESTS: &[File] = embed!["feature_requests.json"];
const TICKETS: &[File] = embed!["tickets.json"];

/// The content of all files.
pub(super) struct Data {
    /// The partners with their teams.
    pub(super) partners: Vec<PartnerData>,
    /// One profile of each partner. The last one is a draft.
    pub(super) profiles: Vec<ProfileData>,
    /// The staff members, the administrator first. Reviewers are selected by their role.
    pub(super) staff: Vec<PersonData>,
    pub(super) clients: Vec<ClientData>,
    /// The category tree: four levels, parents before their children.
    pub(super) categories: Vec<CategoryData>,
    /// The forty apps, by partner.
    pub(super) apps: Vec<AppData>,
    /// Customer reviews, by the partner of the reviewed apps.
    pub(super) reviews: Vec<AppReviews>,
    /// The collections, in order: one published until autumn, one permanent, and one in preparation.
    pub(super) collections: Vec<CollectionData>,
    /// Changelog entries and blog posts, earliest first.
    pub(super) items: Vec<ItemData>,
    /// Developer resources: files that the service generates from the contract that it serves.
    pub(super) resources: Vec<ResourceData>,
    /// The topics of the board, in order.
    pub(super) topics: Vec<TopicData>,
    pub(super) feature_requests: Vec<FeatureRequestData>,
    /// Support tickets in every state.
    pub(super) tickets: Vec<TicketData>,
}

impl Data {
    /// Returns the content. The first call parses the files, so a start without sample data does not.
    ///
    /// # Errors
    /// If a file does not match its type. A unit test parses all of them.
    pub(super) fn load() -> Result<&'static Self, Fault> {
        static DATA: LazyLock<Result<Data, String>> = LazyLock::new(Data::parse);
        DATA.as_ref().map_err(Fault::internal)
    }

    fn parse() -> Result<Self, String> {
        Ok(Self {
            partners: parse_lists(PARTNERS)?,
            profiles: parse_lists(PROFILES)?,
            staff: parse_lists(STAFF)?,
            clients: parse_lists(CLIENTS)?,
            categories: parse_lists(CATEGORIES)?,
            apps: parse_lists(APPS)?,
            reviews: parse_lists(REVIEWS)?,
            collections: parse_lists(COLLECTIONS)?,
            items: parse_lists(ITEMS)?,
            resources: parse_lists(RESOURCES)?,
            topics: parse_lists(TOPICS)?,
            feature_requests: parse_lists(FEATURE_REQUESTS)?,
            tickets: parse_lists(TICKETS)?,
        })
    }

    /// Returns the partner with this slug.
    pub(super) fn partner(&self, slug: &str) -> Option<&PartnerData> {
        self.partners.iter().find(|partner| partner.slug == slug)
    }
}

/// Returns the items of all files, in order.
fn parse_lists<T: DeserializeOwned>(files: &[File]) -> Result<Vec<T>, String> {
    let lists = files.iter().map(|(name, text)| parse_list(name, text)).collect::<Result<Vec<Vec<T>>, String>>()?;
    Ok(lists.into_iter().flatten().collect())
}

fn parse_list<T: DeserializeOwned>(name: &str, text: &str) -> Result<Vec<T>, String> {
    serde_json::from_str(text).map_err(|error| format!("the sample data file {name} is invalid: {error}"))
}

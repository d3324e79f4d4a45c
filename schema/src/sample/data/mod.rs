//! Content of the sample data: tables without code. Companies, persons and addresses are invented; every domain ends in
//! `.example`.

mod apps;
mod board;
mod categories;
mod clients;
mod collections;
mod pages;
mod people;
mod publication;
mod resources;
mod reviews;

#[cfg(test)]
pub(super) use apps::DAY;
pub(super) use apps::{APPS, AppData, Look, Scene, Text, VersionData};
pub(super) use board::{FeatureRequestData, Mark, NAMED, PROPOSALS, SHIPPED_IN, TOPICS};
pub(super) use categories::{CATEGORIES, CategoryData, DEACTIVATED};
pub(super) use clients::{CLIENTS, ClientData};
pub(super) use collections::{COLLECTIONS, CollectionData};
pub(super) use pages::{BANNER, PAGES, PageData, alternatives};
pub(super) use people::{PARTNERS, PartnerData, PersonData, STAFF, STAFF_DOMAIN};
pub(super) use publication::{ITEMS, ItemData};
pub(super) use resources::{RELEASED, RESOURCES, ResourceData};
pub(super) use reviews::{Fate, REVIEWS};

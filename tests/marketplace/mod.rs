//! Tests of the marketplace.

mod administration;
mod app_categories;
mod apps;
mod apps_life;
mod categories;
mod category_changes;
mod category_listings;
mod checklist;
mod collections;
mod costs;
mod large_storefront;
mod listing_changes;
mod listing_lists;
mod listings;
mod main_job;
mod market;
mod media;
mod media_changes;
mod needed_pictures;
mod pictures;
mod preview;
mod reader_locales;
mod review_desk;
mod reviews;
mod reviews_read;
mod reviews_steps;
mod search;
mod search_substitutes;
mod slugs;
mod submissions;
mod suggestions;
mod translations;
mod vendors;
mod versions;

pub(crate) use main_job::{publish, submittable};

//! Stories of the marketplace.

mod apps;
mod apps_life;
mod categories;
mod checklist;
mod listings;
mod main_job;
mod market;
mod media;
mod search;
mod submissions;
mod versions;

pub(crate) use main_job::submittable;

//! Stories of the marketplace.

mod apps;
mod categories;
mod checklist;
mod listings;
mod main_job;
mod market;
mod media;
mod submissions;
mod versions;

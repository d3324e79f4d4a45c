//! Stories of the marketplace.

mod main_job;

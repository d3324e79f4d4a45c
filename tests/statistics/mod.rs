//! Stories of statistics: what is imported of the platform's API, and what is told of it.

mod apps;
mod imports;
mod platform;

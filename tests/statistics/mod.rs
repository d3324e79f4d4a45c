//! Tests of statistics: the import from the platform's API, and the operations that return them.

mod apps;
mod imports;
mod platform;

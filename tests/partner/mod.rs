//! Stories of a partner's own record.

mod data_exports;
mod imagery;
mod profile;
mod security;

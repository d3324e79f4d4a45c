//! Stories of a partner's own record.

mod account;
mod contacts;
mod security;

//! Stories of a partner's own record.

mod security;

//! Stories of signing in.

mod sessions;

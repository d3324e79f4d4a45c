//! Labs.

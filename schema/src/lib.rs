//! The inside of Labs.

//! The inside of Labs.
pub mod keep;
pub mod mail;
pub mod media;

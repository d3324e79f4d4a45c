//! What several groups share, but not all: stored images, and states of partners and apps.

pub mod images;
pub mod states;

//! Tests of publications.

mod artefacts;
mod changelog_entries;
mod desk;
mod downloads;
mod feeds;
mod generated;
mod items;
mod proof;
mod readers;

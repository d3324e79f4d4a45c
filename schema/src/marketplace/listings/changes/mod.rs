//! The storefront's changes, for whoever keeps a copy of it: first everything that is on show, then what changes.
//!
//! ```text
//!   a change ──commit──▶ without a place ──sealed, in order──▶ place 1, 2, 3 … ──▶ followers, by cursor
//! ```
//!
//! Places are given after the commit, by one sealer at a time. So a follower that has read up to a place has missed
//! nothing before it, however long a transaction took. A page tells of each app once, as it is when the page is read: at
//! least as new as the change that led to it, and what comes later has a later place. A first reading begins by keeping the
//! last place and goes through everything on show by id; then it goes on from that place.
//!
//! A cursor names its place and the entry that was there. A database that was restored, or another one, has a different
//! entry at that place or none, and answers that the copy must be made anew.

mod resolvers;
mod rules;
mod store;

pub(in crate::marketplace) use resolvers::ListingChangesQuery;

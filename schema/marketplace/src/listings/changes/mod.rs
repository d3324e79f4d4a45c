//! Change feed of the storefront for clients that keep a copy: first all visible listings, then the changes.
//!
//! ```text
//!   a change ──commit──▶ without a position ──sealed, in order──▶ position 1, 2, 3 … ──▶ clients, by cursor
//! ```
//!
//! Positions are assigned after the commit, by one sealer at a time. So a client that has read up to a position has
//! missed no change before it, even after a long transaction. A page lists each app once, in its state when the page is
//! read. This state includes at least the reported change; later changes have later positions. A first read stores the
//! last position and lists all visible listings by id; then it continues from that position.
//!
//! A cursor contains its position and the id of the entry there. A restored or different database has another entry at
//! that position, or none; the service then answers that the client must rebuild its copy.

mod resolvers;
mod rules;
mod store;

pub(crate) use resolvers::OPERATIONS;

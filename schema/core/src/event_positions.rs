//! Positions of events: the order in which clients follow the events of an account, an app or a subscription.
//!
//! ```text
//!   an event ──commit──▶ without a position ──sealed, in order──▶ position 1, 2, 3 … ──▶ clients, by cursor
//! ```
//!
//! Positions are assigned after the commit, by one sealer at a time, as in the feed of listing changes. So a client
//! that has read up to a position has missed no event before it, even after a long transaction
//! (docs/decisions/api.md#events-in-the-order-of-their-positions).
//!
//! A list in this order is a [`FollowQuery`](crate::list::FollowQuery). [`KnownEnds`] answers its idle polls.

mod ends;
mod rules;
mod store;

pub use ends::KnownEnds;
pub use rules::{EventList, EventPosition, EventSort};
pub(crate) use rules::{ensure_known, read_position};
pub(crate) use store::get_state;

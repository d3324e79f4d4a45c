//! The profile of a partner: the draft of its team, and the published snapshot that readers see.
//!
//! ```text
//!   UNPUBLISHED ──publish──▶ PUBLISHED ──take-down (staff)──▶ TAKEN_DOWN
//!        ▲                    │  ▲  │ publish: the next snapshot   │
//!        └────────unpublish───┘  └──┘                              │
//!                                ▲──────────publish, once changed──┘
//! ```
//!
//! Editing changes only the draft. Publishing copies the draft into a snapshot. The profile lists the obstacles to a
//! publication in advance (docs/decisions/storefront.md#public-profiles-of-partners).

mod resolvers;
mod rules;
mod store;
mod view;

pub(in crate::partner) use resolvers::OPERATIONS;
pub use resolvers::{load_profile, take_down};
pub use rules::draw_states;
pub(in crate::partner) use store::lock_of;
pub use view::PartnerProfile;

//! A partner's vendor page: what its team is writing, and the snapshot of it that readers are shown.
//!
//! ```text
//!   UNPUBLISHED ──publish──▶ PUBLISHED ──take-down (staff)──▶ TAKEN_DOWN
//!        ▲                    │  ▲  │ publish: the next snapshot   │
//!        └────────unpublish───┘  └──┘                              │
//!                                ▲──────────publish, once changed──┘
//! ```
//!
//! Editing changes the draft alone. Publishing copies the draft into a snapshot; what stands in its way is told before
//! it is tried (docs/decisions.md#states).

mod resolvers;
mod rules;
mod store;
mod view;

pub(in crate::partner) use resolvers::{ProfileMutation, ProfileQuery};
pub(crate) use resolvers::{load_profile, take_down};
pub(crate) use rules::drawing;
pub(in crate::partner) use store::lock_of;
pub(crate) use view::PartnerProfile;

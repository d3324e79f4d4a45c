//! Version of an app: the content that customers get, and its path through review to the storefront.
//!
//! ```text
//!                 submit             claim               approve              publish
//!   DRAFT ───────────────▶ SUBMITTED ─────▶ IN_REVIEW ───────────▶ APPROVED ───────────▶ PUBLISHED
//!                           ▲  ▲    ◀─────   │   │                  │    ▲                  │
//!            submit (appeal │  │    unclaim  │   │         schedule ▼    │ publish          │ another one
//!                   once)   │  │             │   │                 SCHEDULED                ▼ is published
//!                           │  │ submit      │   │ request-changes                      SUPERSEDED
//!                           │  └─────────────┼───┴──▶ CHANGES_REQUESTED
//!                           └── REJECTED ◀───┘ reject
//!
//!   update: DRAFT, CHANGES_REQUESTED stay        withdraw: SUBMITTED, IN_REVIEW, APPROVED, SCHEDULED ──▶ WITHDRAWN
//!   delete: DRAFT is gone                        publish: SUPERSEDED ──▶ PUBLISHED again
//! ```
//!
//! [`rules`] contains the transition table of this state machine; the submissions of a version follow it. At most one
//! version of an app is with the reviewers, and at most one is published.

mod changes;
mod list;
mod resolvers;
mod rules;
mod staff;
mod store;

pub(crate) use changes::OPERATIONS as CHANGES_OPERATIONS;
pub use list::VERSIONS_OF_EACH;
pub(crate) use list::{AppVersionFilter, STATEMENTS};
pub(crate) use resolvers::OPERATIONS;
pub use resolvers::{AppVersion, show_followed};
pub use rules::draw_states;
pub(crate) use rules::manifest::{AppManifest, AppPermission, ListingPermission};
pub(crate) use rules::{AppVersionAction, AppVersionState, VersionActor, allowed_actions, next_state};
pub(crate) use staff::{load_for_staff, page_for_staff};

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
//!   delete: DRAFT is gone
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

pub use changes::OPERATIONS as CHANGES_OPERATIONS;
pub use list::VERSIONS_OF_EACH;
pub use list::{AppVersionFilter, STATEMENTS};
pub use resolvers::OPERATIONS;
pub use resolvers::{AppVersion, show_followed};
pub use rules::manifest::{AppManifest, AppPermission};
pub use rules::{AppVersionAction, AppVersionState, VersionActor, allowed_actions, draw_states, next_state};
pub use staff::{load_for_staff, page_for_staff};

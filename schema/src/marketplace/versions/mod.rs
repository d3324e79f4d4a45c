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

pub(in crate::marketplace) use changes::OPERATIONS as CHANGES_OPERATIONS;
pub(crate) use list::VERSIONS_OF_EACH;
pub(in crate::marketplace) use list::{AppVersionFilter, STATEMENTS};
pub(in crate::marketplace) use resolvers::OPERATIONS;
pub(crate) use resolvers::{AppVersion, show_followed};
pub(crate) use rules::manifest::{AppManifest, AppPermission};
pub(crate) use rules::{AppVersionAction, AppVersionState, VersionActor, allowed_actions, draw_states, next_state};
pub(in crate::marketplace) use staff::{load_for_staff, page_for_staff};

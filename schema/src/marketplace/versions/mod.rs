//! A version of an app: what customers will get, and its way through review onto the storefront.
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
//!   withdraw: SUBMITTED, IN_REVIEW, APPROVED, SCHEDULED ──▶ WITHDRAWN
//! ```
//!
//! The table of this machine is [`rules`]; the submissions of a version follow it. One version of an app is with the
//! reviewers at a time, and one is live.

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::marketplace) use list::STATEMENTS;
pub(in crate::marketplace) use resolvers::{VersionsMutation, VersionsQuery};
pub(crate) use rules::manifest::{AppManifest, AppPermission};
pub(crate) use rules::{AppVersionAction, AppVersionState, Side, after, allowed_actions, drawing};

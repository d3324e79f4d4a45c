//! App: software that a partner lists in the marketplace.
//!
//! ```text
//!            publish                 unlist
//!   DRAFT ───────────▶ LISTED ◀───────────────▶ UNLISTED
//!     │                │  ▲  │ relist             │
//!     │        suspend │  │  │ reinstate          │
//!     │                ▼  │  ▼                    │
//!     │              SUSPENDED                    │
//!     └──────────────┬────────────────────────────┘
//!            archive ▼        restore
//!                 ARCHIVED ───────────▶ DRAFT or UNLISTED
//! ```
//!
//! The owner is the partner of the access token and appears in no path and no body
//! (docs/decisions/api.md#resources-of-other-partners). The owner edits a draft; the storefront shows the snapshot of
//! the last approved publication.

mod administration;
mod events;
mod life;
mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use administration::{APP, APPS_OF_EACH, AdminApp, show as show_for_staff};
pub(in crate::marketplace) use administration::{
    OPERATIONS as ADMINISTRATION_OPERATIONS, TRANSFER_OPERATIONS as ADMINISTRATION_TRANSFER_OPERATIONS,
};
pub(in crate::marketplace) use events::OPERATIONS as EVENTS_OPERATIONS;
pub(in crate::marketplace) use life::OPERATIONS as LIFE_OPERATIONS;
pub(in crate::marketplace) use resolvers::{OPERATIONS, event, load_app, lock_app};
pub(in crate::marketplace) use rules::draft::{Texts, whole_texts};
pub(crate) use rules::{AppAction, AppActorRole, AppState, Past, allowed_actions, draw_states, next_state};
pub(in crate::marketplace) use store::{STATEMENTS, insert_event, lock};

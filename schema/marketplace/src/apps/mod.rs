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

pub use administration::{APP, APPS_OF_EACH, AdminApp, show as show_for_staff};
pub(crate) use administration::{OPERATIONS as ADMINISTRATION_OPERATIONS, TRANSFER_OPERATIONS};
pub(crate) use events::OPERATIONS as EVENTS_OPERATIONS;
pub(crate) use life::OPERATIONS as LIFE_OPERATIONS;
pub(crate) use resolvers::{OPERATIONS, event, load_app, lock_app};
pub(crate) use rules::draft::{Texts, whole_texts};
pub use rules::draw_states;
pub(crate) use rules::{AppAction, AppActorRole, Past, allowed_actions, next_state};
pub(crate) use store::{STATEMENTS, insert_event, lock};

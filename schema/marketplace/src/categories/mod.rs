//! Category: a group of apps in the marketplace. Categories form a tree of at most four levels, maintained by staff.
//!
//! ```text
//!            deactivate
//!     ACTIVE ──────────▶ DEACTIVATED
//!      ▲  │ ◀──────────      │  ▲
//!      └──┘   activate       └──┘
//!      move                  move
//! ```
//!
//! A category below a deactivated one is hidden too, but keeps its state, so that activating the ancestor restores all
//! of them. Partners choose among the visible categories; only staff write (docs/decisions/storefront.md#categories).

mod list;
mod resolvers;
mod rules;
mod store;

pub use list::CATEGORY;
pub(crate) use list::STATEMENTS;
pub use resolvers::Category;
pub(crate) use resolvers::OPERATIONS;
pub use rules::draw_states;

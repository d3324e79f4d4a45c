//! A category: where apps are filed. The categories form a tree of at most four levels, kept by staff.
//!
//! ```text
//!            deactivate
//!     ACTIVE ──────────▶ DEACTIVATED
//!      ▲  │ ◀──────────      │  ▲
//!      └──┘   activate       └──┘
//!      move                  move
//! ```
//!
//! A category beneath a deactivated one is hidden with it and keeps its own state, so that activating the upper
//! one brings all back. Partners choose among what is shown; only staff write (docs/decisions.md#principals).

mod list;
mod resolvers;
mod rules;
mod store;

pub(crate) use list::CATEGORY;
pub(in crate::marketplace) use list::STATEMENTS;
pub(crate) use resolvers::Category;
pub(in crate::marketplace) use resolvers::{CategoriesMutation, CategoriesQuery};
pub(crate) use rules::drawing;

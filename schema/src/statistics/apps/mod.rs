//! What is told of statistics: to a partner of its own apps, to staff of any.
//!
//! Figures of an app follow the app, whoever owns it, whatever state it is in. A partner's distinct totals are those that
//! were reported of it at the time.

mod csv;
mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::statistics) use list::STATEMENTS;
pub(in crate::statistics) use resolvers::{AppStatisticsAdministrationQuery, AppStatisticsQuery};

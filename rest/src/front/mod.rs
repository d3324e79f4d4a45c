//! Checks before an operation is selected: caller, budgets and network; and the headers of every response.

pub mod address;
pub mod bearer;
pub(crate) mod body_slots;
pub mod budget;
pub(crate) mod coding;
pub mod headers;
pub(crate) mod in_flight;
pub mod request_id;
pub(crate) mod request_span;
pub mod server;
mod stall_timeout;
pub mod stop;
mod unread_body;

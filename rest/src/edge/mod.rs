//! Who calls, how fast, from where: everything that is settled before an operation is looked at, and the
//! headers that every answer carries.

pub mod address;
pub mod bearer;
pub mod budget;
pub(crate) mod coding;
pub(crate) mod denied;
pub mod headers;
pub mod request_id;
pub mod server;
mod stall_timeout;

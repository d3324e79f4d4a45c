//! A person who signs in, as operators see them: somebody of a partner's team, or of the staff.
//!
//! Operators help and protect people here: they let somebody in again, shut an account in wrong hands, or mend an
//! address. No single step takes an account over: no password is seen or set, a new address is proved by whoever reads
//! its mail, every step is recorded and mailed, and the old address can take a change back. The machine of a person
//! stands in [`crate::auth::people`].
//!
//! Whoever runs the service is shown only to those who reach `labs.admin.staff`, and changed through `admin_staff`
//! alone, whose guards would mean nothing if there were a second door.

mod list;
mod resolvers;
mod rules;
mod store;

pub(in crate::admin) use list::STATEMENTS;
pub(crate) use list::{PERSON, TEAM};
pub(crate) use resolvers::User;
pub(in crate::admin) use resolvers::{UsersMutation, UsersQuery};

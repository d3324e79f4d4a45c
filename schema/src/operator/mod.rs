//! What the operator does without the API: on the command line, and as jobs.
//!
//! Each act of the command line is one transaction with its audit record, of the channel COMMAND_LINE and the
//! actor SYSTEM: whoever stands there holds the database, so there is nobody to verify. The difference is captured
//! as for any audited write.

mod clients;
mod figures;
mod invitations;
mod keys;
mod record;
mod rules;
mod staff;
mod store;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sqlx::PgPool;

pub use clients::{
    ClientCreated, ClientListed, NewClient, client_create, client_list, client_rotate_secret, partner_find,
};
pub use figures::{Figures, JobFigures, LedgerFigures, MOST_MAILS, load_figures};
pub use invitations::{NewInvitation, invitation_create};
pub use keys::{Resealed, keys_rotate};
pub(crate) use staff::password;
pub use staff::{
    NewStaff, SecondFactor, StaffCreated, StaffListed, staff_create, staff_list, staff_reset_mfa, staff_reset_password,
};

use crate::auth::registrations;
use crate::core::db::Db;
use crate::core::fault::Fault;

/// A job: drops every registration that was not verified in time, and answers how many.
///
/// # Errors
/// [`crate::Code::Unavailable`] when the database is away.
pub fn registrations_drop(pool: &PgPool) -> BoxFuture<'_, Result<u64, Fault>> {
    async move { registrations::expired_delete(&Db::pooled(pool.clone())).await }.boxed()
}

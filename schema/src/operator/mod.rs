//! Actions of the operator without the API: on the command line, and as jobs.
//!
//! Each action on the command line is one transaction with its audit record, with the channel COMMAND_LINE and the
//! actor SYSTEM. A person with access to the command line has access to the database, so the service does not
//! authenticate them. Differences are captured as for any audited write.

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
use labs_core::db::Db;
use labs_core::fault::Fault;
use sqlx::PgPool;

pub use clients::{
    ClientCreated, ClientListed, NewClient, client_create, client_list, client_rotate_secret, partner_find,
};
pub use figures::{Figures, JobFigures, LogFigures, MOST_MAILS, load_figures};
pub use invitations::{NewInvitation, invitation_create};
pub use keys::{Resealed, keys_rotate};
use labs_identity::auth::registrations;
pub(crate) use staff::password;
pub use staff::{
    NewStaff, SecondFactor, StaffCreated, StaffListed, staff_create, staff_list, staff_reset_mfa, staff_reset_password,
};

/// Job that deletes every registration that was not verified in time. Returns their number.
///
/// # Errors
/// [`labs_core::Code::Unavailable`] if the database does not answer.
pub fn registrations_drop(pool: &PgPool) -> BoxFuture<'_, Result<u64, Fault>> {
    async move { registrations::delete_expired(&Db::from_pool(pool.clone())).await }.boxed()
}

//! Functions of the groups that REST calls in addition to operations.

use futures_util::FutureExt as _;
use labs_core::db::Db;
use labs_core::engine::{Calling, Engine, GroupCalls};
use labs_core::fault::FieldError;
use labs_engagement::weekly_mail;
use labs_identity::auth::{invitations, passwords, registrations};
use labs_marketplace::public_pictures;
use serde_json::Value;

/// All functions.
pub(crate) const CALLS: GroupCalls = GroupCalls {
    open_picture: |engine, name| public_pictures::open(engine.services(), name).boxed(),
    is_unsubscribe_token: |engine, token| weekly_mail::is_token(engine.services(), token),
    unsubscribe: |engine, token| weekly_mail::unsubscribe(engine.pool(), engine.services(), token).boxed(),
    find_faults,
};

fn find_faults<'a>(engine: &'a Engine, operation: &'a str, body: &'a Value) -> Calling<'a, Vec<FieldError>> {
    async move {
        let (services, db) = (engine.services(), Db::from_pool(engine.pool().clone()));
        match operation {
            "auth_registrations_create" => registrations::find_faults(services, &db, body).await,
            "auth_invitations_accept" => invitations::find_faults(services, &db, body).await,
            "auth_passwords_confirm_reset" => passwords::find_faults(services, &db, body).await,
            _ => Ok(Vec::new()),
        }
    }
    .boxed()
}

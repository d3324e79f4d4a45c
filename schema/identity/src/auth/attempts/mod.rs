//! Failed attempts at passwords and codes, counted in the database so that every replica sees them.
//!
//! Each failure counts for several subjects: for the account from one network, with delays that grow long; for the
//! account overall and for the network overall, with delays that stay short. Therefore, guessing is slow from one
//! network and from many. An attacker cannot block the owner for long, and not from a network where the owner signed in
//! before (docs/decisions/credentials.md#failed-sign-ins).

mod rules;
mod store;

use labs_core::context::RequestContext;
use labs_core::db::Db;
use labs_core::fault::Fault;
use uuid::Uuid;

pub(in crate::auth) use rules::Subject;

/// Rejects an attempt that follows failures of any of these subjects too soon. Reads through `db`, so that a caller who
/// is about to hash a password holds no connection while it waits.
///
/// # Errors
/// [`labs_core::Code::RateLimited`] with the time to wait.
pub(in crate::auth) async fn check(cx: &RequestContext, db: &Db, subjects: &[Subject]) -> Result<(), Fault> {
    let account = subjects.iter().find_map(Subject::account_from);
    match store::get_blocked_until(db, &names(subjects), account).await? {
        Some(until) => Err(Fault::held_until(cx.now, until)),
        None => Ok(()),
    }
}

/// Counts a failure for each subject and, after many failures, delays the next attempt. Concurrent failures of one
/// subject are serialised, so a burst of attempts gets no more answers than the same number in sequence. Returns the
/// consecutive failures of the account or of the codes overall.
///
/// # Errors
/// [`labs_core::Code::RateLimited`] if concurrent failures have already blocked this attempt. The response does not say
/// whether the attempt was wrong.
pub(in crate::auth) async fn record_failure(cx: &RequestContext, subjects: &[Subject]) -> Result<i32, Fault> {
    let counted = store::failures_add(&cx.db, &names(subjects)).await?;
    check(cx, &cx.db, subjects).await?;
    let of = |subject: &Subject| {
        let name = subject.name();
        counted.iter().find(|row| row.subject == name).map_or(0, |row| row.failures)
    };
    let held_until = |subject: &Subject| Some((subject.name(), subject.blocked_until(of(subject), cx.now)?));
    let held: Vec<_> = subjects.iter().filter_map(held_until).collect();
    if !held.is_empty() {
        store::set_blocked_until(&cx.db, held).await?;
    }
    let is_whole = |subject: &&Subject| matches!(subject, Subject::Account(_) | Subject::Factor(_));
    Ok(subjects.iter().find(is_whole).map_or(0, of))
}

/// Resets the counts of the account after a success. The network may be shared, so its count stays.
pub(in crate::auth) async fn record_success(cx: &RequestContext, subjects: &[Subject]) -> Result<(), Fault> {
    let own: Vec<String> = subjects.iter().filter(|subject| subject.is_of_account()).map(Subject::name).collect();
    store::delete_failures(&cx.db, &own).await
}

/// Deletes the failed attempts at a user's password and codes, from all networks. Returns false if there were none.
pub async fn forget(db: &Db, email_normalised: &str, person_uuid: Uuid) -> Result<bool, Fault> {
    store::forget_failures(db, email_normalised, person_uuid).await
}

/// Deletes the failed attempts at the password of an account, from all networks, because the password was replaced.
/// Attempts at its codes stay.
pub(in crate::auth) async fn forget_password(db: &Db, email_normalised: &str) -> Result<(), Fault> {
    store::forget_password_failures(db, email_normalised).await
}

fn names(subjects: &[Subject]) -> Vec<String> {
    subjects.iter().map(Subject::name).collect()
}

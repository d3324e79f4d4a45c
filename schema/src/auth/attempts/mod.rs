//! Failed tries at passwords and codes, counted in the database, where every replica sees them.
//!
//! Each failure counts for several subjects: for the account as tried from one network, with delays that grow
//! long; for the account as a whole and for the network as a whole, with delays that stay short. So guessing is
//! slow from one place and from many, and a stranger's guessing never keeps the owner out for long, and not at all
//! where they signed in before (docs/decisions.md#identity).

mod rules;
mod store;

pub(in crate::auth) use rules::Subject;

use uuid::Uuid;

use crate::core::context::RequestContext;
use crate::core::db::Db;
use crate::core::fault::Fault;

/// Refuses a try that comes too soon after failures of any of these subjects. Reads through `db`, so that a caller
/// who is about to hash a password may hold no connection meanwhile.
///
/// # Errors
/// [`crate::Code::RateLimited`] with the time to wait.
pub(in crate::auth) async fn check(cx: &RequestContext, db: &Db, subjects: &[Subject]) -> Result<(), Fault> {
    let account = subjects.iter().find_map(Subject::account_from);
    match store::held_until_get(db, &names(subjects), account).await? {
        Some(until) => Err(Fault::held_until(cx.now, until)),
        None => Ok(()),
    }
}

/// Counts a failure of each subject and holds the next try back where there were many. Failures of one subject wait for
/// one another, so that of many tries at once no more are answered than of as many one after the other. Answers how many
/// there are in a row of the account or the codes as a whole.
///
/// # Errors
/// [`crate::Code::RateLimited`] when those ahead have held this one back meanwhile: it is not told that it was wrong.
pub(in crate::auth) async fn record_failure(cx: &RequestContext, subjects: &[Subject]) -> Result<i32, Fault> {
    let counted = store::failures_add(&cx.db, &names(subjects)).await?;
    check(cx, &cx.db, subjects).await?;
    let of = |subject: &Subject| {
        let name = subject.name();
        counted.iter().find(|row| row.subject == name).map_or(0, |row| row.failures)
    };
    let held_until = |subject: &Subject| Some((subject.name(), subject.held_until(of(subject), cx.now)?));
    let held: Vec<_> = subjects.iter().filter_map(held_until).collect();
    if !held.is_empty() {
        store::held_until_set(&cx.db, held).await?;
    }
    let is_whole = |subject: &&Subject| matches!(subject, Subject::Account(_) | Subject::Factor(_));
    Ok(subjects.iter().find(is_whole).map_or(0, of))
}

/// A success wipes the slate of the account; its network may be shared, so that one keeps its own.
pub(in crate::auth) async fn record_success(cx: &RequestContext, subjects: &[Subject]) -> Result<(), Fault> {
    let own: Vec<String> = subjects.iter().filter(|subject| subject.is_of_account()).map(Subject::name).collect();
    store::failures_delete(&cx.db, &own).await
}

/// Forgets the failed tries at a person's password and codes, from wherever they were made. False when there were none.
pub(crate) async fn forget(db: &Db, email_normalised: &str, person_uuid: Uuid) -> Result<bool, Fault> {
    store::failures_forget(db, email_normalised, person_uuid).await
}

/// Forgets the failed tries at the password of an account, from wherever they were made: it is another one now. Those
/// at its codes stay.
pub(in crate::auth) async fn password_forget(db: &Db, email_normalised: &str) -> Result<(), Fault> {
    store::password_failures_forget(db, email_normalised).await
}

fn names(subjects: &[Subject]) -> Vec<String> {
    subjects.iter().map(Subject::name).collect()
}

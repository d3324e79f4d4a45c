//! Failed tries at passwords and codes, counted in the database, where every replica sees them.
//!
//! Each failure counts for several subjects: for the account as tried from one network, with delays that grow
//! long; for the account as a whole and for the network as a whole, with delays that stay short. So guessing is
//! slow from one place and from many, and a stranger's guessing never keeps the owner out for long, and not at all
//! where they signed in before (specification: design, security, Identity 8).

mod rules;
mod store;

pub(in crate::auth) use rules::Subject;

use std::net::IpAddr;

use uuid::Uuid;

use crate::ask::Ask;
use crate::db::Db;
use crate::fault::Fault;

/// Refuses a try that comes too soon after failures of any of these subjects. Reads through `db`, so that a caller
/// who is about to hash a password may hold no connection meanwhile.
///
/// # Errors
/// [`crate::Code::RateLimited`] with the time to wait.
pub(in crate::auth) async fn check(ask: &Ask, db: &Db, subjects: &[Subject]) -> Result<(), Fault> {
    let account = subjects.iter().find_map(Subject::account_from);
    match store::held_until_get(db, &names(subjects), account).await? {
        Some(until) => Err(Fault::held_until(ask.now, until)),
        None => Ok(()),
    }
}

/// Counts a failure of each subject and holds the next try back where there were many. Failures of one subject wait for
/// one another, so that of many tries at once no more are answered than of as many one after the other.
///
/// # Errors
/// [`crate::Code::RateLimited`] when those ahead have held this one back meanwhile: it is not told that it was wrong.
pub(in crate::auth) async fn failed(ask: &Ask, subjects: &[Subject]) -> Result<(), Fault> {
    let counted = store::failures_add(&ask.db, &names(subjects)).await?;
    check(ask, &ask.db, subjects).await?;
    let held: Vec<_> = subjects
        .iter()
        .filter_map(|subject| {
            let name = subject.name();
            let failures = counted.iter().find(|row| row.subject == name)?.failures;
            Some((name, subject.held_until(failures, ask.now)?))
        })
        .collect();
    if held.is_empty() { Ok(()) } else { store::held_until_set(&ask.db, held).await }
}

/// A success wipes the slate of the account; its network may be shared, so that one keeps its own.
pub(in crate::auth) async fn succeeded(ask: &Ask, subjects: &[Subject]) -> Result<(), Fault> {
    let own: Vec<String> = subjects.iter().filter(|subject| subject.is_of_account()).map(Subject::name).collect();
    store::failures_delete(&ask.db, &own).await
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

/// The network of an address: itself, or its /64, because a single household holds all of it.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    rules::network(address).addr()
}

fn names(subjects: &[Subject]) -> Vec<String> {
    subjects.iter().map(Subject::name).collect()
}

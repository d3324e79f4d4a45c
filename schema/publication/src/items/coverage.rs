//! Check that the changelog is complete: the contract may not change from one release to the next without an entry that
//! names the change.
//!
//! The contract that was served when an entry was last released is stored and compared with the current one. A
//! difference counts as named if the entries of the release name every operation that it affects, or the field that it
//! affects.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use labs_core::db::Db;
use labs_core::fault::{Fault, FieldError};
use labs_core::services::Services;
use labs_core::surface::{ContractDifference, ServedContract};
use uuid::Uuid;

use super::list::PublicationItem;
use super::rules::PublicationKind;
use super::store;

/// Most differences that a fault lists.
const MOST: usize = 50;

/// Operations and fields that the entries of a release name.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) operations: Vec<String>,
    /// Each as an operation's id, a colon and a pointer.
    pub(super) fields: Vec<String>,
}

impl Names {
    /// Whether a difference is named.
    fn have(&self, difference: &ContractDifference) -> bool {
        let place = difference.place.split_once(':').map_or("", |(_, place)| place);
        let is_about = |field: &String| {
            field.split_once(':').is_some_and(|(id, pointer)| {
                place.ends_with(pointer) && difference.operations.iter().any(|operation| operation == id)
            })
        };
        let has_all = difference.operations.iter().all(|id| self.operations.contains(id));
        (has_all && !difference.operations.is_empty()) || self.fields.iter().any(is_about)
    }
}

/// Compares the current contract with the one of the last release, if this is not yet done. It takes about a second,
/// during which no connection and no row is locked; [`prove`] uses the result.
///
/// # Errors
/// If the database does not answer.
pub(super) async fn prepare(db: &Db, services: &Services, kind: PublicationKind) -> Result<(), Fault> {
    if kind == PublicationKind::ChangelogEntry {
        differences(db, services).await?;
    }
    Ok(())
}

/// Returns the differences between the current contract and the one of the last release.
async fn differences(db: &Db, services: &Services) -> Result<Differences, Fault> {
    let (contract, last) = (services.settings.contract, store::last_digest(db).await?);
    match last.filter(|last| last != (contract.text)().1) {
        Some(digest) => services.state::<LastComparison>().with(db, digest, contract).await,
        None => Ok(Differences::default()),
    }
}

/// Rejects the release of an entry if the contract differs from the last released one in a point that no entry of the
/// same release names. Other kinds of items are not checked.
///
/// # Errors
/// [`labs_core::Code::Conflict`], naming each difference.
pub(super) async fn prove(db: &Db, services: &Services, item: &PublicationItem) -> Result<(), Fault> {
    let Some(version) = version_of(item) else { return Ok(()) };
    let differences = differences(db, services).await?;
    if differences.is_empty() {
        return Ok(());
    }
    let names = store::names_of_release(db, version).await?;
    let unnamed: Vec<&ContractDifference> = differences.iter().filter(|difference| !names.have(difference)).collect();
    if unnamed.is_empty() {
        return Ok(());
    }
    let errors = unnamed.iter().take(MOST).map(|difference| {
        let message = format!("{}: {}", difference.place, difference.text);
        FieldError::at("/operations", "NOT_NAMED", message)
    });
    let detail = format!(
        "The contract has changed since the last release in {} places that no entry of {version} names. Name the \
         affected operations in `operations` of an entry of this release, or the fields in `fields`; `labs \
         release-notes` writes a draft.",
        unnamed.len()
    );
    Err(Fault::conflict(detail).with_errors(errors.collect()))
}

/// Cache of the last comparison with a former contract, because a withheld entry repeats it.
#[derive(Default)]
struct LastComparison(Mutex<Option<(String, Differences)>>);

type Differences = Arc<Vec<ContractDifference>>;

impl LastComparison {
    async fn with(&self, db: &Db, digest: String, contract: ServedContract) -> Result<Differences, Fault> {
        let known = self.known().as_ref().filter(|(of, _)| *of == digest).map(|(_, found)| Arc::clone(found));
        if let Some(found) = known {
            return Ok(found);
        }
        let Some(former) = store::last_contract(db).await? else { return Ok(Differences::default()) };
        let (compare, document) = (contract.differences_since, former.document);
        let found = tokio::task::spawn_blocking(move || compare(&document));
        let found = Arc::new(found.await.map_err(Fault::internal)?.map_err(Fault::internal)?);
        *self.known() = Some((former.digest, Arc::clone(&found)));
        Ok(found)
    }

    fn known(&self) -> MutexGuard<'_, Option<(String, Differences)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Stores the current contract as the one of the just released entry.
///
/// # Errors
/// If the database does not answer.
pub(super) async fn keep(db: &Db, contract: &ServedContract, item: &PublicationItem) -> Result<(), Fault> {
    let Some(version) = version_of(item) else { return Ok(()) };
    let (text, digest) = (contract.text)();
    store::keep_contract(db, &Release { version, digest, text, item_uuid: item.uuid }).await
}

/// The contract of a release.
pub(super) struct Release<'a> {
    pub(super) version: &'a str,
    pub(super) digest: &'a str,
    pub(super) text: &'a str,
    pub(super) item_uuid: Uuid,
}

/// Returns the release that an entry describes; `None` for another kind of item.
fn version_of(item: &PublicationItem) -> Option<&str> {
    let is_entry = item.kind == PublicationKind::ChangelogEntry;
    item.content.version.as_deref().filter(|_| is_entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_named(names: (&[&str], &[&str]), place: &str, concerned: &[&str]) -> bool {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let (operations, fields) = (owned(names.0), owned(names.1));
        let difference =
            ContractDifference { place: place.to_owned(), text: String::new(), operations: owned(concerned) };
        Names { operations, fields }.have(&difference)
    }

    #[test]
    fn contract_difference_is_covered_by_operations_or_field() {
        assert!(is_named((&["a_list"], &[]), "a_list", &["a_list"]));
        assert!(is_named((&["a_list"], &[]), "a_list:query/limit", &["a_list"]));
        assert!(is_named((&[], &["a_list:/limit"]), "a_list:query/limit", &["a_list"]));
        assert!(is_named((&["a_list", "a_get"], &[]), "A:/name", &["a_get", "a_list"]));
        assert!(is_named((&[], &["a_get:/name"]), "A:/name", &["a_get", "a_list"]));
        assert!(!is_named((&["a_get"], &[]), "A:/name", &["a_get", "a_list"]), "one of two");
        assert!(!is_named((&[], &["b_get:/name"]), "A:/name", &["a_get", "a_list"]), "another operation's field");
        assert!(!is_named((&[], &["a_get:/title"]), "A:/name", &["a_get"]));
        assert!(!is_named((&[], &[]), "a_list", &["a_list"]));
    }
}

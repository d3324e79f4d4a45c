//! Revision checks (`If-Match`) for writes whose path has no GET. The revision is a field of the list entries and
//! begins the entity tag of the write's answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::RequestContext;
use crate::fault::Fault;

/// Predicate: whether the caller's `If-Match` names this revision.
pub type NamesRevision = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// Revision that a write expects, and whether its resolver has compared it.
#[derive(Default)]
pub(super) struct ExpectedRevision {
    names: Option<NamesRevision>,
    compared: AtomicBool,
}

impl RequestContext {
    /// Sets the revision that the write expects, if any.
    pub(crate) fn with_expected(self, names: Option<NamesRevision>) -> Self {
        Self { expected: ExpectedRevision { names, compared: AtomicBool::new(false) }, ..self }
    }

    /// Whether the caller expects a revision, so that the resolver has to load it.
    pub fn expects_revision(&self) -> bool {
        self.expected.names.is_some()
    }

    /// Compares the current revision with the expected one. The caller must hold the lock, so that no other request can
    /// change the object. `None` means that the object does not exist.
    ///
    /// # Errors
    /// [`crate::Code::PreconditionFailed`].
    pub fn ensure_revision(&self, present: Option<&str>) -> Result<(), Fault> {
        let Some(names) = &self.expected.names else { return Ok(()) };
        self.expected.compared.store(true, Ordering::Relaxed);
        if present.is_some_and(|revision| names(revision)) { Ok(()) } else { Err(Fault::precondition_failed()) }
    }

    /// Ensures before the commit that an expected revision was compared.
    ///
    /// # Errors
    /// [`crate::Code::Internal`]: writing without the check could overwrite a concurrent change.
    pub(crate) fn ensure_compared(&self) -> Result<(), Fault> {
        if self.expects_revision() && !self.expected.compared.load(Ordering::Relaxed) {
            return Err(Fault::internal("a write with If-Match did not compare a revision"));
        }
        Ok(())
    }
}

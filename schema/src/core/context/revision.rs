//! What a caller read before it wrote (`If-Match`), where no GET of the same path answers it: the revision that stands in a
//! list's entries and begins the entity tag of what a write answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::RequestContext;
use crate::core::fault::Fault;

/// Whether the caller names this revision.
pub type NamesRevision = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// The revision that a write asks for, and whether its resolver has compared it.
#[derive(Default)]
pub(super) struct ExpectedRevision {
    names: Option<NamesRevision>,
    compared: AtomicBool,
}

impl RequestContext {
    /// The same for a write that asks for a revision.
    pub(crate) fn expecting(self, names: Option<NamesRevision>) -> Self {
        Self { expected: ExpectedRevision { names, compared: AtomicBool::new(false) }, ..self }
    }

    /// Whether the caller asks for a revision, so that it is worth looking up.
    pub(crate) fn expects_revision(&self) -> bool {
        self.expected.names.is_some()
    }

    /// Compares what is there, once nobody else can change it, with what the caller asks for. `None`: there is nothing.
    ///
    /// # Errors
    /// [`crate::Code::PreconditionFailed`].
    pub(crate) fn ensure_revision(&self, present: Option<&str>) -> Result<(), Fault> {
        let Some(names) = &self.expected.names else { return Ok(()) };
        self.expected.compared.store(true, Ordering::Relaxed);
        if present.is_some_and(|revision| names(revision)) { Ok(()) } else { Err(Fault::precondition_failed()) }
    }

    /// Makes sure that what was asked for was compared, before anything is kept.
    ///
    /// # Errors
    /// [`crate::Code::Internal`]: to write all the same would be the very loss that the caller wants to be kept from.
    pub(crate) fn ensure_compared(&self) -> Result<(), Fault> {
        if self.expects_revision() && !self.expected.compared.load(Ordering::Relaxed) {
            return Err(Fault::internal("a write with If-Match did not compare a revision"));
        }
        Ok(())
    }
}

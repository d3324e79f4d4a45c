//! The import of statistics, for deployments with a source of statistics.

use std::sync::Arc;

pub use labs_core::day::Day;
use labs_core::engine::Engine;

use super::{Job, JobCode};
use labs_statistics::imports::import_due;
pub use labs_statistics::imports::{ImportError, ImportErrorCode, PageAnswer, UsageSource};

/// Creates the job that imports missing and requested statistics.
#[must_use]
pub fn job(engine: &Engine, source: Arc<dyn UsageSource>) -> Job {
    let engine = engine.clone();
    let run = move || {
        let (engine, source) = (engine.clone(), Arc::clone(&source));
        async move { import_due(engine.pool(), engine.services(), source.as_ref()).await }
    };
    Job::new(JobCode::StatisticsImport, run)
}

//! Readiness checks of the service's dependencies, and the effect of each failure. The log contains the cause.
//!
//! All replicas share mail and media. If one of them is unavailable, another replica has the same problem, and most
//! requests need neither: the replica stays ready and reports that it is degraded
//! (docs/decisions/operations.md#readiness).

use std::sync::Arc;

use labs_rest::probes::{Probe, ProbeFailure, Probes};
use labs_schema::jobs::list_behind;
use labs_schema::mail::deliver::Mailer;
use labs_schema::media::store::StoreState;
use labs_schema::open::{is_migrated, ping};
use labs_schema::{Engine, Fault};

/// Returns the dependencies that readiness checks.
pub(crate) fn probes(engine: &Engine, mailer: &Arc<Mailer>) -> Probes {
    let mailer = Arc::clone(mailer);
    let (database, migrations, media) = (engine.pool().clone(), engine.pool().clone(), engine.services().media.clone());
    let check_database = move || {
        let pool = database.clone();
        async move { ping(&pool).await.map_err(|fault| away("DATABASE", &fault, "The database does not answer.")) }
    };
    let check_migrations = move || {
        let pool = migrations.clone();
        async move {
            match is_migrated(&pool).await {
                Ok(true) => Ok(()),
                Ok(false) => Err(ProbeFailure::Failing("Migrations of this release are missing.".to_owned())),
                Err(fault) => Err(away("MIGRATIONS", &fault, "The applied migrations cannot be read.")),
            }
        }
    };
    let check_mail = move || {
        let mailer = Arc::clone(&mailer);
        async move {
            let said = "Mail messages cannot be delivered and stay queued.";
            mailer.ready().await.map_err(|error| ProbeFailure::Degraded(logged("MAIL", error, said)))
        }
    };
    let check_media = move || {
        let media = media.clone();
        async move {
            let part = "MEDIA_STORE";
            match media.state().await {
                StoreState::Usable => Ok(()),
                StoreState::ReadOnly(error) => {
                    Err(ProbeFailure::Degraded(logged(part, error, "The object storage can be read, but not written.")))
                }
                StoreState::Unusable(error) => {
                    Err(ProbeFailure::Failing(logged(part, error, "The object storage cannot be read.")))
                }
            }
        }
    };
    let (jobs, clock) = (engine.pool().clone(), engine.services().clock.clone());
    let jobs_behind = move || {
        let (pool, now) = (jobs.clone(), clock.now());
        async move {
            let behind = list_behind(&pool, now).await;
            behind
                .inspect_err(|fault| tracing::warn!(cause = fault.for_log(), "the states of the jobs cannot be read"))
                .unwrap_or_default()
        }
    };
    let (failing, degraded) = (ProbeFailure::Failing, ProbeFailure::Degraded);
    let probes = vec![
        Probe { name: "DATABASE", silent: failing, check: Box::new(move || Box::pin(check_database())) },
        Probe { name: "MIGRATIONS", silent: failing, check: Box::new(move || Box::pin(check_migrations())) },
        Probe { name: "MAIL", silent: degraded, check: Box::new(move || Box::pin(check_mail())) },
        Probe { name: "MEDIA_STORE", silent: failing, check: Box::new(move || Box::pin(check_media())) },
    ];
    Probes::new(probes, Box::new(move || Box::pin(jobs_behind())))
}

fn away(part: &'static str, fault: &Fault, said: &str) -> ProbeFailure {
    ProbeFailure::Failing(logged(part, fault.for_log(), said))
}

fn logged(part: &'static str, cause: impl std::fmt::Display, said: &str) -> String {
    tracing::warn!(part, %cause, "a component of the readiness check does not work");
    said.to_owned()
}

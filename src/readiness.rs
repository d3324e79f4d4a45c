//! What must answer before the service says that it is ready. The log tells why something does not.

use std::sync::Arc;

use labs_rest::probes::{Probe, Probes};
use labs_schema::jobs::list_behind;
use labs_schema::mail::deliver::Postman;
use labs_schema::open::{is_migrated, ping};
use labs_schema::{Engine, Fault};

/// The parts that readiness asks for.
pub(crate) fn probes(engine: &Engine, postman: &Arc<Postman>) -> Probes {
    let postman = Arc::clone(postman);
    let (database, migrations, media) = (engine.pool().clone(), engine.pool().clone(), engine.services().media.clone());
    let database_answers = move || {
        let pool = database.clone();
        async move { ping(&pool).await.map_err(|fault| away("DATABASE", &fault, "The database does not answer.")) }
    };
    let is_migrated = move || {
        let pool = migrations.clone();
        async move {
            match is_migrated(&pool).await {
                Ok(true) => Ok(()),
                Ok(false) => Err("Migrations of this version are missing.".to_owned()),
                Err(fault) => Err(away("MIGRATIONS", &fault, "What is applied cannot be read.")),
            }
        }
    };
    let mail_leaves = move || {
        let postman = Arc::clone(&postman);
        async move { postman.ready().await.map_err(|error| failed("MAIL", error, "Mail cannot be handed over.")) }
    };
    let media_answer = move || {
        let media = media.clone();
        async move {
            let ready = media.ready().await;
            ready.map_err(|error| failed("MEDIA_STORE", error, "The media store does not answer."))
        }
    };
    let (jobs, clock) = (engine.pool().clone(), engine.services().clock.clone());
    let jobs_behind = move || {
        let (pool, now) = (jobs.clone(), clock.now());
        async move {
            let behind = list_behind(&pool, now).await;
            behind
                .inspect_err(|fault| tracing::warn!(cause = fault.for_log(), "the jobs cannot be asked"))
                .unwrap_or_default()
        }
    };
    let probes = vec![
        Probe { name: "DATABASE", check: Box::new(move || Box::pin(database_answers())) },
        Probe { name: "MIGRATIONS", check: Box::new(move || Box::pin(is_migrated())) },
        Probe { name: "MAIL", check: Box::new(move || Box::pin(mail_leaves())) },
        Probe { name: "MEDIA_STORE", check: Box::new(move || Box::pin(media_answer())) },
    ];
    Probes::new(probes, Box::new(move || Box::pin(jobs_behind())))
}

fn away(part: &'static str, fault: &Fault, said: &str) -> String {
    failed(part, fault.for_log(), said)
}

fn failed(part: &'static str, cause: impl std::fmt::Display, said: &str) -> String {
    tracing::warn!(part, %cause, "a part is not ready");
    said.to_owned()
}

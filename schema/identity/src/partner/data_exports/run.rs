//! The job that creates data exports: next export, lease, progress, end.
//!
//! Several replicas run it; one replica at a time works on an export. A run renews its lease while it works. If a run
//! dies, the next run starts the export again under another object. A run that returns late finds that it has lost the
//! export.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt as _;
use labs_core::db::{Db, TransactionOptions};
use labs_core::fault::{Code, Fault};
use labs_core::services::Services;
use labs_core::time::Time;
use labs_crypto::random_bytes;
use labs_mail::message::{MailContent, Notice};
use labs_mail::outbox;
use labs_media::store::MediaKey;
use labs_media::store::archive::ArchiveName;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use super::archive::{self, ArchiveWriter, PIECE, Piece, hand_in};
use super::rules::{DataExportAction, DataExportState, MOST_ATTEMPTS, after};
use super::store::kinds::KINDS;
use super::store::{self, ExportClaim, ExportFile};
use super::withheld::WITHHELD;

/// Interval at which a run renews its lease, which lasts two minutes.
const RENEW: Duration = Duration::from_secs(20);
/// Transaction options for one snapshot of all tables, so that the tables are consistent with each other.
fn snapshot_terms() -> TransactionOptions {
    TransactionOptions::of_mode("isolation level repeatable read, read only")
        .with("statement_timeout", "1h")
        .with("idle_in_transaction_session_timeout", "10min")
}

/// Creates the queued exports one after the other, and deletes expired ones. Returns their number.
///
/// # Errors
/// If the database does not answer, or an archive could not be created; the job retries it.
pub async fn export_due(pool: &PgPool, services: &Services) -> Result<u64, Fault> {
    let db = Db::from_pool(pool.clone());
    let mut done = forget_due(&db, services).await?;
    loop {
        let name = ArchiveName::new(random_bytes());
        let Some(claim) = store::claim(&db, &name.name()).await? else { return Ok(done) };
        run(&db, services, &claim, name).await?;
        done += 1;
    }
}

/// Deletes expired archives.
async fn forget_due(db: &Db, services: &Services) -> Result<u64, Fault> {
    let over = store::over_page(db).await?;
    for row in &over {
        delete(services, row.object_secret.as_deref()).await?;
        store::set_removed(db, row.export_uuid).await?;
    }
    Ok(over.len() as u64)
}

/// Performs one run, until the export ends or is released for the next run.
async fn run(db: &Db, services: &Services, claim: &ExportClaim, name: ArchiveName) -> Result<(), Fault> {
    delete(services, claim.former_secret.as_deref()).await?;
    let outcome = match claim.attempts > MOST_ATTEMPTS {
        true => Err(Fault::internal("the previous runs did not finish")),
        false => make_held(db, services, claim, name).await,
    };
    let fault = match outcome {
        Ok(made) => {
            if !end(db, services, claim, Ok(made)).await? {
                delete(services, Some(&name.name())).await?;
            }
            return Ok(());
        }
        Err(fault) => fault,
    };
    let (export_uuid, attempts) = (claim.export_uuid, claim.attempts);
    tracing::warn!(%export_uuid, attempts, cause = fault.for_log(), "a data export failed");
    if attempts < MOST_ATTEMPTS {
        return store::release(db, claim, fault.code().name()).await;
    }
    end(db, services, claim, Err(fault.code())).await.map(drop)
}

/// Ends the last run of an export and notifies the administrators in the same transaction. Returns false if the run has
/// lost the export.
async fn end(
    db: &Db,
    services: &Services,
    claim: &ExportClaim,
    outcome: Result<ExportFile, Code>,
) -> Result<bool, Fault> {
    let db = Db::own_transaction(db.pool().clone());
    let done = finish(&db, services, claim, outcome).await;
    db.settle(done).await
}

async fn finish(
    db: &Db,
    services: &Services,
    claim: &ExportClaim,
    outcome: Result<ExportFile, Code>,
) -> Result<bool, Fault> {
    let leads_to = |action| after(DataExportState::Running, action);
    let ended = match outcome {
        Ok(made) => store::set_succeeded(db, claim, leads_to(DataExportAction::Succeed)?, &made).await?,
        Err(code) => store::set_failed(db, claim, leads_to(DataExportAction::Fail)?, code.name()).await?,
    };
    let Some(ended) = ended else { return Ok(false) };
    let until = ended.expires_at.map(|until| until.0);
    outbox::queue_to_administrators(db, services, claim.partner_uuid, |name| {
        MailContent::Telling(Notice::DataExport { name, company: ended.company_name.clone(), until })
    })
    .await?;
    Ok(true)
}

/// Creates the archive while its lease is renewed.
async fn make_held(db: &Db, services: &Services, claim: &ExportClaim, name: ArchiveName) -> Result<ExportFile, Fault> {
    let now = services.clock.now();
    let work = archive::make(&services.media, name, now, |intake| produce(db, services, claim, now, intake));
    tokio::pin!(work);
    loop {
        tokio::select! {
            made = &mut work => return made,
            () = tokio::time::sleep(RENEW) => progress(db, claim, None).await?,
        }
    }
}

/// Records the progress of a run.
async fn progress(db: &Db, claim: &ExportClaim, steps: Option<(usize, usize)>) -> Result<(), Fault> {
    let number = |steps: usize| i32::try_from(steps).unwrap_or(i32::MAX);
    let steps = steps.map(|(done, total)| (number(done), number(total)));
    if store::set_progress(db, claim, steps).await? {
        return Ok(());
    }
    Err(Fault::unavailable("Another run has taken over this archive."))
}

/// Sends everything: the tables, the images, and the explanations for the reader.
async fn produce(
    db: &Db,
    services: &Services,
    claim: &ExportClaim,
    now: Time,
    intake: ArchiveWriter,
) -> Result<(), Fault> {
    // The images are one step, and the explanations are another.
    let total = KINDS.len() + 2;
    let counts = tables(db, claim, total, &intake).await?;
    let pictures = pictures(db, services, claim.partner_uuid, &intake).await?;
    progress(db, claim, Some((total - 1, total))).await?;
    for (name, text) in [
        ("README.txt", readme(claim.partner_uuid, now, &counts, pictures)),
        ("manifest.json", manifest(claim.partner_uuid, now, &counts, pictures)?),
    ] {
        hand_in(&intake, Piece::Begin(name.to_owned())).await?;
        hand_in(&intake, Piece::Bytes(Bytes::from(text))).await?;
    }
    hand_in(&intake, Piece::End).await
}

/// Sends every table from one snapshot. Returns the number of lines per table.
async fn tables(db: &Db, claim: &ExportClaim, total: usize, intake: &ArchiveWriter) -> Result<Vec<u64>, Fault> {
    let snapshot = Db::own_transaction_with(db.pool().clone(), snapshot_terms());
    let mut counts = Vec::with_capacity(KINDS.len());
    for (step, kind) in KINDS.iter().enumerate() {
        progress(db, claim, Some((step, total))).await?;
        hand_in(intake, Piece::Begin(format!("{}.jsonl", kind.table))).await?;
        let mut connection = snapshot.conn().await?;
        let mut lines = (kind.lines)(&mut connection, claim.partner_uuid);
        let (mut count, mut piece) = (0, BytesMut::with_capacity(PIECE));
        while let Some(line) = lines.try_next().await? {
            piece.extend_from_slice(line.as_bytes());
            piece.extend_from_slice(b"\n");
            count += 1;
            if piece.len() >= PIECE {
                hand_in(intake, Piece::Bytes(piece.split().freeze())).await?;
            }
        }
        hand_in(intake, Piece::Bytes(piece.freeze())).await?;
        counts.push(count);
    }
    snapshot.settle(Ok(false)).await?;
    Ok(counts)
}

/// Sends every stored original image. If the object of an image is missing, it is logged and omitted.
async fn pictures(db: &Db, services: &Services, partner_uuid: Uuid, intake: &ArchiveWriter) -> Result<u64, Fault> {
    let (mut count, mut after) = (0, Uuid::nil());
    loop {
        let page = store::pictures_page(db, partner_uuid, after).await?;
        let Some(last) = page.last() else { return Ok(count) };
        after = last.picture_uuid;
        for picture in &page {
            let key = MediaKey::from_name(&picture.object_key);
            let found = match key {
                Some(key) => services.media.get(key).await?,
                None => None,
            };
            let Some(mut object) = found else {
                tracing::error!(picture_uuid = %picture.picture_uuid, "a data export lacks an image that is missing \
                                                                       in the object storage");
                continue;
            };
            hand_in(intake, Piece::Begin(picture.path.clone())).await?;
            while let Some(bytes) = object.stream.try_next().await? {
                hand_in(intake, Piece::Bytes(bytes)).await?;
            }
            count += 1;
        }
    }
}

async fn delete(services: &Services, object_secret: Option<&str>) -> Result<(), Fault> {
    let Some(name) = object_secret.and_then(ArchiveName::from_name) else { return Ok(()) };
    Ok(services.media.delete_archive(name).await?)
}

/// Renders the explanations as text.
fn readme(partner_uuid: Uuid, now: Time, counts: &[u64], pictures: u64) -> String {
    let mut text = format!(
        "All data of your company on Labs\n\nCompany   {partner_uuid}\nCreated   {}\n\nEach file ending in .jsonl is \
         a table: one line is one row, a JSON object in UTF-8 with the column names as keys.\nIds are UUIDs, and rows \
         refer to other rows by id. Times are in UTC or state their offset. All tables are from the\nsame moment. \
         They contain no secrets and no data of other companies.\n\n",
        now.whole_seconds()
    );
    for (kind, count) in KINDS.iter().zip(counts) {
        text.push_str(&format!("{:<28}{count:>8}  {}\n", format!("{}.jsonl", kind.table), kind.about));
    }
    text.push_str(&format!("{:<28}{pictures:>8}  images, named by their ids\n", "media/"));
    text.push_str(
        "\nmanifest.json contains the same information in machine-readable form.\n\nData about you that is \
                   not included:\n\n",
    );
    for (table, why) in WITHHELD {
        text.push_str(&format!("{table:<28}{why}\n"));
    }
    text
}

/// Renders the explanations in machine-readable form.
fn manifest(partner_uuid: Uuid, now: Time, counts: &[u64], pictures: u64) -> Result<String, Fault> {
    let files: Vec<_> = KINDS
        .iter()
        .zip(counts)
        .map(|(kind, lines)| {
            json!({ "file": format!("{}.jsonl", kind.table), "table": kind.table, "about": kind.about, "lines": lines })
        })
        .collect();
    let withheld: Vec<_> = WITHHELD.iter().map(|(table, why)| json!({ "table": table, "why": why })).collect();
    let manifest = json!({
        "partner_uuid": partner_uuid,
        "made_at": now.whole_seconds(),
        "files": files,
        "pictures": pictures,
        "withheld": withheld,
    });
    serde_json::to_string_pretty(&manifest).map_err(Fault::internal)
}

//! Streams the audit log as JSON lines while the service reads it. Memory and connection use do not grow with the
//! length of the log.

use std::io;

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use labs_core::db::Db;
use labs_core::fault::Fault;

use super::list::{AUDIT_RECORDS, AuditRecordFilter, AuditRecordRow, AuditRecordSort};
use super::record::AuditRecord;

/// Streams the lines, several records at a time. The first read happens when the reader requests the first piece. No
/// connection is held between two pieces, however slow the reader is. Records are immutable and never deleted, so
/// pieces read in sequence equal one snapshot.
pub(super) fn lines(db: Db, filter: AuditRecordFilter, sort: AuditRecordSort) -> BoxStream<'static, io::Result<Bytes>> {
    stream::try_unfold((db, filter, None), move |(db, filter, place)| async move {
        let (rows, place) = AUDIT_RECORDS.piece(&db, &filter, sort, place).await.map_err(break_body_off)?;
        let Some(place) = place else { return Ok(None) };
        Ok(Some((written(rows).map_err(break_body_off)?, (db, filter, Some(place)))))
    })
    .boxed()
}

fn written(rows: Vec<AuditRecordRow>) -> Result<Bytes, Fault> {
    let mut piece = BytesMut::with_capacity(rows.len() * 512).writer();
    for row in rows {
        serde_json::to_writer(&mut piece, &AuditRecord::from(row)).map_err(Fault::internal)?;
        piece.get_mut().put_u8(b'\n');
    }
    Ok(piece.into_inner().freeze())
}

/// Aborts the body early, so that no reader takes a partial log for the complete log.
fn break_body_off(fault: Fault) -> io::Error {
    tracing::error!(cause = fault.for_log(), "the export of the audit log was interrupted");
    io::Error::other("the export was interrupted")
}

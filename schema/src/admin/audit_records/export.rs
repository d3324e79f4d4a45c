//! The log as lines of JSON that leave while they are read: memory and connections do not grow with its length.

use std::io;

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};

use super::list::{AUDIT_RECORDS, AuditRecordFilter, AuditRecordRow, AuditRecordSort};
use super::record::AuditRecord;
use crate::core::db::Db;
use crate::core::fault::Fault;

/// The lines, some records at a time. Nothing is read before the first is asked for, and between two pieces no
/// connection is held, however slowly the reader takes them. Records neither change nor go, so pieces read one after
/// the other are as good as one snapshot.
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

/// Ends the body before its end, so that nobody takes half of the log for the whole.
fn break_body_off(fault: Fault) -> io::Error {
    tracing::error!(cause = fault.for_log(), "the export of the audit log was interrupted");
    io::Error::other("the export was interrupted")
}

//! The log as lines of JSON that leave while they are read: memory and connections do not grow with its length.

use std::io;

use bytes::{BufMut, Bytes, BytesMut};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};

use super::filter::{Filter, Order, Place};
use super::record::AuditRecord;
use super::store;
use crate::db::Db;
use crate::fault::Fault;

/// The lines, some records at a time. Nothing is read before the first is asked for, and between two pieces no
/// connection is held, however slowly the reader takes them. Records neither change nor go, so pieces read one after
/// the other are as good as one snapshot.
pub(super) fn lines(db: Db, filter: Filter, order: Order) -> BoxStream<'static, io::Result<Bytes>> {
    let whole = Some(filter.span(order));
    stream::try_unfold((db, filter, whole), |(db, filter, span)| async move {
        let Some(span) = span else { return Ok(None) };
        let places = store::page(&db, &filter, span).await.map_err(broken)?;
        let Some(last) = places.last().copied() else { return Ok(None) };
        let piece = piece(&db, &places).await.map_err(broken)?;
        let next = (places.len() == store::PLACES).then_some(span.after(last));
        Ok(Some((piece, (db, filter, next))))
    })
    .boxed()
}

async fn piece(db: &Db, places: &[Place]) -> Result<Bytes, Fault> {
    let mut piece = BytesMut::with_capacity(places.len() * 512).writer();
    let wanted: Vec<_> = places.iter().map(|place| place.record_uuid).collect();
    for row in store::get(db, &wanted).await? {
        serde_json::to_writer(&mut piece, &AuditRecord::try_from(row)?).map_err(Fault::internal)?;
        piece.get_mut().put_u8(b'\n');
    }
    Ok(piece.into_inner().freeze())
}

/// Ends the body before its end, so that nobody takes half of the log for the whole.
fn broken(fault: Fault) -> io::Error {
    tracing::error!(code = fault.code().name(), "an export of the audit log broke off");
    io::Error::other("the export broke off")
}

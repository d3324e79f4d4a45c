//! Streams the list of partners as CSV while the service reads it. No connection is held. Memory is 16 bytes per
//! partner, for the identifier.

use labs_shared::states::PartnerState;
use std::io;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use labs_core::context::RequestContext;
use labs_core::csv;
use labs_core::fault::Fault;
use uuid::Uuid;

use super::list::{AdminPartnerFilter, AdminPartnerRow, AdminPartnerSort, EVERY_PARTNER, partners_of};

/// Rows per piece.
const PIECE: usize = 100;

/// The header line. New columns are appended.
const HEADER: [&str; 33] = [
    "uuid",
    "slug",
    "company_name",
    "legal_form",
    "registration_number",
    "vat_id",
    "country",
    "street",
    "addition",
    "postal_code",
    "city",
    "region",
    "billing_email",
    "website",
    "state",
    "state_reason",
    "state_changed_at",
    "closes_at",
    "reopen_until",
    "labels",
    "tier_code",
    "subscription_state",
    "subscription_period_end",
    "members",
    "invitations",
    "apps",
    "listings",
    "machine_clients",
    "contacts",
    "notes",
    "registered_at",
    "updated_at",
    "pending_company_name",
];

/// The next read of the stream.
enum Next {
    Begin(AdminPartnerFilter),
    Rest(std::vec::IntoIter<Uuid>),
}

/// Streams the lines, several partners at a time. The first read happens when the reader requests the first piece. No
/// connection is held between two pieces, however slow the reader is. The first statement fixes the partners and their
/// order. Later changes to the sort or filter values do not matter: each partner appears once. Partners that register
/// later are not included.
pub(super) fn lines(
    cx: &RequestContext,
    filter: AdminPartnerFilter,
    sort: AdminPartnerSort,
) -> BoxStream<'static, io::Result<Bytes>> {
    let begin = Next::Begin(filter.registered_before(cx.now));
    stream::try_unfold((cx.db.outside_transaction(), begin), move |(db, next)| async move {
        let mut piece = String::new();
        let mut rest = match next {
            Next::Begin(filter) => {
                csv::row(&mut piece, HEADER);
                EVERY_PARTNER.read(&db, &filter, sort).await.map_err(break_body_off)?.into_iter()
            }
            Next::Rest(rest) if rest.as_slice().is_empty() => return Ok(None),
            Next::Rest(rest) => rest,
        };
        let wanted: Vec<Uuid> = rest.by_ref().take(PIECE).collect();
        for row in partners_of(&db, &wanted).await.map_err(break_body_off)? {
            line(&mut piece, &row);
        }
        Ok(Some((Bytes::from(piece), (db, Next::Rest(rest)))))
    })
    .boxed()
}

fn line(out: &mut String, row: &AdminPartnerRow) {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let in_state = |state| row.closes_at.filter(|_| row.state == state).map(|at| at.to_string());
    let cells = [
        row.partner_uuid.to_string(),
        row.slug.clone(),
        row.company_name.clone(),
        text(&row.legal_form),
        text(&row.registration_number),
        text(&row.vat_id),
        text(&row.country),
        text(&row.address.street),
        text(&row.address.addition),
        text(&row.address.postal_code),
        text(&row.address.city),
        text(&row.address.region),
        text(&row.billing_email),
        text(&row.website),
        row.state.name().to_owned(),
        text(&row.state_reason),
        row.state_changed_at.to_string(),
        text(&in_state(PartnerState::Closing)),
        text(&in_state(PartnerState::Closed)),
        row.labels.join(" "),
        text(&row.tier_code),
        text(&row.subscription_state),
        text(&row.subscription_period_end.map(|at| at.to_string())),
        row.members_count.to_string(),
        row.invitations_count.to_string(),
        row.apps_count.to_string(),
        row.listings_count.to_string(),
        row.machine_clients_count.to_string(),
        row.contacts_count.to_string(),
        row.notes_count.to_string(),
        row.created_at.to_string(),
        row.updated_at.to_string(),
        text(&row.pending_company_name),
    ];
    csv::row(out, cells.iter().map(String::as_str));
}

/// Aborts the body early, so that no reader takes a partial list for the complete list.
fn break_body_off(fault: Fault) -> io::Error {
    tracing::error!(cause = fault.for_log(), "the export of partners was interrupted");
    io::Error::other("the export was interrupted")
}

//! The list of partners as CSV that leaves while it is read: memory and connections do not grow with its length.

use std::io;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};

use super::store::PartnerRow;
use super::store::list::{self, Filter};
use crate::admin::order::Order;
use crate::ask::Ask;
use crate::csv;
use crate::fault::Fault;
use crate::page::Window;

/// Rows of a piece.
const PIECE: i32 = 100;

/// The first line. What is added stands behind it.
const HEADER: [&str; 32] = [
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
];

/// What is to be read next.
enum Next {
    First(Window),
    More(Window),
    Nothing,
}

/// The lines, some partners at a time. Nothing is read before the first is asked for, and between two pieces no
/// connection is held, however slowly the reader takes them. Whoever registers meanwhile is not in it.
pub(super) fn lines(ask: &Ask, filter: Filter, order: Order) -> BoxStream<'static, io::Result<Bytes>> {
    let until = filter.registered_at_until.map_or(ask.now, |until| until.min(ask.now));
    let filter = Filter { registered_at_until: Some(until), ..filter };
    let window = Window::read(&ask.services.cursors, "admin_partners_export", &filter, Some(PIECE), None);
    let begin = window.map_or(Next::Nothing, Next::First);
    stream::try_unfold((ask.db.aside(), filter, begin), move |(db, filter, next)| async move {
        let (mut window, mut piece) = match next {
            Next::First(window) => {
                let mut piece = String::new();
                csv::row(&mut piece, HEADER);
                (window, piece)
            }
            Next::More(window) => (window, String::new()),
            Next::Nothing => return Ok(None),
        };
        let rows = list::page(&db, &filter, order, &window).await.map_err(broken)?;
        let has_more = rows.len() > window.limit;
        for row in rows.iter().take(window.limit) {
            line(&mut piece, row);
            window.after = Some(row.keys(order));
        }
        let next = if has_more { Next::More(window) } else { Next::Nothing };
        Ok(Some((Bytes::from(piece), (db, filter, next))))
    })
    .boxed()
}

fn line(out: &mut String, row: &PartnerRow) {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let in_state = |state: &str| row.closes_at.filter(|_| row.state == state).map(|at| at.to_string());
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
        row.state.clone(),
        text(&row.state_reason),
        row.state_changed_at.to_string(),
        text(&in_state("CLOSING")),
        text(&in_state("CLOSED")),
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
    ];
    csv::row(out, cells.iter().map(String::as_str));
}

/// Ends the body before its end, so that nobody takes half of the list for the whole.
fn broken(fault: Fault) -> io::Error {
    tracing::error!(code = fault.code().name(), "an export of partners broke off");
    io::Error::other("the export broke off")
}

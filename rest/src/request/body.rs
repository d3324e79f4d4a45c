//! Reads a body: with an accepted media type, within its size and time limits.

use std::pin::pin;
use std::time::Duration;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures_util::FutureExt as _;
use http::{HeaderMap, header, request::Parts};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use labs_core::context::Caller;
use labs_core::{Code, Fault};
use tokio::time::Instant;

use crate::bind;
use crate::contract::{BodyForm, BodyKind, Operation};
use crate::front::body_slots::{BodySlot, BodySlots, SlotHolder};
use crate::front::in_flight::InFlightPermit;

/// Maximum size of a body in bytes.
const LARGEST: usize = 1024 * 1024;
/// Maximum time to receive a body.
const PATIENCE: Duration = Duration::from_secs(10);
/// A media item of 8 MB with its multipart envelope, which keeps its slot during the whole upload.
const UPLOAD: Bounds =
    Bounds { largest: 9 * 1024 * 1024, patience: Duration::from_secs(60), grace: Duration::from_secs(5) };
/// Minimum rate of an upload in bytes per second. Received bytes extend the deadline at this rate, by at most the grace
/// period.
const LEAST_PACE: u32 = 16 * 1024;

/// Limits of a body's size and speed.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Maximum size in bytes.
    largest: usize,
    /// Maximum total time.
    patience: Duration,
    /// Maximum time below the minimum rate.
    grace: Duration,
}

impl Bounds {
    /// Limits of an upload of at most this size; it gets more time than a small one.
    fn large(largest: usize) -> Self {
        Self { largest, patience: Duration::from_secs(600), ..UPLOAD }
    }

    /// Limits of a body of at most this size, without a minimum rate.
    const fn small(largest: usize) -> Self {
        Self { largest, patience: PATIENCE, grace: PATIENCE }
    }
}

/// Media type of GraphQL responses (GraphQL over HTTP, section 4.2).
pub(crate) const GRAPHQL_RESPONSE: &str = "application/graphql-response+json";

/// Checks whether the caller accepts the response's media type (RFC 9110 section 12.5.1).
///
/// # Errors
/// [`Code::NotAcceptable`] if it does not.
pub(crate) fn check_accept(operation: &Operation, headers: &HeaderMap) -> Result<(), Fault> {
    let Some(accept) = accept_of(headers) else { return Ok(()) };
    let offered: Vec<&str> = operation
        .success_response()
        .map(|response| response.media.keys().map(String::as_str).collect())
        .unwrap_or_default();
    if offered.is_empty() || offered.iter().any(|media_type| accepts(&accept, media_type)) {
        return Ok(());
    }
    Err(Fault::new(
        Code::NotAcceptable,
        format!("This operation returns {}. Name this media type or */* in Accept.", offered.join(", ")),
    ))
}

/// Whether the caller prefers CSV from an operation that also returns JSON: CSV must have a higher weight. With equal
/// weights, the response is JSON.
pub(crate) fn prefers_csv(operation: &Operation, headers: &HeaderMap) -> bool {
    let is_offered = operation
        .success_response()
        .is_some_and(|response| response.json().is_some() && response.media.contains_key("text/csv"));
    let accept = accept_of(headers).filter(|_| is_offered);
    accept.is_some_and(|accept| weight(&accept, "text/csv") > weight(&accept, "application/json"))
}

/// Whether the caller names the media type of GraphQL responses and does not prefer JSON. Other callers receive JSON
/// (GraphQL over HTTP, section 6.4).
pub(crate) fn prefers_graphql_response(headers: &HeaderMap) -> bool {
    names_and_prefers(headers, GRAPHQL_RESPONSE, "application/json")
}

/// Whether the caller names Markdown and does not prefer HTML. Browsers do not name it; agents do.
pub(crate) fn prefers_markdown(headers: &HeaderMap) -> bool {
    names_and_prefers(headers, "text/markdown", "text/html")
}

/// Whether the caller names a media type, and does not give another one a higher weight.
fn names_and_prefers(headers: &HeaderMap, media_type: &str, other: &str) -> bool {
    let Some(accept) = accept_of(headers) else { return false };
    let is_named = accept.split([',', ';']).any(|range| range.trim().eq_ignore_ascii_case(media_type));
    let weight_of_it = weight(&accept, media_type);
    is_named && weight_of_it > 0.0 && weight_of_it >= weight(&accept, other)
}

/// Joins all lines of `Accept`; none without the header.
fn accept_of(headers: &HeaderMap) -> Option<String> {
    let lines = headers.get_all(header::ACCEPT).iter();
    let lines: Vec<&str> = lines.map(|line| line.to_str().unwrap_or("*/*")).collect();
    (!lines.is_empty()).then(|| lines.join(","))
}

fn accepts(accept: &str, media_type: &str) -> bool {
    weight(accept, media_type) > 0.0
}

/// Returns the weight of a media type, from 0 (not acceptable) to 1: the most specific matching range decides.
fn weight(accept: &str, media_type: &str) -> f32 {
    let kind = media_type.split('/').next().unwrap_or_default();
    let mut decided = (-1, 0.0);
    for range in accept.split(',') {
        let mut pieces = range.split(';').map(str::trim);
        let range = pieces.next().unwrap_or_default().to_ascii_lowercase();
        let specific = match range.strip_suffix("/*") {
            None if range == media_type => 2,
            Some(of) if of == kind => 1,
            Some("*") => 0,
            _ => continue,
        };
        let mut named = pieces.filter_map(|piece| piece.replace(' ', "").strip_prefix("q=")?.parse::<f32>().ok());
        let weight = named.next().unwrap_or(1.0);
        if specific > decided.0 || (specific == decided.0 && weight > decided.1) {
            decided = (specific, weight);
        }
    }
    decided.1
}

/// Takes the slot of an upload, which is kept until the response, because its bytes are; none if the operation reads no
/// upload.
///
/// # Errors
/// [`Code::Unavailable`] if its account, its network or others occupied all available slots for too long.
pub(crate) async fn place<'r>(
    places: &'r BodySlots,
    operation: &Operation,
    network: &str,
    caller: &Caller,
) -> Result<Option<BodySlot<'r>>, Fault> {
    let mut forms = operation.body.iter().flat_map(|body| &body.forms);
    if !forms.any(is_upload) {
        return Ok(None);
    }
    let account = caller.principal.as_ref().map_or(network, |principal| principal.budget.account.as_str());
    let place = places.acquire(SlotHolder { network: network.to_owned(), account: account.to_owned() }).await;
    place.map(Some).ok_or_else(|| Fault::unavailable("Too many uploads are in progress. Try again in a moment."))
}

fn is_upload(form: &BodyForm) -> bool {
    matches!(form.kind, BodyKind::Multipart | BodyKind::Binary)
}

/// An incoming body, and the resources of its request.
pub(crate) struct IncomingBody<'r, 's> {
    pub(crate) body: Body,
    pub(crate) permit: &'s mut InFlightPermit<'r>,
    /// Slots for bodies that are still arriving, by network.
    pub(crate) places: &'r BodySlots,
    pub(crate) network: &'s str,
    /// Maximum size in bytes, if the operation sets one.
    pub(crate) largest: Option<usize>,
}

/// Reads the body in this form. For an operation without a body, it reads at most the size of an empty object. If the
/// body does not arrive with its head, the request waits without an in-flight permit, so that an idle sender blocks no
/// other request.
///
/// # Errors
/// [`Code::PayloadTooLarge`] if the body is too large; [`Code::MalformedRequest`] if it does not arrive in time or
/// breaks off; [`Code::Unavailable`] if too many bodies are pending.
pub(crate) async fn read(
    form: Option<&BodyForm>,
    parts: &Parts,
    arriving: IncomingBody<'_, '_>,
) -> Result<Bytes, Fault> {
    let bounds = match (form, arriving.largest) {
        (None, _) if !bind::has_body(&parts.headers) => return Ok(Bytes::new()),
        // The operation takes no body: only an empty object is allowed.
        (None, _) => Bounds::small(bind::EMPTY_OBJECT),
        (Some(_), Some(largest)) => Bounds::large(largest),
        (Some(form), None) if is_upload(form) => UPLOAD,
        (Some(_), None) => Bounds::small(LARGEST),
    };
    let mut body = pin!(collect(parts, arriving.body, bounds));
    if let Some(read) = body.as_mut().now_or_never() {
        return read;
    }
    let awaited = async {
        let place = arriving.places.acquire(SlotHolder::network(arriving.network)).await;
        let _place = place.ok_or_else(|| {
            Fault::unavailable("Too many requests are waiting for their bodies. Try again in a moment.")
        })?;
        body.await
    };
    arriving.permit.release_while(awaited).await
}

/// Reads a body of at most this size.
///
/// # Errors
/// As [`read`].
pub(crate) async fn read_small(parts: &Parts, body: Body, largest: usize) -> Result<Bytes, Fault> {
    collect(parts, body, Bounds::small(largest)).await
}

async fn collect(parts: &Parts, body: Body, bounds: Bounds) -> Result<Bytes, Fault> {
    let Bounds { largest, patience, grace } = bounds;
    let too_large =
        || Fault::new(Code::PayloadTooLarge, format!("The body is larger than {largest} bytes. Send a smaller one."));
    let announced = parts
        .headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse::<u64>().ok());
    if announced.is_some_and(|length| length > largest as u64) {
        return Err(too_large());
    }
    let mut body = pin!(Limited::new(body, largest));
    // For a large announced length, the buffer is allocated at once. Otherwise it would be copied each time it grows.
    let room = announced.filter(|_| largest > UPLOAD.largest).and_then(|length| usize::try_from(length).ok());
    let mut collected = BytesMut::with_capacity(room.unwrap_or_default());
    let latest = Instant::now() + patience;
    let mut due = Instant::now() + grace;
    loop {
        let Ok(frame) = tokio::time::timeout_at(due.min(latest), body.frame()).await else {
            return Err(err_timeout(bounds, due < latest));
        };
        match frame {
            None => return Ok(collected.freeze()),
            Some(Ok(frame)) => {
                let data = frame.into_data().unwrap_or_default();
                let bought = Duration::from_secs(data.len() as u64) / LEAST_PACE;
                due = (due + bought).min(Instant::now() + grace);
                collected.extend_from_slice(&data);
            }
            Some(Err(error)) if error.downcast_ref::<LengthLimitError>().is_some() => return Err(too_large()),
            Some(Err(_)) => {
                return Err(Fault::new(
                    Code::MalformedRequest,
                    "The body ended early or does not match its framing headers. Send the complete body.",
                ));
            }
        }
    }
}

fn err_timeout(bounds: Bounds, is_slow: bool) -> Fault {
    let detail = if is_slow {
        format!(
            "The body arrived too slowly. It may lag at most {} seconds behind a rate of {} bytes per second. Use a \
             faster connection, or send a smaller body.",
            bounds.grace.as_secs(),
            LEAST_PACE
        )
    } else {
        format!("The body did not arrive within {} seconds.", bounds.patience.as_secs())
    };
    Fault::new(Code::MalformedRequest, detail)
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;
    use http::Request;

    use super::*;
    use crate::contract::Contract;
    use crate::front::body_slots::SlotLimits;
    use crate::front::in_flight::InFlight;

    #[tokio::test]
    async fn stalled_body_frees_request_slot_and_keeps_network_limit() {
        let contract = Contract::embedded().unwrap();
        let operation = contract.operations().iter().find(|operation| operation.id == "auth_sessions_create").unwrap();
        let json = operation.body.as_ref().unwrap().forms.first();
        let (parts, ()) = Request::new(()).into_parts();
        let (seats, places) =
            (InFlight::new(1, 0), BodySlots::new(SlotLimits { all: 2, of_network: 1, of_account: 1 }));
        let silent = || Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
        let mut permit = InFlightPermit::acquire(operation, &seats).unwrap();
        let arriving =
            IncomingBody { body: silent(), permit: &mut permit, places: &places, network: "192.0.2.1", largest: None };
        let mut waiting = Box::pin(read(json, &parts, arriving));
        assert!(futures_util::poll!(waiting.as_mut()).is_pending());
        let mut other = InFlightPermit::acquire(operation, &seats).unwrap();
        assert!(places.acquire(SlotHolder::network("192.0.2.1")).now_or_never().is_none(), "the network has its share");
        let whole = IncomingBody {
            body: Body::from("{}"),
            permit: &mut other,
            places: &places,
            network: "192.0.2.1",
            largest: None,
        };
        assert_eq!(read(json, &parts, whole).await.unwrap(), "{}", "what came with its head needs no place");
        assert!(InFlightPermit::acquire(operation, &seats).is_err(), "and keeps its seat");
    }

    /// Returns a body with this number of pieces of this size, one after each pause, that never ends.
    fn trickling(pieces: u32, size: usize, pause: Duration) -> Body {
        Body::from_stream(futures_util::stream::unfold(0, move |sent| async move {
            if sent == pieces {
                return std::future::pending().await;
            }
            tokio::time::sleep(pause).await;
            Some((Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; size])), sent + 1))
        }))
    }

    #[tokio::test]
    async fn slow_body_is_rejected_early_and_steady_body_accepted() {
        let (parts, ()) = Request::new(()).into_parts();
        let bounds = Bounds { grace: Duration::from_millis(50), ..UPLOAD };
        let begun = Instant::now();
        // One byte every few milliseconds extends the deadline only minimally.
        let refused = collect(&parts, trickling(u32::MAX, 1, Duration::from_millis(2)), bounds).await.unwrap_err();
        assert_eq!(refused.code(), Code::MalformedRequest);
        assert!(refused.detail().contains("too slowly"), "{}", refused.detail());
        assert!(begun.elapsed() < UPLOAD.patience / 4);
        // A fast start extends the deadline by at most the grace period, regardless of its size.
        let stalled = collect(&parts, trickling(1, 8 * 1024 * 1024, Duration::ZERO), bounds).await.unwrap_err();
        assert!(stalled.detail().contains("too slowly"), "{}", stalled.detail());
        assert!(begun.elapsed() < UPLOAD.patience / 4);
        let steady = futures_util::stream::iter(0..64).then(|_| async {
            tokio::task::yield_now().await;
            Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; 64 * 1024]))
        });
        let bounds = Bounds { grace: Duration::from_secs(5), ..UPLOAD };
        assert_eq!(collect(&parts, Body::from_stream(steady), bounds).await.unwrap().len(), 64 * 64 * 1024);
    }

    #[test]
    fn media_ranges_match_and_zero_weight_rejects() {
        assert!(accepts("text/html, application/json;q=0.5", "application/json"));
        assert!(accepts("application/*", "application/json"));
        assert!(accepts("*/*;q=0.1", "image/png"));
        assert!(!accepts("application/json;q=0", "application/json"));
        assert!(!accepts("text/html", "application/json"));
        assert!(!accepts("*/*, application/json;q=0", "application/json"), "the most specific range decides");
        assert!(accepts("*/*;q=0, application/json", "application/json"));
    }

    #[test]
    fn preferred_media_type_has_higher_weight() {
        let is_csv = |accept: &str| weight(accept, "text/csv") > weight(accept, "application/json");
        assert!(
            is_csv("text/csv") && is_csv("text/csv, */*;q=0.1") && is_csv("application/json;q=0.5, text/csv;q=0.9")
        );
        assert!(!is_csv("*/*") && !is_csv("application/json, text/csv") && !is_csv("text/csv;q=0.2, */*"));
    }
}

//! Sample listings: the snapshot of each app's last publication, and its customer reviews.

use labs_core::time::Time;

use super::data::{Fate, TextData};
use super::history::VersionHistory;
use super::past::{Past, id, number, shift_hours};
use super::rows::{ChangeRow, ListingRow, MediaRow, ReviewRow, Rows, ShownRow, TextRow};
use super::teams;
use super::works::Begun;

/// Age in hours at which a customer review has been moderated and answered.
const SETTLED_HOURS: f64 = 120.0;

/// Adds the listing of a published app, with its customer reviews and storefront events.
pub(super) fn add(past: Past, begun: &Begun, pictures: &[MediaRow], rows: &mut Rows) {
    let published: Vec<(&VersionHistory, Time)> =
        begun.histories.iter().filter_map(|way| way.published_at.map(|at| (way, at))).collect();
    let (Some((_, first_published_at)), Some((live, published_at))) =
        (published.first().copied(), published.last().copied())
    else {
        return;
    };
    let reviews = reviews(past, begun, &published);
    let counted: Vec<i32> =
        reviews.iter().filter(|review| review.state == "PUBLISHED").map(|review| review.rating).collect();
    let visible = begun.app.state == "LISTED";
    rows.listings.push(ListingRow {
        app_uuid: begun.app_uuid,
        partner_uuid: begun.partner_uuid,
        slug: &begun.app.slug,
        version_uuid: live.version_uuid,
        version_number: &live.version.number,
        default_locale: begun.default_locale(),
        links: begun.links(),
        published_at,
        first_published_at,
        visible,
        rating_count: i32::try_from(counted.len()).unwrap_or(i32::MAX),
        rating_sum: counted.iter().copied().map(i64::from).sum(),
    });
    rows.reviews.extend(reviews);
    rows.listing_texts.extend(texts(begun, published_at));
    rows.listing_categories.extend(begun.categories(past));
    rows.listing_media.extend(pictures.iter().map(|row| ShownRow {
        app_uuid: row.app_uuid,
        media_uuid: row.media_uuid,
        kind: row.kind,
        position: row.position,
        alt_text: row.alt_text.clone(),
        caption: row.caption,
    }));
    let change = |changed_at, change| ChangeRow { app_uuid: begun.app_uuid, slug: &begun.app.slug, change, changed_at };
    let changes = published.iter().enumerate();
    rows.changes.extend(changes.map(|(place, (_, at))| change(*at, if place == 0 { "PUBLISHED" } else { "CHANGED" })));
    rows.changes.extend((!visible).then(|| change(begun.state_changed_at, "GONE")));
}

/// Returns the published texts, which the draft may have changed since.
fn texts(begun: &Begun, published_at: Time) -> Vec<TextRow> {
    let live = &begun.app.live_tagline;
    let row = |place: usize, text: &'static TextData| TextRow {
        app_uuid: begun.app_uuid,
        locale: &text.locale,
        name: &text.name,
        tagline: if place == 0 && !live.is_empty() { live } else { &text.tagline },
        description: &text.description,
        updated_at: published_at,
    };
    begun.texts().into_iter().enumerate().map(|(place, text)| row(place, text)).collect()
}

/// A customer review without a time.
#[derive(Clone, Copy)]
struct Opinion {
    rating: i32,
    title: &'static str,
    body: &'static str,
    locale: &'static str,
    reply: &'static str,
    fate: &'static Fate,
}

fn opinions(begun: &Begun) -> Vec<Opinion> {
    let Some(known) = begun.data.reviews.iter().find(|known| known.app == begun.app.slug) else {
        return Vec::new();
    };
    let mut words = known.reviews.iter().map(|said| Opinion {
        rating: said.rating,
        title: &said.title,
        body: &said.body,
        locale: &said.locale,
        reply: &said.reply,
        fate: &said.fate,
    });
    let mut stars = known.stars.chars().filter_map(|star| star.to_digit(10)).map(|star| Opinion {
        rating: i32::try_from(star).unwrap_or(5),
        title: "",
        body: "",
        locale: "",
        reply: "",
        fate: &Fate::Published,
    });
    // Alternates ratings without text and reviews with text.
    let mut mixed = Vec::new();
    loop {
        let pair = [stars.next(), words.next()];
        if pair.iter().all(Option::is_none) {
            return mixed;
        }
        mixed.extend(pair.into_iter().flatten());
    }
}

fn reviews(past: Past, begun: &Begun, published: &[(&VersionHistory, Time)]) -> Vec<ReviewRow> {
    let opinions = opinions(begun);
    let Some(from) = published.first().map(|(_, at)| *at) else { return Vec::new() };
    let until = if begun.app.state == "LISTED" { past.now() } else { begun.state_changed_at };
    let until = shift_hours(until, -SETTLED_HOURS, &begun.app.slug).max(from);
    let step = until.seconds_since(from) / i64::try_from(opinions.len().max(1)).unwrap_or(1);
    let row = |(place, opinion): (usize, Opinion)| {
        let name = format!("review {place} of {}", begun.app.slug);
        let start = from.plus_seconds(step * i64::try_from(place).unwrap_or_default());
        let created_at = match opinion.fate {
            Fate::Pending => past.hours(2 + number(&name) % 60, &name),
            _ => past.between(start, start.plus_seconds(step), &name),
        };
        review(past, begun, published, opinion, (created_at, &name))
    };
    opinions.into_iter().enumerate().map(row).collect()
}

fn review(
    past: Past,
    begun: &Begun,
    published: &[(&VersionHistory, Time)],
    opinion: Opinion,
    (created_at, name): (Time, &str),
) -> ReviewRow {
    let said = |text: &'static str| Some(text).filter(|text| !text.is_empty());
    let version = published.iter().rfind(|(_, at)| *at <= created_at).or(published.first());
    let (state, reason) = match opinion.fate {
        Fate::Published | Fate::Flagged(_) => ("PUBLISHED", None),
        Fate::Pending => ("PENDING", None),
        Fate::Rejected(reason) => ("REJECTED", Some(reason.as_str())),
    };
    let moderators = teams::staff_uuids(begun.data, past, "REVIEWER");
    let moderator = moderators.get(number(name) as usize % moderators.len().max(1)).copied();
    let moderated_at = (state != "PENDING").then(|| past.between(created_at, hours_after(created_at, 20), name));
    let flag = if let Fate::Flagged(reason) = opinion.fate { Some(reason.as_str()) } else { None };
    let replied_at = said(opinion.reply).map(|_| replied_at(past, begun, created_at, name));
    let flagged_at = flag.map(|_| hours_after(created_at, 30));
    let changes = [Some(created_at), moderated_at, flagged_at, replied_at];
    ReviewRow {
        review_uuid: id(created_at, name),
        app_uuid: begun.app_uuid,
        text_uuid: id(created_at, &format!("text of {name}")),
        customer: format!("venue-{:08x}", number(&format!("customer of {name}"))),
        rating: opinion.rating,
        title: said(opinion.title),
        body: said(opinion.body),
        locale: said(opinion.locale).unwrap_or_else(|| begun.default_locale()),
        version_number: version.map(|(way, _)| way.version.number.as_str()).unwrap_or_default(),
        state,
        moderated_at,
        moderated_by: moderator.filter(|_| moderated_at.is_some()),
        rejected_note: reason,
        flag_uuid: id(created_at, &format!("flag of {name}")),
        flagged_at,
        flag_note: flag,
        reply_uuid: id(created_at, &format!("reply to {name}")),
        reply_body: said(opinion.reply),
        reply_by: replied_at.map(|_| begun.author_uuid),
        replied_at,
        created_at,
        updated_at: changes.into_iter().flatten().max().unwrap_or(created_at),
    }
}

/// Returns the time of a reply. Replies refer to the newest version, so they are never earlier than that version.
fn replied_at(past: Past, begun: &Begun, created_at: Time, name: &str) -> Time {
    let news = begun.histories.iter().filter_map(VersionHistory::news_at).max().unwrap_or(created_at);
    let from = hours_after(created_at, 40).max(hours_after(news, 1)).min(past.now());
    past.between(from, hours_after(from, 50).min(past.now()), name)
}

fn hours_after(at: Time, hours: i64) -> Time {
    at.plus_seconds(hours * 3_600)
}

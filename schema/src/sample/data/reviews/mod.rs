//! Customer reviews, by the partner of the reviewed apps.

mod belle_tablee;
mod elbkontor;
mod elbkontor_more;
mod murzeit;
mod voorraadhuis;

/// The customer reviews of one app.
pub(in crate::sample) struct AppReviews {
    /// Slug of the app.
    pub(in crate::sample) app: &'static str,
    /// Ratings without text, one digit each.
    pub(in crate::sample) stars: &'static str,
    /// Reviews with text, oldest first.
    pub(in crate::sample) words: &'static [ReviewData],
}

/// A customer review with text.
pub(in crate::sample) struct ReviewData {
    pub(in crate::sample) rating: i32,
    pub(in crate::sample) locale: &'static str,
    pub(in crate::sample) title: &'static str,
    pub(in crate::sample) body: &'static str,
    /// Reply of the app's owner; empty without a reply.
    pub(in crate::sample) reply: &'static str,
    pub(in crate::sample) fate: Fate,
}

/// Decision of the moderators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sample) enum Fate {
    Published,
    /// Waits for a moderator.
    Pending,
    /// Rejected, with the reason.
    Rejected(&'static str),
    /// Published, and flagged by the app's owner with this reason.
    Flagged(&'static str),
}

/// All customer reviews.
pub(in crate::sample) const REVIEWS: [&[AppReviews]; 5] =
    [&elbkontor::REVIEWS, &elbkontor_more::REVIEWS, &belle_tablee::REVIEWS, &murzeit::REVIEWS, &voorraadhuis::REVIEWS];

const fn of(app: &'static str, stars: &'static str, words: &'static [ReviewData]) -> AppReviews {
    AppReviews { app, stars, words }
}

const fn said(rating: i32, locale: &'static str, title: &'static str, body: &'static str) -> ReviewData {
    ReviewData { rating, locale, title, body, reply: "", fate: Fate::Published }
}

const fn answered(
    rating: i32,
    locale: &'static str,
    title: &'static str,
    body: &'static str,
    reply: &'static str,
) -> ReviewData {
    ReviewData { reply, ..said(rating, locale, title, body) }
}

const fn waits(rating: i32, locale: &'static str, title: &'static str, body: &'static str) -> ReviewData {
    ReviewData { fate: Fate::Pending, ..said(rating, locale, title, body) }
}

const fn judged(fate: Fate, rating: i32, locale: &'static str, title: &'static str, body: &'static str) -> ReviewData {
    ReviewData { fate, ..said(rating, locale, title, body) }
}

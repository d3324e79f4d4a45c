//! What customers say, by the company whose apps they speak of.

mod belle_tablee;
mod elbkontor;
mod elbkontor_more;
mod murzeit;
mod voorraadhuis;

/// The reviews of one app.
pub(in crate::sample) struct AppReviews {
    /// The slug of the app.
    pub(in crate::sample) app: &'static str,
    /// Reviews of stars alone, a digit each.
    pub(in crate::sample) stars: &'static str,
    /// Reviews in words, the oldest first.
    pub(in crate::sample) words: &'static [ReviewData],
}

/// A review in words.
pub(in crate::sample) struct ReviewData {
    pub(in crate::sample) rating: i32,
    pub(in crate::sample) locale: &'static str,
    pub(in crate::sample) title: &'static str,
    pub(in crate::sample) body: &'static str,
    /// The owner's answer; empty for none.
    pub(in crate::sample) reply: &'static str,
    pub(in crate::sample) fate: Fate,
}

/// What moderators decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sample) enum Fate {
    Published,
    /// It waits for a moderator.
    Pending,
    /// Not shown, and why.
    Rejected(&'static str),
    /// Shown, and marked by the app's owner, who gave this reason.
    Flagged(&'static str),
}

/// Every review.
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

//! Types of customer reviews that all sides share.

use labs_core::describe::OutputType;
use labs_core::time::Time;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// A text of a customer review, as the customer submitted it.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub struct ReviewText {
    /// UUID of the text. A moderator's decision names it.
    text_uuid: Uuid,
    /// Stars, from 1 to 5.
    rating: i32,
    /// Headline. Null if the text has no headline.
    title: Option<String>,
    /// Plain text. Null for a rating without text.
    body: Option<String>,
    /// Language of title and body.
    locale: String,
    /// Version that the customer used. Null if unknown.
    version_number: Option<String>,
    /// Time of submission.
    #[serde(rename(deserialize = "created_at"))]
    written_at: Time,
}

/// Public reply of the partner.
#[derive(Clone, Debug, Deserialize, Serialize, OutputType)]
pub(super) struct ReviewReply {
    /// Plain text.
    body: String,
    /// Time when the reply was written.
    replied_at: Time,
    /// Whether the reply answers a text that the customer has since replaced.
    to_earlier_text: bool,
}

/// Reply to a customer review `r` as JSON.
macro_rules! reply_of_the_review {
    () => {
        "(select jsonb_build_object('body', y.body, 'replied_at', y.created_at,
                    'to_earlier_text', y.text_uuid <> r.shown_text_uuid)
            from customer_review_reply as y where y.reply_uuid = r.reply_uuid) as reply"
    };
}
pub(super) use reply_of_the_review;

/// Number of customer reviews with a given number of stars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, OutputType)]
pub(super) struct StarCount {
    /// Number of stars.
    rating: i32,
    /// Number of customer reviews.
    count: i32,
}

/// Distribution of ratings.
#[derive(Clone, Debug, PartialEq, Serialize, OutputType)]
pub(super) struct RatingSpread {
    /// Mean star rating, with two decimals. Null without customer reviews.
    average: Option<f64>,
    /// Number of customer reviews counted.
    count: i32,
    /// Number of customer reviews by stars, from 5 down to 1.
    stars: Vec<StarCount>,
}

impl RatingSpread {
    /// Builds a distribution from its counts, from 5 stars down to 1.
    pub(super) fn new(counts: &[i32]) -> Self {
        let stars: Vec<StarCount> =
            (1..=5).rev().zip(counts).map(|(rating, count)| StarCount { rating, count: *count }).collect();
        let count: i32 = stars.iter().map(|star| star.count).sum();
        let sum: i64 = stars.iter().map(|star| i64::from(star.rating) * i64::from(star.count)).sum();
        Self { average: mean(sum, i64::from(count)), count, stars }
    }
}

/// Returns the mean with two decimals, rounded as PostgreSQL rounds; `None` without ratings.
fn mean(sum: i64, count: i64) -> Option<f64> {
    let hundredths = (200 * sum + count).checked_div(2 * count)?;
    format!("{}.{:02}", hundredths / 100, hundredths % 100).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rating_spread_computes_mean() {
        let spread = RatingSpread::new(&[2, 0, 0, 0, 1]);
        assert_eq!((spread.average, spread.count), (Some(3.67), 3));
        assert_eq!(spread.stars[4], StarCount { rating: 1, count: 1 });
        assert_eq!(RatingSpread::new(&[0; 5]).average, None);
    }
}

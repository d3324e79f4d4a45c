//! What all sides see of a review.

use async_graphql::SimpleObject;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::core::time::Time;

/// A text of a review, as the customer handed it in.
#[derive(Clone, Debug, Deserialize, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ReviewText {
    /// Its id, which approve and reject name.
    text_uuid: Uuid,
    /// Stars, from 1 to 5.
    rating: i32,
    /// A headline.
    title: Option<String>,
    /// The text.
    body: Option<String>,
    /// The language of both.
    locale: String,
    /// The version that was used.
    version_number: Option<String>,
    /// When it was handed in.
    #[serde(rename(deserialize = "created_at"))]
    written_at: Time,
}

/// What the partner answers in public.
#[derive(Clone, Debug, Deserialize, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct ReviewReply {
    /// The answer.
    body: String,
    /// When it was written.
    replied_at: Time,
    /// Whether it answers a text that the customer has replaced since.
    to_earlier_text: bool,
}

/// The reply to a review `r` as JSON.
macro_rules! reply_of_the_review {
    () => {
        "(select jsonb_build_object('body', y.body, 'replied_at', y.created_at,
                    'to_earlier_text', y.text_uuid <> r.shown_text_uuid)
            from customer_review_reply as y where y.reply_uuid = r.reply_uuid) as reply"
    };
}
pub(super) use reply_of_the_review;

/// How many reviews gave so many stars.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct StarCount {
    /// Stars.
    rating: i32,
    /// Reviews.
    count: i32,
}

/// How ratings are spread.
#[derive(Clone, Debug, PartialEq, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct RatingSpread {
    /// Mean of the stars, with two decimals; null without reviews.
    average: Option<f64>,
    /// How many reviews are counted.
    count: i32,
    /// Reviews by their stars, from 5 down to 1.
    stars: Vec<StarCount>,
}

impl RatingSpread {
    /// A spread out of its counts, from 5 stars down to 1.
    pub(super) fn new(counts: &[i32]) -> Self {
        let stars: Vec<StarCount> =
            (1..=5).rev().zip(counts).map(|(rating, count)| StarCount { rating, count: *count }).collect();
        let count: i32 = stars.iter().map(|star| star.count).sum();
        let sum: i64 = stars.iter().map(|star| i64::from(star.rating) * i64::from(star.count)).sum();
        Self { average: mean(sum, i64::from(count)), count, stars }
    }
}

/// A mean with two decimals, rounded as the database rounds it; none of nothing.
fn mean(sum: i64, count: i64) -> Option<f64> {
    let hundredths = (200 * sum + count).checked_div(2 * count)?;
    format!("{}.{:02}", hundredths / 100, hundredths % 100).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_tells_its_mean() {
        let spread = RatingSpread::new(&[2, 0, 0, 0, 1]);
        assert_eq!((spread.average, spread.count), (Some(3.67), 3));
        assert_eq!(spread.stars[4], StarCount { rating: 1, count: 1 });
        assert_eq!(RatingSpread::new(&[0; 5]).average, None);
    }
}

//! A report as whoever made it sees it.

use async_graphql::SimpleObject;
use serde::Serialize;
use uuid::Uuid;

use super::rules::{BoardReportOutcome, BoardReportReason};
use crate::core::time::Time;

/// A report as whoever made it sees it.
#[derive(Clone, Debug, Serialize, SimpleObject)]
#[graphql(rename_fields = "snake_case")]
pub(crate) struct BoardReportReceipt {
    /// UUID of the object.
    pub(super) uuid: Uuid,
    /// What is wrong.
    pub(super) reason: BoardReportReason,
    /// What the reporter added.
    pub(super) note: Option<String>,
    /// Result of the reauthentication.
    pub(super) outcome: BoardReportOutcome,
    /// When it was made.
    pub(super) reported_at: Time,
}

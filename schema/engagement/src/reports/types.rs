//! A report as its author sees it.

use labs_core::describe::OutputType;
use labs_core::time::Time;
use serde::Serialize;
use uuid::Uuid;

use super::rules::{BoardReportOutcome, BoardReportReason};

/// A report that the caller made.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct BoardReportReceipt {
    /// UUID of the report.
    pub(super) uuid: Uuid,
    /// Reason of the report.
    pub(super) reason: BoardReportReason,
    /// Note of the caller.
    pub(super) note: Option<String>,
    /// Outcome of the report.
    pub(super) outcome: BoardReportOutcome,
    /// Time when the caller made the report.
    pub(super) reported_at: Time,
}

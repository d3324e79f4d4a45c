//! A report as its author sees it.

use labs_core::describe::OutputType;
use labs_core::time::Time;
use serde::Serialize;
use uuid::Uuid;

use super::rules::{BoardReportOutcome, BoardReportReason};

/// A report as its author sees it.
#[derive(Clone, Debug, Serialize, OutputType)]
pub(super) struct BoardReportReceipt {
    /// UUID of the report.
    pub(super) uuid: Uuid,
    /// Reason of the report.
    pub(super) reason: BoardReportReason,
    /// Note of the reporter.
    pub(super) note: Option<String>,
    /// Outcome of the report.
    pub(super) outcome: BoardReportOutcome,
    /// Time when the report was made.
    pub(super) reported_at: Time,
}

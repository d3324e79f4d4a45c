//! Rules on the days that may be requested, and on when an import continues or ends.

use labs_core::day::Day;
use labs_core::fault::{Fault, FieldError};
use labs_core::state_diagram::StateDiagram;
use labs_core::words::{Word as _, words};

use super::report::ImportErrorCode;

words! {
    /// State of an import.
    pub enum StatisticsImportState {
        /// Waits for its start, which follows within seconds.
        Queued = "QUEUED",
        /// Its days are requested one after another.
        Running = "RUNNING",
        /// Every day was imported.
        Succeeded = "SUCCEEDED",
        /// At least one day was not imported. Imported days stay. The service retries the missing days automatically.
        Failed = "FAILED",
    }
}

words! {
    /// State of one day of an import.
    pub enum StatisticsRunState {
        /// The day is being requested.
        Running = "RUNNING",
        /// The day was imported completely.
        Succeeded = "SUCCEEDED",
        /// Nothing was written. Existing data of the day stays.
        Failed = "FAILED",
    }
}

words! {
    /// Trigger of an import.
    pub enum StatisticsImportTrigger {
        /// The service itself, because a completed day was missing.
        Schedule = "SCHEDULE",
        /// A staff member, or a machine client of the staff.
        Staff = "STAFF",
    }
}

/// Action on an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImportAction {
    /// A replica starts or continues it.
    Start,
    /// All days were imported.
    Succeed,
    /// At least one day was not imported.
    Fail,
}

impl ImportAction {
    const ALL: [Self; 3] = [Self::Start, Self::Succeed, Self::Fail];

    const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Succeed => "succeed",
            Self::Fail => "fail",
        }
    }
}

/// Transition table: returns the state after an action.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`]. Callers cannot perform these actions, so it lists no alternatives.
pub(super) fn next_state(state: StatisticsImportState, action: ImportAction) -> Result<StatisticsImportState, Fault> {
    use StatisticsImportState as State;
    match (state, action) {
        (State::Queued | State::Running, ImportAction::Start) => Ok(State::Running),
        (State::Running, ImportAction::Succeed) => Ok(State::Succeeded),
        (State::Running, ImportAction::Fail) => Ok(State::Failed),
        _ => Err(Fault::illegal("statistics import", state.name(), action.name(), Vec::new())),
    }
}

/// Draws the state machine.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "Statistics import",
        (StatisticsImportState::ALL, StatisticsImportState::name),
        (&ImportAction::ALL, ImportAction::name),
        [&next_state],
    )
}

/// Consecutive failures after which an import ends, because the cause is then probably not the single days.
const MOST_FAILURES: usize = 3;

/// Next step of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Request a day.
    Ask(Day),
    /// End the import.
    End(ImportAction),
}

/// Decides the next step of an import by the next day and by the outcomes of its runs, latest first; `None` is a
/// successful run. An unusable day does not block the days after it. If the source itself does not answer, the
/// remaining days wait for the next import.
pub(super) fn step(next: Option<Day>, outcomes: &[Option<ImportErrorCode>]) -> Step {
    let in_a_row = outcomes.iter().take_while(|outcome| outcome.is_some()).count();
    let is_of_source = outcomes.first().copied().flatten().is_some_and(is_of_source);
    match next {
        Some(day) if !is_of_source && in_a_row < MOST_FAILURES => Step::Ask(day),
        _ if outcomes.iter().any(Option::is_some) => Step::End(ImportAction::Fail),
        _ => Step::End(ImportAction::Succeed),
    }
}

/// Whether the next day would fail in the same way.
const fn is_of_source(code: ImportErrorCode) -> bool {
    matches!(
        code,
        ImportErrorCode::NotComplete
            | ImportErrorCode::PrivateAddress
            | ImportErrorCode::Redirected
            | ImportErrorCode::TokenUnreadable
            | ImportErrorCode::Unauthorized
            | ImportErrorCode::Unreachable
    )
}

/// Returns the requested days, oldest first. Reports days that are not completed, and duplicates.
pub(super) fn days(asked: &[Day], today: Day, errors: &mut Vec<FieldError>) -> Vec<Day> {
    for (place, day) in asked.iter().enumerate() {
        let mut refuse = |code: &str, message: String| {
            errors.push(FieldError::at(format!("/days/{place}"), code, message));
        };
        if *day >= today {
            refuse(
                "NOT_COMPLETED",
                format!("{day} has not ended in UTC. The last completed day is {}.", today.plus(-1)),
            );
        }
        if asked.iter().take(place).any(|before| before == day) {
            refuse("DUPLICATE", format!("{day} occurs earlier in the list. Send each day once."));
        }
    }
    let mut days = asked.to_vec();
    days.sort_unstable();
    days
}

/// Rejects an import if no source is configured.
///
/// # Errors
/// [`labs_core::Code::Conflict`] without a source.
pub(super) fn ensure_source(is_configured: bool) -> Result<(), Fault> {
    if is_configured {
        return Ok(());
    }
    let message = "No source is configured.";
    Err(Fault::conflict(
        "The source of statistics is DISABLED, so nothing can be imported. Set LABS_STATISTICS_URL first.",
    )
    .with_errors(vec![FieldError::at("/days", "SOURCE_DISABLED", message)]))
}

/// The fault for an import while another is queued or running.
pub(super) fn err_already_importing() -> Fault {
    let message = "Only one import can run at a time.";
    Fault::conflict(
        "An import is already queued or in progress. The import status shows its progress. Try again after it has \
         ended.",
    )
    .with_errors(vec![FieldError::at("/days", "IMPORT_UNDER_WAY", message)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    #[test]
    fn only_completed_days_are_requested_once_each() {
        let today = day("2026-11-25");
        let found = |asked: &[&str]| {
            let (asked, mut errors) = (asked.iter().map(|text| day(text)).collect::<Vec<_>>(), Vec::new());
            let days = days(&asked, today, &mut errors);
            let errors: Vec<String> = errors
                .into_iter()
                .map(|error| format!("{} {}", error.pointer.unwrap_or_default(), error.code))
                .collect();
            (days.iter().map(ToString::to_string).collect::<Vec<_>>(), errors)
        };
        let good = found(&["2026-11-24", "2026-11-01"]);
        assert_eq!(good, (vec!["2026-11-01".to_owned(), "2026-11-24".to_owned()], vec![]));
        let (_, errors) = found(&["2026-11-25", "2026-11-24", "2026-12-01", "2026-11-24"]);
        assert_eq!(errors, ["/days/0 NOT_COMPLETED", "/days/2 NOT_COMPLETED", "/days/3 DUPLICATE"]);
    }

    #[test]
    fn invalid_day_does_not_block_later_days_but_outage_does() {
        let next = day("2026-11-24");
        let (bad, away) = (Some(ImportErrorCode::WrongType), Some(ImportErrorCode::Unreachable));
        assert_eq!(step(Some(next), &[]), Step::Ask(next));
        assert_eq!(step(Some(next), &[None, bad]), Step::Ask(next));
        assert_eq!(step(Some(next), &[bad, bad]), Step::Ask(next));
        assert_eq!(step(Some(next), &[bad, bad, bad, None]), Step::End(ImportAction::Fail));
        assert_eq!(step(Some(next), &[away, None]), Step::End(ImportAction::Fail));
        assert_eq!(step(Some(next), &[None, away]), Step::Ask(next), "it came back");
        assert_eq!(step(None, &[None, bad]), Step::End(ImportAction::Fail));
        assert_eq!(step(None, &[None]), Step::End(ImportAction::Succeed));
    }
}

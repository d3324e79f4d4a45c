//! Which days may be asked for, when an import goes on, and how it ends.

use super::report::ImportErrorCode;
use crate::core::day::Day;
use crate::core::fault::{Fault, FieldError};
use crate::core::state_diagram::StateDiagram;
use crate::core::words::{Word as _, words};

words! {
    /// How far an import has come (docs/decisions.md#states).
    pub(crate) enum StatisticsImportState {
        /// Waits for its turn.
        Queued = "QUEUED",
        /// Days are being asked for.
        Running = "RUNNING",
        /// Every day was imported.
        Succeeded = "SUCCEEDED",
        /// At least one was not.
        Failed = "FAILED",
    }
}

words! {
    /// How far an import has come with one day.
    pub(crate) enum StatisticsRunState {
        /// It is being asked for.
        Running = "RUNNING",
        /// It was imported.
        Succeeded = "SUCCEEDED",
        /// It was not; what was there before stays.
        Failed = "FAILED",
    }
}

words! {
    /// Who has an import made.
    pub(crate) enum StatisticsImportTrigger {
        /// The service, because a completed day is missing.
        Schedule = "SCHEDULE",
        /// Somebody of the staff, or a program of theirs.
        Staff = "STAFF",
    }
}

/// What happens to an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImportAction {
    /// A replica takes it up, or goes on with it.
    Start,
    /// Every day was imported.
    Succeed,
    /// At least one was not.
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

/// The table of the machine: where an action leads.
///
/// # Errors
/// [`crate::Code::IllegalTransition`]. No caller's action leads here, so nothing is offered instead.
pub(super) fn after(state: StatisticsImportState, action: ImportAction) -> Result<StatisticsImportState, Fault> {
    use StatisticsImportState as State;
    match (state, action) {
        (State::Queued | State::Running, ImportAction::Start) => Ok(State::Running),
        (State::Running, ImportAction::Succeed) => Ok(State::Succeeded),
        (State::Running, ImportAction::Fail) => Ok(State::Failed),
        _ => Err(Fault::illegal("statistics import", state.name(), action.name(), Vec::new())),
    }
}

/// The machine as a picture.
pub(crate) fn drawing() -> StateDiagram {
    StateDiagram::of(
        "Statistics import",
        (StatisticsImportState::ALL, StatisticsImportState::name),
        (&ImportAction::ALL, ImportAction::name),
        [&after],
    )
}

/// Failures in a row after which an import ends, since it is hardly the days that they are of.
const MOST_FAILURES: usize = 3;

/// What an import does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Ask for a day.
    Ask(Day),
    /// End.
    End(ImportAction),
}

/// What an import does next, by the day that comes next and by how its runs ended, the latest first: none for one that
/// succeeded. A day that cannot be used keeps none behind it from being imported; where the source itself does not
/// answer, the rest waits for the next import.
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

/// The days that are asked for, the oldest first. Those that are not over yet, and those that are named twice, are found.
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

/// Refuses an import where there is nothing to import from.
///
/// # Errors
/// [`crate::Code::Conflict`] without a source.
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

/// The refusal of an import beside another.
pub(super) fn already_importing() -> Fault {
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
    fn only_completed_days_are_asked_for_and_each_once() {
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
    fn a_bad_day_keeps_none_behind_it_from_coming_and_a_source_that_is_away_does() {
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

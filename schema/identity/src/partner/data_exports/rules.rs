//! State machine and limits of data exports.

use labs_core::fault::{Code, Fault};
use labs_core::principal::Role;
use labs_core::scope::{Scope, ScopeSet};
use labs_core::state_diagram::StateDiagram;
use labs_core::words::{Word as _, words};

use super::store::kinds::KINDS;

words! {
    /// State of a data export.
    pub enum DataExportState {
        /// Waits in the queue.
        Queued = "QUEUED",
        /// In progress; `progress_percent` shows the progress.
        Running = "RUNNING",
        /// Complete. It can be downloaded until `expires_at`.
        Succeeded = "SUCCEEDED",
        /// Abandoned after several attempts. Create another data export.
        Failed = "FAILED",
    }
}

/// Transition of a data export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataExportAction {
    /// A run starts it, also after a previous run has died.
    Start,
    /// The archive is complete.
    Succeed,
    /// The service gives up.
    Fail,
}

/// Maximum number of runs per export before the service gives up.
pub(super) const MOST_ATTEMPTS: i32 = 3;
/// Maximum number of exports that a partner may request per day.
const MOST_A_DAY: i64 = 5;

impl DataExportAction {
    /// All actions, for tables and tests.
    const ALL: [Self; 3] = [Self::Start, Self::Succeed, Self::Fail];

    /// Returns the action's name in diagrams.
    const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Succeed => "succeed",
            Self::Fail => "fail",
        }
    }
}

/// Returns the state that an action results in (the transition table).
///
/// # Errors
/// [`Code::IllegalTransition`] if the action is not allowed. Callers cannot trigger these actions, so the error offers
/// no alternative.
pub(super) fn after(state: DataExportState, action: DataExportAction) -> Result<DataExportState, Fault> {
    match (state, action) {
        (DataExportState::Queued | DataExportState::Running, DataExportAction::Start) => Ok(DataExportState::Running),
        (DataExportState::Running, DataExportAction::Succeed) => Ok(DataExportState::Succeeded),
        (DataExportState::Running, DataExportAction::Fail) => Ok(DataExportState::Failed),
        _ => Err(Fault::illegal("data export", state.name(), action.name(), Vec::new())),
    }
}

/// Draws the state diagram.
pub fn draw_states() -> StateDiagram {
    StateDiagram::of(
        "Data export",
        (DataExportState::ALL, DataExportState::name),
        (&DataExportAction::ALL, DataExportAction::name),
        [&after],
    )
}

/// Checks that a partner with this number of requests within a day may request another export.
///
/// # Errors
/// [`Code::Conflict`] if the maximum is reached.
pub(super) fn ensure_daily_limit(asked: i64) -> Result<(), Fault> {
    if asked < MOST_A_DAY {
        return Ok(());
    }
    Err(Fault::conflict(format!(
        "{asked} archives were requested within a day, which is the maximum. Download the last one, or try again \
         tomorrow."
    )))
}

/// Checks that a user of a partner in this state could download the finished archive.
///
/// # Errors
/// [`Code::Conflict`] if no user can.
pub(super) fn ensure_fetchable(partner_state: &str) -> Result<(), Fault> {
    match partner_state {
        "ACTIVE" | "CLOSING" => Ok(()),
        "ERASED" => Err(Fault::conflict("The data of this partner was erased, so there is nothing to export.")),
        _ => Err(Fault::conflict(
            "This partner is suspended or closed, so its users cannot sign in and download an archive. Reinstate or \
             reopen it first.",
        )),
    }
}

/// Checks that a caller may read an archive with data of these scopes. The caller must hold each scope or be an
/// administrator of the team, who can access all its data.
///
/// # Errors
/// [`Code::ScopeMissing`], naming the first missing scope.
pub(super) fn ensure_readable(role: Option<Role>, scopes: ScopeSet, spanned: &[&str]) -> Result<(), Fault> {
    let lacking = spanned.iter().find(|name| !Scope::parse(name).is_some_and(|scope| scopes.reaches(scope)));
    let Some(lacking) = lacking.filter(|_| role != Some(Role::Administrator)) else { return Ok(()) };
    let detail = format!(
        "An archive contains data of all these scopes: {}. This token lacks {lacking}. Ask an administrator of your \
         team to download it.",
        spanned.join(", ")
    );
    Err(Fault::scope(*lacking).with_detail(detail))
}

/// Checks that an archive in this state, kept or expired, can be downloaded.
///
/// # Errors
/// [`Code::Conflict`] while it is incomplete, [`Code::NotFound`] after its retention period.
pub(super) fn ensure_downloadable(state: DataExportState, is_kept: bool) -> Result<(), Fault> {
    match (state, is_kept) {
        (DataExportState::Succeeded, true) => Ok(()),
        (DataExportState::Succeeded, false) => Err(Fault::new(
            Code::NotFound,
            "This archive was deleted after seven days. Request another one with POST on the list of data exports.",
        )),
        (DataExportState::Queued | DataExportState::Running, _) => Err(Fault::conflict(
            "This archive is not ready yet. The list of data exports shows its progress. Try again when it is \
             SUCCEEDED.",
        )),
        (DataExportState::Failed, _) => Err(Fault::conflict(
            "This archive could not be created. Request another one. If that fails too, contact support.",
        )),
    }
}

/// Computes the progress in whole percent. It is 100 only for a complete archive.
pub(super) fn percent(state: DataExportState, done: i32, total: i32) -> i32 {
    match state {
        DataExportState::Succeeded => 100,
        _ if total <= 0 => 0,
        _ => (i64::from(done) * 100 / i64::from(total)).clamp(0, 99).try_into().unwrap_or(99),
    }
}

/// Returns the scopes under which the tables of an archive are read, without duplicates, in the order of the tables.
pub(super) fn required_scopes() -> Vec<&'static str> {
    let mut spanned: Vec<&str> = Vec::new();
    for kind in KINDS {
        if !spanned.contains(&kind.scope) {
            spanned.push(kind.scope);
        }
    }
    spanned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_machine_matches_table() {
        for state in DataExportState::ALL.iter().copied() {
            for action in DataExportAction::ALL {
                let expected = match (state, action) {
                    (DataExportState::Queued | DataExportState::Running, DataExportAction::Start) => {
                        Some(DataExportState::Running)
                    }
                    (DataExportState::Running, DataExportAction::Succeed) => Some(DataExportState::Succeeded),
                    (DataExportState::Running, DataExportAction::Fail) => Some(DataExportState::Failed),
                    _ => None,
                };
                assert_eq!(after(state, action).ok(), expected, "{state:?} {action:?}");
            }
        }
    }

    #[test]
    fn data_export_is_downloadable_only_while_kept() {
        assert!(ensure_downloadable(DataExportState::Succeeded, true).is_ok());
        let code = |state, is_kept| ensure_downloadable(state, is_kept).map_err(|fault| fault.code());
        assert_eq!(code(DataExportState::Succeeded, false), Err(Code::NotFound));
        for state in [DataExportState::Queued, DataExportState::Running, DataExportState::Failed] {
            assert_eq!(code(state, true), Err(Code::Conflict), "{state:?}");
        }
    }

    #[test]
    fn data_export_requires_all_included_scopes() {
        let spanned = required_scopes();
        assert!(spanned.iter().all(|name| Scope::parse(name).is_some()), "{spanned:?}");
        let lacking = |role: Option<Role>, scopes| {
            ensure_readable(role, scopes, &spanned)
                .map_err(|fault| fault.required_scope().map(str::to_owned).unwrap_or_default())
        };
        let of_role = |role: Role| lacking(Some(role), role.scopes());
        assert_eq!(of_role(Role::Developer), Ok(()));
        assert_eq!(of_role(Role::Editor), Err("subscription".to_owned()));
        assert_eq!(of_role(Role::Accountant), Err("marketplace.apps".to_owned()));
        assert_eq!(lacking(Some(Role::Administrator), ScopeSet::parse(["partner"])), Ok(()));
        assert_eq!(
            lacking(None, ScopeSet::parse(["partner:write", "subscription"])),
            Err("marketplace.apps".to_owned())
        );
        let all_but_the_board = ["partner", "subscription", "marketplace"];
        assert_eq!(lacking(None, ScopeSet::parse(all_but_the_board)), Err("engagement.feature-requests".to_owned()));
        let all = all_but_the_board.into_iter().chain(["engagement"]);
        assert_eq!(lacking(None, ScopeSet::parse(all)), Ok(()));
    }

    #[test]
    fn progress_is_one_hundred_only_after_success() {
        assert_eq!(percent(DataExportState::Queued, 0, 0), 0);
        assert_eq!(percent(DataExportState::Running, 20, 40), 50);
        assert_eq!(percent(DataExportState::Running, 40, 40), 99);
        assert_eq!(percent(DataExportState::Succeeded, 0, 0), 100);
    }

    #[test]
    fn at_most_five_data_exports_per_day() {
        assert!(ensure_daily_limit(4).is_ok());
        assert_eq!(ensure_daily_limit(5).map_err(|fault| fault.code()), Err(Code::Conflict));
    }

    #[test]
    fn data_export_requires_partner_that_can_download_it() {
        assert!(["ACTIVE", "CLOSING"].into_iter().all(|state| ensure_fetchable(state).is_ok()));
        for state in ["SUSPENDED", "CLOSED", "ERASED"] {
            assert_eq!(ensure_fetchable(state).unwrap_err().code(), Code::Conflict, "{state}");
        }
    }
}

//! What staff can do with a job.

use crate::core::fault::Fault;
use crate::core::job::JobCode;
use crate::core::words::words;

words! {
    /// What a job does now.
    pub(crate) enum JobState {
        /// It waits for its time.
        Idle = "IDLE",
        /// Somebody asked for a run, which a replica takes within a second or two.
        Queued = "QUEUED",
        /// A run is under way.
        Running = "RUNNING",
        /// A run is under way and takes longer than it should.
        Overrun = "OVERRUN",
        /// It does not run until it is resumed.
        Paused = "PAUSED",
    }
}

/// What a job stands at, as far as actions go by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    pub(super) code: JobCode,
    pub(super) is_paused: bool,
    /// Whether a run is under way or asked for.
    pub(super) is_busy: bool,
}

/// What can be done with a job now.
pub(super) fn allowed_actions(standing: Standing) -> Vec<String> {
    let Standing { code, is_paused, is_busy } = standing;
    let actions =
        [("run", !is_busy), ("pause", !is_paused && code.plan().needed_because.is_none()), ("resume", is_paused)];
    actions.into_iter().filter(|(_, is_allowed)| *is_allowed).map(|(name, _)| name.to_owned()).collect()
}

/// Refuses to pause a job that others rely on, and one that is paused.
///
/// # Errors
/// [`crate::Code::Conflict`], saying who relies on it; [`crate::Code::IllegalTransition`].
pub(super) fn pausable(standing: Standing) -> Result<(), Fault> {
    if let Some(because) = standing.code.plan().needed_because {
        return Err(Fault::conflict(format!("This job cannot be paused. {because}")));
    }
    if standing.is_paused {
        return Err(Fault::illegal("job", JobState::Paused.name(), "pause", allowed_actions(standing)));
    }
    Ok(())
}

/// Refuses to resume a job that is not paused.
///
/// # Errors
/// [`crate::Code::IllegalTransition`].
pub(super) fn resumable(standing: Standing) -> Result<(), Fault> {
    if standing.is_paused {
        return Ok(());
    }
    let state = if standing.is_busy { JobState::Running } else { JobState::Idle };
    Err(Fault::illegal("job", state.name(), "resume", allowed_actions(standing)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fault::Code;

    fn standing(code: JobCode, is_paused: bool, is_busy: bool) -> Standing {
        Standing { code, is_paused, is_busy }
    }

    #[test]
    fn what_others_rely_on_is_never_paused() {
        let seal = standing(JobCode::AuditSeal, false, false);
        assert_eq!(allowed_actions(seal), ["run"]);
        let refused = pausable(seal).unwrap_err();
        assert_eq!(refused.code(), Code::Conflict);
        assert!(refused.detail().contains("sealed"), "it says why: {}", refused.detail());
    }

    #[test]
    fn a_job_is_paused_and_resumed_once() {
        let of = |is_paused, is_busy| standing(JobCode::Tidying, is_paused, is_busy);
        assert_eq!(allowed_actions(of(false, false)), ["run", "pause"]);
        assert_eq!(allowed_actions(of(false, true)), ["pause"]);
        assert_eq!(allowed_actions(of(true, false)), ["run", "resume"]);
        assert!(pausable(of(false, true)).is_ok());
        assert!(resumable(of(true, true)).is_ok());
        assert_eq!(pausable(of(true, false)).unwrap_err().code(), Code::IllegalTransition);
        assert_eq!(resumable(of(false, false)).unwrap_err().code(), Code::IllegalTransition);
    }
}

//! Rules for the actions of staff on a job.

use labs_core::fault::Fault;
use labs_core::words::words;

use super::plan::JobCode;

words! {
    /// State of a job.
    pub enum JobState {
        /// Waits for its next run.
        Idle = "IDLE",
        /// A run was requested and waits a second or two for a replica.
        Queued = "QUEUED",
        /// A run is in progress.
        Running = "RUNNING",
        /// The run in progress takes longer than its deadline.
        Overrun = "OVERRUN",
        /// Does not run until a staff member resumes the job.
        Paused = "PAUSED",
    }
}

/// Properties of a job that decide its allowed actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JobStatus {
    pub(super) code: JobCode,
    pub(super) is_paused: bool,
    /// Whether a run is in progress or requested.
    pub(super) is_busy: bool,
}

/// Returns the currently allowed actions of a job.
pub(super) fn allowed_actions(status: JobStatus) -> Vec<String> {
    let JobStatus { code, is_paused, is_busy } = status;
    let actions =
        [("run", !is_busy), ("pause", !is_paused && code.plan().needed_because.is_none()), ("resume", is_paused)];
    actions.into_iter().filter(|(_, is_allowed)| *is_allowed).map(|(name, _)| name.to_owned()).collect()
}

/// Rejects the pause of a required job or of a paused job.
///
/// # Errors
/// [`labs_core::Code::Conflict`], with the reason why the job is required; [`labs_core::Code::IllegalTransition`] if
/// the job is paused.
pub(super) fn ensure_pausable(status: JobStatus) -> Result<(), Fault> {
    if let Some(because) = status.code.plan().needed_because {
        return Err(Fault::conflict(format!("This job cannot be paused. {because}")));
    }
    if status.is_paused {
        return Err(Fault::illegal("job", JobState::Paused.name(), "pause", allowed_actions(status)));
    }
    Ok(())
}

/// Rejects resuming a job that is not paused.
///
/// # Errors
/// [`labs_core::Code::IllegalTransition`] if the job is not paused.
pub(super) fn ensure_resumable(status: JobStatus) -> Result<(), Fault> {
    if status.is_paused {
        return Ok(());
    }
    let state = if status.is_busy { JobState::Running } else { JobState::Idle };
    Err(Fault::illegal("job", state.name(), "resume", allowed_actions(status)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    fn status(code: JobCode, is_paused: bool, is_busy: bool) -> JobStatus {
        JobStatus { code, is_paused, is_busy }
    }

    #[test]
    fn essential_job_cannot_be_paused() {
        let seal = status(JobCode::AuditSeal, false, false);
        assert_eq!(allowed_actions(seal), ["run"]);
        let refused = ensure_pausable(seal).unwrap_err();
        assert_eq!(refused.code(), Code::Conflict);
        assert!(refused.detail().contains("sealed"), "it says why: {}", refused.detail());
    }

    #[test]
    fn paused_job_cannot_be_paused_again() {
        let of = |is_paused, is_busy| status(JobCode::Tidying, is_paused, is_busy);
        assert_eq!(allowed_actions(of(false, false)), ["run", "pause"]);
        assert_eq!(allowed_actions(of(false, true)), ["pause"]);
        assert_eq!(allowed_actions(of(true, false)), ["run", "resume"]);
        assert!(ensure_pausable(of(false, true)).is_ok());
        assert!(ensure_resumable(of(true, true)).is_ok());
        assert_eq!(ensure_pausable(of(true, false)).unwrap_err().code(), Code::IllegalTransition);
        assert_eq!(ensure_resumable(of(false, false)).unwrap_err().code(), Code::IllegalTransition);
    }
}

//! Conversion of database errors to faults.

use super::Fault;
use crate::demotion;

/// Returns the constraint that a statement violated, if any.
#[must_use]
pub fn constraint_of(error: &sqlx::Error) -> Option<&str> {
    error.as_database_error().and_then(sqlx::error::DatabaseError::constraint)
}

impl From<sqlx::Error> for Fault {
    fn from(error: sqlx::Error) -> Self {
        let state = error.as_database_error().and_then(|e| e.code().map(std::borrow::Cow::into_owned));
        match (&error, state.as_deref()) {
            (_, Some("40001" | "40P01")) => {
                Self::unavailable("Too many changes at the same time. Try again.").mark_retryable()
            }
            // A cancelled statement: only its time limit and an operator cancel statements of a waiting caller.
            (_, Some("57014")) => Self::query_timeout(
                "The database ended this request because a query ran longer than its time limit. Nothing was changed. \
                 Narrow the request, for example with another filter, a longer search text or a shorter period.",
            )
            .caused_by(&error),
            (_, Some("55P03")) => {
                Self::unavailable("Another change of the same data takes long. Try again.").caused_by(&error)
            }
            (_, Some("25P03" | "57P01" | "57P02" | "57P03" | "53300")) => {
                Self::unavailable("The service is busy. Try again.").caused_by(&error)
            }
            (_, Some("25006")) => {
                demotion::note();
                Self::unavailable("The service cannot write at the moment. Try again.").caused_by(&error)
            }
            (
                sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed | sqlx::Error::Io(_) | sqlx::Error::WorkerCrashed,
                _,
            ) => Self::unavailable("The service cannot reach its database. Try again.").caused_by(&error),
            _ if constraint_of(&error) == Some("person_administrator_check") => Self::last_administrator(),
            _ if constraint_of(&error) == Some("staff_granter_check") => Self::last_granter(),
            _ if constraint_of(&error) == Some("staff_whole_check") => Self::last_of_all_rights(),
            _ if constraint_of(&error) == Some("audit_change_kept") => Self::audit_unavailable().caused_by(&error),
            _ => Self::internal(error),
        }
    }
}

impl Fault {
    /// The team would have no active administrator.
    #[must_use]
    pub fn last_administrator() -> Self {
        Self::conflict("A partner must keep at least one active administrator. Make another user administrator first.")
    }

    /// No user with all rights of `labs.admin:write` would remain.
    #[must_use]
    pub fn last_of_all_rights() -> Self {
        Self::conflict(
            "This would leave no staff member with labs.admin:write, so the scope could never be granted again. Give \
             another staff member a role with it first.",
        )
    }

    /// No user who can grant roles to staff would remain.
    #[must_use]
    pub fn last_granter() -> Self {
        Self::conflict(
            "This would leave no staff member who can admit staff members and grant roles. Give another staff member \
             a role with labs.admin.staff:write first.",
        )
    }
}

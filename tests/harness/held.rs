//! A second transaction that a test holds open so that a request conflicts with it.

use sqlx::{AssertSqlSafe, PgConnection};

use super::Harness;

/// Counts the connections that wait for a lock, for [`Harness::until`].
pub(crate) const WAITING: &str = "select count(distinct pid) from pg_locks as l join pg_stat_activity as a using (pid)
    where a.datname = current_database() and not l.granted";

impl Harness {
    /// Starts a transaction as the database owner with these statements and holds it open.
    pub(crate) async fn hold(&self, statements: impl AsRef<str>) -> OpenTransaction {
        let mut held = OpenTransaction(self.owner().await);
        held.go_on("begin").await;
        held.go_on(statements).await;
        held
    }

    /// Locks a table in this mode, for example `access exclusive`.
    pub(crate) async fn lock(&self, table: &str, mode: &str) -> OpenTransaction {
        self.hold(format!("lock table {table} in {mode} mode")).await
    }
}

/// A transaction that is held open. If it is dropped, it rolls back when the server notices.
pub(crate) struct OpenTransaction(PgConnection);

impl OpenTransaction {
    /// Runs further statements in it.
    pub(crate) async fn go_on(&mut self, statements: impl AsRef<str>) {
        sqlx::raw_sql(AssertSqlSafe(statements.as_ref().to_owned())).execute(&mut self.0).await.unwrap();
    }

    /// Commits it and releases its locks.
    pub(crate) async fn commit(mut self) {
        self.go_on("commit").await;
    }

    /// Rolls it back and releases its locks.
    pub(crate) async fn roll_back(mut self) {
        self.go_on("rollback").await;
    }
}

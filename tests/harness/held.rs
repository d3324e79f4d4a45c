//! Somebody else's transaction, which a test holds open so that a request meets it.

use sqlx::{AssertSqlSafe, PgConnection};

use super::Harness;

/// Counts the connections that wait for a lock which somebody holds, for [`Harness::until`].
pub(crate) const WAITING: &str = "select count(distinct pid) from pg_locks as l join pg_stat_activity as a using (pid)
    where a.datname = current_database() and not l.granted";

impl Harness {
    /// Begins a transaction as the database's owner with these statements, and holds it open.
    pub(crate) async fn hold(&self, statements: impl AsRef<str>) -> Held {
        let mut held = Held(self.owner().await);
        held.go_on("begin").await;
        held.go_on(statements).await;
        held
    }

    /// Holds a table in this mode (`access exclusive` for example).
    pub(crate) async fn lock(&self, table: &str, mode: &str) -> Held {
        self.hold(format!("lock table {table} in {mode} mode")).await
    }
}

/// A transaction that is held open. Dropped, it is rolled back when the server notices.
pub(crate) struct Held(PgConnection);

impl Held {
    /// Runs further statements in it.
    pub(crate) async fn go_on(&mut self, statements: impl AsRef<str>) {
        sqlx::raw_sql(AssertSqlSafe(statements.as_ref().to_owned())).execute(&mut self.0).await.unwrap();
    }

    /// Keeps what it did, and lets go.
    pub(crate) async fn commit(mut self) {
        self.go_on("commit").await;
    }

    /// Takes back what it did, and lets go.
    pub(crate) async fn roll_back(mut self) {
        self.go_on("rollback").await;
    }
}

//! Restores a database between two cases: every case begins with the same rows, so that each can be repeated alone.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::harness::Harness;

/// Tables that keep what calls write regardless of their result (logs, budgets, counts), and the signing keys, which
/// the service also holds in memory.
const NOT_RESTORED: &[&str] = &[
    "audit_archive",
    "audit_change",
    "audit_log",
    "audit_lost",
    "audit_seal",
    "client_scope_use",
    "daily_budget",
    "deprecation_use",
    "job_run",
    "operation_day",
    "partner_activity",
    "platform_change",
    "platform_count",
    "rate_limit_refusal",
    "request_usage",
    "security_event",
    "signing_key",
    "token_grant",
];

/// Copies each table, and marks a table at every statement that writes to it. The counts of the overview stay as they
/// are, because restored rows are not counted.
const KEEP: &str = "
    create schema model;
    create table model.dirty (name text not null);
    create table model.kept (name text primary key, columns text not null);
    create function model.mark() returns trigger language plpgsql security definer as
        $$ begin insert into model.dirty values (tg_table_name); return null; end $$;
    do $$ declare t record; columns text; begin
        for t in select oid, relname from pg_class
                  where relkind in ('r', 'p') and not relispartition and relnamespace = 'public'::regnamespace
                    and relname <> all (array[NOT_RESTORED])
        loop
            select string_agg(quote_ident(attname), ', ' order by attnum) into columns from pg_attribute
             where attrelid = t.oid and attnum > 0 and not attisdropped and attgenerated = '';
            insert into model.kept values (t.relname, columns);
            execute format('create table model.%I as select %s from public.%I', t.relname, columns, t.relname);
            execute format('create trigger zz_model after insert or update or delete on public.%I
                            for each statement execute function model.mark()', t.relname);
            execute format('alter table public.%I enable always trigger zz_model', t.relname);
        end loop;
    end $$;
    create function model.restore() returns bigint language plpgsql as $$
        declare t record; restored bigint := 0; begin
            for t in select name, columns from model.kept where name in (select name from model.dirty) loop
                execute format('delete from public.%I', t.name);
                execute format('insert into public.%I (%s) overriding system value select %s from model.%I',
                               t.name, t.columns, t.columns, t.name);
                restored := restored + 1;
            end loop;
            delete from model.dirty;
            return restored;
        end $$;
    create function model.ignore() returns trigger language plpgsql as $$ begin return null; end $$;
    create trigger aa_model before insert on public.platform_change for each row execute function model.ignore();
    alter table public.platform_change enable always trigger aa_model;
    set session_replication_role = replica";

/// The rows of a database, to which it can return.
pub(crate) struct Snapshot {
    owner: PgConnection,
}

impl Snapshot {
    /// Copies the rows as they are now.
    pub(super) async fn take(harness: &Harness) -> Self {
        let mut owner = harness.owner().await;
        // The time of the next run is restored too. In the past, it would begin a run of the job before each case.
        sqlx::query("update job set next_run_at = labs_now() + interval '1 day' where next_run_at is not null")
            .execute(&mut owner)
            .await
            .unwrap();
        let names = NOT_RESTORED.iter().map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ");
        let keep = KEEP.replace("NOT_RESTORED", &names);
        sqlx::raw_sql(AssertSqlSafe(keep)).execute(&mut owner).await.unwrap();
        Self { owner }
    }

    /// Restores the rows, then runs these statements without triggers. Repeats both if a job of the service was in the
    /// way.
    pub(super) async fn restore(&mut self, statements: &str) {
        for tries in 0.. {
            let done = self.attempt(statements).await;
            match done {
                Ok(()) => return,
                Err(error) => assert!(tries < 20, "{statements}: {error}"),
            }
            // Then the job may have ended its transaction.
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    async fn attempt(&mut self, statements: &str) -> Result<(), sqlx::Error> {
        let mut transaction = self.owner.begin().await?;
        sqlx::query("select model.restore()").execute(&mut *transaction).await?;
        if !statements.is_empty() {
            sqlx::raw_sql(AssertSqlSafe(statements.to_owned())).execute(&mut *transaction).await?;
        }
        transaction.commit().await
    }
}

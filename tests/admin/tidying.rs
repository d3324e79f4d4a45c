//! Tests of the job that deletes expired rows and keeps every row that is still needed.

use crate::harness::Harness;

/// For each table, one row older than its retention period and one younger, marked with a word.
const ROWS: &str = "
    insert into operation_day (day, operation)
    select (labs_now() at time zone 'UTC')::date - days, word
    from (values (401, 'old'), (399, 'young')) as rows (days, word);
    insert into rate_limit_refusal (hour, account, operation, code, refusals)
    select labs_now() - days * interval '1 day', word, 'system_me_get', 'RATE_LIMITED', 1
    from (values (91, 'old'), (89, 'young')) as rows (days, word);
    insert into job_run (run_uuid, job, state, created_at)
    select labs_uuid(), word, 'SUCCEEDED', labs_now() - days * interval '1 day'
    from (values (31, 'old'), (29, 'young')) as rows (days, word);
    insert into daily_budget (day, account, granted)
    select (labs_now() at time zone 'UTC')::date - days, word, 1
    from (values (31, 'old'), (29, 'young')) as rows (days, word);
    insert into sign_in_failure (subject, failures, last_failed_at)
    select word, 1, labs_now() - days * interval '1 day'
    from (values (8, 'old'), (6, 'young')) as rows (days, word);
    insert into board_vote_budget (day, voter)
    select (labs_now() at time zone 'UTC')::date - days, sha256(word::bytea)
    from (values (1, 'old'), (-1, 'young')) as rows (days, word);
    insert into board_read (reader, sealed, read_on)
    select sha256(word::bytea), decode(repeat('00', 1700), 'hex'), (labs_now() at time zone 'UTC')::date - days
    from (values (369, 'old'), (366, 'young')) as rows (days, word)";

fn rows(word: &str) -> String {
    format!(
        "select (select count(*) from operation_day where operation = '{word}')
              + (select count(*) from rate_limit_refusal where account = '{word}')
              + (select count(*) from job_run where job = '{word}')
              + (select count(*) from daily_budget where account = '{word}')
              + (select count(*) from sign_in_failure where subject = '{word}')
              + (select count(*) from board_vote_budget where voter = sha256('{word}'))
              + (select count(*) from board_read where reader = sha256('{word}'))"
    )
}

#[tokio::test]
async fn only_expired_rows_are_deleted() {
    let harness = Harness::new().await;
    harness.sql(ROWS).await;
    harness.run_job("TIDYING").await;
    harness.until(&rows("old"), 0).await;
    assert_eq!(harness.number(&rows("young")).await, 7);
}

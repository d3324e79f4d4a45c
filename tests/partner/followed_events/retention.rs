//! Tests of cursors after a long time, and of cursors whose event is gone.

use super::{Company, Followed, kinds, sorted};

const DAY: i64 = 86_400;

#[tokio::test]
async fn cursor_of_another_database_expires() {
    let company = Company::new().await;
    let Company { harness, owner, .. } = &company;
    let mut cursors = Vec::new();
    for list in company.lists() {
        cursors.push(list.read(harness, owner, None, 100).await.1);
    }
    // Simulates a database that was restored to an earlier time and has diverged since: other events are at the same
    // positions.
    harness.sql("update event_position set event_uuid = gen_random_uuid()").await;
    for (list, cursor) in company.lists().into_iter().zip(&cursors) {
        let is_expired = async || {
            let answer = list.page(harness, owner, Some(cursor)).send().await;
            (answer.status, answer.code()) == (410, "CURSOR_EXPIRED")
        };
        harness.soon(&format!("the cursor of {list:?} expires"), is_expired).await;
    }
}

#[tokio::test]
async fn cursor_of_archived_staff_access_expires() {
    let company = Company::new().await;
    let Company { harness, owner, .. } = &company;
    company.by_staff("admin_partners_get").expect(200).await;
    let (events, old) = Followed::Account.read(harness, owner, None, 100).await;
    assert_eq!(events.last().unwrap()["kind"], "STAFF_ACCESS");
    company.change(Followed::Account, "KG").await;
    company.by_staff("admin_partners_get").expect(200).await;
    let (_, last) = Followed::Account.read(harness, owner, None, 100).await;
    // The audit records of the first access and all before it were archived and removed.
    let archived = events.last().unwrap()["uuid"].as_str().unwrap();
    let archive = |table: &str| format!("delete from {table} where record_uuid <= '{archived}'");
    harness.sql(&[archive("audit_change"), archive("audit_log")].join("; ")).await;
    harness.run_job("TIDYING").await;
    let left = format!("select count(*) from event_position where event_uuid <= '{archived}' and source = 'STAFF'");
    assert_eq!(harness.number(&left).await, 0);
    let expired = Followed::Account.page(harness, owner, Some(&old)).expect(410).await;
    assert_eq!(expired.code(), "CURSOR_EXPIRED");
    Followed::Account.page(harness, owner, Some(&last)).expect(200).await;
    let (again, _) = Followed::Account.read(harness, owner, None, 100).await;
    assert_eq!(sorted(again), sorted(Followed::Account.newest_first(harness, owner).await));
}

#[tokio::test]
async fn events_are_followed_after_more_than_90_days() {
    let mut company = Company::new().await;
    let mut kept = Vec::new();
    for list in company.lists() {
        company.change(list, "one").await;
        kept.push(list.read(&company.harness, &company.owner, None, 100).await);
    }
    company.harness.advance(120 * DAY).await;
    company.owner = company.harness.sign_in(&company.owner.email).await;
    let totp = company.staff.totp.clone().unwrap();
    company.staff = company.harness.sign_in_with_factor(&company.staff.email.clone(), &totp).await;
    for job in ["TIDYING", "LEDGERS"] {
        company.harness.run_job(job).await;
    }
    let Company { harness, owner, .. } = &company;
    for (list, (events, cursor)) in company.lists().into_iter().zip(kept) {
        let kind = company.change(list, "eleven").await;
        let page = list.next(harness, owner, &cursor).await;
        assert!(kinds(&page.json["data"]).contains(&kind), "{list:?}: {}", page.text());
        let (all, _) = list.read(harness, owner, None, 3).await;
        assert_eq!(all[..events.len()], events, "{list:?}: the old events are still there, in the same order");
    }
}

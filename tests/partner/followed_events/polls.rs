//! Tests of idle polls, which are answered from memory.

use std::time::Duration;

use serde_json::json;

use super::{Company, Followed, UNSEALED, kinds, next_cursor, sorted};
use crate::harness::people::Person;

#[tokio::test]
async fn idle_poll_is_304_without_database_read() {
    let company = Company::new().await;
    let Company { harness, owner, .. } = &company;
    for list in company.lists() {
        let (_, cursor) = list.read(harness, owner, None, 100).await;
        let tag = list.page(harness, owner, Some(&cursor)).expect(200).await.header("etag").to_owned();
        let poll = || list.page(harness, owner, Some(&cursor)).header("if-none-match", &tag);
        poll().expect(304).await;
        // While the tables are locked, a poll that reads one of them waits. The positions are read four times a second,
        // and then the lock also stops that reading, so the poll has to follow at once.
        let is_in_memory = async || {
            poll().expect(304).await;
            let held = harness.lock("event_position, app, partner_event, subscription_event", "access exclusive").await;
            let answered = tokio::time::timeout(Duration::from_millis(400), poll().send()).await;
            held.roll_back().await;
            answered.is_ok_and(|answer| answer.status == 304)
        };
        harness.soon(&format!("{list:?} is answered from memory"), is_in_memory).await;
        company.change(list, "one").await;
        let is_changed = async || poll().send().await.status == 200;
        harness.soon("the new event", is_changed).await;
    }
}

#[tokio::test]
async fn new_event_reaches_idle_poll_of_other_replica_within_a_second() {
    let company = Company::new().await;
    let Company { harness, owner, .. } = &company;
    let twin = harness.twin(&[]).await;
    for list in company.lists() {
        let (_, mut cursor) = list.read(&twin, owner, None, 100).await;
        for value in ["one", "eleven", "one hundred"] {
            let kind = company.change(list, value).await;
            let begun = std::time::Instant::now();
            let page = list.next(&twin, owner, &cursor).await;
            assert_eq!(kinds(&page.json["data"]), [kind], "{list:?}");
            // A busy machine may need longer; the soak test measures the time.
            assert!(begun.elapsed() < Duration::from_secs(60));
            cursor = next_cursor(&page);
        }
    }
}

#[tokio::test]
async fn hidden_staff_operation_changes_neither_page_nor_cursor() {
    let company = Company::new().await;
    let Company { harness, owner, .. } = &company;
    company.by_staff("admin_partners_get").expect(200).await;
    let (_, cursor) = Followed::Account.read(harness, owner, None, 100).await;
    let before = Followed::Account.page(harness, owner, Some(&cursor)).expect(200).await;
    company.by_staff("admin_notes_create").json(&json!({ "body": "Pays late." })).expect(201).await;
    company.by_staff("admin_notes_list").expect(200).await;
    harness.until(UNSEALED, 0).await;
    let hidden = "select count(*) from event_position join audit_log on record_uuid = event_uuid
                   where operation like 'admin\\_notes%' and place is not null";
    assert_eq!(harness.number(hidden).await, 2, "they have positions");
    for _ in 0..3 {
        let after = Followed::Account.page(harness, owner, Some(&cursor)).expect(200).await;
        assert_eq!((&after.json, after.header("etag")), (&before.json, before.header("etag")));
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    let (all, _) = Followed::Account.read(harness, owner, None, 100).await;
    assert_eq!(sorted(all), sorted(Followed::Account.newest_first(harness, owner).await));
}

#[tokio::test]
async fn former_owner_and_deleted_app_cannot_be_followed() {
    let company = Company::new().await;
    let Company { harness, owner, app, .. } = &company;
    let heir = harness.partner("Ostsee Kassen").await;
    let list = Followed::App(app);
    let (_, cursor) = list.read(harness, owner, None, 100).await;
    let poll = async |person: &Person| list.page(harness, person, Some(&cursor)).send().await.status;
    assert_eq!((poll(owner).await, poll(&heir).await), (200, 404));
    let give = harness.call("admin_apps_transfer").path("app_uuid", app).token(&company.staff.token);
    give.json(&json!({ "partner_uuid": heir.partner_uuid.unwrap(), "reason": "It was sold." })).expect(200).await;
    harness.soon("the former owner is rejected", async || poll(owner).await == 404).await;
    let (events, at_end) = list.read(harness, &heir, Some(cursor.clone()), 100).await;
    assert_eq!(events.iter().map(|event| event["kind"].as_str().unwrap()).collect::<Vec<_>>(), ["TRANSFERRED"]);
    list.page(harness, &heir, Some(&at_end)).expect(200).await;
    let delete = harness.call("marketplace_apps_delete").path("app_uuid", app).token(&heir.token);
    delete.expect(204).await;
    let is_gone = async || list.page(harness, &heir, Some(&at_end)).send().await.status == 404;
    harness.soon("the app is gone", is_gone).await;
}

//! Tests of the weekly mail about the board, and of its unsubscribe link.

use reqwest::Method;
use serde_json::json;

use super::board::Board;
use crate::harness::people::Person;

const WEEKLY: &str = "select count(*) from mail_message where kind = 'BOARD_WEEK'";

async fn want(board: &Board, by: &Person, wanted: bool) {
    let call = board.harness.call("auth_account_update").token(&by.token);
    assert_eq!(call.json(&json!({ "board_mail": wanted })).expect(200).await.json["board_mail"], wanted);
}

async fn wants(board: &Board, by: &Person) -> bool {
    let account = board.harness.call("auth_account_get").token(&by.token).expect(200).await;
    account.json["board_mail"].as_bool().unwrap()
}

/// Creates an event in the previous week.
async fn a_week_of_it(board: &Board, author: &Person) {
    let request = board.propose(author, "Split the bill").await;
    board.moderate("change_status", &request, Some(json!({ "status": "PLANNED" }))).await;
    let earlier = "update feature_event set occurred_at =
                   (date_trunc('week', labs_now() at time zone 'UTC') - interval '1 second') at time zone 'UTC'";
    board.harness.sql(earlier).await;
}

/// Returns the weekly mail to a user with unwrapped lines.
async fn weekly_mail(board: &Board, to: &Person) -> String {
    let weekly = || {
        let mails = board.harness.mails_now(&to.email).into_iter();
        let whole = mails.map(|mail| mail.replace("=\r\n", "").replace("=3D", "=").replace("\r\n ", " "));
        whole.filter(|mail| mail.contains("List-Unsubscribe:")).collect::<Vec<_>>()
    };
    board.harness.soon("the weekly mail", async || !weekly().is_empty()).await;
    let mails = weekly();
    assert_eq!(mails.len(), 1, "one a week");
    mails[0].clone()
}

#[tokio::test]
async fn subscribers_get_one_identical_mail_per_week() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let cleo = board.partner("Cafe Central").await;
    assert!(!wants(&board, &anna).await, "nobody is written to who did not say so");
    want(&board, &anna, true).await;
    want(&board, &bert, true).await;
    board.harness.run_job("BOARD_MAIL").await;
    assert_eq!(board.harness.number(WEEKLY).await, 0, "nothing happened");

    a_week_of_it(&board, &anna).await;
    board.harness.run_job("BOARD_MAIL").await;
    board.harness.run_job("BOARD_MAIL").await;
    assert_eq!(board.harness.number(WEEKLY).await, 2);
    let (to_anna, to_bert) = (weekly_mail(&board, &anna).await, weekly_mail(&board, &bert).await);
    assert!(to_anna.contains("1 feature request changed its status"), "{to_anna}");
    assert!(to_anna.contains("List-Unsubscribe-Post: List-Unsubscribe=One-Click"), "{to_anna}");
    let said = |mail: &str| {
        let text = mail.split_once("\r\n\r\n").unwrap().1;
        let lines = text.lines().filter(|line| !line.contains("/board/mail?token="));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(said(&to_anna), said(&to_bert), "whoever proposed it reads no more than whom it does not concern");
    assert!(board.harness.mails_now(&cleo.email).iter().all(|mail| !mail.contains("List-Unsubscribe")));
}

#[tokio::test]
async fn unsubscribe_link_ends_weekly_mail_and_grants_nothing_else() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    want(&board, &anna, true).await;
    want(&board, &bert, true).await;
    a_week_of_it(&board, &anna).await;
    board.harness.run_job("BOARD_MAIL").await;
    let mail = weekly_mail(&board, &anna).await;
    let start = mail.find("List-Unsubscribe: <").unwrap() + "List-Unsubscribe: <".len();
    let address = mail[start..].split('>').next().unwrap().to_owned();
    let token = address.split_once("token=").unwrap().1.to_owned();
    let ask = async |method: Method, target: &str, body: &'static str| {
        let url = format!("{}{target}", board.harness.base_url);
        let request = board.harness.http().request(method, url).body(body);
        let form = "application/x-www-form-urlencoded";
        request.header("content-type", form).send().await.unwrap()
    };
    let target = format!("/board/mail?token={token}");
    assert!(address.ends_with(&target), "{address}");
    let page = ask(Method::GET, &target, "").await;
    let policy = page.headers()["content-security-policy"].to_str().unwrap().to_owned();
    assert!(policy.contains("default-src 'none'") && !policy.contains("script"), "{policy}");
    assert_eq!(
        (page.status(), page.headers()["cache-control"].to_str().unwrap()),
        (reqwest::StatusCode::OK, "no-store")
    );
    let page = page.text().await.unwrap();
    assert!(page.contains("<button") && !page.contains("<script"), "{page}");
    assert!(wants(&board, &anna).await, "to look at it changes nothing");

    for wrong in [format!("{target}x"), target.replace(&token[..4], "AAAA"), "/board/mail".to_owned()] {
        assert_eq!(ask(Method::GET, &wrong, "").await.status(), 404, "{wrong}");
        assert_eq!(ask(Method::POST, &wrong, "List-Unsubscribe=One-Click").await.status(), 404, "{wrong}");
    }
    assert!(wants(&board, &anna).await);
    for _ in 0..2 {
        assert_eq!(ask(Method::POST, &target, "List-Unsubscribe=One-Click").await.status(), 200);
        assert!(!wants(&board, &anna).await);
    }
    assert!(wants(&board, &bert).await, "only for whose mail it was");
    let opened = board.harness.call("system_me_get").token(&token).send().await;
    assert_eq!(opened.status, 401);
    assert_eq!(ask(Method::PUT, &target, "").await.status(), 405);
}

#[tokio::test]
async fn staff_cannot_subscribe_to_weekly_mail() {
    let board = Board::new().await;
    let call = board.harness.call("auth_account_update").token(&board.staff.token);
    let refused = call.json(&json!({ "board_mail": true })).expect(422).await;
    assert_eq!(refused.json["errors"][0]["pointer"], "/board_mail");
}

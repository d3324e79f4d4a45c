//! Tests over a board with thousands of feature requests: the number of rows that a read touches does not grow with the
//! board, and a search finds common and rare words.

use sqlx::{AssertSqlSafe, Connection as _};

use super::board::{Board, ids};
use crate::harness::people::Person;

/// Adds feature requests with one title to the board, and suspends every tenth. The search words are computed once,
/// because the trigger needs milliseconds for each.
async fn grow(board: &Board, by: &Person, number: u32) {
    let grown = format!(
        "set session_replication_role = replica;
         create temporary table added as
         select labs_uuid() as request_uuid, person_uuid, partner_uuid, n
           from generate_series(1, {number}) as n cross join person where person_uuid = '{person}';
         insert into feature_request (request_uuid, root_uuid, partner_uuid, author_uuid, title, body, suspended_at,
                                      suspension_reason)
         select request_uuid, request_uuid, partner_uuid, person_uuid, 'Split the bill between guests', '',
                case when n % 10 = 0 then now() end, case when n % 10 = 0 then 'Spam' end from added;
         insert into feature_request_words (request_uuid, title, search)
         select request_uuid, 'split the bill between guests', words
           from added cross join (select setweight(board_words('Split the bill between guests'), 'A') as words offset 0) as w;
         insert into board_word select word, board_stems(word)
           from board_spellings('split the bill between guests') as word on conflict do nothing;
         insert into board_title_word select word, request_uuid
           from added cross join board_spellings('split the bill between guests') as word;
         insert into feature_comment (comment_uuid, request_uuid, partner_uuid, author_uuid, body, suspended_at,
                                      suspension_reason)
         select labs_uuid(), request_uuid, partner_uuid, person_uuid, 'We would like that.',
                case when n % 10 = 0 then now() end, case when n % 10 = 0 then 'Spam' end from added;
         insert into feature_event (event_uuid, request_uuid, kind, from_status, to_status)
         select labs_uuid(), request_uuid, 'STATUS', 'OPEN', 'PLANNED' from added;
         drop table added;
         reset session_replication_role;
         analyze feature_request, feature_request_words, board_word, board_title_word, feature_comment, feature_event",
        person = by.uuid
    );
    board.harness.sql(&grown).await;
}

/// Returns the number of table rows that a statement reads.
async fn count_rows_read(board: &Board, statement: &str) -> i64 {
    let mut owner = board.harness.owner().await;
    let mut transaction = owner.begin().await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(&mut *transaction).await.unwrap();
    let read =
        "select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_xact_user_tables";
    sqlx::query_scalar(read).fetch_one(&mut *transaction).await.unwrap()
}

#[tokio::test]
async fn reads_touch_as_many_rows_on_larger_board() {
    let board = Board::new().await;
    let (anna, bert) = (board.partner("Anker Kassen").await, board.partner("Bergblick Systems").await);
    let own = board.propose(&bert, "Waiting list with times").await;
    let body = serde_json::json!({ "status": "PLANNED" });
    assert_eq!(board.moderate("change_status", &own, Some(body)).await.status, 200);
    let news = format!("select * from board_news('{}', '', '')", bert.uuid);
    let statements = [
        ("similar, common words", "select * from board_near('Split the bill', 5)", 9_500),
        ("similar, rare words", "select * from board_near('Waiting list', 5)", 200),
        ("notifications", news.as_str(), 100),
    ];
    for number in [4_000, 4_000] {
        grow(&board, &anna, number).await;
        for (what, statement, most) in statements {
            let read = count_rows_read(&board, statement).await;
            assert!((1..=most).contains(&read), "{what}: {read} rows read");
        }
    }
}

#[tokio::test]
async fn search_finds_common_and_rare_words() {
    let board = Board::new().await;
    let anna = board.partner("Anker Kassen").await;
    let zebra = board.propose(&anna, "Zebra crossing in the hall").await;
    let said = serde_json::json!({ "body": "A zebra would like that." });
    let said = board.call(&anna, "engagement_comments_add", &zebra).json(&said).expect(201).await;
    grow(&board, &anna, 500).await;
    for (operation, rare, common) in [
        ("engagement_feature_requests_list", zebra.as_str(), "split guest"),
        ("engagement_moderation_list_feature_requests", zebra.as_str(), "split guest"),
        ("engagement_moderation_list_comments", said.str("uuid"), "like that"),
    ] {
        let token = if operation.contains("moderation") { &board.staff.token } else { &anna.token };
        let search = |q: &str| board.harness.call(operation).token(token).query("q", q);
        assert_eq!(ids(&search("zebra").expect(200).await), [rare], "{operation}");
        let page = search(common).query("limit", "100").expect(200).await;
        assert_eq!((ids(&page).len(), page.json["page"]["has_more"].as_bool()), (100, Some(true)), "{operation}");
        assert!(ids(&search("unicorn").expect(200).await).is_empty(), "{operation}");
    }
}

//! Reads of the board over ten times the rows. Each read uses a different parameter every time, as real readers do.
//!
//! `board.sql` explains the numbers of the feature requests.

use std::sync::Arc;

const BOARD: &str = "/v1/engagement/feature-requests";
const OF_STAFF: &str = "/v1/engagement/internal";

/// Path of a read for a number.
type Path = dyn Fn(u32) -> String + Send + Sync;

/// Caller of a read.
#[derive(Clone, Copy)]
pub(super) enum By {
    Reader,
    Staff,
}

/// One read of the board.
pub(super) struct Read {
    pub(super) name: &'static str,
    pub(super) by: By,
    /// Path for a number that differs each time.
    pub(super) path: Arc<Path>,
}

/// A read that is the same every time.
fn fixed(by: By, name: &'static str, path: &str) -> Read {
    let path = path.to_owned();
    Read { name, by, path: Arc::new(move |_| path.clone()) }
}

/// A read by the reader that differs every time.
fn varied(name: &'static str, path: impl Fn(u32) -> String + Send + Sync + 'static) -> Read {
    Read { name, by: By::Reader, path: Arc::new(path) }
}

/// A read by staff that differs every time.
fn varied_of_staff(name: &'static str, path: impl Fn(u32) -> String + Send + Sync + 'static) -> Read {
    Read { name, by: By::Staff, path: Arc::new(path) }
}

/// Returns the id of a feature request.
pub(crate) fn id(number: u32) -> String {
    format!("0198b0a0-0000-7000-8000-{number:012x}")
}

/// Returns the number of a feature request that is visible on the board and has no merged parts.
fn standing(n: u32, requests: u32) -> u32 {
    n % (requests / 100) * 100 + 10 + n / 7 % 40
}

/// Returns the word that only this feature request contains.
fn own_word(number: u32) -> String {
    format!("n{number:07}")
}

/// Returns a word that one in a thousand feature requests contains.
fn rare_word(n: u32) -> String {
    const SYLLABLES: [&str; 10] = ["ba", "ko", "du", "fi", "ge", "lo", "mu", "na", "pi", "ro"];
    let text = standing(n, 1000);
    [text / 100, text / 10, text].map(|digit| SYLLABLES.get(digit as usize % 10).copied().unwrap_or_default()).concat()
}

/// Returns every read over this many feature requests.
pub(super) fn all(requests: u32) -> Vec<Read> {
    let parts = [orders(), filters(requests), own(), things(requests), moderation(requests), comments(requests)];
    parts.into_iter().flatten().collect()
}

fn orders() -> Vec<Read> {
    let order = |name, sort: &str| fixed(By::Reader, name, &format!("{BOARD}?sort={sort}"));
    vec![
        order("board: most votes", "-votes"),
        order("board: most votes of late", "-trend"),
        order("board: newest", "-created_at"),
        order("board: active last", "-active_at"),
    ]
}

fn filters(requests: u32) -> Vec<Read> {
    const STATUSES: [&str; 6] = ["OPEN", "UNDER_REVIEW", "PLANNED", "IN_PROGRESS", "SHIPPED", "DECLINED"];
    let of_status = |n: u32| {
        let status = STATUSES.get(n as usize % 6).copied().unwrap_or_default();
        format!("{BOARD}?status={status}")
    };
    let of_topic = |n: u32| format!("{BOARD}?topic_uuid=0198b0c0-0000-7000-8000-{:012x}", 1 + n % 20);
    vec![
        varied("board: of a status", of_status),
        varied("board: of a status, newest", move |n| format!("{}&sort=-created_at", of_status(n))),
        varied("board: of a topic", of_topic),
        varied("board: of a topic, active last", move |n| format!("{}&sort=-active_at", of_topic(n))),
        varied("board: of a company", move |n| {
            format!("{BOARD}?partner_uuid=0198b0b0-0000-7000-8000-{:012x}", 1 + n % (requests / 100))
        }),
        varied("board: a word of one", move |n| format!("{BOARD}?q={}", own_word(standing(n, requests)))),
        // A thousandth of the smaller table is ten rows, so that all pages have the same length.
        varied("board: a word of a thousandth", |n| format!("{BOARD}?q={}&limit=10", rare_word(n))),
    ]
}

/// Reads whose result depends on the caller.
fn own() -> Vec<Read> {
    let own = |name, filter: &str| fixed(By::Reader, name, &format!("{BOARD}?{filter}"));
    vec![
        own("board: mine", "mine=true"),
        own("board: voted for", "voted=true"),
        own("board: not voted for", "voted=false"),
        own("board: followed", "followed=true"),
        own("board: not followed", "followed=false"),
        fixed(By::Reader, "board: notifications", "/v1/engagement/notifications"),
        fixed(By::Reader, "board: notifications, unread", "/v1/engagement/notifications?unread=true"),
    ]
}

fn things(requests: u32) -> Vec<Read> {
    const TYPED: [&str; 4] = [
        "Split the bill between guests",
        "Print a label",
        "Translate the menu",
        "Show allergens on the kitchen screen",
    ];
    let of = |number: u32, what: &str| format!("{BOARD}/{}{what}", id(number));
    let similar = |title: &str| format!("{BOARD}:similar?title={}", title.replace(' ', "%20"));
    vec![
        varied("board: a request", move |n| of(standing(n, requests), "")),
        // Feature requests with a number that ends in 10 have an answer, so that each read finds comments.
        varied("board: comments", move |n| of(n % (requests / 100 - 1) * 100 + 110, "/comments")),
        fixed(By::Reader, "board: comments where there are many", &of(10, "/comments")),
        fixed(By::Reader, "board: comments of many parts", &of(56, "/comments")),
        fixed(By::Reader, "board: status changes", &of(20, "/status-changes")),
        fixed(By::Reader, "board: duplicates", &of(156, "/duplicates")),
        varied("board: similar, rare words", move |n| {
            similar(&format!("{} {}", rare_word(n), own_word(standing(n, requests))))
        }),
        varied("board: similar, as people type", move |n| {
            similar(TYPED.get(n as usize % 4).copied().unwrap_or_default())
        }),
        fixed(By::Reader, "board: roadmap", "/v1/engagement/roadmap"),
        fixed(By::Reader, "board: topics", "/v1/engagement/topics"),
    ]
}

fn moderation(requests: u32) -> Vec<Read> {
    let order = |name, sort: &str| fixed(By::Staff, name, &format!("{OF_STAFF}/feature-requests?sort={sort}"));
    vec![
        order("board of staff: most reports", "-reports"),
        order("board of staff: newest", "-created_at"),
        order("board of staff: most votes", "-votes"),
        order("board of staff: active last", "-active_at"),
        varied_of_staff("board of staff: a word of one", move |n| {
            format!("{OF_STAFF}/feature-requests?q={}", own_word(standing(n, requests)))
        }),
        varied_of_staff("board of staff: a word of a thousandth", |n| {
            format!("{OF_STAFF}/feature-requests?q={}&limit=10", rare_word(n))
        }),
        varied_of_staff("board of staff: a request", move |n| {
            format!("{OF_STAFF}/feature-requests/{}", id(standing(n, requests)))
        }),
        fixed(By::Staff, "board of staff: reports", "/v1/engagement/internal/reports"),
        fixed(By::Staff, "board of staff: reports, newest", "/v1/engagement/internal/reports?sort=-reported_at"),
        fixed(By::Staff, "board of staff: overview", "/v1/engagement/internal/overview"),
    ]
}

fn comments(requests: u32) -> Vec<Read> {
    let rare = |n: u32| format!("{OF_STAFF}/comments?q={}", rare_word(n));
    vec![
        fixed(By::Staff, "board of staff: comments", &format!("{OF_STAFF}/comments")),
        fixed(By::Staff, "board of staff: comments, newest", &format!("{OF_STAFF}/comments?sort=-created_at")),
        // Words that only the answer to this feature request (its number ends in 10) contains.
        varied_of_staff("board of staff: comments, words of one", move |n| {
            format!("{OF_STAFF}/comments?q=us%20{}%2060000", n % (requests / 100) * 100 + 10)
        }),
        varied_of_staff("board of staff: comments, a word of a thousandth", rare),
        varied_of_staff("board of staff: comments, a word of a thousandth, newest", move |n| {
            format!("{}&sort=-created_at", rare(n))
        }),
    ]
}

#[cfg(test)]
mod tests {
    use labs_rest::contract::Contract;

    use super::*;

    /// Whether a path belongs to an operation: its segments equal the operation's or are values of its parameters.
    fn fits(path: &str, operation: &str) -> bool {
        let path = path.split('?').next().unwrap_or_default();
        let (path, operation): (Vec<&str>, Vec<&str>) = (path.split('/').collect(), operation.split('/').collect());
        path.len() == operation.len()
            && path.iter().zip(operation).all(|(one, other)| *one == other || other.starts_with('{'))
    }

    #[test]
    fn each_board_list_is_measured() {
        let reads: Vec<String> = all(1000).iter().map(|read| (read.path)(1)).collect();
        let contract = Contract::embedded().unwrap();
        let lists = contract.operations().iter().filter(|operation| operation.id.starts_with("engagement_"));
        let lists: Vec<_> = lists.filter(|operation| operation.id.contains("_list")).collect();
        assert!(!lists.is_empty());
        let is_measured = |operation: &str| reads.iter().any(|read| fits(read, operation));
        let missed: Vec<&str> =
            lists.iter().filter(|list| !is_measured(&list.path)).map(|list| list.id.as_str()).collect();
        assert!(missed.is_empty(), "{missed:?}");
    }

    #[test]
    fn requested_feature_requests_exist_on_board() {
        for n in 0..10_000 {
            let number = standing(n, 10_000);
            assert!((10..10_000).contains(&number) && (10..50).contains(&(number % 100)), "{number}");
        }
        assert_eq!((own_word(1212).as_str(), rare_word(0).as_str()), ("n0001212", "bakoba"));
    }
}

//! Report of a day by the platform's API, page by page. `contract/platform-statistics.yaml` defines the form.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use labs_core::day::Day;
use labs_core::whole_number::WholeNumber;
use labs_core::words::words;
use serde::Deserialize;
use uuid::Uuid;

/// Most pages per day.
pub(super) const MOST_PAGES: usize = 1000;
/// Most apps, and most partners, per day.
const MOST_ROWS: usize = 1_000_000;
/// Most customers of an app, more than any platform has.
const MOST_CUSTOMERS: i64 = 1_000_000_000_000;

words! {
    /// Reason why a day was not imported.
    pub enum ImportErrorCode {
        /// The replica that ran the import stopped.
        BrokenOff = "BROKEN_OFF",
        /// The connection ended in the middle of a response.
        CutOff = "CUT_OFF",
        /// An app or a partner appears twice.
        Duplicate = "DUPLICATE",
        /// The platform returned a status other than success.
        HttpStatus = "HTTP_STATUS",
        /// A number of customers is negative.
        NegativeCount = "NEGATIVE_COUNT",
        /// The platform has not completed the day.
        NotComplete = "NOT_COMPLETE",
        /// The platform returned a different day.
        OtherDay = "OTHER_DAY",
        /// The host has an address in a private network, which the settings do not allow.
        PrivateAddress = "PRIVATE_ADDRESS",
        /// The platform returned a redirect, which the service does not follow.
        Redirected = "REDIRECTED",
        /// A page links to a page that was already read.
        RepeatedPage = "REPEATED_PAGE",
        /// The platform did not return a complete response within five seconds.
        Timeout = "TIMEOUT",
        /// The token file cannot be read.
        TokenUnreadable = "TOKEN_UNREADABLE",
        /// A page exceeds 8 MB, or the day exceeds 1,000 pages or a million rows.
        TooLarge = "TOO_LARGE",
        /// The platform rejected the token.
        Unauthorized = "UNAUTHORIZED",
        /// The host does not respond.
        Unreachable = "UNREACHABLE",
        /// The response is not JSON.
        WrongContentType = "WRONG_CONTENT_TYPE",
        /// The JSON response has a different structure.
        WrongType = "WRONG_TYPE",
    }
}

/// Reason why a day was not imported: a code and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportError {
    /// Code of the error.
    pub code: ImportErrorCode,
    /// Sentence for staff.
    pub message: String,
}

impl ImportError {
    /// Creates an error from a code and a sentence.
    #[must_use]
    pub fn new(code: ImportErrorCode, message: impl Into<String>) -> Self {
        let mut message = message.into();
        message.truncate(message.floor_char_boundary(500));
        Self { code, message }
    }
}

#[derive(Deserialize)]
struct PageForm {
    day: Day,
    is_complete: bool,
    data: Vec<AppForm>,
    partners: Option<Vec<PartnerForm>>,
    page: NextForm,
}

#[derive(Deserialize)]
struct AppForm {
    app_uuid: Uuid,
    customers: WholeNumber,
}

#[derive(Deserialize)]
struct PartnerForm {
    partner_uuid: Uuid,
    customers: WholeNumber,
}

#[derive(Deserialize)]
struct NextForm {
    next_cursor: Option<String>,
}

/// The figures of a day that were read so far.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) apps: HashMap<Uuid, i64>,
    pub(super) partners: HashMap<Uuid, i64>,
    pub(super) pages: i32,
    cursors: HashSet<String>,
}

impl Report {
    /// Adds a page; returns the cursor of the next page, if it exists.
    ///
    /// # Errors
    /// The first deviation of the page from the required form. All figures of the day are then invalid.
    pub(super) fn add(&mut self, day: Day, page: &[u8]) -> Result<Option<String>, ImportError> {
        let page: PageForm = serde_json::from_slice(page).map_err(|error| {
            ImportError::new(
                ImportErrorCode::WrongType,
                format!("The response does not have the expected form: {error}."),
            )
        })?;
        if page.day != day {
            let message = format!("The service requested {day} and received {}.", page.day);
            return Err(ImportError::new(ImportErrorCode::OtherDay, message));
        }
        if !page.is_complete {
            return Err(ImportError::new(ImportErrorCode::NotComplete, format!("{day} is not complete yet.")));
        }
        let next = page.page.next_cursor.filter(|cursor| !cursor.is_empty());
        if let Some(cursor) = &next
            && !self.cursors.insert(cursor.clone())
        {
            let message = "A page repeats the cursor of an earlier page.";
            return Err(ImportError::new(ImportErrorCode::RepeatedPage, message));
        }
        for row in page.data {
            count(&mut self.apps, "app", row.app_uuid, row.customers.0)?;
        }
        for row in page.partners.unwrap_or_default() {
            count(&mut self.partners, "partner", row.partner_uuid, row.customers.0)?;
        }
        self.pages += 1;
        Ok(next)
    }
}

fn count(rows: &mut HashMap<Uuid, i64>, thing: &str, uuid: Uuid, customers: i64) -> Result<(), ImportError> {
    let refuse = |code, message: String| Err(ImportError::new(code, message));
    if customers < 0 {
        return refuse(ImportErrorCode::NegativeCount, format!("The {thing} {uuid} has {customers} customers."));
    }
    if customers > MOST_CUSTOMERS || rows.len() >= MOST_ROWS {
        return refuse(
            ImportErrorCode::TooLarge,
            format!("There are too many {thing}s, or too many customers of one: {uuid}."),
        );
    }
    match rows.entry(uuid) {
        Entry::Occupied(_) => refuse(ImportErrorCode::Duplicate, format!("The {thing} {uuid} occurs twice.")),
        Entry::Vacant(place) => {
            place.insert(customers);
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn page(customers: Value, next: Value) -> Value {
        let app = Uuid::from_u128(1);
        json!({ "day": "2026-11-24", "is_complete": true, "data": [{ "app_uuid": app, "customers": customers }],
                "page": { "next_cursor": next } })
    }

    fn added(report: &mut Report, page: &Value) -> Result<Option<String>, ImportErrorCode> {
        report.add("2026-11-24".parse().unwrap(), page.to_string().as_bytes()).map_err(|error| error.code)
    }

    #[test]
    fn invalid_page_is_rejected_with_its_code() {
        let of = |change: fn(&mut Value)| {
            let mut page = page(json!(12), Value::Null);
            change(&mut page);
            added(&mut Report::default(), &page)
        };
        assert_eq!(of(|_| {}), Ok(None));
        assert_eq!(of(|page| page["data"][0]["customers"] = json!(12.0)), Ok(None), "12.0 is a whole number");
        assert_eq!(of(|page| page["more"] = json!(1)), Ok(None), "members may be added to the form");
        for (change, code) in [
            (of(|page| page["data"][0]["customers"] = json!(-1)), ImportErrorCode::NegativeCount),
            (of(|page| page["data"][0]["customers"] = json!(1.5)), ImportErrorCode::WrongType),
            (of(|page| page["data"][0]["customers"] = json!("12")), ImportErrorCode::WrongType),
            (of(|page| page["data"][0]["customers"] = json!(MOST_CUSTOMERS + 1)), ImportErrorCode::TooLarge),
            (of(|page| page["data"] = json!({})), ImportErrorCode::WrongType),
            (of(|page| page["page"] = Value::Null), ImportErrorCode::WrongType),
            (of(|page| page["day"] = json!("2026-11-23")), ImportErrorCode::OtherDay),
            (of(|page| page["is_complete"] = json!(false)), ImportErrorCode::NotComplete),
            (of(|page| page["data"] = json!([page["data"][0], page["data"][0]])), ImportErrorCode::Duplicate),
        ] {
            assert_eq!(change, Err(code));
        }
    }

    #[test]
    fn repeated_or_backward_page_is_rejected() {
        let mut report = Report::default();
        assert_eq!(added(&mut report, &page(json!(1), json!("b"))), Ok(Some("b".to_owned())));
        assert_eq!(added(&mut report, &page(json!(1), json!("b"))), Err(ImportErrorCode::RepeatedPage));
        let mut report = Report::default();
        added(&mut report, &page(json!(1), json!("b"))).unwrap();
        assert_eq!(added(&mut report, &page(json!(1), Value::Null)), Err(ImportErrorCode::Duplicate));
    }
}

//! One search over all kinds of objects: the search text, the scopes per kind, and the representation of the results.

use labs_core::describe::OutputType;
use labs_core::email::EmailAddress;
use labs_core::fault::{Fault, FieldError};
use labs_core::words::words;
use serde::Serialize;
use uuid::Uuid;

/// Maximum number of results per kind.
const MOST_OF_A_KIND: usize = 5;
/// Minimum length of the search text in letters.
const FEWEST_LETTERS: usize = 2;

words! {
    /// Kind of object to search.
    pub enum SearchKind {
        /// A partner.
        Partner = "PARTNER",
        /// A member of a partner's team.
        User = "USER",
        /// An app.
        App = "APP",
        /// A machine client.
        Program = "PROGRAM",
        /// A support ticket of a partner.
        Ticket = "TICKET",
    }
}

words! {
    /// Kind of match.
    pub enum SearchMatch {
        /// The id, slug, client id, e-mail address or whole name is equal to the search text.
        Exact = "EXACT",
        /// The name or e-mail address begins with the search text.
        Prefix = "PREFIX",
        /// The name contains the search text.
        Part = "PART",
        /// The name contains each word of the search text, in any order. A word of at least five letters may have one
        /// typing error.
        Similar = "SIMILAR",
    }
}

impl SearchKind {
    /// Returns the scope of the list of these objects, the operation that returns one object, and its path.
    pub(super) const fn door(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Partner => ("labs.admin.partners", "admin_partners_get", "/v1/admin/partners/"),
            Self::User => ("labs.admin.users", "admin_users_get", "/v1/admin/users/"),
            Self::App => ("labs.admin.apps", "admin_apps_get", "/v1/admin/apps/"),
            Self::Program => ("labs.admin.clients", "admin_machine_clients_get", "/v1/admin/machine-clients/"),
            Self::Ticket => ("labs.admin.support", "partner_support_desk_get", "/v1/support-desk/tickets/"),
        }
    }
}

/// Search text in its possible meanings.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SearchTerms {
    pub(super) text: String,
    /// The text in the form in which e-mail addresses are compared, if it is an address.
    pub(super) email: Option<String>,
    /// The text as an id, if it is one.
    pub(super) uuid: Option<Uuid>,
}

impl SearchTerms {
    /// Parses the search text.
    ///
    /// # Errors
    /// [`labs_core::Code::ValidationFailed`] for a single letter.
    pub(super) fn read(q: &str) -> Result<Self, Fault> {
        let text = q.trim().to_owned();
        if text.chars().count() < FEWEST_LETTERS {
            return Err(Fault::invalid(vec![FieldError::of(
                "q",
                "LENGTH",
                "Send at least two characters to search for.",
            )]));
        }
        let email = EmailAddress::parse(&text).ok().map(|address| address.normalised().to_owned());
        Ok(Self { email, uuid: text.parse().ok(), text })
    }
}

/// A search result.
pub(super) struct FoundRow {
    pub(super) kind: SearchKind,
    pub(super) uuid: Uuid,
    pub(super) matched: SearchMatch,
    pub(super) title: String,
    pub(super) subtitle: Option<String>,
    pub(super) state: String,
}

/// A search result.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct SearchResult {
    /// Kind of the object.
    kind: SearchKind,
    /// UUID of the object.
    uuid: Uuid,
    /// Name of the object. For a support ticket, its subject.
    title: String,
    /// Text that distinguishes the object from others: the slug of a partner, the e-mail address of a user, the client
    /// id of a machine client, or the company of an app or support ticket.
    subtitle: Option<String>,
    /// State of the object, as in the list of its kind.
    state: String,
    /// Kind of match.
    matched: SearchMatch,
    /// Path that returns the object.
    link: String,
    /// Operation id of this path.
    operation_id: String,
}

impl From<FoundRow> for SearchResult {
    fn from(row: FoundRow) -> Self {
        let (_, operation_id, path) = row.kind.door();
        Self {
            kind: row.kind,
            uuid: row.uuid,
            title: row.title,
            subtitle: row.subtitle,
            state: row.state,
            matched: row.matched,
            link: format!("{path}{}", row.uuid),
            operation_id: operation_id.to_owned(),
        }
    }
}

/// Results of a search.
#[derive(Debug, Serialize, OutputType)]
pub(super) struct PlatformSearch {
    /// Search results, exact matches first.
    pub(super) data: Vec<SearchResult>,
    /// Kinds that the caller's scopes do not cover.
    pub(super) left_out: Vec<SearchKind>,
}

/// Selects the best results of each kind, each object once, exact matches first.
pub(super) fn best_matches(mut rows: Vec<FoundRow>) -> Vec<SearchResult> {
    rows.sort_by_key(|row| (row.matched, row.kind));
    let mut seen: Vec<(SearchKind, Uuid)> = Vec::new();
    rows.retain(|row| {
        let of_kind = seen.iter().filter(|(kind, _)| *kind == row.kind).count();
        let is_new = of_kind < MOST_OF_A_KIND && !seen.contains(&(row.kind, row.uuid));
        if is_new {
            seen.push((row.kind, row.uuid));
        }
        is_new
    });
    rows.into_iter().map(SearchResult::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(kind: SearchKind, number: u128, matched: SearchMatch) -> FoundRow {
        let (title, state) = ("Nordsee".to_owned(), "ACTIVE".to_owned());
        FoundRow { kind, uuid: Uuid::from_u128(number), matched, title, subtitle: None, state }
    }

    #[test]
    fn best_hits_per_kind_are_listed_once_exact_first() {
        let mut rows: Vec<FoundRow> = (1..9).map(|n| row(SearchKind::App, n, SearchMatch::Prefix)).collect();
        rows.push(row(SearchKind::App, 8, SearchMatch::Exact));
        rows.push(row(SearchKind::Ticket, 8, SearchMatch::Part));
        rows.push(row(SearchKind::Partner, 1, SearchMatch::Prefix));
        let seen: Vec<(SearchKind, u128)> =
            best_matches(rows).iter().map(|found| (found.kind, found.uuid.as_u128())).collect();
        assert_eq!(seen[..2], [(SearchKind::App, 8), (SearchKind::Partner, 1)]);
        assert_eq!(
            seen[2..],
            [
                (SearchKind::App, 1),
                (SearchKind::App, 2),
                (SearchKind::App, 3),
                (SearchKind::App, 4),
                (SearchKind::Ticket, 8)
            ]
        );
    }

    #[test]
    fn email_and_uuid_search_terms_are_recognized() {
        let address = SearchTerms::read(" Anna@Example.COM ").unwrap();
        assert_eq!((address.email.as_deref(), address.uuid), (Some("anna@example.com"), None));
        let uuid = Uuid::from_u128(7);
        assert_eq!(SearchTerms::read(&uuid.to_string()).unwrap().uuid, Some(uuid));
        assert_eq!(SearchTerms::read("No").unwrap(), SearchTerms { text: "No".to_owned(), email: None, uuid: None });
        assert_eq!(SearchTerms::read(" x ").unwrap_err().errors()[0].code, "LENGTH");
    }
}

//! Publication items: changelog entries and blog posts.

/// An item. The release tool wrote the entries and the editor the posts; the editor released all of them.
pub(in crate::sample) struct ItemData {
    pub(in crate::sample) slug: &'static str,
    pub(in crate::sample) title: &'static str,
    pub(in crate::sample) summary: &'static str,
    pub(in crate::sample) body: &'static str,
    pub(in crate::sample) tags: &'static [&'static str],
    /// For an entry: the release, the kind of change, and the affected operations.
    pub(in crate::sample) change: Option<(&'static str, &'static str, &'static [&'static str])>,
    /// For an entry: the required migration.
    pub(in crate::sample) migration: Option<&'static str>,
    pub(in crate::sample) state: &'static str,
    /// Days since its release, or since its creation if it was never released.
    pub(in crate::sample) days: u32,
}

/// All items, earliest first.
pub(in crate::sample) const ITEMS: [ItemData; 8] = [
    ItemData {
        slug: "0-8-0-reviews-come-with-a-reference",
        title: "Reviews come with a reference of the customer",
        summary: "A storefront names the customer of a review by a reference of its own, and a second review of the same \
                  customer takes the place of the first.",
        body: "[Handing in a review](op:marketplace_listings_submit_review) needs `customer_reference`: a text of your own \
               that is the same whenever the same customer writes. We keep a hash of it and nothing else.\n\n\
               Until now each review stood for itself, so that one guest could speak twice.",
        tags: &["storefront", "reviews"],
        change: Some(("0.8.0", "CHANGED", &["marketplace_listings_submit_review"])),
        migration: Some(
            "Send a reference that stays the same for each customer. An order number does not.\n\n\
             Before:\n\n```json\n{\"rating\": 5, \"locale\": \"de\"}\n```\n\n\
             After:\n\n```json\n{\"customer_reference\": \"venue-4711\", \"rating\": 5, \"locale\": \"de\"}\n```",
        ),
        state: "RELEASED",
        days: 170,
    },
    ItemData {
        slug: "how-long-a-review-takes",
        title: "How long a review takes, and why we say so",
        summary: "A version that waits for its review now shows its place in the queue and the date to expect.",
        body: "The question that reached us most often was a short one: *when?*\n\n## A date that nine of ten keep\n\n\
               A version that waits shows `expected_at`. It is the business time in which nine of ten of the last fifty \
               decisions were made, so most of you hear from us earlier.\n\n## A promise beside it\n\n`due_at` is another \
               matter: three business days, Monday to Friday in UTC. The clock stands while we wait for you.\n\n\
               > If we miss it, tell us. The review desk sees what is late before anything else.",
        tags: &["review"],
        change: None,
        migration: None,
        state: "RELEASED",
        days: 121,
    },
    ItemData {
        slug: "0-9-0-follow-changes-of-listings",
        title: "Follow the changes of listings",
        summary: "A storefront that keeps a copy no longer has to read everything again to find the changes.",
        body: "[The feed of changes](op:marketplace_listings_list_changes) tells of each listing that was shown, changed or \
               hidden since your last visit, in order and without gaps. Keep the cursor of the last page and come back \
               with it.\n\nA cursor that is older than 90 days answers 410 `CURSOR_EXPIRED`: read everything once and \
               start from there.",
        tags: &["storefront"],
        change: Some(("0.9.0", "ADDED", &["marketplace_listings_list_changes"])),
        migration: None,
        state: "RELEASED",
        days: 88,
    },
    ItemData {
        slug: "a-holiday-break-of-the-review-desk",
        title: "A holiday break of the review desk",
        summary: "Between the years versions wait a little longer.",
        body: "The review desk is closed from 24 December to 1 January. What is handed in meanwhile keeps its place in the \
               queue, and the dates that you see take the break into account.",
        tags: &["review"],
        change: None,
        migration: None,
        state: "WITHDRAWN",
        days: 74,
    },
    ItemData {
        slug: "0-9-1-a-refused-request-names-all-that-is-wrong",
        title: "A refused request names all that is wrong",
        summary: "Until now, a 422 listed only the first error.",
        body: "`errors` names every place that breaks a rule, at most a hundred, each by its JSON pointer. \
               [Asking why](op:system_me_explain) tells the same about a call that you have not sent yet.",
        tags: &["errors"],
        change: Some(("0.9.1", "FIXED", &["system_me_explain"])),
        migration: None,
        state: "RELEASED",
        days: 52,
    },
    ItemData {
        slug: "1-0-0-the-search-forgives-misspellings",
        title: "The search forgives misspellings",
        summary: "A word may differ from the listing by a letter or two.",
        body: "[The search](op:marketplace_listings_search) finds *Table Planner* for `tabel planer` too. What is spelled \
               as in the listing still comes first.",
        tags: &["search", "storefront"],
        change: Some(("1.0.0", "CHANGED", &["marketplace_listings_search"])),
        migration: None,
        state: "RELEASED",
        days: 20,
    },
    ItemData {
        slug: "version-one",
        title: "Version one",
        summary: "The meaning of the version number, and how we announce removals.",
        body: "With 1.0.0 the contract holds.\n\n## What stays\n\nWe add operations, fields and values. We take none away \
               within version 1, rename none, and demand nothing new of a request that worked.\n\n## What goes, and how\n\n\
               | when | what you see |\n|---|---|\n| six months before | `X-Labs-Deprecation`, `Sunset` and a `Link` on \
               each answer concerned |\n| sixty, thirty and seven days before | a mail, if you still call it |\n\
               | on the day | the next major version, never a silent change |\n\nThe contract is \
               [here](op:publication_api_reference_get), for people and for generators of clients.",
        tags: &["contract"],
        change: None,
        migration: None,
        state: "RELEASED",
        days: 19,
    },
    ItemData {
        slug: "tokens-for-programs",
        title: "Tokens for programs, step by step",
        summary: "From the first client secret to a token that can do no more than it must.",
        body: "*To be finished: the picture, and what happens when a secret is replaced.*\n\nA program \
               [asks for a token](op:auth_tokens_issue) with its id and its secret, and names the scopes that it needs now.",
        tags: &["tokens"],
        change: None,
        migration: None,
        state: "DRAFT",
        days: 3,
    },
];

//! Search of the storefront, with its filters and orders.
//!
//! The displayed columns are computed only for the listings of the page. This requires query plans that return the rows
//! in order: PostgreSQL evaluates `(… in …) is true` with a hashed lookup, while it would turn `… in …` into a join and
//! sort the complete result.

mod chosen;
mod fitting;
mod pictures;
mod releases;

use labs_core::context::RequestContext;
use labs_core::describe::InputType;
use labs_core::fault::Fault;
use labs_core::list::{Condition, Key, ListQuery, PageRequest, Rows, Select, SqlValue, Statements};
use labs_core::locale::equivalents;
use labs_core::texts::first_words;
use labs_core::time::Time;
use labs_core::words::words;
use labs_shared::images::Size;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::types::Json;
use uuid::Uuid;

use super::index::{Choice, choose, choose_ranked};
use super::types::{ListingCategory, ListingIcon, ListingRating, ListingSummary, ListingVendor};
use crate::public_pictures::PictureSource;

pub(super) use chosen::{CHOSEN, ChosenListings};
use fitting::{FITTING, FITTING_AMONG};
pub(super) use pictures::ListingMediaFilter;
pub(super) use pictures::{OfListing, PICTURES};
pub(super) use releases::{OfReader, RELEASES, ReleaseRow};

/// Operation of both search lists: the one ordered by relevance, and the one with the other orders.
const SEARCH: &str = "marketplace_listings_search";

/// Filter of a search. The contract describes each field.
#[derive(Debug, Default, Deserialize, Serialize, InputType)]
pub(super) struct ListingFilter {
    pub(super) q: Option<String>,
    pub(super) category: Option<Vec<String>>,
    pub(super) partner: Option<String>,
    pub(super) rating_from: Option<f64>,
    pub(super) language: Option<Vec<String>>,
    pub(super) verified: Option<bool>,
}

/// Search of a reader.
#[derive(Debug, Serialize)]
pub(super) struct Search {
    /// Search term as typed. A term without a word finds nothing.
    pub(super) typed: Option<String>,
    /// Search term that replaces the typed one if no listing matches that. Cursors are bound to the typed term.
    #[serde(skip)]
    pub(super) substitute: Option<String>,
    /// Other filters.
    pub(super) filter: ListingFilter,
    /// Locale of the texts.
    pub(super) locale: Option<String>,
    /// How the database finds the page.
    #[serde(skip)]
    pub(super) choice: Choice,
}

words! {
    /// Orders of a search.
    pub(crate) enum ListingSort {
        /// By relevance. Without a search term, newest first.
        Relevance = "RELEVANCE",
        /// Most recently published first.
        PublishedAtDesc = "PUBLISHED_AT_DESC",
        /// Most recently first published first: new apps, not updates.
        FirstPublishedAtDesc = "FIRST_PUBLISHED_AT_DESC",
        /// By name in the reader's locale.
        Name = "NAME",
        /// Highest rating first, by a weighted mean that a single customer review cannot dominate. Listings without a
        /// rating come last.
        RatingDesc = "RATING_DESC",
    }
}

impl Search {
    /// Builds a search from the request.
    pub(super) fn new(mut filter: ListingFilter, locale: Option<String>) -> Self {
        let typed = filter.q.take().map(|typed| first_words(&typed).split_whitespace().collect::<Vec<_>>().join(" "));
        filter.rating_from = filter.rating_from.map(|rating| (rating * 10.0).round() / 10.0);
        // Counts use the same filters as the pages: an empty list filters neither.
        filter.category.take_if(|slugs| slugs.is_empty());
        filter.language = filter.language.filter(|languages| !languages.is_empty()).map(|tags| equivalents(&tags));
        Self { typed, substitute: None, filter, locale, choice: Choice::default() }
    }

    /// Returns a page of search results.
    ///
    /// # Errors
    /// [`labs_core::Code::InvalidCursor`] for a cursor of another search or another order.
    pub(super) async fn page(
        &mut self,
        cx: &RequestContext,
        sort: Option<ListingSort>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<Rows<FoundRow>, Fault> {
        let sort = match sort.unwrap_or(ListingSort::Relevance) {
            ListingSort::Relevance if self.typed.is_some() => {
                let request = PageRequest::new(None, limit, cursor);
                self.choice = choose_ranked(cx, self).await?;
                let list = if matches!(self.choice, Choice::Among(_)) { &FITTING_AMONG } else { &FITTING };
                return list.page(cx, self, &request).await;
            }
            ListingSort::Relevance => ListingSort::PublishedAtDesc,
            sort => sort,
        };
        let request = PageRequest::new(Some(sort), limit, cursor);
        self.choice = choose(cx, self, &request, || LISTINGS.cursor_keys(cx, self, &request)).await?;
        let list = match self.choice {
            Choice::Database => &LISTINGS,
            Choice::Frequent => &FREQUENT,
            Choice::Among(_) | Choice::Next(_) => &LISTINGS_AMONG,
        };
        let found = list.page(cx, self, &request).await?;
        // So many of the chosen listings no longer match that the page may not be the last one.
        if matches!(self.choice, Choice::Next(_)) && !found.page.has_more {
            return LISTINGS.page(cx, self, &request).await;
        }
        Ok(found)
    }

    /// Whether the search has a term or a filter.
    pub(super) fn is_narrowed(&self) -> bool {
        let ListingFilter { q: _, category, partner, rating_from, language, verified } = &self.filter;
        let has_filter = category.is_some() || partner.is_some() || rating_from.is_some() || language.is_some();
        has_filter || verified.is_some() || self.typed.is_some()
    }

    /// Returns the effective search term.
    pub(super) fn search_terms(&self) -> Option<&str> {
        self.substitute.as_deref().or(self.typed.as_deref())
    }

    /// Reader's locale and search term; each is empty if absent.
    fn texts(&self) -> SqlValue {
        let texts = [self.locale.as_deref(), self.search_terms()];
        SqlValue::Texts(texts.into_iter().map(|text| text.unwrap_or_default().to_owned()).collect())
    }
}

/// Listing in a search result, with its sort keys.
#[derive(Deserialize, sqlx::FromRow)]
pub(crate) struct FoundRow {
    slug: String,
    pub(crate) app_uuid: Uuid,
    name: String,
    tagline: String,
    locale: String,
    vendor_slug: String,
    vendor_name: String,
    vendor_verified: bool,
    categories: Option<Json<Vec<ListingCategory>>>,
    icon: Option<Json<IconRow>>,
    rating_average: f64,
    rating_count: i32,
    /// Mean of the ratings, weighted by their number.
    rating_score: i64,
    version_number: String,
    first_published_at: Time,
    published_at: Time,
    /// Relevance in millionths, an integer so that a cursor stores it exactly; 0 in other orders.
    rank: i32,
    /// Name in the form used for comparison.
    sort_name: String,
    /// Identifies the state of the storefront's content.
    pub(super) stamp: String,
}

/// Icon of a listing in a search result.
#[derive(Deserialize)]
struct IconRow {
    media_uuid: Uuid,
    media_type: String,
    width: i32,
    height: i32,
    alt_text: Option<String>,
    renditions: Vec<Size>,
}

/// Columns of a listing `l` with its text `t`, in the given locale.
macro_rules! shown {
    ($rank:literal) => {
        concat!(
            $rank,
            " as rank, l.slug, l.app_uuid, l.version_number, l.first_published_at, l.published_at, l.rating_average,
     l.rating_count, l.rating_score, t.name, t.tagline, t.locale, t.sort_name, p.slug as vendor_slug,
     p.company_name as vendor_name, p.verified_at is not null as vendor_verified,
     (select concat_ws('.', (select max(position) from listing_change
          where change <> 'RATED'), count(*), sum(xmin::text::bigint))
        from category) as stamp,
     (select json_agg(json_build_object('slug', c.slug, 'primary', lc.position = 0, 'name', coalesce(
              locale_text(c.names, ({}::text[])[1]), c.names ->> 'en', c.slug))
              order by lc.position)
        from listing_category as lc join category as c using (category_uuid) where lc.app_uuid = l.app_uuid
         and lc.category_uuid = any (array(select category_uuid from category_place where shown))) as categories,
     (select json_build_object('media_uuid', m.media_uuid, 'media_type', m.media_type, 'width', m.width, 'height', m.height,
              'alt_text', coalesce(locale_text(lm.alt_texts, ({}::text[])[1]),
              nullif(lm.alt_text, '')), 'renditions', m.renditions)
        from listing_media as lm join media as m using (media_uuid)
       where lm.app_uuid = l.app_uuid and lm.kind = 'ICON' limit 1) as icon"
        )
    };
}

/// Text of a listing `l` in the best locale: the given one, else its language, else the listing's default locale.
macro_rules! text_of_the_listing {
    () => {
        " join partner as p using (partner_uuid) cross join lateral (
          select o.name, o.tagline, o.locale, o.sort_name
            from listing_translation as o where o.app_uuid = l.app_uuid
           order by locale_rank(o.locale, ({}::text[])[1]),
                    o.locale = l.default_locale desc limit 1) as t"
    };
}

pub(crate) use {shown, text_of_the_listing};

/// Listings with their displayed columns.
static SHOWN: Select<FoundRow> = Select::new(shown!("0"), concat!("listing as l", text_of_the_listing!()));

const VISIBLE: Condition<Search> = Condition { sql: "l.visible", value: |_| Some(SqlValue::Nothing) };
/// [`VISIBLE`] among chosen listings. The planner knows no index for it, so it reads only these listings.
const STILL_VISIBLE: Condition<Search> =
    Condition { sql: "coalesce(l.visible, false)", value: |_| Some(SqlValue::Nothing) };
const IN_CATEGORY: Condition<Search> = Condition {
    sql: "(l.app_uuid in (select lc.app_uuid from listing_category as lc join category_place as place using (category_uuid)
              join category as c on c.category_uuid = any(place.path)
             where place.shown and c.slug = any({}))) is true",
    value: |of| SqlValue::texts(of.filter.category.as_ref()),
};
/// [`IN_CATEGORY`], tested listing by listing.
const HAS_CATEGORY: Condition<Search> = Condition {
    sql: "(select true from listing_category as lc
            where lc.app_uuid = l.app_uuid and lc.category_uuid = any(array(
                  select category_uuid from category_place where shown and path && array(
                         select category_uuid from category where slug = any({})))) limit 1) is true",
    value: |of| SqlValue::texts(of.filter.category.as_ref()),
};
/// Search term, tested listing by listing.
const HAS_WORDS: Condition<Search> = Condition {
    sql: "(select true from listing_document as d where d.app_uuid = l.app_uuid
              and d.search @@ (select query.terms from listing_terms({}) as query)) is true",
    value: |of| of.search_terms().map(SqlValue::from),
};
const OF_PARTNER: Condition<Search> = Condition {
    sql: "l.partner_uuid = (select partner_uuid from partner where slug = {})",
    value: |of| of.filter.partner.as_deref().map(SqlValue::from),
};
const OF_VERIFIED: Condition<Search> = Condition {
    sql: "((select true from partner as v where v.partner_uuid = l.partner_uuid and v.verified_at is not null) is true)
              = {}",
    value: |of| of.filter.verified.map(SqlValue::from),
};
const RATED: Condition<Search> = Condition {
    sql: "l.rating_count > 0 and l.rating_average >= {}",
    value: |of| of.filter.rating_from.map(SqlValue::Number),
};
const AMONG: Condition<Search> = Condition {
    // The planner then looks up each listing by its id, and combines this with no other index.
    sql: "l.app_uuid in (select unnest({}::uuid[]))",
    value: |of| match &of.choice {
        Choice::Among(app_uuids) | Choice::Next(app_uuids) => Some(SqlValue::Ids(app_uuids.clone())),
        Choice::Database | Choice::Frequent => None,
    },
};
const IN_LANGUAGE: Condition<Search> = Condition {
    // Looks up translations listing by listing. PostgreSQL would answer `exists` with a hash table of all translations.
    sql: "(select true from listing_translation as o
             join unnest({}::text[]) as language on o.locale = language or starts_with(o.locale, language || '-')
            where o.app_uuid = l.app_uuid limit 1) is true",
    value: |of| SqlValue::texts(of.filter.language.as_ref()),
};

/// Search results in every order except relevance.
static LISTINGS: ListQuery<Search, FoundRow, ListingSort> = ListQuery {
    operation: SEARCH,
    select: &SHOWN,
    within: &[Condition::given(|of| Some(of.texts())), VISIBLE],
    conditions: &[
        Condition {
            sql: "(l.app_uuid in (select d.app_uuid from listing_document as d
                  where d.search @@ (select query.terms from listing_terms({}) as query))) is true",
            value: |of| of.search_terms().map(SqlValue::from),
        },
        IN_CATEGORY,
        OF_PARTNER,
        OF_VERIFIED,
        RATED,
        IN_LANGUAGE,
    ],
    order: keys_of,
};

/// [`LISTINGS`] if many listings match: each is tested in the order of the list.
static FREQUENT: ListQuery<Search, FoundRow, ListingSort> = ListQuery {
    operation: SEARCH,
    select: &SHOWN,
    within: &[Condition::given(|of| Some(of.texts())), VISIBLE],
    conditions: &[HAS_WORDS, HAS_CATEGORY, OF_PARTNER, OF_VERIFIED, RATED, IN_LANGUAGE],
    order: keys_of,
};

/// Listings that the index has chosen. The filters apply again, because the index may be some seconds old.
static LISTINGS_AMONG: ListQuery<Search, FoundRow, ListingSort> = ListQuery {
    operation: SEARCH,
    select: &SHOWN,
    within: &[Condition::given(|of| Some(of.texts())), STILL_VISIBLE, AMONG],
    conditions: &[HAS_WORDS, HAS_CATEGORY, OF_PARTNER, OF_VERIFIED, RATED, IN_LANGUAGE],
    order: keys_of,
};

/// Returns the keys of an order.
fn keys_of(sort: ListingSort) -> &'static [Key<FoundRow>] {
    match sort {
        ListingSort::Relevance | ListingSort::PublishedAtDesc => const { &[PUBLISHED.descending(), ID.descending()] },
        ListingSort::FirstPublishedAtDesc => const { &[FIRST_PUBLISHED.descending(), ID.descending()] },
        ListingSort::Name => const { &[NAME, ID] },
        ListingSort::RatingDesc => const { &[RATING.descending(), RATINGS.descending(), ID.descending()] },
    }
}

const ID: Key<FoundRow> = Key::id("l.app_uuid", |row| json!(row.app_uuid));
const PUBLISHED: Key<FoundRow> = Key::moment("l.published_at", |row| json!(row.published_at));
const FIRST_PUBLISHED: Key<FoundRow> = Key::moment("l.first_published_at", |row| json!(row.first_published_at));
const NAME: Key<FoundRow> = Key::text("t.sort_name collate \"C\"", |row| json!(row.sort_name));
const RATING: Key<FoundRow> = Key::whole("l.rating_score", |row| json!(row.rating_score));
const RATINGS: Key<FoundRow> = Key::whole("l.rating_count", |row| json!(row.rating_count));

/// SQL statements of listings that are assembled at run time, so the compiler does not check them.
pub(crate) static STATEMENTS: [&dyn Statements; 8] =
    [&LISTINGS, &FREQUENT, &LISTINGS_AMONG, &FITTING, &FITTING_AMONG, &CHOSEN, &PICTURES, &RELEASES];

impl FoundRow {
    /// Converts the row to the public form, with image URLs below `pictures_url`.
    pub(crate) fn into_view(self, pictures_url: &str) -> ListingSummary {
        let row = self;
        ListingSummary {
            slug: row.slug,
            app_uuid: row.app_uuid,
            name: row.name,
            tagline: row.tagline,
            locale: row.locale,
            vendor: ListingVendor { slug: row.vendor_slug, name: row.vendor_name, verified: row.vendor_verified },
            categories: row.categories.map(|categories| categories.0).unwrap_or_default(),
            icon: row.icon.map(|icon| icon.0.into_view(pictures_url)),
            rating: ListingRating::new(row.rating_average, row.rating_count),
            version_number: row.version_number,
            first_published_at: row.first_published_at,
            published_at: row.published_at,
        }
    }
}

impl IconRow {
    fn into_view(self, pictures_url: &str) -> ListingIcon {
        let Self { media_uuid, media_type, width, height, alt_text, renditions } = self;
        let sources = PictureSource::all(pictures_url, renditions);
        ListingIcon { media_uuid, media_type, width, height, alt_text, sources }
    }
}

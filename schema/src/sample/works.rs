//! Sample drafts of apps, and the category tree.

use labs_core::fault::Fault;
use labs_core::time::Time;
use serde_json::{Value, json};
use uuid::Uuid;

use super::data::{AppData, CategoryData, Data, PartnerData, TextData, Translations};
use super::history::{self, VersionHistory};
use super::listings;
use super::past::{Past, id, shift_hours};
use super::rows::{AppRow, CategoryRow, ChoiceRow, EventRow, Links, MediaRow, Rows, TextRow};
use super::teams;

/// Days since the creation of the category tree.
const TREE_DAYS: u32 = 860;
/// Days since the last change of drafts that were edited after their publication.
const EDITED_DAYS: u32 = 5;

/// The initial data of an app, to which all other rows refer.
pub(super) struct Begun {
    pub(super) data: &'static Data,
    pub(super) app: &'static AppData,
    pub(super) app_uuid: Uuid,
    pub(super) partner: &'static PartnerData,
    pub(super) partner_uuid: Uuid,
    pub(super) author_uuid: Uuid,
    pub(super) at: Time,
    /// Time when its pictures were uploaded.
    pub(super) pictured_at: Time,
    /// Time of its last state change.
    pub(super) state_changed_at: Time,
    /// Histories of its versions, in order.
    pub(super) histories: Vec<VersionHistory>,
}

impl Begun {
    pub(super) fn of(data: &'static Data, past: Past, app: &'static AppData) -> Result<Self, Fault> {
        let unknown = |what: &str| Fault::internal(format!("the sample app {} has an unknown {what}", app.slug));
        let partner = data.partner(&app.partner).ok_or_else(|| unknown("partner"))?;
        let author_uuid = teams::member_uuid(past, partner, &app.author).ok_or_else(|| unknown("author"))?;
        let at = past.days(app.days, &app.slug);
        let histories = history::version_histories(data, past, app);
        let submitted_at = histories.iter().find_map(VersionHistory::submitted_at);
        let published_at = histories.iter().find_map(|way| way.published_at);
        let state_changed_at = match app.state.as_str() {
            "DRAFT" => at,
            "LISTED" => published_at.ok_or_else(|| unknown("publication"))?,
            _ => past.hours(app.state_hours, &app.slug),
        };
        Ok(Self {
            data,
            app,
            app_uuid: id(at, &app.slug),
            partner,
            partner_uuid: teams::partner_uuid(past, partner),
            author_uuid,
            at,
            pictured_at: submitted_at.map_or_else(|| past.now(), |at| shift_hours(at, -6.0, &app.slug)),
            state_changed_at,
            histories,
        })
    }

    /// Returns the texts in the order of a snapshot: the default locale first, the others by name.
    pub(super) fn texts(&self) -> Vec<&'static TextData> {
        let mut texts: Vec<&TextData> = self.app.texts.iter().collect();
        let default = self.default_locale();
        texts.sort_by_key(|text| (text.locale != default, &text.locale));
        texts
    }

    pub(super) fn default_locale(&self) -> &'static str {
        self.app.texts.first().map_or("en", |text| text.locale.as_str())
    }

    pub(super) fn links(&self) -> Links {
        let (domain, slug) = (&self.partner.domain, &self.app.slug);
        let is_linked = !self.app.lacks_links;
        let link = |path: &str| is_linked.then(|| format!("https://{domain}/{path}"));
        Links {
            support_url: link(&format!("help/{slug}")),
            support_email: is_linked.then(|| format!("support@{domain}")),
            privacy_url: link("privacy"),
            website_url: link(slug),
            terms_url: link("terms"),
        }
    }

    /// Returns the manifest of its versions.
    pub(super) fn manifest(&self) -> Value {
        let permissions = self.app.permissions.iter();
        let permissions: Vec<Value> =
            permissions.map(|permission| json!({ "code": permission.code, "reason": permission.reason })).collect();
        let redirects = self.app.redirects.iter();
        let redirects: Vec<String> = redirects.map(|path| format!("https://{}{path}", self.partner.domain)).collect();
        json!({ "permissions": permissions, "redirect_uris": redirects })
    }

    /// Returns its categories, the primary one first.
    pub(super) fn categories(&self, past: Past) -> Vec<ChoiceRow> {
        let chosen = self.app.categories.iter().zip(0..);
        chosen
            .map(|(slug, position)| ChoiceRow {
                app_uuid: self.app_uuid,
                category_uuid: category_uuid(past, slug),
                position,
            })
            .collect()
    }

    /// Builds an event of its history, by its author unless another actor is given.
    pub(super) fn event(&self, occurred_at: Time, kind: &'static str, detail: Value) -> EventRow {
        EventRow {
            event_uuid: id(occurred_at, &format!("{} {kind}", self.app.slug)),
            app_uuid: self.app_uuid,
            occurred_at,
            kind,
            actor_kind: "PARTNER_USER",
            actor_uuid: Some(self.author_uuid),
            detail,
        }
    }

    fn updated_at(&self, past: Past) -> Time {
        match (self.app.live_tagline.as_str(), &self.app.look) {
            ("", None) => self.at,
            ("", Some(_)) => self.pictured_at,
            _ => past.days(EDITED_DAYS, &self.app.slug),
        }
    }
}

/// Adds the category tree, and all apps with their versions, listings and customer reviews.
pub(super) fn all(data: &'static Data, past: Past, media: Vec<MediaRow>, rows: &mut Rows) -> Result<(), Fault> {
    rows.categories = categories(data, past);
    for app in &data.apps {
        let begun = Begun::of(data, past, app)?;
        let pictures: Vec<MediaRow> = media.iter().filter(|row| row.app_uuid == begun.app_uuid).cloned().collect();
        add(past, &begun, rows);
        history::add(past, &begun, &pictures, rows);
        listings::add(past, &begun, &pictures, rows);
    }
    rows.media = media;
    Ok(())
}

fn add(past: Past, begun: &Begun, rows: &mut Rows) {
    let app = begun.app;
    let updated_at = begun.updated_at(past);
    rows.apps.push(AppRow {
        app_uuid: begun.app_uuid,
        partner_uuid: begun.partner_uuid,
        slug: &app.slug,
        default_locale: begun.default_locale(),
        state: &app.state,
        links: begun.links(),
        state_reason: Some(app.reason.as_str()).filter(|reason| !reason.is_empty()),
        state_changed_at: begun.state_changed_at,
        created_at: begun.at,
        updated_at,
    });
    rows.app_texts.extend(app.texts.iter().map(|text| TextRow {
        app_uuid: begun.app_uuid,
        locale: &text.locale,
        name: &text.name,
        tagline: &text.tagline,
        description: &text.description,
        updated_at,
    }));
    rows.app_categories.extend(begun.categories(past));
    rows.events.push(begun.event(begun.at, "CREATED", json!({})));
    if !app.live_tagline.is_empty() {
        rows.events.push(begun.event(updated_at, "UPDATED", json!({ "fields": ["tagline"] })));
    }
    if !matches!(app.state.as_str(), "DRAFT" | "LISTED") {
        rows.events.push(state_event(past, begun));
    }
}

/// Builds the event that removed the app from the storefront, by its owner or by staff.
fn state_event(past: Past, begun: &Begun) -> EventRow {
    let event = begun.event(begun.state_changed_at, &begun.app.state, json!({ "reason": begun.app.reason }));
    if begun.app.state != "SUSPENDED" {
        return event;
    }
    let actor_uuid = teams::staff_uuids(begun.data, past, "ADMINISTRATOR").first().copied();
    EventRow { actor_kind: "STAFF_USER", actor_uuid, ..event }
}

fn categories(data: &'static Data, past: Past) -> Vec<CategoryRow> {
    let row = |place: usize, category: &'static CategoryData| {
        let elder = data.categories.iter().take(place).filter(|other| other.parent == category.parent).count();
        CategoryRow {
            category_uuid: category_uuid(past, &category.slug),
            parent_uuid: (!category.parent.is_empty()).then(|| category_uuid(past, &category.parent)),
            slug: &category.slug,
            icon: &category.icon,
            position: i32::try_from(elder + 1).unwrap_or(1),
            state: if category.deactivated { "DEACTIVATED" } else { "ACTIVE" },
            names: by_locale(&category.names),
            descriptions: by_locale(&category.descriptions),
            also_called: json!(category.also_called),
            created_at: category_since(past, &category.slug),
        }
    };
    data.categories.iter().enumerate().map(|(place, category)| row(place, category)).collect()
}

fn category_since(past: Past, slug: &str) -> Time {
    past.days(TREE_DAYS, slug)
}

fn category_uuid(past: Past, slug: &str) -> Uuid {
    id(category_since(past, slug), slug)
}

/// Returns the texts as an object, by locale.
pub(super) fn by_locale(texts: &Translations) -> Value {
    json!({ "en": texts.en, "de": texts.de, "fr": texts.fr })
}

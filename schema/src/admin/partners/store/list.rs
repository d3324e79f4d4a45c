//! The statements of the list of partners.

use sqlx::types::Json;
use uuid::Uuid;

use super::PartnerRow;
use crate::admin::order::{Order, Place, in_order};
use crate::db::Db;
use crate::fault::Fault;
use crate::page::{Keys, Window};
use crate::paged;
use crate::partner::company::{BillingAddress, CompanyAddress};
use crate::time::Time;

/// What the list is narrowed to.
#[derive(Clone, Debug)]
pub(in super::super) struct Filter {
    pub(in super::super) state: Option<Vec<String>>,
    pub(in super::super) tier_code: Option<Vec<String>>,
    pub(in super::super) label: Option<Vec<String>>,
    pub(in super::super) country: Option<Vec<String>>,
    pub(in super::super) q: Option<String>,
    pub(in super::super) registered_at_from: Option<Time>,
    pub(in super::super) registered_at_until: Option<Time>,
}

impl PartnerRow {
    /// The cursor's keys under this order.
    pub(in super::super) fn keys(&self, order: Order) -> Keys {
        let (created_at, name, uuid) = (self.created_at, self.name_sorted.as_str(), self.partner_uuid);
        order.keys(&Place { created_at, name, seen_at: Some(self.state_changed_at), uuid })
    }
}

macro_rules! filtered {
    ($window:ident, $db:ident, $filter:ident, $after:expr, $tail:literal) => {
        paged!(
            $window,
            $db,
            PartnerRow,
            r#"select partner_uuid as "partner_uuid!", slug as "slug!", company_name as "company_name!",
                  place.name as "name_sorted!", legal_form, registration_number, vat_id, country,
                  address as "address!: Json<CompanyAddress>", billing_address as "billing_address!: Json<BillingAddress>",
                  billing_email, website, state as "state!", state_reason, state_changed_at as "state_changed_at!",
                  closes_at, labels as "labels!", p.created_at as "created_at!", updated_at as "updated_at!", tier_code,
                  tier_name, subscription_state, subscription_started_at, subscription_period_end,
                  members_count as "members_count!", invitations_count as "invitations_count!",
                  apps_count as "apps_count!", listings_count as "listings_count!",
                  machine_clients_count as "machine_clients_count!", contacts_count as "contacts_count!",
                  notes_count as "notes_count!"
             from partner_shown as p
            cross join lateral (select p.created_at, lower(p.company_name) as name, p.state_changed_at as seen_at,
                  p.partner_uuid as uuid) as place
            where ($3::text[] is null or state = any($3)) and ($4::text[] is null or tier_code = any($4))
              and ($5::text[] is null or labels && $5) and ($6::text[] is null or country = any($6))
              and ($7::text is null or strpos(lower(company_name), lower($7)) > 0 or strpos(slug, lower($7)) > 0
                   or strpos(lower(vat_id), lower($7)) > 0 or strpos(lower(registration_number), lower($7)) > 0)
              and p.created_at >= coalesce($8, '-infinity'::timestamptz)
              and p.created_at < coalesce($9, 'infinity'::timestamptz)"#
                + $tail,
            $after,
            $window.key::<Uuid>(1)?,
            $filter.state.as_deref(),
            $filter.tier_code.as_deref(),
            $filter.label.as_deref(),
            $filter.country.as_deref(),
            $filter.q,
            $filter.registered_at_from as Option<Time>,
            $filter.registered_at_until as Option<Time>,
        )
    };
}

/// A page of partners.
pub(in super::super) async fn page(
    db: &Db,
    filter: &Filter,
    order: Order,
    window: &Window,
) -> Result<Vec<PartnerRow>, Fault> {
    Ok(in_order!(order, filtered, window, db, filter)?)
}

/// Every partner that the filter finds, in order.
pub(in super::super) async fn uuids(db: &Db, filter: &Filter, order: Order) -> Result<Vec<Uuid>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select partner_uuid as "partner_uuid!" from partner_shown
            where ($1::text[] is null or state = any($1)) and ($2::text[] is null or tier_code = any($2))
              and ($3::text[] is null or labels && $3) and ($4::text[] is null or country = any($4))
              and ($5::text is null or strpos(lower(company_name), lower($5)) > 0 or strpos(slug, lower($5)) > 0
                   or strpos(lower(vat_id), lower($5)) > 0 or strpos(lower(registration_number), lower($5)) > 0)
              and created_at >= coalesce($6, '-infinity'::timestamptz)
              and created_at < coalesce($7, 'infinity'::timestamptz)
            order by case when $8 then lower(company_name) end, case when $9 then created_at end,
                  case when $8 or $9 then partner_uuid end,
                  case when $10 then state_changed_at else created_at end desc, partner_uuid desc"#,
        filter.state.as_deref(),
        filter.tier_code.as_deref(),
        filter.label.as_deref(),
        filter.country.as_deref(),
        filter.q,
        filter.registered_at_from as Option<Time>,
        filter.registered_at_until as Option<Time>,
        order == Order::ByName,
        order == Order::OldestFirst,
        order == Order::LastSeenFirst,
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// These partners, in this order.
pub(in super::super) async fn get(db: &Db, wanted: &[Uuid]) -> Result<Vec<PartnerRow>, Fault> {
    Ok(sqlx::query_as!(
        PartnerRow,
        r#"select partner_uuid as "partner_uuid!", slug as "slug!", company_name as "company_name!",
                  lower(company_name) as "name_sorted!", legal_form, registration_number, vat_id, country,
                  address as "address!: Json<CompanyAddress>", billing_address as "billing_address!: Json<BillingAddress>",
                  billing_email, website, state as "state!", state_reason, state_changed_at as "state_changed_at!",
                  closes_at, labels as "labels!", created_at as "created_at!", updated_at as "updated_at!", tier_code,
                  tier_name, subscription_state, subscription_started_at, subscription_period_end,
                  members_count as "members_count!", invitations_count as "invitations_count!",
                  apps_count as "apps_count!", listings_count as "listings_count!",
                  machine_clients_count as "machine_clients_count!", contacts_count as "contacts_count!",
                  notes_count as "notes_count!"
             from partner_shown
            where partner_uuid = any($1)
            order by array_position($1, partner_uuid)"#,
        wanted
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// How many partners the filter finds.
pub(in super::super) async fn count(db: &Db, filter: &Filter) -> Result<i64, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select count(*) as "count!" from partner_shown
            where ($1::text[] is null or state = any($1)) and ($2::text[] is null or tier_code = any($2))
              and ($3::text[] is null or labels && $3) and ($4::text[] is null or country = any($4))
              and ($5::text is null or strpos(lower(company_name), lower($5)) > 0 or strpos(slug, lower($5)) > 0
                   or strpos(lower(vat_id), lower($5)) > 0 or strpos(lower(registration_number), lower($5)) > 0)
              and created_at >= coalesce($6, '-infinity'::timestamptz)
              and created_at < coalesce($7, 'infinity'::timestamptz)"#,
        filter.state.as_deref(),
        filter.tier_code.as_deref(),
        filter.label.as_deref(),
        filter.country.as_deref(),
        filter.q,
        filter.registered_at_from as Option<Time>,
        filter.registered_at_until as Option<Time>,
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

//! SQL statements that read figures, except the list of apps.

use labs_core::day::Day;
use labs_core::db::Db;
use labs_core::fault::Fault;
use labs_core::principal::Owner;
use labs_core::time::Time;
use labs_shared::states::AppState;
use uuid::Uuid;

use super::rules::{Span, StatisticsFigure};

/// An app with the fields shown next to its figures.
pub(super) struct AppRow {
    pub(super) app_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) slug: String,
    pub(super) name: String,
    pub(super) state: AppState,
}

/// Returns an app of any owner.
pub(super) async fn get_app(db: &Db, app_uuid: Uuid) -> Result<Option<AppRow>, Fault> {
    Ok(sqlx::query_as!(
        AppRow,
        r#"select a.app_uuid, a.partner_uuid, a.slug, coalesce(t.name, a.slug) as "name!", a.state as "state: AppState"
             from app as a
             left join app_translation as t on t.app_uuid = a.app_uuid and t.locale = a.default_locale
            where a.app_uuid = $1"#,
        app_uuid
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?)
}

/// Returns an app of the owner.
pub(super) async fn get_own_app(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<Option<AppRow>, Fault> {
    Ok(get_app(db, app_uuid).await?.filter(|app| app.partner_uuid == owner.uuid()))
}

/// Returns the figures of an app, ordered by day; all of them without a span.
pub(super) async fn list_of_app(db: &Db, app_uuid: Uuid, span: Option<Span>) -> Result<Vec<StatisticsFigure>, Fault> {
    let (from, until) = span.map(|span| (span.from, span.until)).unzip();
    Ok(sqlx::query_as!(
        StatisticsFigure,
        r#"select s.day as "day: Day", s.customers, d.imported_at as "imported_at: Time", d.restated_at as "restated_at: Time"
             from app_statistic as s join statistic_day as d using (day)
            where s.app_uuid = $1 and s.day >= coalesce($2::date, '-infinity') and s.day < coalesce($3::date, 'infinity')
            order by s.day"#,
        app_uuid,
        from as Option<Day>,
        until as Option<Day>
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns the distinct totals of a partner, ordered by day.
pub(super) async fn list_of_partner(db: &Db, owner: Owner, span: Span) -> Result<Vec<StatisticsFigure>, Fault> {
    Ok(sqlx::query_as!(
        StatisticsFigure,
        r#"select s.day as "day: Day", s.customers, d.imported_at as "imported_at: Time", d.restated_at as "restated_at: Time"
             from partner_statistic as s join statistic_day as d using (day)
            where s.partner_uuid = $1 and s.day >= $2 and s.day < $3
            order by s.day"#,
        owner.uuid(),
        span.from as Day,
        span.until as Day
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

//! Every statement that reads figures, but for the list of apps.

use uuid::Uuid;

use super::rules::{Span, StatisticsFigure};
use crate::core::day::Day;
use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::principal::Owner;
use crate::core::time::Time;
use crate::marketplace::apps::AppState;

/// An app, as far as it is told with its figures.
pub(super) struct AppRow {
    pub(super) app_uuid: Uuid,
    pub(super) partner_uuid: Uuid,
    pub(super) slug: String,
    pub(super) name: String,
    pub(super) state: AppState,
}

/// An app, whoever owns it.
pub(super) async fn app_get(db: &Db, app_uuid: Uuid) -> Result<Option<AppRow>, Fault> {
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

/// An app of the owner's.
pub(super) async fn own_app_get(db: &Db, owner: Owner, app_uuid: Uuid) -> Result<Option<AppRow>, Fault> {
    Ok(app_get(db, app_uuid).await?.filter(|app| app.partner_uuid == owner.uuid()))
}

/// The figures of an app in the order of its days; all of them without a span.
pub(super) async fn of_app(db: &Db, app_uuid: Uuid, span: Option<Span>) -> Result<Vec<StatisticsFigure>, Fault> {
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

/// The distinct totals of a partner in the order of their days.
pub(super) async fn of_partner(db: &Db, owner: Owner, span: Span) -> Result<Vec<StatisticsFigure>, Fault> {
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

//! SQL statement of the response time.

use labs_core::db::Db;
use labs_core::fault::Fault;

use super::BoardPace;

/// Computes the pace of the last 365 days.
pub(super) async fn get(db: &Db) -> Result<BoardPace, Fault> {
    Ok(sqlx::query_as!(
        BoardPace,
        r#"select count(*) as "proposed!",
                  round(count(answered_at)::numeric / nullif(count(*), 0), 3)::double precision as answered_share,
                  round((percentile_cont(0.5) within group (order by extract(epoch from answered_at - created_at)
                      ::double precision) / 86400)::numeric, 1)::double precision as median_days
             from feature_request
            where shown and created_at >= labs_now() - interval '365 days'"#
    )
    .fetch_one(&mut *db.conn().await?)
    .await?)
}

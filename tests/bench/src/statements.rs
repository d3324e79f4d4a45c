//! The service's own statements: compile-time checked statements, and statements that lists and lookups assemble.

use std::collections::BTreeSet;

use anyhow::bail;

/// Returns the only statement that contains all of these fragments.
///
/// Fails if there is not exactly one.
pub(crate) fn find(marks: &[&str]) -> anyhow::Result<&'static str> {
    let mut all: Vec<String> = labs_schema::statements().iter().flat_map(|list| list.statements()).collect();
    for file in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../.sqlx"))? {
        let file: serde_json::Value = serde_json::from_slice(&std::fs::read(file?.path())?)?;
        all.extend(file.get("query").and_then(serde_json::Value::as_str).map(str::to_owned));
    }
    let mut found: BTreeSet<String> =
        all.into_iter().filter(|text| marks.iter().all(|mark| text.contains(mark))).collect();
    let count = found.len();
    match found.pop_first() {
        Some(text) if count == 1 => Ok(text.leak()),
        _ => bail!("{count} statements hold {marks:?}: name marks of the one that is meant"),
    }
}

/// One listing by its slug, in a locale. The service loads several listings at once; this is the same statement for
/// one, as in a dedicated handler.
pub(crate) const LISTING: &str = r#"
select l.slug, l.app_uuid, t.name, t.tagline, t.description, t.locale,
       array(select o.locale from listing_translation as o where o.app_uuid = l.app_uuid
              order by o.locale <> l.default_locale, o.locale) as "locales!",
       p.slug as vendor_slug, p.company_name as vendor_name, l.version_number,
       v.published_at as version_published_at, v.manifest -> 'permissions' as "permissions: _",
       coalesce(v.release_notes ->> $2, v.release_notes ->> split_part($2, '-', 1),
           v.release_notes ->> l.default_locale) as release_notes,
       (select json_agg(json_build_object('slug', c.slug, 'primary', lc.position = 0, 'name',
                   coalesce(c.names ->> $2, c.names ->> split_part($2, '-', 1), c.names ->> 'en', c.slug))
               order by lc.position)
          from listing_category as lc
          join category as c on c.category_uuid = lc.category_uuid
          join category_place as place on place.category_uuid = lc.category_uuid and place.shown
         where lc.app_uuid = l.app_uuid) as "categories: _",
       (select json_agg(json_build_object('media_uuid', m.media_uuid, 'kind', lm.kind,
                   'position', lm.position, 'alt_text', nullif(lm.alt_text, ''),
                   'caption', nullif(lm.caption, ''), 'media_type', m.media_type,
                   'width', m.width, 'height', m.height, 'variants', m.variants)
               order by lm.kind, lm.position)
          from listing_media as lm
          join media as m on m.media_uuid = lm.media_uuid
         where lm.app_uuid = l.app_uuid) as "media: _",
       l.rating_average as "rating_average!", l.rating_count, l.support_url, l.support_email, l.privacy_url,
       l.website_url, l.terms_url, l.first_published_at, l.published_at
  from listing as l
  join partner as p on p.partner_uuid = l.partner_uuid
  join app_version as v on v.version_uuid = l.version_uuid
 cross join lateral (
       select o.name, o.tagline, o.description, o.locale from listing_translation as o
        where o.app_uuid = l.app_uuid
        order by o.locale = $2::text desc, o.locale = split_part($2, '-', 1) desc,
                 o.locale = l.default_locale desc
        limit 1) as t
 where l.slug = $1 and l.visible"#;

/// A partner's apps, newest first, twenty per page.
pub(crate) fn apps() -> anyhow::Result<&'static str> {
    // The staff list of a partner's apps selects more columns.
    let first_page = "where (app.partner_uuid = $1) order by app.created_at desc, app.app_uuid desc limit 21";
    find(&["as name_sorted, words.tagline, words.description", "as live_at from app", first_page])
}

/// One app of a partner.
pub(crate) fn app() -> anyhow::Result<&'static str> {
    find(&["as name_sorted, words.tagline, words.description", "where (app.partner_uuid = $1) and (app.app_uuid = $2)"])
}

/// A machine client with its secrets.
pub(crate) fn client() -> anyhow::Result<&'static str> {
    let several = find(&["secrets, used_scopes from machine_client_shown where (client_uuid = any($1))"])?;
    Ok(several.replace("= any($1)", "= $1").leak())
}

/// Locks an app for an update.
pub(crate) fn hold() -> anyhow::Result<&'static str> {
    find(&["select app_uuid from app where app_uuid = $1 and partner_uuid = $2 for update"])
}

/// Current editable content of an app.
pub(crate) fn present() -> anyhow::Result<&'static str> {
    find(&["select app.slug, app.default_locale, app.state", "\"was_published!\""])
}

/// Updates an app's draft and inserts its event.
pub(crate) fn set_draft() -> anyhow::Result<&'static str> {
    find(&["update app set slug = $2", "'UPDATED'"])
}

/// The board, most votes first, twenty per page.
pub(crate) fn board() -> anyhow::Result<&'static str> {
    let first_page = "where (r.shown) order by r.pin desc, r.votes desc, r.request_uuid desc limit 21";
    find(&["left(r.body, 280) as excerpt", first_page])
}

/// One feature request on the board.
pub(crate) fn feature_request() -> anyhow::Result<&'static str> {
    find(&[
        "r.request_uuid = $1 and r.suspended_at is null and root.suspended_at is null",
        "left(r.body, 280) as excerpt",
    ])
}

/// Votes and follows of users for feature requests.
pub(crate) fn standing() -> anyhow::Result<&'static str> {
    find(&["with ordinality as asked (root_uuid, person_uuid, voter, follower, place)"])
}

/// Casts a vote.
pub(crate) fn cast() -> anyhow::Result<&'static str> {
    find(&["select board_cast($1, $2, $3)"])
}

/// Withdraws a vote.
pub(crate) fn withdraw() -> anyhow::Result<&'static str> {
    find(&["select board_withdraw($1, $2, $3)"])
}

/// Counts a vote against the user's daily maximum. The day comes from PostgreSQL here; the service binds it in a
/// separate type.
pub(crate) fn spend_vote() -> anyhow::Result<&'static str> {
    let of_a_day = find(&["insert into board_vote_budget as b (day, voter) values ($1, $2)"])?;
    let today = of_a_day.replace("$1", "(labs_now() at time zone 'UTC')::date");
    Ok(today.replace("$2", "$1").replace("$3", "$2").leak())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_measured_statement_is_found() {
        let of_board = [board(), feature_request(), standing(), cast(), withdraw(), spend_vote()];
        let found = [apps(), app(), client(), hold(), present(), set_draft()].into_iter().chain(of_board);
        let lost: Vec<String> = found.filter_map(Result::err).map(|error| error.to_string()).collect();
        assert!(lost.is_empty(), "{lost:?}");
    }
}

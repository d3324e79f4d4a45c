//! SQL statements for spelling corrections. They run only if the search finds nothing.

use labs_core::db::Db;
use labs_core::fault::Fault;

use crate::listings::rules::corrections::{
    Candidate, Correction, TypedWord, apply_corrections, candidates, choose, halves, most_wrong, part, wrong,
};

/// Returns the corrected search term; `None` if a visible listing contains the words, or if no similar words exist.
pub(in crate::listings) async fn get_correction(db: &Db, typed: &str) -> Result<Option<Correction>, Fault> {
    let words = get_words(db, typed).await?;
    let Some(wrong) = wrong(&words) else { return Ok(None) };
    let mut meant = Vec::new();
    for at in wrong {
        let Some(TypedWord { word, .. }) = words.get(at) else { continue };
        let candidates = candidates(word, &get_known(db, word).await?);
        let finds = count_matches(db, &candidates).await?;
        let Some(best) = choose(candidates, &finds) else { return Ok(None) };
        meant.push((at, best));
    }
    Ok(apply_corrections(&words, &meant))
}

/// Returns the typed words; an empty list if a visible listing contains all of them.
async fn get_words(db: &Db, typed: &str) -> Result<Vec<TypedWord>, Fault> {
    Ok(sqlx::query_as!(
        TypedWord,
        r#"select each.word as "word!", each.is_common as "is_common!", exists (
                  select from listing_terms(each.word) as alone
                   cross join lateral (
                         select d.app_uuid from listing_document as d
                          where each.place < cardinality(query.words) and d.search @@ alone.whole
                         union all
                         select d.app_uuid from listing_document as d
                          where each.place = cardinality(query.words) and d.search @@ alone.terms) as found
                    join listing as l using (app_uuid) where l.visible) as "is_found!"
             from listing_terms($1) as query
            cross join unnest(query.words, query.is_common) with ordinality as each (word, is_common, place)
            where not exists (select from listing_document as d join listing as l using (app_uuid)
                               where l.visible and d.search @@ query.terms)
            order by each.place"#,
        typed
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns known words of current and former listings that may correct a typed word.
async fn get_known(db: &Db, word: &str) -> Result<Vec<String>, Fault> {
    let most = i32::try_from(most_wrong(word)).unwrap_or_default();
    let first: Vec<String> = word.chars().take(2).map(String::from).collect();
    Ok(sqlx::query_scalar!(
        r#"select lexeme as "lexeme!" from listing_lexeme
            where $2 > 0 and left(lexeme, 1) = any($3) and length(lexeme) between length($1) - $2 and length($1) + $2
           union
           select lexeme from listing_lexeme where lexeme = any($4)
           union
           (select lexeme from listing_lexeme
             where lexeme like '%' || $5 || '%' and left(lexeme, 1) not in ('.', '=', '@', '#') limit 50)"#,
        word,
        most,
        &first,
        &halves(word),
        part(word)
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns the number of visible listings that each candidate finds, at most a hundred.
async fn count_matches(db: &Db, candidates: &[Candidate]) -> Result<Vec<i64>, Fault> {
    let texts: Vec<String> = candidates.iter().map(|candidate| candidate.text.clone()).collect();
    Ok(sqlx::query_scalar!(
        r#"select (select count(*) from (
                    select from listing_terms(candidate.text) as query
                      join listing_document as d on d.search @@ query.terms
                      join listing as l using (app_uuid) where l.visible limit 100) as found) as "finds!"
             from unnest($1::text[]) with ordinality as candidate (text, place) order by place"#,
        &texts
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

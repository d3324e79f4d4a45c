//! SQL statements for substitutes of a search term. They run only if no listing matches the term.

use labs_core::db::Db;
use labs_core::fault::Fault;

use crate::listings::rules::corrections::{
    Candidate, CandidateUse, Draft, MOST_WRONG, Substitute, TypedWord, candidates, choose, choose_compound, compounds,
    end_of_compounds, first_letters, halves, languages, most_wrong,
};

/// Returns the search term that replaces the typed one; `None` if a visible listing matches the typed one, or if no
/// listing has any of the words.
pub(in crate::listings) async fn get_substitute(
    db: &Db,
    typed: &str,
    locale: Option<&str>,
) -> Result<Option<Substitute>, Fault> {
    let words = list_words(db, typed).await?;
    let languages = languages(locale, &words);
    let wrong = words.iter().enumerate().filter(|(_, word)| !word.is_found && !word.is_optional).take(MOST_WRONG);
    let mut corrections = Vec::new();
    for (at, TypedWord { word, .. }) in wrong {
        let compound = correct_compound(db, word).await?;
        let corrected = if compound.is_some() { compound } else { correct_letters(db, word, &languages).await? };
        corrections.extend(corrected.map(|text| (at, text)));
    }
    let draft = Draft::new(&words, &corrections);
    let kept: Vec<usize> =
        list_kept(db, &draft.text()).await?.into_iter().filter_map(|at| at.try_into().ok()).collect();
    Ok(draft.keep(typed, &words, &corrections, &kept))
}

async fn correct_compound(db: &Db, word: &str) -> Result<Option<String>, Fault> {
    let halves = halves(word);
    if halves.is_empty() {
        return Ok(None);
    }
    let candidates = compounds(word, &list_known_halves(db, &halves).await?);
    let uses = list_uses(db, &candidates, &[]).await?;
    Ok(choose_compound(candidates, &uses))
}

async fn correct_letters(db: &Db, word: &str, languages: &[String]) -> Result<Option<String>, Fault> {
    let candidates = candidates(word, &list_near(db, word).await?);
    let uses = list_uses(db, &candidates, languages).await?;
    Ok(choose(candidates, &uses))
}

/// Returns the typed words; an empty list if a visible listing matches the term.
async fn list_words(db: &Db, typed: &str) -> Result<Vec<TypedWord>, Fault> {
    Ok(sqlx::query_as!(
        TypedWord,
        r#"with newest as materialized (
               select d.search from listing as l join listing_document as d using (app_uuid)
                where l.visible order by l.published_at desc, l.app_uuid desc limit 400)
           select each.word as "word!", each.is_optional as "is_optional!",
                  exists (select from newest where newest.search @@ each.part)
                      or exists (select from listing_document as d join listing as l using (app_uuid)
                                  where l.visible and d.search @@ each.part) as "is_found!",
                  array(select stemmer.language from listing_stemmer as stemmer
                         cross join lateral ts_lexize(stemmer.dictionary, each.word) as stem
                          join listing_lexeme as known
                            on known.lexeme = ('.' || stemmer.language || '.' || stem[1]) collate "C") as "languages!"
             from listing_terms($1) as query
            cross join unnest(query.words, query.is_optional, query.parts)
                  with ordinality as each (word, is_optional, part, place)
            where not exists (select from listing_document as d join listing as l using (app_uuid)
                               where l.visible and d.search @@ query.terms)
            order by each.place"#,
        typed
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns the halves that are words of current or former listings, in any form, or generic words.
async fn list_known_halves(db: &Db, halves: &[String]) -> Result<Vec<String>, Fault> {
    Ok(sqlx::query_scalar!(
        r#"select half as "half!" from unnest($1::text[]) as half
            where not exists (select from listing_stemmer as stemmer where ts_lexize(stemmer.dictionary, half) = '{}')
              and (search_is_generic(half)
                or exists (select from listing_lexeme as known where known.lexeme = half collate "C")
                or exists (select from listing_stemmer as stemmer
                            cross join lateral ts_lexize(stemmer.dictionary, half) as stem
                             join listing_lexeme as known
                               on known.lexeme = ('.' || stemmer.language || '.' || stem[1]) collate "C"))"#,
        halves
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns words of current and former listings that are similar to a word, or that end with it.
async fn list_near(db: &Db, word: &str) -> Result<Vec<String>, Fault> {
    let most = i32::try_from(most_wrong(word)).unwrap_or_default();
    Ok(sqlx::query_scalar!(
        r#"select lexeme as "lexeme!" from listing_lexeme
            where $2 > 0 and left(lexeme, 1) = any($3) and length(lexeme) between length($1) - $2 and length($1) + $2
           union
           (select lexeme from listing_lexeme
             where lexeme like '%' || $4 and left(lexeme, 1) not in ('.', '=', '@', '#', '%') limit 50)"#,
        word,
        most,
        &first_letters(word),
        end_of_compounds(word)
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns the use of each candidate. Without languages, or without stems in one of them, texts of every language count
/// as texts in the reader's language.
async fn list_uses(db: &Db, candidates: &[Candidate], languages: &[String]) -> Result<Vec<CandidateUse>, Fault> {
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let texts: Vec<String> = candidates.iter().map(|candidate| candidate.text.clone()).collect();
    Ok(sqlx::query_as!(
        CandidateUse,
        r#"select (select count(*) from (
                      select from listing_terms(candidate.text) as query
                        join listing_document as d on d.search @@ query.terms
                        join listing as l using (app_uuid) where l.visible limit 100) as found) as "finds!",
                  exists (select from listing_stemmer as stemmer
                           where ts_lexize(stemmer.dictionary, candidate.text) = '{}') as "is_common!",
                  exists (select from listing_document as d join listing as l using (app_uuid)
                           where l.visible and d.search @@ format('%L:AC', candidate.text)::tsquery) as "is_name!",
                  not exists (select from listing_stemmer where language = any($2))
                      or exists (select from listing_stemmer as stemmer
                                  cross join lateral ts_lexize(stemmer.dictionary, candidate.text) as stem
                                   join listing_lexeme as known
                                     on known.lexeme = ('.' || stemmer.language || '.' || stem[1]) collate "C"
                                  where stemmer.language = any($2)) as "is_in_language!"
             from unnest($1::text[]) with ordinality as candidate (text, place) order by place"#,
        &texts,
        languages
    )
    .fetch_all(&mut *db.conn().await?)
    .await?)
}

/// Returns the positions of the words that the best listing has, from 0. A word weighs the more, the fewer listings have
/// it. As in the ranking, a word is common if a twentieth of the newest listings has it. The statement examines the newest
/// listings, and those with one of the four rarest words, at most two hundred of each.
async fn list_kept(db: &Db, text: &str) -> Result<Vec<i64>, Fault> {
    let kept = sqlx::query_scalar!(
        r#"with newest as materialized (
               select d.app_uuid, d.search from listing as l join listing_document as d using (app_uuid)
                where l.visible order by l.published_at desc, l.app_uuid desc limit 400),
           word as materialized (
               select each.place, each.part, sample.share < 0.05 as is_rare, coalesce(rare.listings, 1) as listings,
                      case when sample.share < 0.05 then 3.1 + ln(1 + 1000.0 / rare.listings)
                          else ln(1 + 1.0 / sample.share) end as weight
                 from listing_terms($1) as query
                cross join unnest(query.parts, query.is_optional) with ordinality as each (part, is_optional, place)
                cross join lateral (
                      select count(*) filter (where newest.search @@ each.part) / greatest(count(*), 1.0) as share
                        from newest) as sample
                cross join lateral (
                      select nullif(count(*), 0) as listings from (
                          select from listing_document as d join listing as l using (app_uuid)
                           where sample.share < 0.05 and l.visible and d.search @@ each.part limit 1000) as found) as rare
                where not each.is_optional),
           candidate as (
               select app_uuid from newest
               union
               select found.app_uuid from (
                   select part from word where is_rare order by listings, place limit 4) as rare
                cross join lateral (
                      select d.app_uuid from listing_document as d join listing as l using (app_uuid)
                       where l.visible and d.search @@ rare.part limit 200) as found)
           select array_agg(word.place - 1 order by word.place) as "places!"
             from candidate
            cross join lateral (
                  select search from listing_document as d where d.app_uuid = candidate.app_uuid offset 0) as d
             join word on d.search @@ word.part
            group by candidate.app_uuid
            order by sum(word.weight) desc, array_agg(word.place order by word.place) limit 1"#,
        text
    )
    .fetch_optional(&mut *db.conn().await?)
    .await?;
    Ok(kept.unwrap_or_default())
}

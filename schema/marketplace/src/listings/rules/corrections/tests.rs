use super::*;

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

fn texts(word: &str, known: &[&str]) -> Vec<String> {
    candidates(word, &strings(known)).into_iter().map(|candidate| candidate.text).collect()
}

fn pairs(word: &str, known: &[&str]) -> Vec<String> {
    compounds(word, &strings(known)).into_iter().map(|candidate| candidate.text).collect()
}

/// Use of a word in the reader's language.
fn finds(finds: i64) -> CandidateUse {
    CandidateUse { finds, is_in_language: true, ..CandidateUse::default() }
}

#[test]
fn corrections_are_similar_words_and_compounds() {
    assert_eq!(texts("trinkgled", &["trinkgeld", "trinkgeldkasse", "tisch"]), ["trinkgeld"]);
    assert_eq!(texts("monitor", &["kuchenmonitor", "motor", "monitoring"]), ["motor", "kuchenmonitor"]);
    assert_eq!(texts("itchen", &["kitchen", "cuisine"]), ["kitchen"]);
    assert_eq!(texts("tank", &["getrank"]), [""; 0], "a short word at the end of another one");
    assert_eq!(texts("tpi", &["tip"]), [""; 0], "three letters");
    assert_eq!(texts("2019a", &["2019"]), [""; 0]);
    assert_eq!(texts("bakers", &["makery"]), [""; 0], "two letters, the first one among them");
}

#[test]
fn first_letter_of_short_word_is_never_corrected() {
    assert_eq!(texts("best", &["est", "rest", "beet"]), ["beet"]);
    assert_eq!(texts("kasa", &["kasse", "nasa"]), [""; 0], "two letters of four, or the first one");
    assert_eq!((first_letters("best"), first_letters("itchen")), (strings(&["b"]), strings(&["i", "t"])));
}

#[test]
fn compounds_split_at_linking_letters() {
    assert_eq!(pairs("tischreservierung", &["tisch", "reservierung"]), ["tisch reservierung"]);
    assert_eq!(pairs("reservierungsbuch", &["reservierung", "buch"]), ["reservierung buch"]);
    assert_eq!(pairs("kartenzahlung", &["kart", "karte", "zahlung"]), ["kart zahlung", "karte zahlung"]);
    assert_eq!(pairs("menucard", &["menu", "card"]), ["menu card"]);
    assert_eq!(pairs("barscard", &["bar", "card"]), [""; 0], "a short word has no linking letter");
    assert_eq!(pairs("noshow", &["no", "show"]), [""; 0], "a half of two letters");
    assert_eq!(halves(&"a".repeat(41)), [""; 0], "no word is that long");
    let both = compounds("kartenzahlung", &strings(&["kart", "karte", "zahlung"]));
    assert_eq!(choose_compound(both.clone(), &[finds(1), finds(4)]).as_deref(), Some("karte zahlung"));
    assert_eq!(choose_compound(both, &[finds(0), finds(0)]), None);
}

#[test]
fn nearest_correction_with_most_hits_is_chosen_unless_in_doubt() {
    let known = strings(&["tables", "cables", "tablet"]);
    let choose = |uses: &[CandidateUse]| choose(candidates("tablez", &known), uses);
    assert_eq!(candidates("tablez", &known).len(), 2);
    assert_eq!(choose(&[finds(3), finds(9)]).as_deref(), Some("tablet"));
    assert_eq!(choose(&[finds(3), finds(0)]).as_deref(), Some("tables"));
    assert_eq!(choose(&[finds(0), finds(0)]), None);
    let common = CandidateUse { is_common: true, ..finds(9) };
    assert_eq!(choose(&[common, finds(3)]).as_deref(), Some("tablet"), "a stop word corrects nothing");
    let foreign = CandidateUse { is_in_language: false, ..finds(9) };
    assert_eq!(choose(&[finds(3), foreign.clone()]).as_deref(), Some("tables"), "another language");
    let name = CandidateUse { is_name: true, ..foreign };
    assert_eq!(choose(&[finds(3), name]).as_deref(), Some("tablet"), "a name");
}

#[test]
fn equally_near_words_correct_nothing_unless_they_are_forms_of_one() {
    let choose = |word, known: &[&str]| choose(candidates(word, &strings(known)), &[finds(3), finds(4)]);
    assert_eq!(choose("kellar", &["keller", "cellar"]), None);
    assert_eq!(choose("kasze", &["kasse", "katze"]), None);
    assert_eq!(choose("bilanx", &["bilanz", "bilany"]).as_deref(), Some("bilanz"), "two forms of a word");
}

#[test]
fn languages_are_those_of_reader_or_of_other_words() {
    let word = |languages: &[&str]| TypedWord { is_found: true, languages: strings(languages), ..TypedWord::default() };
    assert_eq!(languages(Some("de-AT de"), &[word(&["en"])]), ["de"]);
    assert_eq!(languages(None, &[word(&["de", "en"]), word(&[]), word(&["en", "fr"])]), ["en"]);
    assert_eq!(languages(None, &[TypedWord::default()]), [""; 0]);
}

#[test]
fn substitute_reports_words_left_out_as_typed() {
    let word = |word: &str, is_found, is_optional| TypedWord {
        word: word.to_owned(),
        is_found,
        is_optional,
        languages: Vec::new(),
    };
    let words = [word("spass", true, false), word("app", true, true), word("kitchn", false, false)];
    let corrections = [(2, "kitchen".to_owned())];
    let draft = Draft::new(&words, &corrections);
    assert_eq!(draft.text(), "spass kitchen");
    let kept = draft.keep("Spaß app kitchn", &words, &corrections, &[1]).unwrap();
    assert_eq!((kept.text.as_str(), kept.is_respelt, kept.left_out), ("kitchen", true, strings(&["Spaß"])));
    let kept = draft.keep("Spaß app kitchn", &words, &corrections, &[0]).unwrap();
    assert_eq!((kept.text.as_str(), kept.is_respelt, kept.left_out), ("spass", false, strings(&["kitchn"])));
    assert_eq!(draft.keep("Spaß", &words, &corrections, &[]), None, "nothing is left");
    let known = [word("table", true, false)];
    assert_eq!(Draft::new(&known, &[]).keep("table", &known, &[], &[0]), None, "as typed");
}

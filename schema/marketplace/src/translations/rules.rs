//! Rules for an app's locales: their number, their missing fields, and the protection of the default locale.

use labs_core::fault::Fault;

use crate::apps::Texts;

/// Maximum number of locales with texts of an app (the contract's `Listing`).
const MOST_LOCALES: usize = 40;

/// Returns the contract names of the empty fields of a locale.
pub(crate) fn missing_fields(name: &str, tagline: &str, description: &str) -> Vec<&'static str> {
    let fields = [("name", name), ("tagline", tagline), ("description", description)];
    fields.into_iter().filter(|(_, text)| text.trim().is_empty()).map(|(field, _)| field).collect()
}

/// Returns the fields that a change of one locale's texts affects, as the app's history names them: by field name for
/// the default locale, by path for another one. If `before` is `None`, the locale is new.
pub(super) fn changed_fields(locale: &str, is_default: bool, before: Option<&Texts>, after: &Texts) -> Vec<String> {
    let nothing = Texts::default();
    let before = before.unwrap_or(&nothing);
    let fields = [
        ("name", before.name != after.name),
        ("tagline", before.tagline != after.tagline),
        ("description", before.description != after.description),
    ];
    let changed = fields.into_iter().filter(|(_, differs)| *differs).map(|(field, _)| field);
    changed.map(|field| if is_default { field.to_owned() } else { format!("{}/{field}", place(locale)) }).collect()
}

/// Returns the path of a locale's texts in an app, as its history names it.
pub(super) fn place(locale: &str) -> String {
    format!("translations/{locale}")
}

/// Rejects another locale beyond the maximum of an app.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_room(locales: &[String], locale: &str) -> Result<(), Fault> {
    if locales.len() < MOST_LOCALES || locales.iter().any(|known| known == locale) {
        return Ok(());
    }
    Err(Fault::conflict(format!(
        "The app has texts in {} locales, and the maximum is {MOST_LOCALES}. Delete one, then write this one again.",
        locales.len()
    )))
}

/// Rejects the deletion of the default locale, and explains how to change the default.
///
/// # Errors
/// [`labs_core::Code::Conflict`].
pub(super) fn ensure_not_default(locales: &[String], locale: &str, default_locale: &str) -> Result<(), Fault> {
    if locale != default_locale {
        return Ok(());
    }
    let others: Vec<&str> = locales.iter().map(String::as_str).filter(|other| *other != locale).collect();
    let how = if others.is_empty() {
        "It is the app's only locale. Write the texts of another locale, make that one the app's `default_locale`, \
         then delete this one."
            .to_owned()
    } else {
        format!("Make another locale the app's `default_locale` first ({}), then delete this one.", others.join(", "))
    };
    Err(Fault::conflict(format!("{locale} is the default locale, which is shown when no other locale matches. {how}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(name: &str, tagline: &str, description: &str) -> Texts {
        Texts { name: name.to_owned(), tagline: tagline.to_owned(), description: description.to_owned() }
    }

    fn locales(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("l{number}")).collect()
    }

    #[test]
    fn empty_text_fields_are_missing() {
        assert_eq!(missing_fields("Table Pilot", " ", ""), ["tagline", "description"]);
        assert!(missing_fields("Table Pilot", "A line", "Words.").is_empty());
    }

    #[test]
    fn changed_translation_fields_are_listed_with_path() {
        let (before, after) = (texts("Pilot", "A line", ""), texts("Pilot", "Another", "Words."));
        assert_eq!(changed_fields("en", true, Some(&before), &after), ["tagline", "description"]);
        let of_another = ["translations/de/tagline", "translations/de/description"];
        assert_eq!(changed_fields("de", false, Some(&before), &after), of_another);
        assert_eq!(changed_fields("de", false, None, &texts("Pilot", "", "")), ["translations/de/name"]);
        assert!(changed_fields("de", false, Some(&after), &after).is_empty());
    }

    #[test]
    fn app_has_at_most_forty_locales() {
        assert!(ensure_room(&locales(39), "de").is_ok());
        assert!(ensure_room(&locales(40), "de").is_err());
        assert!(ensure_room(&locales(40), "l39").is_ok(), "one that is there is replaced");
    }

    #[test]
    fn default_locale_cannot_be_removed() {
        let known = ["en", "de", "fr"].map(str::to_owned);
        assert!(ensure_not_default(&known, "de", "en").is_ok());
        let said = ensure_not_default(&known, "en", "en").err().map(|fault| fault.detail().to_owned());
        assert!(said.is_some_and(|said| said.contains("(de, fr)")));
        let said = ensure_not_default(&known[..1], "en", "en").err().map(|fault| fault.detail().to_owned());
        assert!(said.is_some_and(|said| said.contains("only locale")));
    }
}

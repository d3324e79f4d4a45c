//! VAT identification numbers: the formats of each country, and the country of each prefix.
//!
//! Sources: the European Commission's table for VIES (member states and Northern Ireland), HMRC (GB), the Swiss and the
//! Norwegian registers. Some territories have a separate country code, but their companies are in the register of the
//! state that they belong to. They have that state's numbers: Åland, the French overseas departments. Only the format
//! is checked. Only the register can confirm that a number is assigned.

use labs_core::fault::FieldError;

/// A prefix with the formats of the rest of the number: `#` is a digit, `@` a letter, `*` a digit or letter, `+` a
/// letter or one of the two characters that Ireland formerly used. Any other character is literal.
const FORMS: &[(&str, &[&str])] = &[
    ("AT", &["U########"]),
    ("BE", &["0#########", "1#########"]),
    ("BG", &["#########", "##########"]),
    ("CHE", &["#########", "#########MWST", "#########TVA", "#########IVA"]),
    ("CY", &["########@"]),
    ("CZ", &["########", "#########", "##########"]),
    ("DE", &["#########"]),
    ("DK", &["########"]),
    ("EE", &["#########"]),
    ("EL", &["#########"]),
    ("ES", &["@########", "@#######@", "########@"]),
    ("FI", &["########"]),
    ("FR", &["**#########"]),
    ("GB", &["#########", "############", "GD###", "HA###"]),
    ("HR", &["###########"]),
    ("HU", &["########"]),
    ("IE", &["#######@", "#######@@", "#+#####@"]),
    ("IT", &["###########"]),
    ("LT", &["#########", "############"]),
    ("LU", &["########"]),
    ("LV", &["###########"]),
    ("MT", &["########"]),
    ("NL", &["#########B##"]),
    ("NO", &["#########", "#########MVA"]),
    ("PL", &["##########"]),
    ("PT", &["#########"]),
    ("RO", &["##", "###", "####", "#####", "######", "#######", "########", "#########", "##########"]),
    ("SE", &["##########01"]),
    ("SI", &["########"]),
    ("SK", &["##########"]),
    ("XI", &["#########", "############", "GD###", "HA###"]),
];

/// Countries whose numbers start with another prefix than their own code, or with several prefixes.
const PREFIXES: &[(&str, &[&str])] = &[
    ("AX", &["FI"]),
    ("CH", &["CHE"]),
    ("GB", &["GB", "XI"]),
    ("GF", &["FR"]),
    ("GP", &["FR"]),
    ("GR", &["EL"]),
    ("IM", &["GB"]),
    ("MC", &["FR"]),
    ("MQ", &["FR"]),
    ("RE", &["FR"]),
    ("YT", &["FR"]),
];

/// Checks a company's VAT id; `None` if it is valid. For a country with an unknown format, any number that starts with
/// its code is accepted.
pub(super) fn error(vat_id: &str, country: Option<&str>) -> Option<FieldError> {
    let wrong = |code: &str, message: String| Some(FieldError::at("/vat_id", code, message));
    let Some(country) = country else {
        return wrong("COUNTRY_MISSING", "Send the company's country too, because it determines the form.".to_owned());
    };
    let own = [country];
    let prefixes = PREFIXES.iter().find(|(known, _)| *known == country).map_or(own.as_slice(), |(_, all)| *all);
    let Some((prefix, rest)) = prefixes.iter().find_map(|prefix| Some((*prefix, vat_id.strip_prefix(prefix)?))) else {
        let expected = prefixes.join(" or ");
        return wrong(
            "COUNTRY_MISMATCH",
            format!("A VAT id of a company in {country} begins with {expected}. Correct the VAT id or the country."),
        );
    };
    let (_, forms) = FORMS.iter().find(|(known, _)| *known == prefix)?;
    if forms.iter().any(|form| fits(form, rest)) {
        return None;
    }
    let shown: Vec<String> = forms.iter().map(|form| format!("{prefix}{form}")).collect();
    wrong(
        "FORMAT",
        format!(
            "A VAT id of {country} has the form {}, where # is a digit, @ is a letter and * is either.",
            shown.join(" or ")
        ),
    )
}

fn fits(form: &str, text: &str) -> bool {
    form.len() == text.len() && form.chars().zip(text.chars()).all(|(sign, letter)| fits_country(sign, letter))
}

const fn fits_country(sign: char, letter: char) -> bool {
    match sign {
        '#' => letter.is_ascii_digit(),
        '@' => letter.is_ascii_uppercase(),
        '*' => letter.is_ascii_digit() || letter.is_ascii_uppercase(),
        '+' => letter.is_ascii_uppercase() || matches!(letter, '+' | '*'),
        itself => letter == itself,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(vat_id: &str, country: &str) -> Option<String> {
        error(vat_id, Some(country)).map(|error| error.code)
    }

    #[test]
    fn each_country_has_its_vat_id_format() {
        let good = [
            ("AT", "ATU12345678"),
            ("BE", "BE0123456789"),
            ("BG", "BG123456789"),
            ("CH", "CHE123456789MWST"),
            ("CY", "CY12345678X"),
            ("CZ", "CZ1234567890"),
            ("DE", "DE123456789"),
            ("DK", "DK12345678"),
            ("EE", "EE123456789"),
            ("GR", "EL123456789"),
            ("ES", "ESX1234567X"),
            ("FI", "FI12345678"),
            ("FR", "FRXX123456789"),
            ("GB", "GB123456789"),
            ("GB", "GBGD001"),
            ("GB", "XI123456789"),
            ("HR", "HR12345678901"),
            ("HU", "HU12345678"),
            ("IE", "IE1234567WA"),
            ("IE", "IE1+12345A"),
            ("IT", "IT12345678901"),
            ("LT", "LT123456789012"),
            ("LU", "LU12345678"),
            ("LV", "LV12345678901"),
            ("MT", "MT12345678"),
            ("NL", "NL123456789B01"),
            ("NO", "NO123456789MVA"),
            ("PL", "PL1234567890"),
            ("PT", "PT123456789"),
            ("RO", "RO12"),
            ("SE", "SE123456789001"),
            ("SI", "SI12345678"),
            ("SK", "SK1234567890"),
            ("MC", "FR12345678901"),
        ];
        for (country, vat_id) in good {
            assert_eq!(code(vat_id, country), None, "{vat_id} of {country}");
            assert_eq!(code(&format!("{vat_id}-"), country).as_deref(), Some("FORMAT"), "{vat_id}-");
        }
    }

    #[test]
    fn territory_uses_vat_format_of_its_state() {
        for country in ["GF", "GP", "MC", "MQ", "RE", "YT"] {
            assert_eq!(code("FR12345678901", country), None, "{country}");
            assert_eq!(code("FR1234567890", country).as_deref(), Some("FORMAT"), "{country}");
        }
        assert_eq!((code("FI12345678", "AX"), code("GB123456789", "IM")), (None, None));
        for (country, vat_id) in
            [("AX", "AX12345678"), ("RE", "RE12345678901"), ("FR", "RE12345678901"), ("PF", "FR12345678901")]
        {
            assert_eq!(code(vat_id, country).as_deref(), Some("COUNTRY_MISMATCH"), "{vat_id} of {country}");
        }
    }

    #[test]
    fn invalid_vat_id_format_is_rejected() {
        let bad = [
            ("AT", "AT12345678"),
            ("DE", "DE12345678"),
            ("DE", "DE12345678A"),
            ("NL", "NL123456789A01"),
            ("SE", "SE123456789002"),
            ("GB", "GB1234567"),
            ("CH", "CHE12345678"),
            ("ES", "ES123456789"),
            ("BE", "BE2123456789"),
            ("FR", "FRxx123456789"),
            ("RO", "RO1"),
        ];
        for (country, vat_id) in bad {
            assert_eq!(code(vat_id, country).as_deref(), Some("FORMAT"), "{vat_id} of {country}");
        }
    }

    #[test]
    fn vat_prefix_must_match_country() {
        for (country, vat_id) in
            [("AT", "DE123456789"), ("GR", "GR123456789"), ("IE", "XI123456789"), ("US", "DE123456789")]
        {
            assert_eq!(code(vat_id, country).as_deref(), Some("COUNTRY_MISMATCH"), "{vat_id} of {country}");
        }
        assert_eq!(error("DE123456789", None).unwrap().code, "COUNTRY_MISSING");
        assert_eq!(code("TR1234567890", "TR"), None, "a country whose form is not known is taken at its word");
    }
}

use super::*;

fn present() -> Company {
    Company {
        company_name: "Nordsee Kassen".to_owned(),
        vat_id: Some("an old one".to_owned()),
        country: Some("DE".to_owned()),
        address: CompanyAddress {
            street: Some("Kai 1".to_owned()),
            city: Some("Husum".to_owned()),
            ..Default::default()
        },
        ..Company::default()
    }
}

fn value(text: &str) -> MaybeUndefined<String> {
    MaybeUndefined::Value(text.to_owned())
}

fn faults(patch: Patch) -> Vec<(String, String)> {
    let mut errors = Vec::new();
    merge(&present(), patch, &mut errors);
    errors.iter().map(|error| (error.pointer.clone().unwrap(), error.code.clone())).collect()
}

fn kept(patch: Patch) -> Company {
    let mut errors = Vec::new();
    let after = merge(&present(), patch, &mut errors);
    assert!(errors.is_empty(), "{errors:?}");
    after
}

#[test]
fn omitted_fields_stay_and_null_clears() {
    let patch = Patch {
        address: MaybeUndefined::Value(AddressPatch { street: MaybeUndefined::Null, ..AddressPatch::default() }),
        legal_form: value("  GmbH "),
        ..Patch::default()
    };
    let after = kept(patch);
    assert_eq!((after.address.street, after.address.city.as_deref()), (None, Some("Husum")));
    assert_eq!(after.legal_form.as_deref(), Some("GmbH"));
    let emptied = kept(Patch { address: MaybeUndefined::Null, ..Patch::default() });
    assert_eq!(emptied.address, CompanyAddress::default());
    assert_eq!(changed_fields(&present(), &emptied), ["address"]);
    assert!(changed_fields(&present(), &kept(Patch::default())).is_empty());
}

#[test]
fn legacy_vat_id_is_accepted_until_it_or_country_changes() {
    kept(Patch { website: value("https://n.example"), ..Patch::default() });
    let moved = faults(Patch { country: Some("AT".to_owned()), ..Patch::default() });
    assert_eq!(moved, [("/vat_id".to_owned(), "COUNTRY_MISMATCH".to_owned())]);
    let both = Patch { country: Some("GR".to_owned()), vat_id: value("EL123456789"), ..Patch::default() };
    assert_eq!(kept(both).vat_id.as_deref(), Some("EL123456789"));
}

#[test]
fn all_errors_are_reported_with_pointers() {
    let found = faults(Patch {
        company_name: Some(" x ".to_owned()),
        registration_number: value("HRB\n1"),
        country: Some("XX".to_owned()),
        billing_email: value("nobody"),
        billing_address: MaybeUndefined::Value(BillingAddressPatch { country: value("ZZ"), ..Default::default() }),
        ..Patch::default()
    });
    let places: Vec<&str> = found.iter().map(|(pointer, _)| pointer.as_str()).collect();
    let expected =
        ["/company_name", "/registration_number", "/country", "/billing_address/country", "/billing_email", "/vat_id"];
    assert_eq!(places, expected);
}

#[test]
fn length_is_counted_after_normalization() {
    let letters = |number: usize| "\u{fb2c}".repeat(number);
    let found = faults(Patch {
        company_name: Some(letters(41)),
        legal_form: value(&letters(21)),
        registration_number: value(&letters(27)),
        ..Patch::default()
    });
    let expected = ["/company_name", "/legal_form", "/registration_number"];
    assert_eq!(found, expected.map(|pointer| (pointer.to_owned(), "TOO_LONG".to_owned())));
    let longest = kept(Patch { company_name: Some(letters(40)), ..Patch::default() });
    assert_eq!(longest.company_name.chars().count(), LONGEST_COMPANY);
}

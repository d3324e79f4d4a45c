//! Rules for company data, and the merge of a change into the current data.

mod countries;
mod vat;

use labs_core::describe::MaybeUndefined;
use labs_core::email::EmailAddress;
use labs_core::fault::FieldError;
use labs_core::plain;

use super::{AddressPatch, BillingAddress, BillingAddressPatch, Company, CompanyAddress};

/// Minimum length of a company name, in characters, without surrounding white space.
const SHORTEST_COMPANY: usize = 2;
/// Maximum length of a company name, in characters.
const LONGEST_COMPANY: usize = 120;

/// Change of each field in a request: absent, empty, or new content (RFC 7396). For a field that must not be empty,
/// null would count as absent, but the contract rejects it earlier.
#[derive(Clone, Debug, Default)]
pub struct Patch {
    /// Company name of the partner.
    pub company_name: Option<String>,
    /// Legal form.
    pub legal_form: MaybeUndefined<String>,
    /// Number in the commercial register.
    pub registration_number: MaybeUndefined<String>,
    /// VAT identification number.
    pub vat_id: MaybeUndefined<String>,
    /// ISO 3166-1 code of the country.
    pub country: Option<String>,
    /// Address of the company.
    pub address: MaybeUndefined<AddressPatch>,
    /// Address for invoices.
    pub billing_address: MaybeUndefined<BillingAddressPatch>,
    /// E-mail address for invoices.
    pub billing_email: MaybeUndefined<String>,
    /// Web site.
    pub website: MaybeUndefined<String>,
}

/// Merges a change into the data. Adds each invalid field to `errors`. The VAT id is validated only if it or the
/// country changes, so that data from before this rule does not block other changes.
pub(super) fn merge(present: &Company, patch: Patch, errors: &mut Vec<FieldError>) -> Company {
    let mut after = present.clone();
    if let Some(name) = patch.company_name {
        after.pending_name = None;
        after.company_name = line("/company_name", &name, LONGEST_COMPANY, errors);
        if after.company_name.chars().count() < SHORTEST_COMPANY {
            errors.push(FieldError::at(
                "/company_name",
                "TOO_SHORT",
                "Send at least 2 characters, not counting surrounding blanks.",
            ));
        }
    }
    set(&mut after.legal_form, patch.legal_form, 60, "/legal_form", errors);
    set(&mut after.registration_number, patch.registration_number, 80, "/registration_number", errors);
    set(&mut after.vat_id, patch.vat_id, 16, "/vat_id", errors);
    set(&mut after.website, patch.website, 2048, "/website", errors);
    if let Some(code) = patch.country {
        country("/country", &code, errors);
        after.country = Some(code);
    }
    match patch.address {
        MaybeUndefined::Undefined => {}
        MaybeUndefined::Null => after.address = CompanyAddress::default(),
        MaybeUndefined::Value(address) => place(&mut after.address, address, "/address", errors),
    }
    match patch.billing_address {
        MaybeUndefined::Undefined => {}
        MaybeUndefined::Null => after.billing_address = BillingAddress::default(),
        MaybeUndefined::Value(address) => billing(&mut after.billing_address, address, errors),
    }
    match patch.billing_email {
        MaybeUndefined::Undefined => {}
        MaybeUndefined::Null => after.billing_email = None,
        MaybeUndefined::Value(text) => {
            after.billing_email = email("/billing_email", &text, errors).map(|email| email.as_str().to_owned());
        }
    }
    if (&after.vat_id, &after.country) != (&present.vat_id, &present.country) {
        errors.extend(after.vat_id.as_deref().and_then(|vat_id| vat::error(vat_id, after.country.as_deref())));
    }
    after
}

/// Keeps the current name and makes the new one pending.
pub(super) fn defer_name(present: &Company, after: &mut Company) {
    if after.company_name != present.company_name {
        after.pending_name = Some(std::mem::replace(&mut after.company_name, present.company_name.clone()));
    }
}

/// Returns the names of the fields that differ, as in the contract.
pub(super) fn changed_fields(before: &Company, after: &Company) -> Vec<&'static str> {
    let fields = [
        ("company_name", before.company_name != after.company_name),
        ("pending_company_name", before.pending_name != after.pending_name),
        ("legal_form", before.legal_form != after.legal_form),
        ("registration_number", before.registration_number != after.registration_number),
        ("vat_id", before.vat_id != after.vat_id),
        ("country", before.country != after.country),
        ("address", before.address != after.address),
        ("billing_address", before.billing_address != after.billing_address),
        ("billing_email", before.billing_email != after.billing_email),
        ("website", before.website != after.website),
    ];
    fields.into_iter().filter(|(_, differs)| *differs).map(|(name, _)| name).collect()
}

fn set(
    kept: &mut Option<String>,
    input: MaybeUndefined<String>,
    most: usize,
    pointer: &str,
    errors: &mut Vec<FieldError>,
) {
    match input {
        MaybeUndefined::Undefined => {}
        MaybeUndefined::Null => *kept = None,
        MaybeUndefined::Value(text) => *kept = Some(line(pointer, &text, most, errors)).filter(|text| !text.is_empty()),
    }
}

fn place(kept: &mut CompanyAddress, input: AddressPatch, pointer: &str, errors: &mut Vec<FieldError>) {
    let AddressPatch { street, addition, postal_code, city, region } = input;
    set(&mut kept.street, street, 200, &format!("{pointer}/street"), errors);
    set(&mut kept.addition, addition, 200, &format!("{pointer}/addition"), errors);
    set(&mut kept.postal_code, postal_code, 20, &format!("{pointer}/postal_code"), errors);
    set(&mut kept.city, city, 120, &format!("{pointer}/city"), errors);
    set(&mut kept.region, region, 120, &format!("{pointer}/region"), errors);
}

fn billing(kept: &mut BillingAddress, input: BillingAddressPatch, errors: &mut Vec<FieldError>) {
    place(&mut kept.place, input.place(), "/billing_address", errors);
    set(&mut kept.recipient, input.recipient, 200, "/billing_address/recipient", errors);
    if let MaybeUndefined::Value(code) = &input.country {
        country("/billing_address/country", code, errors);
    }
    set(&mut kept.country, input.country, 2, "/billing_address/country", errors);
}

fn country(pointer: &str, code: &str, errors: &mut Vec<FieldError>) {
    if !countries::is_known(code) {
        errors.push(FieldError::at(
            pointer,
            "UNKNOWN_COUNTRY",
            "This is not a two-letter country code. Send a code of ISO 3166-1, for example DE, AT or GB.",
        ));
    }
}

/// Trims a text of one line and checks its maximum number of characters.
pub(super) fn line(pointer: &str, text: &str, most: usize, errors: &mut Vec<FieldError>) -> String {
    let text = plain::line(pointer, text, errors);
    errors.extend(plain::err_too_long(pointer, &text, most));
    text
}

/// Checks an e-mail address.
pub(super) fn email(pointer: &str, text: &str, errors: &mut Vec<FieldError>) -> Option<EmailAddress> {
    let parsed = EmailAddress::parse(text);
    parsed
        .map_err(|problem| {
            errors.push(FieldError::at(pointer, "FORMAT", format!("This address cannot be used: {problem}.")));
        })
        .ok()
}

#[cfg(test)]
mod tests;

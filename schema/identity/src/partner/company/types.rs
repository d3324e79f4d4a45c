//! Addresses in the database, in output and in input.

use labs_core::describe::{InputType, MaybeUndefined, OutputType};
use serde::{Deserialize, Serialize};

/// Registered address of a company, as its column stores it. The country is a separate column.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CompanyAddress {
    /// Street and number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub street: Option<String>,
    /// Building, floor, c/o.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub addition: Option<String>,
    /// Postal code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub postal_code: Option<String>,
    /// City or town.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
    /// Province, canton or county, where postal addresses include it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
}

/// Billing address, as its column stores it. If it is empty, invoices are sent to the registered address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct BillingAddress {
    /// Recipient on invoices, if it is not the company.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) recipient: Option<String>,
    /// Two-letter ISO 3166-1 country code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) country: Option<String>,
    /// Remaining fields of the address.
    #[serde(flatten)]
    pub(crate) place: CompanyAddress,
}

/// Address of a company's registered office. The country is a separate field.
#[derive(serde::Serialize, OutputType)]
#[describe(name = "CompanyAddress")]
pub struct CompanyAddressView {
    /// Street and number.
    street: Option<String>,
    /// Building, floor, or c/o name.
    addition: Option<String>,
    /// Postal code, in the format of the country.
    postal_code: Option<String>,
    /// City or town.
    city: Option<String>,
    /// Province, canton or county, where postal addresses include it.
    region: Option<String>,
}

/// Billing address, if it differs from the registered office.
#[derive(serde::Serialize, OutputType)]
pub struct CompanyBillingAddress {
    /// Recipient on invoices, if it is not the company.
    recipient: Option<String>,
    /// Street and number.
    street: Option<String>,
    /// Building, floor, or c/o name.
    addition: Option<String>,
    /// Postal code, in the format of the country.
    postal_code: Option<String>,
    /// City or town.
    city: Option<String>,
    /// Province, canton or county, where postal addresses include it.
    region: Option<String>,
    /// Two-letter ISO 3166-1 code of the country. Null for the country of the registered office.
    country: Option<String>,
}

/// A merge patch (RFC 7396) of a registered office. Omitted fields keep their values, null clears a field.
#[derive(Clone, Debug, Default, serde::Deserialize, InputType)]
#[describe(name = "CompanyAddressPatch")]
pub struct AddressPatch {
    /// Street and number.
    #[serde(default)]
    pub(super) street: MaybeUndefined<String>,
    /// Building, floor, or c/o name.
    #[serde(default)]
    pub(super) addition: MaybeUndefined<String>,
    /// Postal code, in the format of the country.
    #[serde(default)]
    pub(super) postal_code: MaybeUndefined<String>,
    /// City or town.
    #[serde(default)]
    pub(super) city: MaybeUndefined<String>,
    /// Province, canton or county, where postal addresses include it.
    #[serde(default)]
    pub(super) region: MaybeUndefined<String>,
}

/// A merge patch (RFC 7396) of a billing address. Omitted fields keep their values, null clears a field.
#[derive(Clone, Debug, Default, serde::Deserialize, InputType)]
#[describe(name = "CompanyBillingAddressPatch")]
pub struct BillingAddressPatch {
    /// Recipient on invoices, if it is not the company.
    #[serde(default)]
    pub(super) recipient: MaybeUndefined<String>,
    /// Street and number.
    #[serde(default)]
    pub(super) street: MaybeUndefined<String>,
    /// Building, floor, or c/o name.
    #[serde(default)]
    pub(super) addition: MaybeUndefined<String>,
    /// Postal code, in the format of the country.
    #[serde(default)]
    pub(super) postal_code: MaybeUndefined<String>,
    /// City or town.
    #[serde(default)]
    pub(super) city: MaybeUndefined<String>,
    /// Province, canton or county, where postal addresses include it.
    #[serde(default)]
    pub(super) region: MaybeUndefined<String>,
    /// Two-letter ISO 3166-1 code of the country. Null for the country of the registered office.
    #[serde(default)]
    pub(super) country: MaybeUndefined<String>,
}

impl From<CompanyAddress> for CompanyAddressView {
    fn from(address: CompanyAddress) -> Self {
        let CompanyAddress { street, addition, postal_code, city, region } = address;
        Self { street, addition, postal_code, city, region }
    }
}

impl CompanyBillingAddress {
    /// Converts the address for output; `None` if invoices are sent to the registered address.
    pub fn of(address: BillingAddress) -> Option<Self> {
        if address == BillingAddress::default() {
            return None;
        }
        let BillingAddress { recipient, country, place } = address;
        let CompanyAddress { street, addition, postal_code, city, region } = place;
        Some(Self { recipient, street, addition, postal_code, city, region, country })
    }
}

impl BillingAddressPatch {
    /// Returns the fields that it shares with a registered address.
    pub(super) fn place(&self) -> AddressPatch {
        AddressPatch {
            street: self.street.clone(),
            addition: self.addition.clone(),
            postal_code: self.postal_code.clone(),
            city: self.city.clone(),
            region: self.region.clone(),
        }
    }
}

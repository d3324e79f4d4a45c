//! Rules for the contacts of a partner.

use labs_core::fault::Fault;
use labs_core::words::words;

words! {
    /// Purpose of a contact.
    pub enum PartnerContactKind {
        /// Invoices and payments.
        Billing = "BILLING",
        /// Outages and changes of the API.
        Technical = "TECHNICAL",
        /// Vulnerabilities and incidents.
        Security = "SECURITY",
    }
}

/// Maximum number of contacts of one kind per partner.
pub(super) const MOST_OF_A_KIND: i64 = 10;
/// Maximum length of a contact's name in characters.
pub(super) const LONGEST_NAME: usize = 120;
/// Maximum length of a contact's telephone number in characters.
pub(super) const LONGEST_PHONE: usize = 40;

/// Rejects a contact above the maximum of its kind.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if the maximum is reached.
pub(super) fn ensure_quota(of_this_kind: i64) -> Result<(), Fault> {
    if of_this_kind < MOST_OF_A_KIND {
        return Ok(());
    }
    Err(Fault::conflict(format!(
        "There are already {MOST_OF_A_KIND} contacts of this kind, which is the maximum. Delete one first, or use a \
         shared mailbox."
    )))
}

/// Rejects the removal of a partner's last security contact. `others` is the number of other security contacts.
///
/// # Errors
/// [`labs_core::Code::Conflict`] if it is the last one.
pub(super) fn ensure_security_contact(kind: PartnerContactKind, others: i64) -> Result<(), Fault> {
    if kind != PartnerContactKind::Security || others > 0 {
        return Ok(());
    }
    Err(Fault::conflict(
        "This is the last security contact, and there must always be one. Add another one first, or change this one.",
    ))
}

/// Returns the error for an address that is already a contact of this kind.
pub(super) fn err_address_taken() -> Fault {
    Fault::conflict("A contact of this kind already has this address. Change that contact instead.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use labs_core::fault::Code;

    #[test]
    fn at_most_ten_contacts_per_kind() {
        assert!(ensure_quota(9).is_ok());
        assert_eq!(ensure_quota(10).unwrap_err().code(), Code::Conflict);
    }

    #[test]
    fn last_security_contact_cannot_be_removed() {
        assert!(ensure_security_contact(PartnerContactKind::Billing, 0).is_ok());
        assert!(ensure_security_contact(PartnerContactKind::Security, 1).is_ok());
        assert_eq!(ensure_security_contact(PartnerContactKind::Security, 0).unwrap_err().code(), Code::Conflict);
    }
}

//! What contacts a partner may have.

use crate::core::fault::Fault;
use crate::core::words::words;

words! {
    /// What a contact is for.
    pub(crate) enum PartnerContactKind {
        /// Bills and payments.
        Billing = "BILLING",
        /// Outages and changes of the interface.
        Technical = "TECHNICAL",
        /// Weaknesses and incidents.
        Security = "SECURITY",
    }
}

/// Contacts of one kind that a partner has at most.
pub(super) const MOST_OF_A_KIND: i64 = 10;
/// Characters of a contact's name at most.
pub(super) const LONGEST_NAME: usize = 120;
/// Characters of a contact's telephone number at most.
pub(super) const LONGEST_PHONE: usize = 40;

/// Refuses one more contact of a kind than there may be.
///
/// # Errors
/// [`crate::Code::Conflict`].
pub(super) fn room(of_this_kind: i64) -> Result<(), Fault> {
    if of_this_kind < MOST_OF_A_KIND {
        return Ok(());
    }
    Err(Fault::conflict(format!(
        "There are already {MOST_OF_A_KIND} contacts of this kind, which is the maximum. Delete one first, or use a \
         shared mailbox."
    )))
}

/// Refuses to leave a partner without anybody to turn to about safety. `others` counts the further security contacts.
///
/// # Errors
/// [`crate::Code::Conflict`].
pub(super) fn ensure_security_contact(kind: PartnerContactKind, others: i64) -> Result<(), Fault> {
    if kind != PartnerContactKind::Security || others > 0 {
        return Ok(());
    }
    Err(Fault::conflict(
        "This is the last security contact, and there must always be one. Add another one first, or change this one.",
    ))
}

/// The refusal of an address that is named for the kind already.
pub(super) fn address_taken() -> Fault {
    Fault::conflict("A contact of this kind already has this address. Change that contact instead.")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::fault::Code;

    #[test]
    fn ten_of_a_kind_are_enough() {
        assert!(room(9).is_ok());
        assert_eq!(room(10).unwrap_err().code(), Code::Conflict);
    }

    #[test]
    fn somebody_for_safety_stays() {
        assert!(ensure_security_contact(PartnerContactKind::Billing, 0).is_ok());
        assert!(ensure_security_contact(PartnerContactKind::Security, 1).is_ok());
        assert_eq!(ensure_security_contact(PartnerContactKind::Security, 0).unwrap_err().code(), Code::Conflict);
    }
}

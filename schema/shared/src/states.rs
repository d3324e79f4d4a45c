//! States that groups other than their own show or check.

use labs_core::words::words;

words! {
    /// State of a partner.
    pub enum PartnerState {
        /// The account is in use.
        Active = "ACTIVE",
        /// Suspended by the platform.
        Suspended = "SUSPENDED",
        /// The account is still in use, until `closes_at`.
        Closing = "CLOSING",
        /// Closed. Staff can reopen it for a limited time, or erase it.
        Closed = "CLOSED",
        /// Closed permanently, and the personal data is erased.
        Erased = "ERASED",
    }
}

words! {
    /// State of an app.
    pub enum AppState {
        /// Never published.
        Draft = "DRAFT",
        /// On the storefront.
        Listed = "LISTED",
        /// Removed from the storefront by its owner for now. Customers who have installed it keep it.
        Unlisted = "UNLISTED",
        /// Removed from the storefront by staff. `state_reason` states the reason.
        Suspended = "SUSPENDED",
        /// Discontinued by its owner. It can still be read or restored.
        Archived = "ARCHIVED",
    }
}

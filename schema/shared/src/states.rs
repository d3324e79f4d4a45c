//! States that groups other than their own show or check.

use labs_core::words::words;

words! {
    /// State of a partner.
    pub enum PartnerState {
        /// The partner works as usual.
        Active = "ACTIVE",
        /// Staff suspended the partner.
        Suspended = "SUSPENDED",
        /// The partner works as usual until it closes.
        Closing = "CLOSING",
        /// The account is closed; its data is kept for a while.
        Closed = "CLOSED",
        /// The account was erased; no personal data is left.
        Erased = "ERASED",
    }
}

words! {
    /// State of an app (docs/decisions/api.md#state-machines).
    pub enum AppState {
        /// Never published.
        Draft = "DRAFT",
        /// On the storefront.
        Listed = "LISTED",
        /// Removed from the storefront by its owner.
        Unlisted = "UNLISTED",
        /// Removed from the storefront by staff.
        Suspended = "SUSPENDED",
        /// Archived by its owner.
        Archived = "ARCHIVED",
    }
}

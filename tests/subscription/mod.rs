//! Stories of what a partner is entitled to.

mod entitlements;

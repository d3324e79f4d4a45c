//! What the service does of itself: each looks at the state and acts, takes no input, and may run on every replica.

pub use crate::marketplace::publish_due;

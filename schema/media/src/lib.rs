//! Images that partners upload: checked, re-encoded and stored.
//!
//! `image` re-encodes an upload or rejects it with a reason; `store` stores the results under the hash of their
//! content. The rows about them belong to their resources.
pub mod image;
pub mod name;
pub mod store;

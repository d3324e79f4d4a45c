//! Pictures that partners upload: checked, made anew, kept.
//!
//! `image` turns the bytes of an upload into pictures of our own making, or says why not; `store`
//! keeps them under the hash of their content. The rows about them belong to their resources.
pub mod image;
pub mod store;

//! An access token of a program (RFC 6749, section 4.3), and the public keys that verify every token.
//!
//! A program that an operator provisioned gives its id and secret and gets a token for an hour. There is no
//! refresh: it asks again. Every try of a known program is written into its ledger, `token_grant`.
//!
//! With its id and secret a program may also ask whether a token is good, and end one of its own before its time.

mod holding;
mod resolvers;
mod rules;
mod store;

pub(in crate::auth) use resolvers::{TokensMutation, TokensQuery};

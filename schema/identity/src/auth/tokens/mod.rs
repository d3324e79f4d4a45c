//! Access tokens of machine clients (RFC 6749, section 4.3), and the public keys that verify every token.
//!
//! A machine client that staff created sends its id and secret and gets a token for an hour. Instead of a refresh, the
//! client requests a new access token. Every attempt of a known client is logged in `token_grant`.
//!
//! Instead of a secret, a machine client may present an identity of another issuer that it trusts (RFC 7523), for example
//! of a job of a CI system. Its tokens are valid for 15 minutes.
//!
//! With its id and secret, a machine client can also introspect a token, and revoke one of its tokens before it
//! expires.

mod identity;
mod introspection;
mod resolvers;
mod rules;
mod store;

pub(in crate::auth) use resolvers::OPERATIONS;

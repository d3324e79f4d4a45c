//! Stories of coming in: companies register, people sign in, programs ask for tokens.

mod account;
mod mfa;
mod operator;
mod outbox;
mod registrations;
mod sessions;
mod tokens;

//! Integration tests of Labs, from the caller's point of view.

// Clippy treats everything below this attribute as test code, including the helpers.
#[cfg(test)]
mod admin;
#[cfg(test)]
mod agents;
#[cfg(test)]
mod auth;
#[cfg(test)]
mod engagement;
#[cfg(test)]
mod front;
#[cfg(test)]
mod harness;
#[cfg(test)]
mod histories;
#[cfg(test)]
mod marketplace;
#[cfg(test)]
mod model;
#[cfg(test)]
mod objects;
#[cfg(test)]
mod partner;
#[cfg(test)]
mod publication;
#[cfg(test)]
mod soak;
#[cfg(test)]
mod statistics;
#[cfg(test)]
mod subscription;
#[cfg(test)]
mod sweeps;
#[cfg(test)]
mod tidy;
#[cfg(test)]
mod world;

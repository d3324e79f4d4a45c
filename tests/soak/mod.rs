//! Long-running and load tests over two replicas. `make soak` runs all of it and prints the figures; otherwise a short
//! version runs, which asserts everything except times. The test of signing key rotation is in `admin/signing_keys.rs`.

mod budget;
mod costs;
mod enumeration;
mod followers;
pub(crate) mod killed;
mod twins;

use std::time::Duration;

/// Whether the full version is requested.
fn is_whole() -> bool {
    std::env::var("LABS_TEST_SOAK").is_ok_and(|form| form == "whole")
}

/// Returns the count for the requested version.
pub(crate) fn count(short: usize, whole: usize) -> usize {
    if is_whole() { whole } else { short }
}

/// Prints a figure; `make soak` shows the output of tests.
#[expect(clippy::print_stdout, reason = "the figures are what `make soak` is for")]
pub(crate) fn figure(text: &str) {
    println!("soak: {text}");
}

/// Returns the value below which this share of the times is.
fn quantile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    let last = times.len() - 1;
    times[((last as f64) * share).round() as usize]
}

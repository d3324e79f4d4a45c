//! What must hold for long and under load, over two replicas. `make soak` runs the whole of it and prints the figures;
//! otherwise a short form runs, which asserts everything but times. The rotation of signing keys is told in
//! `admin/signing_keys.rs`.

mod budget;
mod costs;
mod enumeration;
mod twins;

use std::time::Duration;

/// Whether the whole is asked for.
fn is_whole() -> bool {
    std::env::var("LABS_TEST_SOAK").is_ok_and(|form| form == "whole")
}

/// How many, in the form that is asked for.
pub(crate) fn count(short: usize, whole: usize) -> usize {
    if is_whole() { whole } else { short }
}

/// Says a figure where it is looked for: `make soak` shows what tests print.
#[expect(clippy::print_stdout, reason = "the figures are what `make soak` is for")]
pub(crate) fn figure(text: &str) {
    println!("soak: {text}");
}

/// The value below which this share of the times lies.
fn quantile(times: &mut [Duration], share: f64) -> Duration {
    times.sort_unstable();
    let last = times.len() - 1;
    times[((last as f64) * share).round() as usize]
}

//! Sends every request of the benchmark once over small tables: `./test bench`.

use std::path::Path;
use std::process::Command;

#[test]
fn benchmark_requests_are_answered_and_forms_agree() {
    let bench = Path::new(env!("CARGO_BIN_EXE_labs-bench"));
    // Cargo builds the service into the same folder.
    let labs = bench.with_file_name("labs");
    let mut check = Command::new(bench);
    check.args(["--check", "--labs"]).arg(labs).env("RUST_BACKTRACE", "0");
    let status = check.status().unwrap();
    assert!(status.success(), "the benchmark does not run: see the messages above");
}

//! The program `labs`.

use clap::Parser;
use labs::cli::{Cli, run};
use labs::config::sentence;
use labs::telemetry::{flush, log_last};
use mimalloc::MiMalloc;
use std::ffi::OsString;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => match sentence(&error, &words) {
            Some(message) => {
                log_last(&format!("labs: {message}"));
                return ExitCode::from(2);
            }
            None => error.exit(),
        },
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let done = runtime.map_err(anyhow::Error::from).and_then(|runtime| runtime.block_on(run(cli)));
    let Err(error) = done else {
        flush();
        return ExitCode::SUCCESS;
    };
    log_last(&format!("labs: {error:#}"));
    ExitCode::FAILURE
}

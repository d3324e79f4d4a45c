//! The program `labs`.

use clap::Parser;
use labs::cli::{Cli, run};
use labs::config::sentence;
use mimalloc::MiMalloc;
use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let cli = match Cli::try_parse_from(&words) {
        Ok(cli) => cli,
        Err(error) => match sentence(&error, &words) {
            Some(said) => {
                let _ = writeln!(std::io::stderr(), "labs: {said}");
                return ExitCode::from(2);
            }
            None => error.exit(),
        },
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let done = runtime.map_err(anyhow::Error::from).and_then(|runtime| runtime.block_on(run(cli)));
    let Err(error) = done else {
        return ExitCode::SUCCESS;
    };
    // There is nowhere left to tell that this could not be told.
    let _ = writeln!(std::io::stderr(), "labs: {error:#}");
    ExitCode::FAILURE
}

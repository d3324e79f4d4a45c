//! The program `labs`.

use clap::Parser;
use labs::cli::{Cli, run};
use mimalloc::MiMalloc;
use std::io::Write;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let done = runtime.map_err(anyhow::Error::from).and_then(|runtime| runtime.block_on(run(cli)));
    let Err(error) = done else {
        return ExitCode::SUCCESS;
    };
    // There is nowhere left to tell that this could not be told.
    let _ = writeln!(std::io::stderr(), "labs: {error:#}");
    ExitCode::FAILURE
}

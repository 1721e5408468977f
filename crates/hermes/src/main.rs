//! The `hermes` program. Everything is in the library beside this file.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    hermes_cli::main()
}

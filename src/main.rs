//! The command-line tool of carom.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything that may use the vector instructions this build was made for.
    match carom::cpu::check() {
        Ok(()) => cli::main(),
        Err(error) => cli::refuse(&error),
    }
}

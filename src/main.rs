//! The command-line tool of carom.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Before anything that may use the vector instructions this build was made for: not even the error is moved.
    let checked = carom::cpu::check();
    match &checked {
        Ok(()) => cli::main(),
        Err(error) => cli::refuse(error),
    }
}

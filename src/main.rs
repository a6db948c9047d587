//! The command-line tool of carom.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    // Nothing may use the vector instructions of this build before this check: not even the error is moved.
    let checked = carom::cpu::check();
    match &checked {
        Ok(()) => cli::main(),
        Err(error) => cli::refuse(error),
    }
}

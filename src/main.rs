//! The command-line tool of carom.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::main()
}

//! `carom view`, as a browser sees it: requests and the WebSocket.

mod browser;
mod client;
mod commands;
mod gallery;
mod replay;
mod security;

use std::io::{BufRead, BufReader};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use client::Page;

/// A running tool.
struct Tool {
    process: Child,
    /// `127.0.0.1` and the port.
    host: String,
    token: String,
}

impl Tool {
    fn start(arguments: &[&str]) -> Self {
        Self::of(&[&["view", "--no-open"], arguments].concat())
    }

    fn of(arguments: &[&str]) -> Self {
        let mut process =
            crate::carom(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("no address: {line}"));
        let (host, token) = address.trim_end_matches('/').split_once('/').unwrap();
        Self { process, host: host.into(), token: token.into() }
    }

    fn page(&self) -> Page {
        Page::open(&self.host, &self.token)
    }

    /// Waits until it has ended by itself.
    fn wait(&mut self) -> ExitStatus {
        let start = Instant::now();
        loop {
            match self.process.try_wait().unwrap() {
                Some(status) => return status,
                None if start.elapsed() > Duration::from_secs(20) => panic!("it does not end"),
                None => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

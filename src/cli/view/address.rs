//! The address of the page: the token in it, and which requests are for it.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};

use crate::cli::{Failure, Result};

/// Where the page is, and how to get there.
pub(super) struct Address {
    port: u16,
    /// Without it every request is refused.
    token: String,
    /// Opens the page once: other users of the machine can see the command line of a browser.
    key: String,
}

/// Listens on the loopback address: on this port, or, without one or with 0, on a free one.
pub(super) fn listen(port: Option<u16>) -> Result<(TcpListener, Address)> {
    let at = SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(0)));
    let failed = |error: std::io::Error| {
        let hint = if port.is_some() { ": choose another --port, or leave it out" } else { "" };
        Failure(format!("cannot listen on {at}: {error}{hint}"))
    };
    let listener = TcpListener::bind(at).map_err(failed)?;
    let port = listener.local_addr().map_err(failed)?.port();
    Ok((listener, Address { port, token: random_word()?, key: random_word()? }))
}

/// 128 random bits as hexadecimal digits.
fn random_word() -> Result<String> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure(format!("no random numbers for the address: {error}")))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl Address {
    /// Of the page.
    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/{}/", self.port, self.token)
    }

    /// Leads to the page once.
    pub(super) fn opening_url(&self) -> String {
        format!("http://127.0.0.1:{}/open/{}", self.port, self.key)
    }

    /// Path of the page.
    pub(super) fn path(&self) -> String {
        format!("/{}/", self.token)
    }

    /// Whether the path is that of [`opening_url`](Self::opening_url).
    pub(super) fn is_opening(&self, path: &str) -> bool {
        path.strip_prefix("/open/").is_some_and(|key| is_equal(key, &self.key))
    }

    /// The name of the file that a path means; `None` without the token.
    pub(super) fn file<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (token, name) = path.strip_prefix('/')?.split_once('/')?;
        is_equal(token, &self.token).then_some(if name.is_empty() { "index.html" } else { name })
    }

    /// Whether a request was sent to this address, and not to another name that leads here.
    pub(super) fn is_host(&self, host: &str) -> bool {
        host == format!("127.0.0.1:{}", self.port)
    }

    /// Whether a page of this address has sent a request.
    pub(super) fn is_origin(&self, origin: &str) -> bool {
        origin == format!("http://127.0.0.1:{}", self.port)
    }
}

/// Takes the same time wherever two words of one length differ.
fn is_equal(found: &str, expected: &str) -> bool {
    let differences = found.bytes().zip(expected.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    found.len() == expected.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address() -> Address {
        Address { port: 8080, token: "0a1b".into(), key: "ffff".into() }
    }

    #[test]
    fn only_paths_with_the_token_are_files() {
        let address = address();
        assert_eq!(address.file("/0a1b/"), Some("index.html"));
        assert_eq!(address.file("/0a1b/draw/plane.js"), Some("draw/plane.js"));
        for path in
            ["", "/", "/0a1b", "/0a1c/", "/0a1/", "/0a1bb/", "0a1b/", "//0a1b/", "/open/0a1b", "/ffff/"]
        {
            assert_eq!(address.file(path), None, "{path}");
        }
        assert!(address.is_opening("/open/ffff") && !address.is_opening("/open/0a1b"));
        assert!(!address.is_opening("/ffff") && !address.is_opening("/open/"));
    }

    #[test]
    fn other_names_and_origins_are_told_apart() {
        let address = address();
        assert!(address.is_host("127.0.0.1:8080") && address.is_origin("http://127.0.0.1:8080"));
        for host in [
            "127.0.0.1",
            "localhost:8080",
            "evil.example:8080",
            "127.0.0.1:80",
            "127.0.0.1:8080.evil.example",
        ] {
            assert!(!address.is_host(host), "{host}");
        }
        for origin in ["null", "", "https://127.0.0.1:8080", "http://evil.example", "http://127.0.0.1:8081"] {
            assert!(!address.is_origin(origin), "{origin}");
        }
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let (first, second) = (random_word(), random_word());
        let (Ok(first), Ok(second)) = (first, second) else { panic!("random numbers") };
        assert!(first.len() == 32 && first != second);
    }
}

//! Requests of a browser before the WebSocket, and answers to them.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::address::Address;
use super::files;

/// Longest head of a request, in bytes.
const LONGEST: usize = 16 << 10;
/// Most headers of a request.
const MOST_HEADERS: usize = 64;
/// A request that takes longer is dropped.
const PATIENCE: Duration = Duration::from_secs(5);

/// On every answer: scripts, styles and connections of this address only.
const HEADERS: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    media-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
    X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCache-Control: no-store\r\n\
    Cross-Origin-Opener-Policy: same-origin\r\nCross-Origin-Resource-Policy: same-origin\r\n";

/// The head of a request, as far as it matters.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Request {
    method: String,
    path: String,
    host: Vec<String>,
    origin: Vec<String>,
    upgrade: Option<String>,
    key: Option<String>,
    version: Option<String>,
}

/// What becomes of a request.
#[derive(Debug, PartialEq)]
pub(super) enum Action {
    Refuse,
    File(&'static files::File),
    /// To the page, from an address that is used once.
    Redirect,
    /// A WebSocket with this key.
    Socket(String),
}

/// Reads the head of a request and nothing after it; `None` if there is none.
pub(super) fn read(stream: &mut TcpStream) -> io::Result<Option<Request>> {
    let start = Instant::now();
    let mut head = Vec::new();
    let mut byte = [0_u8; 1];
    stream.set_read_timeout(Some(PATIENCE))?;
    // One byte at a time, because what follows the head belongs to the WebSocket.
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() == LONGEST || start.elapsed() > PATIENCE || stream.read(&mut byte)? == 0 {
            return Ok(None);
        }
        head.push(byte[0]);
    }
    Ok(parse(&head))
}

fn parse(head: &[u8]) -> Option<Request> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut parsed = httparse::Request::new(&mut headers);
    if !parsed.parse(head).ok()?.is_complete() {
        return None;
    }
    let mut request =
        Request { method: parsed.method?.into(), path: parsed.path?.into(), ..Request::default() };
    for header in parsed.headers {
        let value = std::str::from_utf8(header.value).ok()?.to_owned();
        match header.name.to_ascii_lowercase().as_str() {
            "host" => request.host.push(value),
            "origin" => request.origin.push(value),
            "upgrade" => request.upgrade = Some(value.to_ascii_lowercase()),
            "sec-websocket-key" => request.key = Some(value),
            "sec-websocket-version" => request.version = Some(value),
            _ => {}
        }
    }
    Some(request)
}

impl Request {
    /// What becomes of it. `may_open`: whether the address that is used once has not been used.
    pub(super) fn action(&self, address: &Address, may_open: bool) -> Action {
        let is_here = matches!(&self.host[..], [host] if address.is_host(host));
        let is_own = self.origin.iter().all(|origin| address.is_origin(origin));
        if self.method != "GET" || !is_here || !is_own {
            return Action::Refuse;
        }
        if may_open && address.is_opening(&self.path) {
            return Action::Redirect;
        }
        match address.file(&self.path) {
            Some("socket") => self.socket(),
            Some(name) => files::find(name).map_or(Action::Refuse, Action::File),
            None => Action::Refuse,
        }
    }

    /// A WebSocket, if a page of this address asks for it: other programs may send no origin, pages always do.
    fn socket(&self) -> Action {
        let is_upgrade =
            self.upgrade.as_deref() == Some("websocket") && self.version.as_deref() == Some("13");
        match &self.key {
            Some(key) if is_upgrade && self.origin.len() == 1 => Action::Socket(key.clone()),
            _ => Action::Refuse,
        }
    }
}

pub(super) fn refuse(stream: &mut TcpStream) -> io::Result<()> {
    answer(stream, "403 Forbidden", "", b"")
}

pub(super) fn redirect(stream: &mut TcpStream, path: &str) -> io::Result<()> {
    answer(stream, "303 See Other", &format!("Location: {path}\r\n"), b"")
}

pub(super) fn send_file(stream: &mut TcpStream, file: &files::File) -> io::Result<()> {
    answer(stream, "200 OK", &format!("Content-Type: {}\r\n", file.media_type()), file.bytes)
}

/// Begins a WebSocket.
pub(super) fn switch(stream: &mut TcpStream, key: &str) -> io::Result<()> {
    let accept = tungstenite::handshake::derive_accept_key(key.as_bytes());
    let head = format!(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: {accept}\r\n\r\n"
    );
    stream.write_all(head.as_bytes())
}

fn answer(stream: &mut TcpStream, status: &str, headers: &str, body: &[u8]) -> io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\n{HEADERS}{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)?;
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_parsed_as_far_as_they_matter() {
        let head = b"GET /x/ HTTP/1.1\r\nHOST: 127.0.0.1:1\r\nOrigin: http://a\r\norigin: http://b\r\nX-Other: 1\r\n\r\n";
        let request = parse(head).unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/x/"));
        assert_eq!((request.host.len(), request.origin.len(), request.key), (1, 2, None));
        for bad in
            [&b"\r\n\r\n"[..], b"GET\r\n\r\n", b"GET /x/ HTTP/1.1\r\nHost\r\n\r\n", b"\x16\x03\x01\r\n\r\n"]
        {
            assert_eq!(parse(bad), None);
        }
        let many: String = (0..65).map(|n| format!("a{n}: 1\r\n")).collect();
        assert_eq!(parse(format!("GET / HTTP/1.1\r\n{many}\r\n").as_bytes()), None);
    }
}

//! A page without a browser.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::protocol::Role;
use tungstenite::{Message, WebSocket};

/// The answer to a request, as text.
pub(super) fn request(host: &str, head: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream.write_all(head.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A connection that is reset has been answered before.
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// The answer to a request for a path, with these headers besides.
pub(super) fn get(host: &str, path: &str, headers: &str) -> String {
    request(host, &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{headers}\r\n"))
}

/// What a browser sends to begin a WebSocket.
pub(super) const UPGRADE: &str = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
                                  Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";

/// A page that is connected, and what it was last told.
pub(super) struct Page {
    pub(super) socket: WebSocket<TcpStream>,
    pub(super) hello: Value,
    pub(super) scene: Value,
    pub(super) stats: Value,
    pub(super) role: Value,
    pub(super) fixed: Vec<u8>,
    pub(super) frame: Vec<u8>,
    pub(super) frames: usize,
    /// Code and reason of the end.
    pub(super) closed: Option<(u16, String)>,
    /// Whether it tells that it has taken each frame.
    pub(super) takes: bool,
    asked: u64,
}

impl Page {
    pub(super) fn open(host: &str, token: &str) -> Self {
        let mut stream = TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let head =
            format!("GET /{token}/socket HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{UPGRADE}\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            answer.push(byte[0]);
        }
        let answer = String::from_utf8(answer).unwrap();
        assert!(
            answer.starts_with("HTTP/1.1 101") && answer.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
            "{answer}"
        );
        let mut page = Self {
            socket: WebSocket::from_raw_socket(stream, Role::Client, None),
            hello: Value::Null,
            scene: Value::Null,
            stats: Value::Null,
            role: Value::Null,
            fixed: Vec::new(),
            frame: Vec::new(),
            frames: 0,
            closed: None,
            takes: true,
            asked: 0,
        };
        page.until(|page| !page.stats.is_null());
        page
    }

    /// Takes one message, and gives it if it is an answer.
    fn step(&mut self) -> Option<Value> {
        match self.socket.read() {
            Ok(Message::Text(text)) => {
                let message: Value = serde_json::from_str(&text).unwrap();
                match message["type"].as_str().unwrap() {
                    "hello" => self.hello = message,
                    "scene" => self.scene = message,
                    "stats" => self.stats = message,
                    "role" => self.role = message,
                    "answer" => return Some(message),
                    other => panic!("an unknown message: {other}"),
                }
            }
            Ok(Message::Binary(bytes)) if bytes[0] == 1 => {
                self.frames += 1;
                self.frame = bytes.to_vec();
                if self.takes {
                    let frame = self.frame_number();
                    self.send(&json!({"do": "got", "frame": frame}));
                }
            }
            Ok(Message::Binary(bytes)) => self.fixed = bytes.to_vec(),
            Ok(Message::Close(Some(frame))) => {
                self.closed = Some((frame.code.into(), frame.reason.to_string()));
            }
            Ok(_) => {}
            Err(error) => {
                if self.closed.is_none() {
                    self.closed = Some((1006, error.to_string()));
                }
            }
        }
        None
    }

    pub(super) fn frame_number(&self) -> u32 {
        u32::from_le_bytes(self.frame[8..12].try_into().unwrap())
    }

    /// Takes messages until a condition holds.
    pub(super) fn until(&mut self, condition: impl Fn(&Self) -> bool) {
        let start = Instant::now();
        while !condition(self) {
            assert!(self.closed.is_none(), "{:?}", self.closed);
            assert!(start.elapsed() < Duration::from_secs(20), "it does not happen");
            self.step();
        }
    }

    /// Takes messages until the connection ends, and gives code and reason.
    pub(super) fn until_closed(&mut self) -> (u16, String) {
        while self.closed.is_none() {
            self.step();
        }
        self.closed.clone().unwrap()
    }

    pub(super) fn send(&mut self, message: &Value) {
        // A connection that has ended is found out when reading.
        let _ = self.socket.send(Message::text(message.to_string()));
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            assert!(self.closed.is_none(), "{:?}", self.closed);
            if let Some(answer) = self.step().filter(|answer| answer["id"] == id) {
                return answer;
            }
        }
    }

    /// The answer to a command.
    pub(super) fn ask(&mut self, mut command: Value) -> Value {
        self.asked += 1;
        command["id"] = self.asked.into();
        self.send(&command);
        self.answer(self.asked)
    }

    /// The answer to a command that must succeed.
    pub(super) fn succeed(&mut self, command: Value) -> Value {
        let told = command.to_string();
        let answer = self.ask(command);
        assert_eq!(answer["ok"], true, "{told}: {answer}");
        answer
    }

    /// Error and field of a command that must be refused.
    pub(super) fn refused(&mut self, command: Value) -> (String, Option<String>) {
        let told = command.to_string();
        let answer = self.ask(command);
        assert_eq!(answer["ok"], false, "{told}: {answer}");
        (answer["error"].as_str().unwrap().into(), answer["field"].as_str().map(str::to_owned))
    }

    /// Drops a file on the page.
    pub(super) fn drop_file(&mut self, name: &str, bytes: &[u8]) -> Value {
        self.asked += 1;
        let mut message = vec![1, 0];
        message.extend((name.len() as u16).to_le_bytes());
        message.extend((self.asked as u32).to_le_bytes());
        message.extend(name.as_bytes());
        message.extend(bytes);
        self.socket.send(Message::binary(message)).unwrap();
        self.answer(self.asked)
    }

    /// The place of a ball in the plane.
    pub(super) fn place(&self, ball: usize) -> [f64; 2] {
        [0, 1].map(|axis| {
            let at = 80 + 8 * ball + 4 * axis;
            let part: f64 = f32::from_le_bytes(self.frame[at..at + 4].try_into().unwrap()).into();
            f64::from_le_bytes(self.frame[24 + 8 * axis..32 + 8 * axis].try_into().unwrap()) + part
        })
    }
}

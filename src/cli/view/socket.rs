//! One page: its WebSocket, from the first message to the last.

use std::collections::VecDeque;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, TrySendError, channel};
use std::time::{Duration, Instant};

use serde_json::json;
use tungstenite::error::{CapacityError, Error, ProtocolError};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role as Side, WebSocketConfig};
use tungstenite::{Message as Wire, WebSocket};

use super::command::{Command, Message};
use super::exchange::{Exchange, Role};
use super::session::Request;

/// Longest message of a page, in bytes.
const LONGEST: usize = 8 << 20;
/// Messages a second that a page may send, and how many at once.
const RATE: f64 = 500.0;
const BURST: f64 = 1000.0;
/// Most balls that a page selects.
const MOST_SELECTED: usize = 16;
/// Frames on the way that the page has not taken.
const MOST_ON_THE_WAY: usize = 2;
/// How long a message of the page is waited for before the newest state is looked at.
const TURN: Duration = Duration::from_millis(3);
/// A page that takes nothing for so long is given up.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why a connection ends.
enum End {
    /// The page, or the network, has ended it.
    Gone,
    /// The page has broken a rule.
    Broken(CloseCode, String),
    /// The tool ends.
    Over,
}

/// What was sent last.
#[derive(Default)]
struct Sent {
    revision: Option<u32>,
    frame: Option<u32>,
    stats: Option<u32>,
    role: Option<Role>,
    on_the_way: VecDeque<u32>,
}

/// A page and all that belongs to its connection.
struct Connection<'a> {
    socket: WebSocket<TcpStream>,
    exchange: &'a Exchange,
    requests: &'a SyncSender<Request>,
    page: u64,
    answers: (Sender<String>, Receiver<String>),
    sent: Sent,
    allowance: f64,
    refilled: Instant,
}

/// Serves a page whose request for a WebSocket was accepted.
pub(super) fn serve(
    stream: TcpStream,
    exchange: &Exchange,
    requests: &SyncSender<Request>,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(TURN))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    stream.set_nodelay(true)?;
    let config = WebSocketConfig::default().max_message_size(Some(LONGEST)).max_frame_size(Some(LONGEST));
    let socket = WebSocket::from_raw_socket(stream, Side::Server, Some(config));
    let page = exchange.join();
    let mut connection = Connection {
        socket,
        exchange,
        requests,
        page,
        answers: channel(),
        sent: Sent::default(),
        allowance: BURST,
        refilled: Instant::now(),
    };
    let end = connection.run();
    exchange.leave(page);
    connection.close(end);
    Ok(())
}

impl Connection<'_> {
    fn run(&mut self) -> End {
        if let Err(end) = self.greet() {
            return end;
        }
        loop {
            if self.exchange.is_ended() {
                return End::Over;
            }
            if let Err(end) = self.read().and_then(|()| self.write()) {
                return end;
            }
        }
    }

    fn send(&mut self, message: Wire) -> Result<(), End> {
        self.socket.send(message).map_err(|_| End::Gone)
    }

    fn greet(&mut self) -> Result<(), End> {
        let role = self.exchange.role(self.page);
        self.sent.role = Some(role);
        let hello = json!({
            "type": "hello", "protocol": 1, "version": env!("CARGO_PKG_VERSION"), "control": role.control, "free": role.free,
            "pages": role.pages, "scenes": super::ready_made(),
        });
        self.send(Wire::text(hello.to_string()))
    }

    /// Takes the messages that have come, or waits for one for a turn.
    fn read(&mut self) -> Result<(), End> {
        loop {
            let message = match self.socket.read() {
                Ok(Wire::Text(text)) => Message::of_text(&text),
                Ok(Wire::Binary(bytes)) => Message::of_bytes(&bytes),
                Ok(Wire::Close(_)) => return Err(End::Gone),
                Ok(_) => {
                    self.spend()?;
                    continue;
                }
                Err(Error::Io(error)) if is_timeout(&error) => return Ok(()),
                Err(Error::Capacity(CapacityError::MessageTooLong { .. })) => {
                    return Err(End::Broken(
                        CloseCode::Size,
                        format!("messages have at most {LONGEST} bytes"),
                    ));
                }
                Err(Error::Utf8(_)) => return Err(End::Broken(CloseCode::Invalid, "not UTF-8".into())),
                Err(Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => return Err(End::Gone),
                Err(Error::Protocol(error)) => {
                    return Err(End::Broken(CloseCode::Protocol, error.to_string()));
                }
                Err(_) => return Err(End::Gone),
            };
            self.spend()?;
            let message = message.map_err(|reason| End::Broken(CloseCode::Policy, reason))?;
            self.take(message)?;
            // Commands that come without pause do not keep states from being sent.
            if self.allowance < BURST / 2.0 {
                return Ok(());
            }
        }
    }

    /// Counts a message against the rate.
    fn spend(&mut self) -> Result<(), End> {
        let now = Instant::now();
        let earned = RATE * now.duration_since(self.refilled).as_secs_f64();
        self.allowance = (self.allowance + earned).min(BURST) - 1.0;
        self.refilled = now;
        if self.allowance < 0.0 {
            return Err(End::Broken(CloseCode::Policy, format!("at most {RATE} messages a second")));
        }
        Ok(())
    }

    fn take(&mut self, Message { id, command }: Message) -> Result<(), End> {
        let role = self.exchange.role(self.page);
        match command {
            Command::Got { frame } => {
                while self.sent.on_the_way.front().is_some_and(|sent| frame.wrapping_sub(*sent) as i32 >= 0) {
                    self.sent.on_the_way.pop_front();
                }
                Ok(())
            }
            Command::Want(sections) => {
                self.exchange.set_sections(self.page, sections);
                self.pass_on(id, Command::Refresh)
            }
            Command::Select { balls } if balls.len() > MOST_SELECTED => {
                Err(End::Broken(CloseCode::Policy, format!("at most {MOST_SELECTED} balls are selected")))
            }
            Command::Select { balls } => {
                self.exchange.select(self.page, balls);
                self.pass_on(id, Command::Refresh)
            }
            Command::Control {} if self.exchange.take_control(self.page) => {
                self.answer(id, json!({"ok": true}))
            }
            command if role.control || matches!(command, Command::Save { .. }) => self.pass_on(id, command),
            _ => self.refuse(id, "another page controls"),
        }
    }

    /// Gives a command to the simulation.
    fn pass_on(&mut self, id: Option<u64>, command: Command) -> Result<(), End> {
        let request = Request { id, command, answers: self.answers.0.clone() };
        match self.requests.try_send(request) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => self.refuse(id, "busy: try again"),
            Err(TrySendError::Disconnected(_)) => Err(End::Over),
        }
    }

    fn refuse(&mut self, id: Option<u64>, error: &str) -> Result<(), End> {
        self.answer(id, json!({"ok": false, "error": error, "field": null}))
    }

    fn answer(&mut self, id: Option<u64>, mut fields: serde_json::Value) -> Result<(), End> {
        let Some(id) = id else { return Ok(()) };
        fields["type"] = "answer".into();
        fields["id"] = id.into();
        self.send(Wire::text(fields.to_string()))
    }

    /// Sends what is new.
    fn write(&mut self) -> Result<(), End> {
        // Taken before the newest state is looked at, so that what a command did comes before its answer.
        let answers: Vec<String> = self.answers.1.try_iter().collect();
        self.write_role()?;
        let newest = self.exchange.newest();
        if self.sent.revision != Some(newest.revision) {
            self.sent.revision = Some(newest.revision);
            self.send(Wire::text(&*newest.scene))?;
            self.send(Wire::binary(newest.fixed.to_vec()))?;
            // Frames of the last revision no longer matter.
            self.sent.on_the_way.clear();
        }
        for answer in answers {
            self.send(Wire::text(answer))?;
        }
        if self.sent.on_the_way.len() < MOST_ON_THE_WAY {
            if self.sent.frame != Some(newest.frame_number) {
                self.sent.frame = Some(newest.frame_number);
                self.sent.on_the_way.push_back(newest.frame_number);
                self.send(Wire::binary(Arc::unwrap_or_clone(newest.frame)))?;
            }
            self.exchange.want_frame();
        }
        if self.sent.stats != Some(newest.stats_number) {
            self.sent.stats = Some(newest.stats_number);
            self.send(Wire::text(&*newest.stats))?;
        }
        Ok(())
    }

    fn write_role(&mut self) -> Result<(), End> {
        let role = self.exchange.role(self.page);
        if self.sent.role.replace(role) == Some(role) {
            return Ok(());
        }
        let Role { control, free, pages } = role;
        self.send(Wire::text(
            json!({"type": "role", "control": control, "free": free, "pages": pages}).to_string(),
        ))
    }

    /// Says why, if the page is still there.
    fn close(&mut self, end: End) {
        let (code, reason) = match end {
            End::Gone => return,
            End::Broken(code, reason) => (code, reason),
            End::Over => (CloseCode::Away, "the tool has ended".into()),
        };
        // A close frame has at most 125 bytes, two of them the code.
        let reason: String = reason.chars().filter(char::is_ascii).take(120).collect();
        let frame = CloseFrame { code, reason: reason.into() };
        if self.socket.close(Some(frame)).is_ok() {
            let start = Instant::now();
            // Until the page has closed, too.
            while start.elapsed() < Duration::from_millis(500) {
                match self.socket.read() {
                    Err(Error::Io(error)) if is_timeout(&error) => {}
                    Err(_) => break,
                    Ok(_) => {}
                }
            }
        }
    }
}

fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}

//! Accepts connections and answers requests, each in a thread of its own.

use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::SyncSender;

use super::address::Address;
use super::exchange::Exchange;
use super::http::{self, Action};
use super::session::Request;
use super::socket;
use crate::cli::{Failure, Result};

/// Connections at one time; more are closed at once.
const MOST_CONNECTIONS: usize = 64;

/// What all connections share.
struct Server {
    address: Address,
    exchange: Arc<Exchange>,
    requests: SyncSender<Request>,
    connections: AtomicUsize,
    /// Whether the address that is used once has not been used.
    may_open: AtomicBool,
}

/// Accepts connections from now on.
pub(super) fn start(
    listener: TcpListener,
    address: Address,
    exchange: Arc<Exchange>,
    requests: SyncSender<Request>,
) -> Result<()> {
    let (connections, may_open) = (AtomicUsize::new(0), AtomicBool::new(true));
    let server = Arc::new(Server { address, exchange, requests, connections, may_open });
    let accept = move || {
        for stream in listener.incoming() {
            // A connection that was lost before it was accepted is no reason to end.
            let Ok(stream) = stream else { continue };
            accept(&server, stream);
        }
    };
    let failed = |error: io::Error| Failure(format!("cannot start the server: {error}"));
    std::thread::Builder::new().name("server".into()).spawn(accept).map_err(failed)?;
    Ok(())
}

fn accept(server: &Arc<Server>, stream: TcpStream) {
    let is_local = stream.peer_addr().is_ok_and(|peer| peer.ip().is_loopback());
    if !is_local || server.connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
        if is_local {
            server.connections.fetch_sub(1, Ordering::Relaxed);
        }
        return;
    }
    let shared = Arc::clone(server);
    let started = std::thread::Builder::new().name("page".into()).spawn(move || {
        let _counted = Counted(&shared.connections);
        // A page that is gone cannot be told about it.
        let _ = serve(&shared, stream);
    });
    if started.is_err() {
        server.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connection that is counted for as long as it lasts.
struct Counted<'a>(&'a AtomicUsize);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn serve(server: &Server, mut stream: TcpStream) -> io::Result<()> {
    let Some(request) = http::read(&mut stream)? else {
        http::refuse(&mut stream)?;
        return finish(&stream);
    };
    match request.action(&server.address, server.may_open.load(Ordering::Relaxed)) {
        Action::Refuse => http::refuse(&mut stream)?,
        Action::File(file) => http::send_file(&mut stream, file)?,
        Action::Redirect if server.may_open.swap(false, Ordering::Relaxed) => {
            http::redirect(&mut stream, &server.address.path())?;
        }
        Action::Redirect => http::refuse(&mut stream)?,
        Action::Socket(key) => {
            http::switch(&mut stream, &key)?;
            return socket::serve(stream, &server.exchange, &server.requests);
        }
    }
    finish(&stream)
}

/// Ends a connection so that its last bytes arrive.
fn finish(stream: &TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)
}

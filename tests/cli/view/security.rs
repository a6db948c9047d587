//! Requests without the address are refused.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;
use tungstenite::Message;

use super::Tool;
use super::client::{UPGRADE, get, request};

fn is_refused(answer: &str) -> bool {
    answer.starts_with("HTTP/1.1 403 ")
        && answer.ends_with("\r\n\r\n")
        && answer.contains("Content-Length: 0")
}

#[test]
fn everything_without_the_token_is_a_403() {
    let tool = Tool::start(&[]);
    let Tool { host, token, .. } = &tool;
    assert!(host.starts_with("127.0.0.1:") && token.len() == 32);
    for path in [
        "/".into(),
        "/index.html".into(),
        format!("/{token}"),
        format!("/{}/", "0".repeat(32)),
        format!("/{}/", &token[..31]),
        format!("//{token}/"),
        format!("/{token}/nothing.html"),
        format!("/{token}/../Cargo.toml"),
        format!("/{token}/%2e%2e/Cargo.toml"),
        format!("/{token}/socket"),
        "/open/".into(),
        format!("/open/{token}"),
    ] {
        let answer = get(host, &path, "");
        assert!(is_refused(&answer), "{path}: {answer}");
    }
    let page = get(host, &format!("/{token}/"), "");
    assert!(page.starts_with("HTTP/1.1 200 ") && page.contains("Content-Type: text/html"), "{page}");
    for header in
        ["default-src 'none'; script-src 'self'; style-src 'self';", "nosniff", "no-referrer", "no-store"]
    {
        assert!(page.contains(header), "{header}");
    }
    assert!(!page.contains("unsafe-inline") && !page.contains("Access-Control"));
}

#[test]
fn other_names_origins_and_methods_get_nothing() {
    let tool = Tool::start(&[]);
    let Tool { host, token, .. } = &tool;
    let port = host.split_once(':').unwrap().1;
    let path = format!("/{token}/");
    for other in
        [format!("evil.example:{port}"), format!("localhost:{port}"), "127.0.0.1".into(), String::new()]
    {
        let answer = request(host, &format!("GET {path} HTTP/1.1\r\nHost: {other}\r\n\r\n"));
        assert!(is_refused(&answer), "{other}: {answer}");
    }
    assert!(is_refused(&request(host, &format!("GET {path} HTTP/1.1\r\n\r\n"))));
    assert!(is_refused(&request(
        host,
        &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n")
    )));
    for method in ["POST", "PUT", "OPTIONS", "HEAD", "CONNECT"] {
        let answer = request(host, &format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
        assert!(is_refused(&answer), "{method}: {answer}");
    }
    let socket = format!("/{token}/socket");
    for origin in
        ["", "Origin: null\r\n", "Origin: http://evil.example\r\n", &format!("Origin: https://{host}\r\n")]
    {
        let answer = get(host, &socket, &format!("{origin}{UPGRADE}"));
        assert!(is_refused(&answer), "{origin}: {answer}");
    }
    assert!(is_refused(&get(host, &path, "Origin: http://evil.example\r\n")));
    let both = format!("Origin: http://{host}\r\nOrigin: http://evil.example\r\n{UPGRADE}");
    assert!(is_refused(&get(host, &socket, &both)));
    assert!(is_refused(&get(host, &socket, &format!("Origin: http://{host}\r\n"))));
}

#[test]
fn bad_requests_end_their_connection_and_not_the_tool() {
    let mut tool = Tool::start(&[]);
    for head in [
        "\r\n\r\n".to_owned(),
        "GET\r\n\r\n".into(),
        "\u{16}\u{3}\u{1}\r\n\r\n".into(),
        format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(20_000)),
        format!("GET / HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(200)),
    ] {
        let answer = request(&tool.host, &head);
        assert!(answer.is_empty() || is_refused(&answer), "{answer}");
    }
    // Many connections that say nothing, and one that goes away.
    let silent: Vec<TcpStream> = (0..20).map(|_| TcpStream::connect(&tool.host).unwrap()).collect();
    drop(TcpStream::connect(&tool.host).unwrap());
    let mut page = tool.page();
    assert_eq!(page.succeed(json!({"do": "stop"}))["time"], 0.0);
    drop(silent);
    page.succeed(json!({"do": "quit"}));
    assert!(tool.wait().success());
}

#[test]
fn malformed_messages_end_the_connection_and_not_the_tool() {
    let tool = Tool::start(&[]);
    for text in [
        "",
        "{",
        "[]",
        "{}",
        r#"{"do":"fly"}"#,
        r#"{"do":"start","x":1}"#,
        r#"{"do":"select","balls":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]}"#,
    ] {
        let mut page = tool.page();
        page.socket.send(Message::text(text)).unwrap();
        assert_eq!(page.until_closed().0, 1008, "{text}");
    }
    for bytes in [vec![], vec![9; 100], vec![1, 0, 255, 255, 0, 0, 0, 0]] {
        let mut page = tool.page();
        page.socket.send(Message::binary(bytes)).unwrap();
        assert_eq!(page.until_closed().0, 1008);
    }
    // A message that is too long, and bytes that are no frame.
    let mut page = tool.page();
    let _ = page.socket.send(Message::text("x".repeat(9 << 20)));
    assert_ne!(page.until_closed().0, 1000);
    let mut page = tool.page();
    page.socket.get_mut().write_all(&[0xFF; 64]).unwrap();
    assert_ne!(page.until_closed().0, 1000);
    assert_eq!(tool.page().succeed(json!({"do": "stop"}))["time"], 0.0);
}

#[test]
fn too_many_messages_end_the_connection() {
    let tool = Tool::start(&[]);
    let mut page = tool.page();
    for _ in 0..5000 {
        page.send(&json!({"do": "got", "frame": 0}));
    }
    let (code, reason) = page.until_closed();
    assert!(code == 1006 || (code == 1008 && reason.contains("a second")), "{code} {reason}");
    assert_eq!(tool.page().succeed(json!({"do": "stop"}))["time"], 0.0);
}

#[test]
fn one_page_controls_and_others_watch() {
    let tool = Tool::start(&["oblique"]);
    let (mut first, mut second) = (tool.page(), tool.page());
    assert_eq!((&first.hello["control"], &second.hello["control"]), (&json!(true), &json!(false)));
    for command in
        [json!({"do": "start"}), json!({"do": "empty"}), json!({"do": "quit"}), json!({"do": "control"})]
    {
        assert_eq!(second.refused(command).0, "another page controls");
    }
    // What one page changes both see.
    first.succeed(json!({"do": "delete", "ball": 1}));
    second.until(|page| page.scene["count"] == 1);
    assert!(second.succeed(json!({"do": "save"}))["text"].as_str().unwrap().contains("[[ball]]"));
    second.succeed(json!({"do": "select", "balls": [0]}));
    drop(first);
    second.until(|page| page.role["free"] == true);
    assert_eq!(second.refused(json!({"do": "start"})).0, "another page controls");
    second.succeed(json!({"do": "control"}));
    second.until(|page| page.role["control"] == true);
    second.succeed(json!({"do": "start"}));
    second.until(|page| page.stats["running"] == true);
}

#[test]
fn a_page_that_takes_nothing_stops_its_frames_and_nothing_else() {
    let tool = Tool::start(&["gas", "--dim", "2", "--particles", "1000"]);
    let (mut idle, mut busy) = (tool.page(), tool.page());
    idle.takes = false;
    idle.succeed(json!({"do": "speed", "speed": "max"}));
    idle.succeed(json!({"do": "start"}));
    busy.until(|page| page.frames > 20);
    let before = busy.stats["collisions"].as_u64().unwrap();
    busy.until(|page| page.stats["collisions"].as_u64().unwrap() > before + 1000);
    std::thread::sleep(Duration::from_millis(100));
    idle.succeed(json!({"do": "stop"}));
    assert!(idle.frames <= 4, "{} frames", idle.frames);
    // When it takes the last one, the newest comes.
    let number = idle.frame_number();
    idle.send(&json!({"do": "got", "frame": number}));
    idle.takes = true;
    idle.until(|page| page.frame_number() != number);
    let time = f64::from_le_bytes(idle.frame[16..24].try_into().unwrap());
    idle.until(|page| page.stats["running"] == false);
    assert_eq!(Some(time), idle.stats["time"].as_f64());
}

#[test]
fn ports_are_chosen_and_refused() {
    let tool = Tool::start(&[]);
    let port = tool.host.split_once(':').unwrap().1.to_owned();
    let message = crate::refusal(&["view", "--no-open", "--port", &port]);
    assert!(message.contains("choose another --port"), "{message}");
    drop(tool);
    let again = Tool::start(&["--port", &port]);
    assert_eq!(again.host, format!("127.0.0.1:{port}"));
}

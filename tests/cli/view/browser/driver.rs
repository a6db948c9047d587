//! A browser driven over WebDriver: plain HTTP with JSON, one request at a time.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use data_encoding::BASE64;
use serde_json::{Value, json};

/// The key under which WebDriver gives elements.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";
/// How long something may take to appear.
const PATIENCE: Duration = Duration::from_secs(60);

/// How often a driver is started at most, until one has a port.
const ATTEMPTS: u32 = 5;

/// Whether browser and driver are there.
pub(super) fn is_there() -> bool {
    crate::tools::has("chromium", "chromium") && crate::tools::has("chromedriver", "chromium-driver")
}

/// A browser with one window at first, which ends with this value.
pub(super) struct Browser {
    driver: Child,
    port: u16,
    session: String,
    /// Its profile, and where downloads go.
    pub(super) folder: tempfile::TempDir,
}

impl Browser {
    /// A window of this size, in pixels.
    pub(super) fn open(width: u32, height: u32, is_dark: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (driver, port) = (0..ATTEMPTS).find_map(|_| start()).expect("a driver");
        let mut browser = Self { driver, port, session: String::new(), folder };
        let mut arguments: Vec<String> = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--use-angle=swiftshader",
            "--enable-unsafe-swiftshader",
            "--hide-scrollbars",
            "--allow-file-access-from-files=false",
        ]
        .map(str::to_owned)
        .to_vec();
        arguments.push(format!("--user-data-dir={}", browser.folder.path().join("profile").display()));
        arguments.push(format!("--window-size={width},{height}"));
        if is_dark {
            arguments.push("--force-dark-mode".into());
        }
        let options = json!({
            "args": arguments,
            "prefs": {"download.default_directory": browser.folder.path(), "download.prompt_for_download": false},
        });
        let capabilities = json!({
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"},
            "unhandledPromptBehavior": "accept",
        });
        let made = browser.send("POST", "/session", &json!({"capabilities": {"alwaysMatch": capabilities}}));
        browser.session = format!("/session/{}", made["sessionId"].as_str().unwrap());
        // The window itself may not become this narrow, but what the page sees of it may.
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        browser.tool("Emulation.setDeviceMetricsOverride", &metrics);
        browser
    }

    /// The value that a request gives.
    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (head, body) = self.exchange(method, path, &body).unwrap();
        let value = serde_json::from_slice::<Value>(&body).unwrap()["value"].take();
        assert!(head.starts_with("http/1.1 200"), "{method} {path}: {value}");
        value
    }

    /// Sends a request; gives the first line of the answer and its body.
    fn exchange(&self, method: &str, path: &str, body: &str) -> std::io::Result<(String, Vec<u8>)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let (port, length) = (self.port, body.len());
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all((head + body).as_bytes())?;
        read_answer(&mut BufReader::new(stream))
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.send("POST", &format!("{}{path}", self.session), body)
    }

    /// A command of the developer tools.
    pub(super) fn tool(&self, name: &str, parameters: &Value) -> Value {
        self.post("/goog/cdp/execute", &json!({"cmd": name, "params": parameters}))
    }

    pub(super) fn go(&self, url: &str) {
        self.post("/url", &json!({"url": url}));
    }

    pub(super) fn reload(&self) {
        self.post("/refresh", &json!({}));
    }

    /// What a function body returns.
    pub(super) fn run(&self, script: &str) -> Value {
        self.post("/execute/sync", &json!({"script": script, "args": []}))
    }

    /// What a promise becomes.
    pub(super) fn wait_for(&self, promise: &str) -> Value {
        let script =
            format!("const done = arguments[0]; ({promise}).then(done, (error) => done(String(error)))");
        self.post("/execute/async", &json!({"script": script, "args": []}))
    }

    /// Whether an expression is true now. One that fails is not: while a scene is replaced there is no picture.
    pub(super) fn holds(&self, expression: &str) -> bool {
        self.run(&format!("try {{ return !!({expression}); }} catch {{ return false; }}")) == true
    }

    /// Waits until an expression is true.
    pub(super) fn until(&self, expression: &str) {
        let start = Instant::now();
        while !self.holds(expression) {
            if start.elapsed() > PATIENCE {
                let seen = self.run("return document.body.innerText");
                panic!(
                    "{expression} does not become true:\n{}\n{:?}",
                    seen.as_str().unwrap_or(""),
                    self.messages()
                );
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn find(&self, selector: &str) -> String {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        found[ELEMENT].as_str().unwrap().to_owned()
    }

    fn element(&self, id: &str) -> String {
        self.find(&format!("#{id}"))
    }

    pub(super) fn click(&self, id: &str) {
        self.post(&format!("/element/{}/click", self.element(id)), &json!({}));
    }

    /// Chooses an entry of a list by its value.
    pub(super) fn choose(&self, id: &str, value: &str) {
        let entry = format!("#{id} option[value=\"{value}\"]");
        self.post(&format!("/element/{}/click", self.find(&entry)), &json!({}));
    }

    /// Types into a field, chooses a file, or moves a slider by keys.
    pub(super) fn type_into(&self, id: &str, text: &str) {
        self.post(&format!("/element/{}/value", self.element(id)), &json!({"text": text}));
    }

    /// Replaces the text of a field and confirms it.
    pub(super) fn fill(&self, id: &str, text: &str) {
        self.post(&format!("/element/{}/clear", self.element(id)), &json!({}));
        self.type_into(id, &format!("{text}\u{E007}"));
    }

    /// Presses keys, one after the other, on what has the focus; those of the list `held` meanwhile.
    pub(super) fn press(&self, held: &[&str], keys: &[&str]) {
        let action = |kind: &str, key: &str| json!({"type": kind, "value": key});
        let mut actions: Vec<Value> = held.iter().map(|key| action("keyDown", key)).collect();
        keys.iter().for_each(|key| actions.extend([action("keyDown", key), action("keyUp", key)]));
        actions.extend(held.iter().rev().map(|key| action("keyUp", key)));
        self.act(&[json!({"type": "key", "id": "keyboard", "actions": actions})]);
    }

    /// Drags the mouse from one point of the window to another.
    pub(super) fn drag(&self, from: [f64; 2], to: [f64; 2]) {
        self.move_pointers("mouse", &[&[from, middle(from, to), to]]);
    }

    /// Clicks twice at a point of the window.
    pub(super) fn double_click(&self, at: [f64; 2]) {
        let click = [json!({"type": "pointerDown", "button": 0}), json!({"type": "pointerUp", "button": 0})];
        let actions = [&[step(at, 0)], &click[..], &click[..]].concat();
        self.act(&[pointer("mouse", 0, &actions)]);
    }

    /// Turns the wheel at a point of the window, by so many pixels.
    pub(super) fn wheel(&self, [x, y]: [f64; 2], turn: i32) {
        let action = json!({"type": "scroll", "x": x.round() as i32, "y": y.round() as i32, "deltaX": 0, "deltaY": turn, "duration": 0});
        self.act(&[json!({"type": "wheel", "id": "wheel", "actions": [action]})]);
    }

    /// Fingers that touch the first point of their path, move along it and are lifted. All paths have the same length.
    pub(super) fn touch(&self, paths: &[&[[f64; 2]]]) {
        self.move_pointers("touch", paths);
    }

    fn move_pointers(&self, kind: &str, paths: &[&[[f64; 2]]]) {
        let source = |(index, path): (usize, &&[[f64; 2]])| {
            let mut actions = vec![step(path[0], 0), json!({"type": "pointerDown", "button": 0})];
            actions.extend(path[1..].iter().map(|place| step(*place, 100)));
            actions.push(json!({"type": "pointerUp", "button": 0}));
            pointer(kind, index, &actions)
        };
        let sources: Vec<Value> = paths.iter().enumerate().map(source).collect();
        self.act(&sources);
    }

    fn act(&self, sources: &[Value]) {
        self.post("/actions", &json!({"actions": sources}));
    }

    /// Opens another window and works in it from now on; gives both, the old one first.
    pub(super) fn second_window(&self) -> [String; 2] {
        let old = self.send("GET", &format!("{}/window", self.session), &Value::Null);
        let new = self.post("/window/new", &json!({"type": "window"}));
        let [old, new] = [old, new["handle"].clone()].map(|handle| handle.as_str().unwrap().to_owned());
        self.use_window(&new);
        [old, new]
    }

    pub(super) fn use_window(&self, handle: &str) {
        self.post("/window", &json!({"handle": handle}));
    }

    /// Messages in the console since the last call; what the driver of a graphics card without a card says is left out.
    pub(super) fn messages(&self) -> Vec<String> {
        let all = self.post("/se/log", &json!({"type": "browser"}));
        let text = |entry: &Value| entry["message"].as_str().unwrap_or_default().to_owned();
        all.as_array()
            .unwrap()
            .iter()
            .map(text)
            .filter(|text| !text.contains("GPU stall due to ReadPixels"))
            .collect()
    }

    /// A picture of the window, kept as a file if `CAROM_SCREENSHOTS` names a folder.
    pub(super) fn screenshot(&self, name: &str) -> Vec<u8> {
        let picture = self.send("GET", &format!("{}/screenshot", self.session), &Value::Null);
        let bytes = BASE64.decode(picture.as_str().unwrap().as_bytes()).unwrap();
        if let Some(folder) = std::env::var_os("CAROM_SCREENSHOTS") {
            std::fs::write(Path::new(&folder).join(format!("{name}.png")), &bytes).unwrap();
        }
        bytes
    }

    /// Waits for a download of this name.
    pub(super) fn download(&self, name: &str) -> Vec<u8> {
        let (path, start) = (self.folder.path().join(name), Instant::now());
        while start.elapsed() < PATIENCE {
            if let Ok(bytes) = std::fs::read(&path) {
                return bytes;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{name} was not downloaded");
    }
}

fn middle(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [0, 1].map(|k| 0.5 * (a[k] + b[k]))
}

/// Moves a pointer to a point of the window, in so many milliseconds.
fn step([x, y]: [f64; 2], duration: u32) -> Value {
    json!({"type": "pointerMove", "duration": duration, "x": x.round(), "y": y.round(), "origin": "viewport"})
}

fn pointer(kind: &str, index: usize, actions: &[Value]) -> Value {
    json!({"type": "pointer", "id": format!("{kind} {index}"), "parameters": {"pointerType": kind}, "actions": actions})
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Also after a failure, or the browser would go on without its driver.
        if !self.session.is_empty() {
            let _ = self.exchange("DELETE", &self.session, "");
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// The first line of an answer, and its body, whose length is in a header.
fn read_answer(answer: &mut impl BufRead) -> std::io::Result<(String, Vec<u8>)> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        answer.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        lines.push(line.to_ascii_lowercase());
    }
    let length = lines.iter().find_map(|line| line.strip_prefix("content-length:"));
    let length = length.and_then(|text| text.trim().parse().ok()).ok_or(std::io::ErrorKind::InvalidData)?;
    let mut body = vec![0; length];
    answer.read_exact(&mut body)?;
    Ok((lines.swap_remove(0), body))
}

/// A driver and the port that it says it listens on; none if it ends because that port is in use for another protocol.
fn start() -> Option<(Child, u16)> {
    let mut driver = Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
    let mut lines = lines.map_while(Result::ok);
    let Some(line) = lines.find(|line| line.contains("started successfully on port")) else {
        driver.wait().unwrap();
        return None;
    };
    // What it says later is of no interest, but must not fill the pipe.
    std::thread::spawn(move || lines.for_each(drop));
    Some((driver, line.rsplit(' ').next()?.trim_end_matches('.').parse().ok()?))
}

//! A listener between the program and a model server, which passes every byte on and remembers it.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

/// A model on a busy machine may take this long to read a prompt.
const PATIENCE: Duration = Duration::from_secs(60);

/// What passed over one connection.
#[derive(Default)]
struct Connection {
    sent: Vec<u8>,
    received: Vec<u8>,
    hung_up: bool,
}

/// One question and what came of it.
pub(super) struct Chat {
    pub(super) request: Value,
    events: Vec<Value>,
}

impl Chat {
    /// The pieces of text the answer came in.
    pub(super) fn pieces(&self) -> Vec<String> {
        let texts = self.events.iter().filter_map(|event| {
            event.pointer("/choices/0/delta/content").and_then(Value::as_str).map(str::to_owned)
        });
        texts.filter(|text| !text.is_empty()).collect()
    }

    /// Tokens read and written, as the server says.
    pub(super) fn usage(&self) -> (u64, u64) {
        let usage = self.events.iter().rev().find_map(|event| event["usage"].as_object()).unwrap();
        (usage["prompt_tokens"].as_u64().unwrap(), usage["completion_tokens"].as_u64().unwrap())
    }
}

/// The listener. Its threads live as long as the test.
pub(super) struct Relay {
    address: SocketAddr,
    path: String,
    connections: Arc<Mutex<Vec<Connection>>>,
}

impl Relay {
    /// Before the server at this address.
    pub(super) fn before(url: &str) -> Self {
        let (host, path) = split(url);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let connections: Arc<Mutex<Vec<Connection>>> = Arc::default();
        let kept = Arc::clone(&connections);
        std::thread::spawn(move || {
            for client in listener.incoming().flatten() {
                join(client, TcpStream::connect(&host).unwrap(), &kept);
            }
        });
        Self { address, path, connections }
    }

    /// What the program takes for the server's address.
    pub(super) fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path)
    }

    /// The questions so far, oldest first.
    pub(super) fn chats(&self) -> Vec<Chat> {
        let connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.iter().filter_map(chat).collect()
    }

    /// Waits until the last answer has come so far.
    pub(super) fn wait_for_pieces(&self, count: usize) {
        wait_until("pieces of an answer", || {
            self.chats().last().is_some_and(|chat| chat.pieces().len() >= count)
        });
    }

    /// Waits until the program has closed the connection of its last question.
    pub(super) fn wait_for_hang_up(&self) {
        wait_until("the end of the connection", || {
            let connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
            connections.iter().rfind(|one| chat(one).is_some()).is_some_and(|one| one.hung_up)
        });
    }
}

/// Sends a question without the program and answers the reply.
pub(super) fn post(url: &str, body: &Value) -> Value {
    let (host, path) = split(url);
    let body = body.to_string();
    let mut stream = TcpStream::connect(&host).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
    .unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).unwrap();
    let (_, json) = reply.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(json).unwrap_or_else(|problem| panic!("{problem}: {reply}"))
}

fn split(url: &str) -> (String, String) {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    (host.to_owned(), format!("/{path}"))
}

fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < PATIENCE, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Passes bytes on in both directions, and the end of either.
fn join(client: TcpStream, server: TcpStream, connections: &Arc<Mutex<Vec<Connection>>>) {
    let number = {
        let mut all = connections.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Connection::default());
        all.len() - 1
    };
    let note = |change: fn(&mut Connection, &[u8])| {
        let all = Arc::clone(connections);
        move |bytes: &[u8]| {
            change(&mut all.lock().unwrap_or_else(PoisonError::into_inner)[number], bytes);
        }
    };
    let (from_client, to_client) = (client.try_clone().unwrap(), client);
    let (from_server, to_server) = (server.try_clone().unwrap(), server);
    let sent = note(|connection, bytes| {
        connection.sent.extend_from_slice(bytes);
        connection.hung_up |= bytes.is_empty();
    });
    let received = note(|connection, bytes| connection.received.extend_from_slice(bytes));
    std::thread::spawn(move || carry(from_client, to_server, sent));
    std::thread::spawn(move || carry(from_server, to_client, received));
}

/// Notes what it carries; at the end, once, nothing.
fn carry(mut from: TcpStream, mut to: TcpStream, note: impl Fn(&[u8])) {
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = from.read(&mut piece) {
        note(&piece[..count]);
        if to.write_all(&piece[..count]).is_err() {
            break;
        }
    }
    note(&[]);
    let _ = to.shutdown(Shutdown::Both);
}

/// The question in a connection, if it has one (some only ask for the list of models).
fn chat(connection: &Connection) -> Option<Chat> {
    let sent = String::from_utf8_lossy(&connection.sent);
    let (_, question) = sent.split_once("/chat/completions HTTP/1.1\r\n")?;
    let (_, body) = question.split_once("\r\n\r\n")?;
    // Whatever follows on the same connection is not part of it.
    let mut values = serde_json::Deserializer::from_str(body).into_iter();
    let request = values.next()?.ok()?;
    let received = String::from_utf8_lossy(&connection.received);
    let events = received.lines().filter_map(|line| line.strip_prefix("data: "));
    let events = events.filter_map(|event| serde_json::from_str(event).ok()).collect();
    Some(Chat { request, events })
}

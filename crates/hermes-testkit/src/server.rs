//! The server: who listens, what is remembered, and how a step is played.
//!
//! One thread waits for connections, and each connection has a thread of its own that reads requests and
//! plays steps until either side hangs up. What they share is one lock around the script's progress and
//! the log, held only for moments; a condition variable tells tests that wait for something. Time is
//! always real time, in small beats, so that a client that goes away is noticed at once and a dropped
//! server ends even where a step is held for ever.

use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::conversation::ScriptedConversation;
use crate::http::Connection;
use crate::script::{Progress, Script};
use crate::seen::{Seen, SeenOutcome};
use crate::step::Step;
use crate::view::ModelWire;
use crate::wire::Lines;

/// How long [`ModelServer::wait_for`] waits.
const PATIENCE: Duration = Duration::from_secs(20);

/// How often a held or waiting step looks whether it may go on, or whether anybody still listens.
const BEAT: Duration = Duration::from_millis(5);

/// A scripted model on a free port of the loopback. It ends when it is dropped.
#[derive(Debug)]
pub struct ModelServer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug)]
struct State {
    progress: Progress,
    log: Vec<Seen>,
    releases: usize,
    connections: usize,
    closed: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        let done = act(&mut self.state());
        self.changed.notify_all();
        done
    }
}

impl ModelServer {
    /// Starts a server that plays a script, or a list of steps.
    ///
    /// # Panics
    ///
    /// There is no free port on the loopback.
    #[must_use]
    pub fn start(script: impl Into<Script>) -> Self {
        #[expect(clippy::expect_used, reason = "a test cannot go on without its server")]
        Self::listen(script, 0).expect("a free port on the loopback")
    }

    /// Starts a server on a port; 0 is any free one.
    ///
    /// # Errors
    ///
    /// The port is taken.
    pub fn listen(script: impl Into<Script>, port: u16) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                progress: Progress::new(script.into()),
                log: Vec::new(),
                releases: 0,
                connections: 0,
                closed: false,
            }),
            changed: Condvar::new(),
        });
        let accepting = Arc::clone(&shared);
        thread::Builder::new()
            .name("scripted-model".to_owned())
            .spawn(move || accept(&listener, &accepting))?;
        Ok(Self { address, shared })
    }

    /// The base of the chat wire: `http://127.0.0.1:PORT/v1`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}/v1", self.origin())
    }

    /// The address without a path, which is the base of the messages wire.
    #[must_use]
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Every request so far, in the order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<Seen> {
        self.shared.state().log.clone()
    }

    /// The requests to the model that no route took, in the order of arrival.
    #[must_use]
    pub fn questions(&self) -> Vec<Seen> {
        let mut log = self.requests();
        log.retain(|seen| seen.is_question() && seen.route.is_none());
        log
    }

    /// The questions, to be checked together.
    pub fn conversation(&self) -> ScriptedConversation {
        ScriptedConversation::of(self.questions())
    }

    /// How many steps were not played.
    #[must_use]
    pub fn steps_left(&self) -> usize {
        self.shared.state().progress.left()
    }

    /// Waits until there were this many requests, and gives them.
    ///
    /// # Panics
    ///
    /// They do not come within 20 s.
    pub fn wait_for(&self, requests: usize) -> Vec<Seen> {
        self.wait_until(|log| log.len() >= requests)
    }

    /// Waits until the log of requests is as wanted, and gives it.
    ///
    /// # Panics
    ///
    /// It is not so within 20 s.
    pub fn wait_until(&self, wanted: impl Fn(&[Seen]) -> bool) -> Vec<Seen> {
        let end = Instant::now() + PATIENCE;
        let mut state = self.shared.state();
        while !wanted(&state.log) {
            let left = end.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "not seen in time; requests so far: {:#?}", state.log);
            let waited = self.shared.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.log.clone()
    }

    /// Waits, however long it takes, until there were this many requests, and gives them.
    #[must_use]
    pub fn wait_forever(&self, requests: usize) -> Vec<Seen> {
        let few = |state: &mut State| state.log.len() < requests;
        let waited = self.shared.changed.wait_while(self.shared.state(), few);
        waited.unwrap_or_else(PoisonError::into_inner).log.clone()
    }

    /// Lets one held step go on: the one that waits, or else the next that will.
    pub fn release(&self) {
        self.shared.change(|state| state.releases += 1);
    }
}

impl Drop for ModelServer {
    fn drop(&mut self) {
        self.shared.change(|state| state.closed = true);
        // Wakes the thread that waits for connections.
        let _ = TcpStream::connect_timeout(&self.address, PATIENCE);
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for stream in listener.incoming() {
        if shared.state().closed {
            return;
        }
        let Ok(connection) = stream.and_then(Connection::new) else { continue };
        let shared = Arc::clone(shared);
        // A connection that gets no thread is closed, which its client sees.
        let _ = thread::Builder::new().spawn(move || serve(connection, &shared));
    }
}

fn serve(mut connection: Connection, shared: &Shared) {
    let number = shared.change(|state| {
        state.connections += 1;
        state.connections - 1
    });
    while let Ok(Some(mut seen)) = connection.read() {
        seen.connection = number;
        let mut exchange = Exchange { connection: &mut connection, shared, place: 0 };
        let played = exchange.answer(seen);
        let place = exchange.place;
        let outcome = if matches!(played, Err(Cut::ByClient)) {
            SeenOutcome::HungUp
        } else {
            SeenOutcome::Played
        };
        shared.change(|state| {
            if let Some(seen) = state.log.get_mut(place) {
                seen.outcome = outcome;
            }
        });
        if played.is_err() {
            connection.cut();
            return;
        }
    }
}

/// Why a connection does not go on.
enum Cut {
    ByScript,
    ByClient,
}

impl From<io::Error> for Cut {
    fn from(_: io::Error) -> Self {
        Self::ByClient
    }
}

/// One request and its answer.
struct Exchange<'a> {
    connection: &'a mut Connection,
    shared: &'a Shared,
    place: usize,
}

impl Exchange<'_> {
    fn answer(&mut self, mut seen: Seen) -> Result<(), Cut> {
        let wire = ModelWire::of(&seen.path).filter(|_| seen.method == "POST");
        let Some(wire) = wire else {
            let page = self.shared.change(|state| {
                self.place = state.log.len();
                let page = page(&state.progress, &seen);
                state.log.push(seen);
                page
            });
            let status = if page.is_some() { 200 } else { 404 };
            let body = page.unwrap_or_else(|| json!({"error": {"message": "no such page"}}));
            return Ok(self.connection.send(
                status,
                &json_headers(),
                body.to_string().as_bytes(),
            )?);
        };
        let view = seen.view();
        // Step and place in the log are taken together, so that they agree under parallel requests.
        let step = self.shared.change(|state| {
            let (step, route) = state.progress.next(&view);
            seen.route = route;
            self.place = state.log.len();
            state.log.push(seen);
            step
        });
        self.wait(Duration::from_millis(step.delay_ms))?;
        self.hold(&step, 0)?;
        let mut headers: Vec<(String, String)> = step.headers.clone().into_iter().collect();
        if let Some(status) = step.status {
            headers.extend(json_headers());
            return Ok(self.connection.send(status, &headers, error_body(&step).as_bytes())?);
        }
        if let Some(body) = &step.raw_body {
            headers.extend(content_type(&step, "application/json"));
            return Ok(self.connection.send(200, &headers, body.as_bytes())?);
        }
        let lines = Lines::new(step, &view, self.place);
        let raw = lines.step.raw_events.is_some() || lines.step.empty_stream;
        if !view.stream && !raw {
            headers.extend(content_type(&lines.step, "application/json"));
            return Ok(self.connection.send(200, &headers, lines.body(wire).as_bytes())?);
        }
        headers.extend(content_type(&lines.step, "text/event-stream"));
        self.connection.begin(&headers)?;
        self.stream(&lines, wire)
    }

    fn stream(&mut self, lines: &Lines, wire: ModelWire) -> Result<(), Cut> {
        let step = &lines.step;
        let events = match &step.raw_events {
            _ if step.empty_stream => Vec::new(),
            Some(raw) => raw.iter().map(|data| format!("data: {data}\n\n")).collect(),
            None => lines.events(wire),
        };
        for (sent, event) in events.iter().enumerate() {
            if step.drop_after == Some(sent) {
                return Err(Cut::ByScript);
            }
            if sent > 0 {
                self.hold(step, sent)?;
            }
            self.connection.piece(event)?;
            self.wait(Duration::from_millis(step.chunk_delay_ms))?;
        }
        if step.drop_after.is_some_and(|after| after >= events.len()) {
            return Err(Cut::ByScript);
        }
        Ok(self.connection.end()?)
    }

    fn wait(&self, time: Duration) -> Result<(), Cut> {
        let end = Instant::now() + time;
        while Instant::now() < end {
            self.still_wanted()?;
            thread::sleep(BEAT.min(end.saturating_duration_since(Instant::now())));
        }
        Ok(())
    }

    fn hold(&self, step: &Step, sent: usize) -> Result<(), Cut> {
        if step.hold_after != Some(sent) {
            return Ok(());
        }
        loop {
            let mut state = self.shared.state();
            if state.releases > 0 {
                state.releases -= 1;
                return Ok(());
            }
            drop(state);
            self.still_wanted()?;
            thread::sleep(BEAT);
        }
    }

    fn still_wanted(&self) -> Result<(), Cut> {
        if self.shared.state().closed {
            return Err(Cut::ByScript);
        }
        if self.connection.is_gone() { Err(Cut::ByClient) } else { Ok(()) }
    }
}

fn page(progress: &Progress, seen: &Seen) -> Option<Value> {
    let path = seen.path.split('?').next().unwrap_or_default();
    let script = progress.script();
    if let Some(page) = script.pages.get(path) {
        return Some(page.clone());
    }
    // Lists of models exist under every prefix but `/api`, where other programs have theirs.
    let models = seen.method == "GET" && path.ends_with("/models") && !path.starts_with("/api/");
    models.then(|| {
        let model = json!({
            "id": script.model, "object": "model", "owned_by": "scripted",
            "context_length": script.context_length, "max_model_len": script.context_length,
        });
        json!({"object": "list", "data": [model]})
    })
}

fn error_body(step: &Step) -> String {
    let error = match &step.error {
        Some(Value::String(message)) => json!({"message": message, "type": "scripted"}),
        Some(object) => object.clone(),
        None => json!({"message": "a scripted error", "type": "scripted"}),
    };
    json!({"type": "error", "error": error}).to_string()
}

fn json_headers() -> Vec<(String, String)> {
    vec![("content-type".to_owned(), "application/json".to_owned())]
}

fn content_type(step: &Step, usual: &str) -> Vec<(String, String)> {
    let kind = step.content_type.as_deref().unwrap_or(usual);
    vec![("content-type".to_owned(), kind.to_owned())]
}

#[cfg(test)]
mod tests;

//! The gateway at work: from an event on disk to an answer in a chat.
//!
//! ```text
//! adapter ─► intake      judged (who may talk) and stored, then the platform is told
//!            dispatch    reads what is new: buttons, commands, answers to questions, messages
//!            lanes       one turn per session; what comes meanwhile interrupts, waits or steers
//!            turn        an agent made from rows, its events to present, its answer to the outbox
//!            present     typing, the answer as it is written, tools at work
//!            news        what became of work in the background: an event of its own
//!            outbox      the one thing that sends an answer; a row says which parts are in the chat
//! ```
//!
//! Between turns a session is rows in the database and nothing else. What never happens: two turns of one session at once, an
//! answer sent by anything but its row, a message of a stranger that reaches a model, a file or a log.

mod asking;
mod commands;
mod dispatch;
mod intake;
mod lanes;
mod links;
mod news;
mod outbox;
mod present;
mod scheduled;
mod skills;
mod turn;

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hermes_agent::SteerBox;
use hermes_approval::{ApprovalAnswer, GrantScope};
use hermes_host::{AgentFactory, Host};
use hermes_sessions::{InboxRow, SessionStore};
use tokio::sync::{Notify, oneshot};
use tokio_util::sync::CancellationToken;

use crate::adapter::{ChatSource, InboundMessage, Target};
use crate::link::Link;
use crate::pairing::Pairing;
use crate::settings::{BusySettings, GatewaySettings, ResetSettings};

pub(crate) use asking::GatewayAsker;
pub(crate) use links::{link_of, open_links};

/// Everything of one home's gateway.
pub(crate) struct Gateway {
    pub(crate) host: Host,
    pub(crate) factory: AgentFactory,
    pub(crate) store: SessionStore,
    pub(crate) settings: GatewaySettings,
    busy: BusySettings,
    reset: ResetSettings,
    pub(crate) pairing: Pairing,
    pub(crate) links: BTreeMap<&'static str, Arc<Link>>,
    /// Sessions with something to do, by key.
    lanes: Mutex<HashMap<String, LaneState>>,
    /// Events that a lane holds or dispatch has dealt with, so that they are read once.
    held: Mutex<HashSet<i64>>,
    /// Events that nobody has in hand any more, as far as the rows that are read next say so.
    let_go: Mutex<HashSet<i64>>,
    /// Answers that are being sent, and chats whose left-over answers are: each has one sender.
    sending: Mutex<HashSet<String>>,
    /// Events that wait for those of the same chat before them.
    arriving: Mutex<HashMap<(String, String), VecDeque<InboxRow>>>,
    /// Platforms that should be at work and cannot be, and why.
    pub(crate) broken: Vec<(&'static str, String)>,
    asking: Arc<Asking>,
    /// When each person wrote within the last minute.
    recent: Mutex<HashMap<String, VecDeque<Instant>>>,
    news: Notify,
    /// Where sessions talk that may have work in the background.
    minded: Mutex<HashMap<String, ChatSource>>,
    /// No new turns begin.
    pub(crate) draining: AtomicBool,
    /// Somebody asked for a restart.
    pub(crate) restart: CancellationToken,
    /// Who sends: process and moment, for rows.
    owner: String,
}

/// A message that waits for its turn.
#[derive(Clone, Debug)]
struct WaitingMessage {
    row: i64,
    message: InboundMessage,
    arrived: Instant,
    /// A turn had it before, and its process died.
    interrupted: Option<InterruptedTurn>,
}

/// What is known of a turn whose process died.
#[derive(Clone, Debug)]
struct InterruptedTurn {
    session: String,
    base_message: i64,
}

/// A session with something to do.
#[derive(Default)]
struct LaneState {
    waiting: VecDeque<WaitingMessage>,
    running: Option<RunningTurn>,
    last_ack: Option<Instant>,
}

/// A turn at work.
#[derive(Clone)]
struct RunningTurn {
    stop: CancellationToken,
    steer: Option<SteerBox>,
    since: Instant,
    /// Events that it is about, and those that steered it.
    rows: Vec<i64>,
}

/// Whose turn it is, for questions that come up in it.
#[derive(Clone)]
pub(crate) struct TurnOrigin {
    key: String,
    source: ChatSource,
    link: Arc<Link>,
    target: Target,
    /// Where somebody is who can answer questions; nowhere if only a program waits for the answer.
    asking_place: Option<(Arc<Link>, Target)>,
}

impl TurnOrigin {
    /// The same where its questions go.
    fn for_questions(&self) -> Option<Self> {
        let (link, target) = self.asking_place.clone()?;
        Some(Self { link, target, ..self.clone() })
    }
}

/// Questions that wait, and turns that may ask.
#[derive(Default)]
pub(crate) struct Asking {
    turns: Mutex<HashMap<String, TurnOrigin>>,
    waiting: Mutex<Vec<WaitingAnswer>>,
}

/// A question that waits for a person.
struct WaitingAnswer {
    id: String,
    place: TurnOrigin,
    message_id: String,
    kind: QuestionKind,
    answer: Option<oneshot::Sender<PersonAnswer>>,
}

/// What is asked.
#[derive(Clone)]
enum QuestionKind {
    Command { widest: GrantScope, statement: String },
    Clarify { choices: Vec<String>, question: String },
}

/// What a person says to a question.
enum PersonAnswer {
    Decision(ApprovalAnswer),
    Words(String),
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where answers to somebody go.
fn target_of(source: &ChatSource) -> Target {
    Target { chat_id: source.chat_id.clone(), thread_id: source.thread_id.clone() }
}

/// So many random letters and digits.
fn token(length: usize) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut bytes = vec![0_u8; length];
    if ring::rand::SecureRandom::fill(&ring::rand::SystemRandom::new(), &mut bytes).is_err() {
        for byte in &mut bytes {
            *byte = u8::try_from(hermes_store::clock::random() % 256).unwrap_or(0);
        }
    }
    bytes.iter().filter_map(|b| LETTERS.get(usize::from(b % 32)).map(|l| char::from(*l))).collect()
}

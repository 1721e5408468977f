//! Where bridges find us, and what is done for each of them.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};

use super::frames::{self, CODE, INPUT, INPUT_END, OUT, WORDS};
use super::relay::{
    Fetched, NoAnswer, Put, Question, Relay, RelayInput, RelayedCommand, read_answer, read_put,
};
use super::trouble::CloudTrouble;
use super::vendor::{Executed, Sandbox, Vendor};
use crate::environment::random_id;
use crate::own_folder::{OwnFolder, sweep};

/// Folders with the sockets of bridges.
const PREFIX: &str = "hermes-cloud-";
/// How long a client that was made may wait to be started.
const UNCLAIMED: Duration = Duration::from_secs(300);
/// The longest first line of a bridge.
const LONGEST_GREETING: u64 = 200;
/// The code of a bridge whose trouble is ours.
const TROUBLE: u8 = 255;

/// A command nobody stands for yet.
pub(super) struct PendingCall {
    pub(super) sandbox: Arc<Sandbox>,
    /// Which of the sandboxes of this backend that is.
    pub(super) number: u64,
    pub(super) words: Vec<String>,
    pub(super) granted: Vec<(String, String)>,
    pub(super) input: RelayInput,
    /// The folder over there for all commands of this backend.
    pub(super) base: String,
}

/// Serves the bridges of one backend.
pub(super) struct BridgeServer {
    folder: OwnFolder,
    shared: Arc<Shared>,
    listens: Mutex<Option<tokio::task::JoinHandle<()>>>,
}

struct Shared {
    vendor: Arc<dyn Vendor>,
    pending: Mutex<HashMap<String, (Instant, PendingCall)>>,
    /// Folders over there of commands that are over.
    over: Mutex<Vec<String>>,
}

impl BridgeServer {
    pub(super) fn new(vendor: Arc<dyn Vendor>) -> io::Result<Self> {
        let place = std::env::temp_dir();
        sweep(&place, PREFIX);
        let shared = Shared { vendor, pending: Mutex::default(), over: Mutex::default() };
        let folder = OwnFolder::new(&place, PREFIX)?;
        Ok(Self { folder, shared: Arc::new(shared), listens: Mutex::default() })
    }

    /// Where bridges connect to.
    pub(super) fn socket(&self) -> String {
        self.folder.path().join("bridge").display().to_string()
    }

    /// Begins to listen, if nobody does.
    pub(super) fn open(&self) -> io::Result<()> {
        let mut listens = self.listens.lock().unwrap_or_else(PoisonError::into_inner);
        // The runtime it listened in may have ended.
        if listens.as_ref().is_some_and(|task| !task.is_finished()) {
            return Ok(());
        }
        let socket = self.socket();
        let _ = std::fs::remove_file(&socket);
        let listener = UnixListener::bind(&socket)?;
        *listens = Some(tokio::spawn(listen(listener, Arc::clone(&self.shared))));
        Ok(())
    }

    /// Expects a bridge for this command, and returns the name it has to say.
    pub(super) fn expect(&self, call: PendingCall) -> String {
        let name = random_id();
        let mut pending = self.shared.pending();
        pending.retain(|_, (since, _)| since.elapsed() < UNCLAIMED);
        pending.insert(name.clone(), (Instant::now(), call));
        name
    }

    /// What was swept together belongs to a sandbox that is no more.
    pub(super) fn forget_folders(&self) {
        self.shared.over().clear();
    }
}

impl Drop for BridgeServer {
    fn drop(&mut self) {
        let mut listens = self.listens.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = listens.take() {
            task.abort();
        }
    }
}

impl Shared {
    fn pending(&self) -> MutexGuard<'_, HashMap<String, (Instant, PendingCall)>> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn over(&self) -> MutexGuard<'_, Vec<String>> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn listen(listener: UnixListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, Arc::clone(&shared)));
    }
}

/// Does what is to be done for one bridge.
async fn serve(stream: UnixStream, shared: Arc<Shared>) {
    let (reader, writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    let greeting = (&mut reader).take(LONGEST_GREETING).read_until(b'\n', &mut line).await;
    let line = String::from_utf8_lossy(&line);
    let mut words = line.split_whitespace();
    let pending =
        words.next().and_then(|name| Some((name.to_owned(), shared.pending().remove(name)?)));
    let (Ok(_), Some((name, (_, mut call)))) = (greeting, pending) else { return };
    if let (RelayInput::Terminal { rows, columns }, Some(own_rows), Some(own_columns)) =
        (&mut call.input, words.next(), words.next())
    {
        *rows = own_rows.parse().ok().filter(|rows| *rows > 0).unwrap_or(*rows);
        *columns = own_columns.parse().ok().filter(|columns| *columns > 0).unwrap_or(*columns);
    }
    let relay = Relay::new(&call.base, &name);
    let call = Carried { shared: &shared, call: &call, relay: &relay };
    call.carry(reader, writer).await;
}

/// A command with its bridge.
struct Carried<'a> {
    shared: &'a Shared,
    call: &'a PendingCall,
    relay: &'a Relay,
}

/// How it went on.
enum Course {
    /// The command ended.
    Ended(u8),
    /// Nobody stands for it any more.
    Abandoned,
    Troubled {
        trouble: CloudTrouble,
        has_begun: bool,
    },
}

impl Carried<'_> {
    async fn carry(&self, mut reader: BufReader<OwnedReadHalf>, mut writer: OwnedWriteHalf) {
        match self.course(&mut reader, &mut writer).await {
            Course::Ended(code) => {
                self.shared.over().push(self.relay.folder().to_owned());
                let _ = frames::write(&mut writer, CODE, &[code]).await;
            }
            Course::Abandoned => {
                let _ = self.ask(self.relay.leave()).await;
            }
            Course::Troubled { trouble, has_begun } => {
                let _ = frames::write(
                    &mut writer,
                    WORDS,
                    trouble.told(self.call.number, has_begun).as_bytes(),
                )
                .await;
                let _ = frames::write(&mut writer, CODE, &[TROUBLE]).await;
                if has_begun {
                    let _ = self.ask(self.relay.leave()).await;
                }
            }
        }
    }

    async fn course(
        &self,
        reader: &mut BufReader<OwnedReadHalf>,
        writer: &mut OwnedWriteHalf,
    ) -> Course {
        let PendingCall { words, granted, input, .. } = self.call;
        let over = std::mem::take(&mut *self.shared.over());
        let command = RelayedCommand { words, granted, input: *input };
        let begun = match self.ask(self.relay.begin(&command, &over)).await {
            Ok(begun) => begun,
            Err(trouble) => return Course::Troubled { trouble, has_begun: false },
        };
        let first = match read_answer(&begun.output, Fetched::default()) {
            Ok(first) => first,
            Err(problem) => {
                let trouble = not_begun(&problem, &begun);
                return Course::Troubled { trouble, has_begun: false };
            }
        };
        tokio::select! {
            course = self.fetch(first, writer) => course,
            course = self.feed(reader) => course,
        }
    }

    /// Brings output until the command has ended.
    async fn fetch(&self, first: super::relay::Answer, writer: &mut OwnedWriteHalf) -> Course {
        let mut answer = first;
        loop {
            let (out, err) = (&answer.out, &answer.err);
            let told = async {
                if !err.is_empty() {
                    frames::write(writer, WORDS, err).await?;
                }
                if out.is_empty() { Ok(()) } else { frames::write(writer, OUT, out).await }
            };
            if told.await.is_err() {
                return Course::Abandoned;
            }
            if let Some(code) = answer.code {
                return Course::Ended(u8::try_from(code).unwrap_or(TROUBLE));
            }
            let asked = self.ask(self.relay.fetch(answer.fetched)).await;
            let read = asked.and_then(|asked| {
                read_answer(&asked.output, answer.fetched).map_err(|problem| lost(&problem))
            });
            answer = match read {
                Ok(answer) => answer,
                Err(trouble) => return Course::Troubled { trouble, has_begun: true },
            };
        }
    }

    /// Hands in input. Does not end before the bridge does.
    async fn feed(&self, reader: &mut BufReader<OwnedReadHalf>) -> Course {
        let mut number = 0;
        loop {
            let Some((kind, piece)) = frames::read(reader).await else { return Course::Abandoned };
            let is_last = kind == INPUT_END;
            if self.call.input == RelayInput::None || !matches!(kind, INPUT | INPUT_END) {
                continue;
            }
            loop {
                let asked = self.ask(self.relay.put(number, &piece, is_last)).await;
                let read = asked
                    .and_then(|asked| read_put(&asked.output).map_err(|problem| lost(&problem)));
                match read {
                    Ok(Put::Taken) => break,
                    Ok(Put::Full) => {}
                    Err(trouble) => return Course::Troubled { trouble, has_begun: true },
                }
            }
            number += u64::from(!piece.is_empty());
        }
    }

    async fn ask(&self, question: Question) -> Result<Executed, CloudTrouble> {
        let Question { script, limit } = question;
        self.shared.vendor.execute(&self.call.sandbox, &script, limit).await
    }
}

fn not_begun(problem: &NoAnswer, begun: &Executed) -> CloudTrouble {
    match problem {
        NoAnswer::Lost => CloudTrouble::Gone("the command's folder is gone".to_owned()),
        NoAnswer::Refused(why) => CloudTrouble::Refused(why.clone()),
        NoAnswer::Odd(words) => {
            let code = begun.code;
            CloudTrouble::Refused(format!("its bash ended with code {code} and said: {words}"))
        }
    }
}

fn lost(problem: &NoAnswer) -> CloudTrouble {
    CloudTrouble::Unreachable(match problem {
        NoAnswer::Lost => "the sandbox has lost the command".to_owned(),
        NoAnswer::Refused(words) | NoAnswer::Odd(words) => {
            format!("the sandbox answered with {words:?}")
        }
    })
}

//! IRC: lines over a connection. There are no numbers of messages and no acknowledgements, so what was written counts as sent.
//!
//! A nick belongs to whoever holds it at the moment. A person is therefore known by the account a server vouches for
//! (`account-tag`), and otherwise by the whole `nick!user@host`.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use tokio::sync::{mpsc, oneshot};

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, Addressing, ChatKind, ChatSource, InboundEvent,
    InboundMessage, Inbox, LengthUnit, LineSecurity, LineStream, LinkError, MessageLimit, Outgoing,
    Pace, Platform, Receiving, SendClass, SendError, SetupError, Target, Variable,
};

static IRC: Platform = Platform {
    label: "IRC",
    emoji: "#️⃣",
    required: &[
        Variable::open("IRC_SERVER", "Server, such as irc.libera.chat"),
        Variable::open("IRC_NICKNAME", "Nick of the bot"),
    ],
    optional: &[
        Variable::open("IRC_PORT", "Port (6697)"),
        Variable::open("IRC_CHANNEL", "Channels to be in, such as #home"),
        Variable::open("IRC_USE_TLS", "Whether the connection is encrypted (yes)"),
        Variable::secret("IRC_SERVER_PASSWORD", "Password of the server"),
        Variable::secret("IRC_NICKSERV_PASSWORD", "Password of the nick's account"),
    ],
    limit: MessageLimit { length: 1_800, unit: LengthUnit::Bytes },
    pace: Pace { per_chat: 0.5, burst: 3, ..Pace::UNHURRIED },
    hint: "There is no formatting; keep answers short.",
    open: |setup| Ok(Arc::new(Irc::new(&setup)?)),
    ..Platform::named("irc", "IRC", "hermes-irc")
};
crate::register_platform!(&IRC);

/// Bytes of one line's text; the rest of the 512 is who says it to whom.
const MAX_TEXT: usize = 400;
/// Servers ask for a sign of life every few minutes.
const SILENCE: Duration = Duration::from_secs(300);
/// How long a server may take to let us in.
const WELCOME: Duration = Duration::from_secs(25);
/// Lines that may go at once before one a second is the rule.
const BURST: usize = 5;

/// Lines on their way out, and whoever waits for them.
type Outbound = mpsc::Sender<(Vec<String>, oneshot::Sender<()>)>;

struct Settings {
    server: String,
    port: u16,
    security: LineSecurity,
    nick: String,
    channels: Vec<String>,
    server_password: Option<String>,
    account_password: Option<String>,
}

struct Irc {
    settings: Arc<Settings>,
    /// The way out over the connection that receives, while there is one.
    outbound: Arc<Mutex<Option<Outbound>>>,
}

impl Irc {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let tls = setup.is_on("IRC_USE_TLS", true);
        let nick = setup.required("IRC_NICKNAME")?;
        let fits = |c: char| c.is_ascii_alphanumeric() || "-_[]\\`^{}|".contains(c);
        if nick.is_empty() || !nick.chars().all(fits) {
            return Err(SetupError::new(format!("IRC_NICKNAME: `{nick}` is no nick")));
        }
        let settings = Settings {
            server: setup.required("IRC_SERVER")?,
            port: u16::try_from(setup.number("IRC_PORT", if tls { 6_697 } else { 6_667 }))
                .map_err(|_| SetupError::new("IRC_PORT is no port"))?,
            security: if tls { LineSecurity::Tls } else { LineSecurity::Plain },
            nick,
            channels: setup.list("IRC_CHANNEL"),
            server_password: setup.variable("IRC_SERVER_PASSWORD"),
            account_password: setup.variable("IRC_NICKSERV_PASSWORD"),
        };
        Ok(Self { settings: Arc::new(settings), outbound: Arc::default() })
    }

    fn way_out(&self) -> Option<Outbound> {
        self.outbound.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// A line of the protocol.
#[derive(Debug, Default, PartialEq, Eq)]
struct Line<'a> {
    tags: &'a str,
    prefix: &'a str,
    command: &'a str,
    args: Vec<&'a str>,
}

fn parse(line: &str) -> Line<'_> {
    let mut found = Line::default();
    let mut rest = line.trim_end();
    if let Some(tagged) = rest.strip_prefix('@') {
        (found.tags, rest) = tagged.split_once(' ').unwrap_or((tagged, ""));
    }
    rest = rest.trim_start();
    if let Some(prefixed) = rest.strip_prefix(':') {
        (found.prefix, rest) = prefixed.split_once(' ').unwrap_or((prefixed, ""));
    }
    let (words, last) = match rest.split_once(" :") {
        Some((words, last)) => (words, Some(last)),
        None => (rest, None),
    };
    let mut words = words.split(' ').filter(|word| !word.is_empty());
    found.command = words.next().unwrap_or_default();
    found.args = words.chain(last).collect();
    found
}

impl Line<'_> {
    fn tag(&self, name: &str) -> Option<&str> {
        let mut all = self.tags.split(';').filter_map(|tag| tag.split_once('='));
        all.find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    fn nick(&self) -> &str {
        self.prefix.split('!').next().unwrap_or_default()
    }
}

/// What can stand in a line: nothing that would begin another one.
fn one_line(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '\r' | '\n' | '\0')).collect()
}

/// A text as lines that fit.
fn lines_of(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for line in text.lines().map(one_line) {
        let mut rest = line.as_str();
        while !rest.is_empty() {
            let mut end = rest.len().min(MAX_TEXT);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let head = rest.get(..end).unwrap_or_default();
            // Words stay whole where they can.
            let blank = head.rfind(' ').filter(|at| end < rest.len() && *at > MAX_TEXT / 2);
            let end = blank.map_or(end, |at| at + 1);
            all.push(rest.get(..end).unwrap_or_default().trim_end().to_owned());
            rest = rest.get(end..).unwrap_or_default();
        }
    }
    all.retain(|line| !line.is_empty());
    all
}

/// A nick that is free where another is taken. Some servers take nine letters and no more.
fn beside(nick: &str, more: &str) -> String {
    let kept: String = nick.chars().take(9_usize.saturating_sub(more.len())).collect();
    format!("{kept}{more}")
}

/// Connects and is let in; the nick we got.
async fn register(settings: &Settings, nick: &str) -> Result<(LineStream, String), LinkError> {
    let opened = LineStream::open(&settings.server, settings.port, settings.security).await;
    let mut stream = opened.map_err(LinkError::from)?;
    let mut nick = nick.to_owned();
    if let Some(password) = &settings.server_password {
        stream.write(&format!("PASS :{}", one_line(password))).await?;
    }
    let wanted =
        if settings.account_password.is_some() { "account-tag sasl" } else { "account-tag" };
    stream.write("CAP LS 302").await?;
    stream.write(&format!("NICK {nick}")).await?;
    stream.write(&format!("USER {} 0 * :Hermes", settings.nick)).await?;
    loop {
        let line = stream.line(WELCOME).await?;
        let told = parse(&line);
        match (told.command, told.args.as_slice()) {
            ("PING", args) => {
                stream.write(&format!("PONG :{}", args.last().unwrap_or(&""))).await?;
            }
            ("CAP", [_, "LS", .., offered]) => {
                let has =
                    |name: &&str| offered.split(' ').any(|one| one.split('=').next() == Some(name));
                let ask: Vec<&str> = wanted.split(' ').filter(has).collect();
                match ask.is_empty() {
                    true => stream.write("CAP END").await?,
                    false => stream.write(&format!("CAP REQ :{}", ask.join(" "))).await?,
                }
            }
            ("CAP", [_, "ACK", granted]) if granted.contains("sasl") => {
                stream.write("AUTHENTICATE PLAIN").await?;
            }
            ("CAP", [_, "ACK" | "NAK", ..]) => stream.write("CAP END").await?,
            ("AUTHENTICATE", _) => {
                let password = settings.account_password.as_deref().unwrap_or_default();
                let plain = format!("{0}\0{0}\0{password}", settings.nick);
                let plain = base64::engine::general_purpose::STANDARD.encode(plain);
                stream.write(&format!("AUTHENTICATE {plain}")).await?;
            }
            ("903", _) => stream.write("CAP END").await?,
            ("904" | "905" | "464", _) => {
                return Err(LinkError::fatal(
                    "the server does not accept the password",
                    "Check IRC_NICKSERV_PASSWORD and IRC_SERVER_PASSWORD.",
                ));
            }
            ("432", _) => {
                return Err(LinkError::fatal(
                    format!("the server does not take the nick {nick}"),
                    "Choose another IRC_NICKNAME; some servers take nine letters at most.",
                ));
            }
            ("433" | "436", _) => {
                // A long one is not made longer, and not tried twice.
                let other = format!("{:02x}", hermes_store::clock::random() & 0xff);
                nick = if nick.len() < 9 { format!("{nick}_") } else { beside(&nick, &other) };
                stream.write(&format!("NICK {nick}")).await?;
            }
            ("001", args) => {
                if let Some(given) = args.first() {
                    (*given).clone_into(&mut nick);
                }
                return Ok((stream, nick));
            }
            ("ERROR", args) => {
                return Err(LinkError::retry(format!("the server: {}", args.join(" "))));
            }
            _ => {}
        }
    }
}

/// A message as an event.
fn message_of(told: &Line<'_>, nick: &str, count: u64) -> Option<InboundMessage> {
    let [place, words] = told.args.as_slice() else { return None };
    // What a client asks of another is between control signs; a greeting of the server has no sender.
    if told.command != "PRIVMSG" || words.starts_with('\u{1}') || !told.prefix.contains('!') {
        return None;
    }
    let is_channel = place.starts_with(['#', '&', '+', '!']);
    let said = words.trim();
    let named = said
        .get(..nick.len())
        .filter(|head| head.eq_ignore_ascii_case(nick))
        .and_then(|head| said.get(head.len()..))
        .and_then(|rest| rest.strip_prefix([':', ',']));
    let now = hermes_store::clock::now();
    let id = told.tag("msgid").map_or_else(|| format!("{now:.6}-{count}"), str::to_owned);
    let account = told.tag("account").filter(|account| *account != "*" && !account.is_empty());
    Some(InboundMessage {
        source: ChatSource {
            platform: IRC.name.to_owned(),
            chat_id: if is_channel { (*place).to_owned() } else { told.nick().to_owned() },
            kind: if is_channel { ChatKind::Group } else { ChatKind::Dm },
            user_id: Some(account.unwrap_or(told.prefix).to_owned()),
            user_name: Some(told.nick().to_owned()),
            message_id: Some(id.clone()),
            ..ChatSource::default()
        },
        message_id: id,
        text: named.unwrap_or(said).trim().to_owned(),
        addressing: match !is_channel || named.is_some() {
            true => Addressing::Direct,
            false => Addressing::Ambient,
        },
        sent_at: Some(now),
        ..InboundMessage::default()
    })
}

/// Reads and writes until the connection is lost.
async fn converse(
    mut stream: LineStream,
    nick: String,
    inbox: Inbox,
    mut outbound: mpsc::Receiver<(Vec<String>, oneshot::Sender<()>)>,
) -> LinkError {
    let mut count = 0;
    loop {
        tokio::select! {
            line = stream.line(SILENCE) => {
                let line = match line {
                    Ok(line) => line,
                    Err(error) => return error.into(),
                };
                let told = parse(&line);
                if told.command == "PING" {
                    let pong = format!("PONG :{}", told.args.last().unwrap_or(&""));
                    if let Err(error) = stream.write(&pong).await {
                        return error.into();
                    }
                } else if told.command == "ERROR" {
                    return LinkError::retry(format!("the server: {}", told.args.join(" ")));
                } else if told.nick() != nick
                    && let Some(said) = message_of(&told, &nick, count)
                {
                    count += 1;
                    let event = InboundEvent::Message(Box::new(said));
                    if let Err(error) = inbox.accept(vec![event], &[]).await {
                        return error.into();
                    }
                }
            }
            Some((lines, done)) = outbound.recv() => {
                if let Err(error) = write_all(&mut stream, &lines).await {
                    return error.into();
                }
                let _ = done.send(());
            }
        }
    }
}

async fn write_all(stream: &mut LineStream, lines: &[String]) -> Result<(), SendError> {
    for (at, line) in lines.iter().enumerate() {
        if at >= BURST {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        stream.write(line).await?;
    }
    Ok(())
}

impl Adapter for Irc {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            let (mut stream, nick) = register(&self.settings, &self.settings.nick).await?;
            for channel in &self.settings.channels {
                stream.write(&format!("JOIN {}", one_line(channel))).await?;
            }
            let (sender, receiver) = mpsc::channel(32);
            *self.outbound.lock().unwrap_or_else(PoisonError::into_inner) = Some(sender);
            let way_out = Arc::clone(&self.outbound);
            Ok(Box::pin(async move {
                let ended = converse(stream, nick, inbox, receiver).await;
                *way_out.lock().unwrap_or_else(PoisonError::into_inner) = None;
                ended
            }) as Receiving)
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let place = one_line(&message.target.chat_id).replace(' ', "");
            let lines: Vec<String> = lines_of(&message.content.text)
                .into_iter()
                .map(|line| format!("PRIVMSG {place} :{line}"))
                .collect();
            let id = format!("{:016x}", hermes_store::clock::random());
            if let Some(way_out) = self.way_out() {
                let (done, written) = oneshot::channel();
                let gone = |class| SendError::new(class, "the connection was lost");
                let handed = way_out.send((lines, done)).await;
                handed.map_err(|_| gone(SendClass::Transient))?;
                // Some of the lines may be there.
                return written.await.map(|()| id).map_err(|_| gone(SendClass::MaybeArrived));
            }
            // Beside a gateway that holds the nick, another one is taken.
            let nick = beside(&self.settings.nick, id.get(..4).unwrap_or_default());
            let (mut stream, _) = register(&self.settings, &nick)
                .await
                .map_err(|error| SendError::new(SendClass::Transient, error.to_string()))?;
            if place.starts_with('#') {
                stream.write(&format!("JOIN {place}")).await?;
            }
            write_all(&mut stream, &lines).await?;
            stream.write("QUIT :done").await?;
            // The server's goodbye says that everything before was read.
            while stream.line(Duration::from_secs(5)).await.is_ok() {}
            Ok(id)
        })
    }

    fn disconnect(&self) -> AdapterFuture<'_, ()> {
        *self.outbound.lock().unwrap_or_else(PoisonError::into_inner) = None;
        Box::pin(std::future::ready(()))
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            let nick = beside(&self.settings.nick, "try");
            let (mut stream, nick) = register(&self.settings, &nick)
                .await
                .map_err(|error| SendError::new(SendClass::Transient, error.to_string()))?;
            stream.write("QUIT").await?;
            Ok(format!("{nick} on {}", self.settings.server))
        })
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let text = text.trim();
        let is_bad = text.is_empty() || text.contains([' ', ',', ':', '\u{7}']) || text.len() > 60;
        match is_bad {
            true => Err(format!("`{text}` is no channel or nick of IRC: write #channel or nick")),
            false => Ok(Target::chat(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_with_tags_and_without() {
        let line = "@account=ann;msgid=7 :Ann!a@host PRIVMSG #home :Hermes: what is: new?";
        let said = message_of(&parse(line), "hermes", 0).unwrap();
        assert_eq!((said.text.as_str(), said.addressing), ("what is: new?", Addressing::Direct));
        assert_eq!((said.source.user_id.as_deref(), said.message_id.as_str()), (Some("ann"), "7"));
        let alone = message_of(&parse(":Bob!b@h PRIVMSG hermes :hi"), "hermes", 0).unwrap();
        assert_eq!((alone.source.chat_id.as_str(), alone.source.kind), ("Bob", ChatKind::Dm));
        assert_eq!(alone.source.user_id.as_deref(), Some("Bob!b@h"), "a nick alone is nobody");
        assert!(message_of(&parse(":s PRIVMSG hermes :\u{1}VERSION\u{1}"), "hermes", 0).is_none());
        assert_eq!(parse("PING :x y").args, ["x y"]);
    }

    #[test]
    fn a_nick_beside_another_is_short_enough_for_old_servers() {
        assert_eq!(beside("hermes", "a1b2"), "hermea1b2");
        assert_eq!(beside("a-very-long-nick", "_"), "a-very-l_");
    }

    #[test]
    fn no_text_becomes_a_command() {
        let lines = lines_of("one\r\nQUIT :bye\n\ntwo\0");
        assert_eq!(lines, ["one", "QUIT :bye", "two"]);
        let long = lines_of(&format!("{} {}", "é".repeat(150), "word ".repeat(60)));
        assert!(long.len() > 1 && long.iter().all(|line| line.len() <= MAX_TEXT));
        assert_eq!(long.join(" ").matches("word").count(), 60);
    }

    proptest::proptest! {
        #[test]
        fn whatever_a_server_says_is_read(line in ".{0,60}") {
            let _ = message_of(&parse(&line), "hermes", 1);
        }

        #[test]
        fn every_line_fits_and_nothing_is_lost(text in "[a-zé ]{0,2000}") {
            let lines = lines_of(&text);
            proptest::prop_assert!(lines.iter().all(|line| line.len() <= MAX_TEXT));
            let letters = |text: &str| text.chars().filter(|c| *c != ' ').count();
            proptest::prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }
    }
}

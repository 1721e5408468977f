//! E-mail: a mailbox that is watched, and answers in the thread they belong to.
//!
//! | module | what it does |
//! |---|---|
//! | `servers` | IMAP and SMTP |
//! | `mime` | mail as it is written |
//! | `genuine` | whether the sender is who it says, and a person |
//!
//! Anybody can write any sender. A mail counts only if our own mail server has vouched for it, in a header that bears that
//! server's name.

mod genuine;
mod mime;
mod servers;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use serde_json::{Value, json};

use crate::adapter::{
    Adapter, AdapterFuture, AdapterSetup, Capabilities, ChatSource, InboundEvent, InboundMessage,
    Inbox, LengthUnit, LineSecurity, LinkError, MessageLimit, Outgoing, Pace, Platform, Receiving,
    SendClass, SendError, SetupError, Target, Variable, hex,
};
use crate::markdown::{Document, Rendered, html, plain};
use genuine::{is_authentic, is_automated};
use mime::{Mail, own_words};
use servers::{Imap, MailboxState, Smtp};

static EMAIL: Platform = Platform {
    label: "E-mail",
    emoji: "✉️",
    required: &[
        Variable::open("EMAIL_ADDRESS", "Address of the agent"),
        Variable::secret("EMAIL_PASSWORD", "Its password (an app password where there are such)"),
        Variable::open("EMAIL_IMAP_HOST", "Server for reading (imap.example.org)"),
        Variable::open("EMAIL_SMTP_HOST", "Server for sending (smtp.example.org)"),
    ],
    optional: &[
        Variable::open("EMAIL_AUTHSERV_ID", "Name of your mail server in Authentication-Results"),
        Variable::open("EMAIL_IMAP_PORT", "Port for reading (993)"),
        Variable::open("EMAIL_SMTP_PORT", "Port for sending (587)"),
        Variable::open("EMAIL_POLL_INTERVAL", "Seconds between looks (15)"),
    ],
    home_variable: Some("EMAIL_HOME_ADDRESS"),
    limit: MessageLimit { length: 50_000, unit: LengthUnit::Characters },
    capabilities: Capabilities { threads: true, ..Capabilities::NONE },
    pace: Pace { per_chat: 0.2, batch: Duration::ZERO, ..Pace::UNHURRIED },
    ignores_strangers: true,
    open: |setup| Ok(Arc::new(Email::new(&setup)?)),
    ..Platform::named("email", "EMAIL", "hermes-email")
};
crate::register_platform!(&EMAIL);

/// Letters of one mail that reach the model.
const MAX_TEXT: usize = 50_000;
/// How far the mailbox was read: its validity and the last number, as a mark.
const READ_TO: &str = "read_to";

struct Account {
    address: String,
    password: String,
    imap: (String, u16),
    smtp: (String, u16),
    authserv: Option<String>,
    poll: Duration,
}

struct Email {
    account: Arc<Account>,
    /// Where the thread of an answer is remembered, while the mailbox is watched.
    threads: Arc<Mutex<Option<Inbox>>>,
}

fn is_here(host: &str) -> bool {
    matches!(host, "127.0.0.1" | "localhost" | "::1")
}

impl Email {
    fn new(setup: &AdapterSetup) -> Result<Self, SetupError> {
        let port = |name: &str, usual: u64| {
            u16::try_from(setup.number(name, usual))
                .map_err(|_| SetupError::new(format!("{name} is no port")))
        };
        let account = Account {
            address: setup.required("EMAIL_ADDRESS")?.to_lowercase(),
            password: setup.required("EMAIL_PASSWORD")?,
            imap: (setup.required("EMAIL_IMAP_HOST")?, port("EMAIL_IMAP_PORT", 993)?),
            smtp: (setup.required("EMAIL_SMTP_HOST")?, port("EMAIL_SMTP_PORT", 587)?),
            authserv: setup.variable("EMAIL_AUTHSERV_ID"),
            poll: Duration::from_secs(setup.number("EMAIL_POLL_INTERVAL", 15).max(1)),
        };
        Ok(Self { account: Arc::new(account), threads: Arc::default() })
    }
}

impl Account {
    async fn mailbox(&self) -> Result<(Imap, MailboxState), SendError> {
        let (host, port) = (&self.imap.0, self.imap.1);
        // Only on this machine is a mailbox read without encryption, and only on the port for it.
        let security = match port == 143 || (is_here(host) && port != 993) {
            true if is_here(host) => LineSecurity::Plain,
            _ => LineSecurity::Tls,
        };
        let login = (self.address.as_str(), self.password.as_str());
        let mut imap = Imap::open((host, port), security, login).await?;
        let state = imap.select().await?;
        Ok((imap, state))
    }

    /// A mail as an event; whatever is not for us is none.
    fn message_of(&self, raw: &[u8]) -> Option<(InboundMessage, Value)> {
        let mail = Mail::read(raw);
        let (address, name) = mail.sender()?;
        let is_right = self.authserv.as_ref().is_some_and(|server| is_authentic(&mail, server));
        if address == self.address || is_automated(&mail) || !is_right {
            tracing::info!(platform = EMAIL.name, "a mail was passed over");
            return None;
        }
        let id = mail.ids("message-id").into_iter().next()?;
        let root = mail.ids("references").into_iter().next();
        let root = root.or_else(|| mail.ids("in-reply-to").into_iter().next());
        let root = root.unwrap_or_else(|| id.clone());
        let subject = mail.header("subject").unwrap_or_default();
        let mut text: String = own_words(&mail.text).chars().take(MAX_TEXT).collect();
        for file in &mail.files {
            let name = crate::key::harmless(&file.name);
            match std::str::from_utf8(&file.bytes).ok().filter(|t| t.len() <= 100_000) {
                Some(words) => text.push_str(&format!("\n[File {name}:]\n{words}\n[End of file]")),
                None => text.push_str(&format!("\n[A file came along that is no text: {name}]")),
            }
        }
        let is_first = root == id;
        let text = match is_first && !subject.is_empty() {
            true => format!("Subject: {}\n\n{text}", crate::key::harmless(&subject)),
            false => text,
        };
        let thread = json!({"last": id, "subject": subject});
        let source = ChatSource {
            platform: EMAIL.name.to_owned(),
            chat_id: address.clone(),
            user_id: Some(address),
            user_name: Some(name).filter(|name| !name.is_empty()),
            thread_id: Some(root),
            message_id: Some(id.clone()),
            ..ChatSource::default()
        };
        let message = InboundMessage { source, message_id: id, text, ..InboundMessage::default() };
        Some((message, thread))
    }

    async fn take_new(
        &self,
        imap: &mut Imap,
        inbox: &Inbox,
        state: &mut MailboxState,
    ) -> Result<(), LinkError> {
        for (number, raw) in imap.fetch_from(state.next).await? {
            let mark = (READ_TO, format!("{}:{}", state.validity, number + 1));
            match self.message_of(&raw) {
                Some((message, thread)) => {
                    let name = thread_mark(message.source.thread_id.as_deref().unwrap_or_default());
                    let marks = [mark, (name.as_str(), thread.to_string())];
                    let event = InboundEvent::Message(Box::new(message));
                    inbox.accept(vec![event], &marks).await?;
                    imap.mark_seen(number).await?;
                }
                None => inbox.accept(Vec::new(), &[mark]).await?,
            }
            state.next = number + 1;
        }
        Ok(())
    }

    async fn watch(&self, mut imap: Imap, mut state: MailboxState, inbox: Inbox) -> LinkError {
        loop {
            if let Err(error) = self.take_new(&mut imap, &inbox, &mut state).await {
                return error;
            }
            if let Err(error) = imap.wait(self.poll).await {
                return error.into();
            }
        }
    }
}

fn thread_mark(root: &str) -> String {
    let hash = ring::digest::digest(&ring::digest::SHA256, root.as_bytes());
    format!("thread:{}", hex(hash.as_ref().get(..12).unwrap_or_default()))
}

/// A header's words: anything but plain letters is encoded, and nothing can begin another header.
fn header_words(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !c.is_control()).take(200).collect();
    match clean.is_ascii() {
        true => clean,
        false => {
            format!("=?utf-8?B?{}?=", base64::engine::general_purpose::STANDARD.encode(clean))
        }
    }
}

/// Text as lines of base64.
fn encoded(text: &str) -> String {
    let digits = base64::engine::general_purpose::STANDARD.encode(text);
    let lines: Vec<&str> =
        digits.as_bytes().chunks(76).filter_map(|line| std::str::from_utf8(line).ok()).collect();
    lines.join("\r\n")
}

/// A mail, whole.
fn written(account: &str, message: &Outgoing, thread: &Value) -> (String, String) {
    let domain = account.rsplit('@').next().unwrap_or("localhost");
    let key = if message.key.is_empty() {
        hermes_store::clock::random().to_string()
    } else {
        message.key.clone()
    };
    let hash = ring::digest::digest(&ring::digest::SHA256, key.as_bytes());
    let id = format!("{}@{domain}", hex(hash.as_ref().get(..16).unwrap_or_default()));
    let subject = thread["subject"].as_str().filter(|subject| !subject.is_empty());
    let subject = match (subject, &message.subject) {
        (_, Some(own)) => own.clone(),
        (Some(subject), None) if subject.to_lowercase().starts_with("re:") => subject.to_owned(),
        (Some(subject), None) => format!("Re: {subject}"),
        (None, None) => "A message from Hermes".to_owned(),
    };
    let boundary = format!("hermes-{:016x}", hermes_store::clock::random());
    let date = jiff::fmt::rfc2822::to_string(&jiff::Zoned::now()).unwrap_or_default();
    let mut head = format!(
        "From: <{account}>\r\nTo: <{}>\r\nSubject: {}\r\nDate: {date}\r\nMessage-ID: <{id}>\r\n\
         Auto-Submitted: auto-replied\r\nMIME-Version: 1.0\r\n",
        message.target.chat_id,
        header_words(&subject),
    );
    if let Some(root) = &message.target.thread_id {
        let clean = |id: &str| {
            id.chars().filter(|c| !c.is_control() && *c != '>' && *c != '<').collect::<String>()
        };
        let last = clean(thread["last"].as_str().unwrap_or(root));
        let root = clean(root);
        let references =
            if root == last { format!("<{root}>") } else { format!("<{root}> <{last}>") };
        head.push_str(&format!("In-Reply-To: <{last}>\r\nReferences: {references}\r\n"));
    }
    let part = |kind: &str, text: &str| {
        format!(
            "--{boundary}\r\nContent-Type: text/{kind}; charset=utf-8\r\n\
             Content-Transfer-Encoding: base64\r\n\r\n{}\r\n",
            encoded(text)
        )
    };
    let page = message.content.html.clone().unwrap_or_default();
    let body = format!(
        "{head}Content-Type: multipart/alternative; boundary=\"{boundary}\"\r\n\r\n{}{}--{boundary}--\r\n",
        part("plain", &message.content.text),
        part("html", &page),
    );
    (id, body)
}

impl Adapter for Email {
    fn connect(&self, inbox: Inbox) -> AdapterFuture<'_, Result<Receiving, LinkError>> {
        Box::pin(async move {
            if self.account.authserv.is_none() {
                return Err(LinkError::fatal(
                    "EMAIL_AUTHSERV_ID is not set, so anybody could write in your name",
                    "It is the first word of the header Authentication-Results of a mail that you \
                     received in this mailbox. Sending works without.",
                ));
            }
            let refused = |error: SendError| match error.class {
                SendClass::Forbidden => LinkError::fatal(
                    error.what,
                    "Check EMAIL_ADDRESS and EMAIL_PASSWORD; many providers want an app password.",
                ),
                _ => LinkError::retry(error.what),
            };
            let (imap, now) = self.account.mailbox().await.map_err(refused)?;
            let known = inbox.mark(READ_TO).await;
            let known = known.as_deref().and_then(|mark| mark.split_once(':'));
            let known = known.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
            let state = match known {
                Some((validity, next)) if validity == now.validity => {
                    MailboxState { validity, next }
                }
                // Only what comes from now on counts.
                _ => {
                    let mark = (READ_TO, format!("{}:{}", now.validity, now.next));
                    inbox.accept(Vec::new(), &[mark]).await?;
                    now
                }
            };
            *self.threads.lock().unwrap_or_else(PoisonError::into_inner) = Some(inbox.clone());
            let account = Arc::clone(&self.account);
            Ok(Box::pin(async move { account.watch(imap, state, inbox).await }) as Receiving)
        })
    }

    fn send<'a>(&'a self, message: &'a Outgoing) -> AdapterFuture<'a, Result<String, SendError>> {
        Box::pin(async move {
            let account = &self.account;
            let inbox = self.threads.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let thread = match (&message.target.thread_id, inbox) {
                (Some(root), Some(inbox)) => inbox.mark(&thread_mark(root)).await,
                _ => None,
            };
            let thread =
                thread.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
            let (id, mail) = written(&account.address, message, &thread);
            let (host, port) = (&account.smtp.0, account.smtp.1);
            let smtp = Smtp {
                host,
                port,
                security: if port == 465 { LineSecurity::Tls } else { LineSecurity::Plain },
                may_be_plain: is_here(host),
                login: (&account.address, &account.password),
            };
            smtp.send(&account.address, &message.target.chat_id, &mail).await.map(|()| id)
        })
    }

    fn probe(&self) -> AdapterFuture<'_, Result<String, SendError>> {
        Box::pin(async move {
            self.account.mailbox().await?;
            Ok(self.account.address.clone())
        })
    }

    fn render(&self, document: &Document) -> Rendered {
        Rendered { html: Some(html(document)), ..plain(document) }
    }

    fn parse_target(&self, text: &str) -> Result<Target, String> {
        let text = text.trim();
        let (address, thread) = text.split_once(':').map_or((text, None), |(a, t)| (a, Some(t)));
        let is_address = address.matches('@').count() == 1
            && !address.contains([' ', ',', ';', '<', '>', '\r', '\n', '"'])
            && !address.starts_with('@')
            && !address.ends_with('@');
        match is_address {
            true => {
                Ok(Target { chat_id: address.to_lowercase(), thread_id: thread.map(str::to_owned) })
            }
            false => Err(format!("`{text}` is no address: write ann@example.org")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_belongs_to_its_thread_and_says_that_a_program_wrote_it() {
        let message = Outgoing {
            target: Target::thread("ann@example.org", "root@x"),
            content: Rendered {
                text: "Grüße.\n.".to_owned(),
                html: Some("<p>Grüße.</p>".to_owned()),
                ..Rendered::default()
            },
            key: "k".to_owned(),
            ..Outgoing::default()
        };
        let thread = json!({"last": "last@x", "subject": "Naïve\r\nBcc: evil@x"});
        let (id, text) = written("hermes@us.org", &message, &thread);
        let mail = Mail::read(text.as_bytes());
        assert_eq!(mail.header("message-id"), Some(format!("<{id}>")));
        assert_eq!(mail.ids("references"), ["root@x", "last@x"]);
        assert_eq!(mail.ids("in-reply-to"), ["last@x"]);
        assert_eq!(mail.header("subject").as_deref(), Some("Re: NaïveBcc: evil@x"));
        assert_eq!(mail.header("bcc"), None);
        assert_eq!(mail.text, "Grüße.\n.");
        assert!(is_automated(&mail), "two of us would not answer each other");
        assert_eq!(
            written("hermes@us.org", &message, &thread).0,
            id,
            "the same message has one id"
        );
    }
}

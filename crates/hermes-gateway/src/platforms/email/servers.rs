//! As much of IMAP and SMTP as an agent needs to be written to and to write.

use std::time::Duration;

use base64::Engine as _;

use crate::adapter::{LineSecurity, LineStream, SendClass, SendError};

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);
/// Largest mail that is read; what is beyond is cut.
const MAX_MAIL: usize = 25 * 1024 * 1024;

fn broken(what: impl Into<String>) -> SendError {
    SendError::new(SendClass::Transient, what)
}

/// A text between quotes, as IMAP wants it.
fn quoted(text: &str) -> String {
    let clean: String = text.chars().filter(|c| !matches!(c, '\r' | '\n' | '\0')).collect();
    format!("\"{}\"", clean.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A mailbox that is open.
pub(super) struct Imap {
    stream: LineStream,
    next: u32,
    can_idle: bool,
}

/// What a server answered: lines, and what came in between as bytes.
struct Answered {
    lines: Vec<String>,
    literals: Vec<Vec<u8>>,
}

/// What is known of the mailbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MailboxState {
    pub(super) validity: u64,
    pub(super) next: u64,
}

impl Imap {
    /// Logs in. A refusal is of the class Forbidden.
    pub(super) async fn open(
        (host, port): (&str, u16),
        security: LineSecurity,
        (user, password): (&str, &str),
    ) -> Result<Self, SendError> {
        let mut stream = LineStream::open(host, port, security).await?;
        stream.line(PATIENCE).await?;
        let mut imap = Self { stream, next: 1, can_idle: false };
        let login = format!("LOGIN {} {}", quoted(user), quoted(password));
        imap.command(&login).await.map_err(|error| match error.class {
            SendClass::Unknown => {
                SendError::new(SendClass::Forbidden, "the mail server refuses the login")
            }
            _ => error,
        })?;
        // Some providers want to know who asks.
        let _ = imap.command("ID (\"name\" \"hermes\")").await;
        let can = imap.command("CAPABILITY").await?;
        imap.can_idle = can.lines.iter().any(|line| line.to_uppercase().contains(" IDLE"));
        Ok(imap)
    }

    async fn command(&mut self, words: &str) -> Result<Answered, SendError> {
        let tag = format!("a{}", self.next);
        self.next += 1;
        self.stream.write(&format!("{tag} {words}")).await?;
        self.until(&tag).await
    }

    /// Reads to the answer of a command.
    async fn until(&mut self, tag: &str) -> Result<Answered, SendError> {
        let mut found = Answered { lines: Vec::new(), literals: Vec::new() };
        loop {
            let mut line = self.stream.line(PATIENCE).await?;
            // A line that ends in {n} goes on after n bytes.
            while let Some(count) = literal_length(&line) {
                if count > MAX_MAIL * 2 {
                    return Err(broken("a mail is too large"));
                }
                found.literals.push(self.stream.bytes(count, PATIENCE).await?);
                line.push_str(&self.stream.line(PATIENCE).await?);
            }
            if let Some(end) = line.strip_prefix(tag) {
                let end = end.trim_start();
                return match end.to_uppercase().starts_with("OK") {
                    true => Ok(found),
                    false => Err(SendError::new(SendClass::Unknown, "the mail server says no")),
                };
            }
            found.lines.push(line);
        }
    }

    pub(super) async fn select(&mut self) -> Result<MailboxState, SendError> {
        let told = self.command("SELECT INBOX").await?;
        let number = |name: &str| {
            let mut all = told.lines.iter().filter_map(|line| line.split_once(name));
            all.find_map(|(_, rest)| digits(rest))
        };
        Ok(MailboxState {
            validity: number("UIDVALIDITY ").unwrap_or(0),
            next: number("UIDNEXT ").unwrap_or(1),
        })
    }

    /// Mails from a number on, with their numbers.
    pub(super) async fn fetch_from(
        &mut self,
        first: u64,
    ) -> Result<Vec<(u64, Vec<u8>)>, SendError> {
        let found = self.command(&format!("UID SEARCH UID {first}:*")).await?;
        let listed = found.lines.iter().filter_map(|line| line.strip_prefix("* SEARCH"));
        let numbers = listed.flat_map(str::split_whitespace).filter_map(|n| n.parse::<u64>().ok());
        // Servers answer with the last mail where there is none from there on.
        let mut numbers: Vec<u64> = numbers.filter(|number| *number >= first).collect();
        numbers.sort_unstable();
        let mut mails = Vec::new();
        for number in numbers.into_iter().take(50) {
            let wish = format!("UID FETCH {number} (BODY.PEEK[]<0.{MAX_MAIL}>)");
            let told = self.command(&wish).await?;
            if let Some(raw) = told.literals.into_iter().next() {
                mails.push((number, raw));
            }
        }
        Ok(mails)
    }

    pub(super) async fn mark_seen(&mut self, number: u64) -> Result<(), SendError> {
        self.command(&format!("UID STORE {number} +FLAGS.SILENT (\\Seen)")).await.map(drop)
    }

    /// Waits until something happens, or for so long.
    pub(super) async fn wait(&mut self, poll: Duration) -> Result<(), SendError> {
        if !self.can_idle {
            tokio::time::sleep(poll).await;
            return self.command("NOOP").await.map(drop);
        }
        let tag = format!("a{}", self.next);
        self.next += 1;
        self.stream.write(&format!("{tag} IDLE")).await?;
        if !self.stream.line(PATIENCE).await?.starts_with('+') {
            return Err(broken("the mail server does not wait"));
        }
        // Silence is not an error here: it only means that nothing has come.
        let news = tokio::time::timeout(poll.max(Duration::from_secs(60)), async {
            loop {
                let line = self.stream.line(Duration::from_secs(3_600)).await?;
                if line.to_uppercase().contains("EXISTS") {
                    return Ok::<(), SendError>(());
                }
            }
        });
        if let Ok(Err(error)) = news.await {
            return Err(error);
        }
        self.stream.write("DONE").await?;
        self.until(&tag).await.map(drop)
    }
}

fn digits(text: &str) -> Option<u64> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text.get(..end)?.parse().ok()
}

fn literal_length(line: &str) -> Option<usize> {
    let inner = line.strip_suffix('}')?;
    inner.rsplit_once('{')?.1.trim_end_matches('+').parse().ok()
}

/// Hands a mail to a server for sending.
pub(super) struct Smtp<'a> {
    pub(super) host: &'a str,
    pub(super) port: u16,
    pub(super) security: LineSecurity,
    /// Whether what is plain at first may stay so: on this machine only.
    pub(super) may_be_plain: bool,
    pub(super) login: (&'a str, &'a str),
}

impl Smtp<'_> {
    pub(super) async fn send(&self, from: &str, to: &str, mail: &str) -> Result<(), SendError> {
        let mut stream = LineStream::open(self.host, self.port, self.security).await?;
        expect(&mut stream, "2").await?;
        let mut can = hello(&mut stream).await?;
        if self.security == LineSecurity::Plain {
            if can.iter().any(|line| line.to_uppercase().contains("STARTTLS")) {
                stream.write("STARTTLS").await?;
                expect(&mut stream, "2").await?;
                stream = stream.encrypt().await?;
                can = hello(&mut stream).await?;
            } else if !self.may_be_plain {
                return Err(SendError::new(
                    SendClass::Forbidden,
                    "the mail server offers no encryption",
                ));
            }
        }
        if can.iter().any(|line| line.to_uppercase().contains("AUTH")) {
            let (user, password) = self.login;
            let plain = format!("\0{user}\0{password}");
            let plain = base64::engine::general_purpose::STANDARD.encode(plain);
            stream.write(&format!("AUTH PLAIN {plain}")).await?;
            expect(&mut stream, "235").await?;
        }
        stream.write(&format!("MAIL FROM:<{from}>")).await?;
        expect(&mut stream, "2").await?;
        stream.write(&format!("RCPT TO:<{to}>")).await?;
        expect(&mut stream, "2").await?;
        stream.write("DATA").await?;
        expect(&mut stream, "354").await?;
        for line in mail.lines() {
            // A line with a single dot would be the end.
            let line = if line.starts_with('.') { format!(".{line}") } else { line.to_owned() };
            stream.write(&line).await?;
        }
        stream.write(".").await?;
        // From here on nobody knows whether it arrived, unless the server says so.
        match expect(&mut stream, "2").await {
            Err(error)
                if error.class == SendClass::Transient && !error.what.contains("answers") =>
            {
                return Err(SendError::new(SendClass::MaybeArrived, error.what));
            }
            other => other?,
        };
        let _ = stream.write("QUIT").await;
        Ok(())
    }
}

async fn hello(stream: &mut LineStream) -> Result<Vec<String>, SendError> {
    stream.write("EHLO localhost").await?;
    expect(stream, "2").await
}

/// The lines of an answer, if it begins as it should.
async fn expect(stream: &mut LineStream, wanted: &str) -> Result<Vec<String>, SendError> {
    let mut lines = Vec::new();
    loop {
        let line = stream.line(PATIENCE).await?;
        let is_last = line.as_bytes().get(3) != Some(&b'-');
        lines.push(line.clone());
        if !is_last {
            continue;
        }
        if line.starts_with(wanted) {
            return Ok(lines);
        }
        let class = match line.chars().next() {
            Some('4') => SendClass::Transient,
            _ if line.starts_with("535") || line.starts_with("530") => SendClass::Forbidden,
            _ if line.starts_with("550") || line.starts_with("551") => SendClass::NotFound,
            _ if line.starts_with("552") => SendClass::TooLong,
            _ => SendClass::Unknown,
        };
        let said: String = line.chars().filter(|c| !c.is_control()).take(160).collect();
        return Err(SendError::new(class, format!("the mail server answers {said}")));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_quotes() {
        assert_eq!(literal_length("* 1 FETCH (UID 3 BODY[]<0> {42}"), Some(42));
        assert_eq!(literal_length("* 1 FETCH (UID 3)"), None);
        assert_eq!(quoted("pa\"ss\\w\r\nx"), "\"pa\\\"ss\\\\wx\"");
        assert_eq!(digits("123] Ok"), Some(123));
    }
}

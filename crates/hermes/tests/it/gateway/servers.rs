//! Real servers, on loopback: ngircd, and Dovecot with OpenSMTPD. What they do is the wire; our doubles only stand for it.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hermes_store::lock::{FileLock, Wait};
use hermes_testkit::{Step, part};
use tempfile::TempDir;

use super::others::free_port;
use super::stage::Stage;
use crate::support::std_command;

/// A server that ends with the test.
struct Server(Child);

impl Server {
    #[track_caller]
    fn start(program: &str, args: &[&str], port: u16) -> Self {
        // Where it is installed is the system's matter; that it is, the part's.
        let _ = part("HERMES_TEST_CHATS");
        let mut command = std_command(format!("/usr/sbin/{program}"));
        command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let server = Self(command.spawn().unwrap());
        let end = Instant::now() + Duration::from_secs(30);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(
                Instant::now() < end,
                "{program} does not listen (it has to be started by root)"
            );
            std::thread::sleep(Duration::from_millis(50));
        }
        server
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both have children of their own, which end with an orderly end.
        if let Ok(pid) = i32::try_from(self.0.id()) {
            let _ = nix::sys::signal::kill(
                nix::unistd::Pid::from_raw(pid),
                nix::sys::signal::Signal::SIGTERM,
            );
        }
        let _ = self.0.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "a test's own file")]
fn put(path: &Path, text: &str) {
    std::fs::write(path, text).unwrap();
}

/// Somebody in a channel.
struct Person {
    stream: TcpStream,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Person {
    fn join(port: u16) -> Self {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let (heard, lines) = (Arc::default(), BufReader::new(stream.try_clone().unwrap()));
        let kept: Arc<Mutex<Vec<String>>> = Arc::clone(&heard);
        let mut back = stream.try_clone().unwrap();
        std::thread::spawn(move || {
            for line in lines.lines().map_while(Result::ok) {
                if let Some(token) = line.strip_prefix("PING ") {
                    let _ = back.write_all(format!("PONG {token}\r\n").as_bytes());
                }
                kept.lock().unwrap().push(line);
            }
        });
        stream.write_all(b"NICK ann\r\nUSER ann 0 * :Ann\r\n").unwrap();
        let mut ann = Self { stream, heard };
        // What comes before she is known is refused; whoever is not in a channel hears nothing of it.
        ann.wait_for(" 001 ");
        ann.write("JOIN #home");
        ann.wait_for(" 366 ");
        ann
    }

    #[track_caller]
    fn wait_for(&self, text: &str) {
        let end = Instant::now() + Duration::from_secs(30);
        while self.count(text) == 0 {
            assert!(Instant::now() < end, "the server does not say {text:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn write(&mut self, line: &str) {
        self.stream.write_all(format!("{line}\r\n").as_bytes()).unwrap();
    }

    fn count(&self, text: &str) -> usize {
        self.heard.lock().unwrap().iter().filter(|line| line.contains(text)).count()
    }
}

#[test]
fn a_gateway_on_ngircd() {
    let folder = tempfile::tempdir().unwrap();
    let port = free_port();
    let conf = folder.path().join("ngircd.conf");
    put(
        &conf,
        &format!(
            "[Global]\nName = irc.test.local\nInfo = test\nPorts = {port}\nListen = 127.0.0.1\n\
         ServerUID = irc\nServerGID = irc\nMotdPhrase = hello\n[Options]\nDNS = no\nIdent = no\nPAM = no\n"
        ),
    );
    let _server = Server::start("ngircd", &["-n", "-f", conf.to_str().unwrap()], port);
    // Without accounts on this server a person is their whole mask.
    let env = format!(
        "IRC_SERVER=127.0.0.1\nIRC_PORT={port}\nIRC_USE_TLS=no\nIRC_NICKNAME=hermes\nIRC_CHANNEL=#home\n\
         IRC_ALLOW_ALL_USERS=true\n"
    );
    let long = "word ".repeat(200);
    let script =
        [Step::text("I am here."), Step::text(long.trim().to_owned()), Step::text("Back again.")];
    let mut stage = Stage::new(script, "  irc: {}\n", &env);
    stage.start_until("irc", "connected");
    let mut ann = Person::join(port);
    // One question after another: the server makes those wait who ask without a pause, and their later words with them.
    let mut asked = 1;
    stage.until("the bot in the channel", || {
        if ann.count(" 366 ") >= asked {
            ann.write("NAMES #home");
            asked = ann.count(" 366 ") + 1;
        }
        ann.heard.lock().unwrap().iter().any(|l| l.contains(" 353 ") && l.contains("hermes"))
    });
    ann.write("PRIVMSG #home :nobody in particular");
    ann.write("PRIVMSG #home :hermes: are you there?");
    stage.until("an answer", || ann.count("PRIVMSG #home :I am here.") == 1);
    ann.write("PRIVMSG #home :hermes: say more");
    // A line may have 512 bytes with all that stands before the words.
    stage.until("many lines", || ann.count("PRIVMSG #home :") >= 3);
    assert!(ann.heard.lock().unwrap().iter().all(|line| line.len() <= 510));
    stage.kill();
    stage.until("the bot to be gone", || ann.count("QUIT") > 0);
    // Whether she saw it come the first time depends on who was there first.
    let joins = |ann: &Person| ann.count("JOIN :#home") + ann.count("JOIN #home");
    let before = joins(&ann);
    stage.start_until("irc", "connected");
    stage.until("the bot to be back", || joins(&ann) > before);
    ann.write("PRIVMSG #home :hermes: and now?");
    stage.until("an answer after a kill", || ann.count("Back again.") == 1);
    assert_eq!(ann.count("I am here."), 1);
    stage.sandbox.run(["send", "-t", "irc:#home", "the backup is done"]).exits(0);
    stage.until("what was sent", || ann.count("the backup is done") == 1);
}

/// A mail server for one domain: OpenSMTPD takes mail, Dovecot shows it.
struct MailHouse {
    folder: TempDir,
    domain: String,
    imap: u16,
    smtp: u16,
    _servers: [Server; 2],
    /// OpenSMTPD has one place for its queue.
    _only: FileLock,
}

impl MailHouse {
    fn open() -> Self {
        let only = std::env::temp_dir().join("hermes-test-smtpd.lock");
        let only = FileLock::acquire(&only, Wait::AtMost(Duration::from_secs(90))).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let open_to_all = |path: &Path, mode| {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        open_to_all(&root, 0o755);
        for name in ["mail", "run"] {
            std::fs::create_dir(root.join(name)).unwrap();
        }
        open_to_all(&root.join("mail"), 0o777);
        let (imap, smtp) = (free_port(), free_port());
        let (domain, at) = (format!("t{}.test", std::process::id()), root.display());
        put(
            &root.join("dovecot.conf"),
            &format!(
                "protocols = imap\nlisten = 127.0.0.1\nbase_dir = {at}/run\nstate_dir = {at}/run\n\
             log_path = {at}/dovecot.log\nssl = no\ndisable_plaintext_auth = no\n\
             mail_location = maildir:{at}/mail/%n\nfirst_valid_uid = 1\n\
             service imap-login {{\n  inet_listener imap {{\n    port = {imap}\n  }}\n  inet_listener imaps {{\n    \
             port = 0\n  }}\n}}\npassdb {{\n  driver = static\n  args = password=pass1\n}}\n\
             userdb {{\n  driver = static\n  args = uid=nobody gid=nogroup home={at}/mail/%n\n}}\n"
            ),
        );
        put(
            &root.join("smtpd.conf"),
            &format!(
                "table people {{ \"@{domain}\" = \"nobody\" }}\nlisten on 127.0.0.1 port {smtp}\n\
             action \"in\" maildir \"{at}/mail/%{{rcpt.user}}\" virtual <people>\n\
             match from any for domain \"{domain}\" action \"in\"\n"
            ),
        );
        open_to_all(&root.join("smtpd.conf"), 0o600);
        let conf = |name: &str| root.join(name).display().to_string();
        let servers = [
            Server::start("dovecot", &["-F", "-c", &conf("dovecot.conf")], imap),
            Server::start("smtpd", &["-d", "-f", &conf("smtpd.conf")], smtp),
        ];
        Self { folder, domain, imap, smtp, _servers: servers, _only: only }
    }

    /// Hands in a mail to the agent's mailbox.
    fn hand_in(&self, from: &str, headers: &str, text: &str) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.smtp)).unwrap();
        let mut answers = BufReader::new(stream.try_clone().unwrap());
        let domain = &self.domain;
        let mail = format!(
            "From: <{from}@{domain}>\r\nTo: <hermes@{domain}>\r\n{headers}\r\n\r\n{text}\r\n.\r\n"
        );
        let greeting = String::new();
        for line in [
            greeting,
            "HELO test\r\n".to_owned(),
            format!("MAIL FROM:<{from}@{domain}>\r\n"),
            format!("RCPT TO:<hermes@{domain}>\r\n"),
            "DATA\r\n".to_owned(),
            mail,
        ] {
            stream.write_all(line.as_bytes()).unwrap();
            let mut answer = String::new();
            answers.read_line(&mut answer).unwrap();
            assert!(answer.starts_with(['2', '3']), "{line}: {answer}");
        }
        stream.write_all(b"QUIT\r\n").unwrap();
    }

    /// What somebody has received, as it is written.
    fn received(&self, who: &str) -> Vec<String> {
        let folder = self.folder.path().join("mail").join(who).join("new");
        let mut all = Vec::new();
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let mut text = String::new();
            let _ = std::fs::File::open(entry.path()).unwrap().read_to_string(&mut text);
            all.push(text);
        }
        all
    }
}

#[test]
fn a_gateway_on_dovecot_and_opensmtpd() {
    let house = MailHouse::open();
    let domain = house.domain.clone();
    let env = format!(
        "EMAIL_ADDRESS=hermes@{domain}\nEMAIL_PASSWORD=pass1\nEMAIL_IMAP_HOST=127.0.0.1\n\
         EMAIL_IMAP_PORT={}\nEMAIL_SMTP_HOST=127.0.0.1\nEMAIL_SMTP_PORT={}\nEMAIL_AUTHSERV_ID=mx.test\n\
         EMAIL_ALLOWED_USERS=ann@{domain}\nEMAIL_POLL_INTERVAL=3600\n",
        house.imap, house.smtp
    );
    let script =
        [Step::text("Quite **well**."), Step::text("As I said."), Step::text("Still here.")];
    let mut stage = Stage::new(script, "  email: {}\n", &env);
    stage.start_until("email", "connected");
    let vouched = format!("Authentication-Results: mx.test; dmarc=pass header.from={domain}");
    // Nobody vouches, somebody else does, nobody we know, a program: none of these is heard.
    house.hand_in("ann", "Subject: a\r\nMessage-ID: <s1@x>", "forged");
    let other = vouched.replace("mx.test", "mx.evil");
    house.hand_in("ann", &format!("{other}\r\nMessage-ID: <s2@x>"), "vouched for by somebody else");
    house.hand_in("bob", &format!("{vouched}\r\nMessage-ID: <s3@x>"), "a stranger");
    let program = format!("{vouched}\r\nAuto-Submitted: auto-replied\r\nMessage-ID: <s4@x>");
    house.hand_in("ann", &program, "two of us would never stop");
    // The poll is an hour away: what wakes the gateway is IDLE.
    house.hand_in(
        "ann",
        &format!("{vouched}\r\nSubject: Health\r\nMessage-ID: <m1@x>"),
        "How are you?",
    );
    stage.until("an answer", || house.received("ann").len() == 1);
    let answer = house.received("ann").pop().unwrap();
    for wanted in
        ["In-Reply-To: <m1@x>", "Subject: Re: Health", "Auto-Submitted: auto-replied", "text/html"]
    {
        assert!(answer.contains(wanted), "{wanted}: {answer}");
    }
    let thread = "Subject: Re: Health\r\nIn-Reply-To: <m1@x>\r\nReferences: <m1@x>";
    house.hand_in("ann", &format!("{vouched}\r\n{thread}\r\nMessage-ID: <m2@x>"), "Really?");
    stage.until("a second answer", || house.received("ann").len() == 2);
    let asked = stage.model.questions();
    assert_eq!(asked.len(), 2, "only what Ann wrote: {asked:?}");
    assert!(asked[1].body.to_string().contains("How are you?"), "a thread is a session");
    // What comes while nobody runs is answered afterwards, and once.
    stage.kill();
    let third = format!("{vouched}\r\n{thread}\r\nMessage-ID: <m3@x>");
    house.hand_in("ann", &third, "And after a kill?");
    stage.start_until("email", "connected");
    stage.until("an answer after a kill", || house.received("ann").len() == 3);
    assert!(house.received("bob").is_empty());
    assert_eq!(stage.model.questions().len(), 3);
    stage
        .sandbox
        .run(["send", "-t", &format!("email:ann@{domain}"), "the backup is done"])
        .exits(0);
    stage.until("what was sent", || house.received("ann").len() == 4);
}

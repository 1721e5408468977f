//! `hermes gateway run` on IRC. The server here knows one channel; `scripts/test-chat` does the same with a real one.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use hermes_testkit::Step;

use super::stage::Stage;

/// A server with whoever is connected.
struct IrcServer {
    port: u16,
    clients: Arc<Mutex<Vec<TcpStream>>>,
    lines: Arc<Mutex<Vec<String>>>,
}

impl IrcServer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let clients: Arc<Mutex<Vec<TcpStream>>> = Arc::default();
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let (all, heard) = (Arc::clone(&clients), Arc::clone(&lines));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                all.lock().unwrap().push(stream.try_clone().unwrap());
                let heard = Arc::clone(&heard);
                std::thread::spawn(move || serve(stream, &heard));
            }
        });
        Self { port, clients, lines }
    }

    /// A line from the server to everybody.
    fn tell(&self, line: &str) {
        for client in self.clients.lock().unwrap().iter_mut() {
            let _ = client.write_all(format!("{line}\r\n").as_bytes());
        }
    }

    fn cut(&self) {
        for client in self.clients.lock().unwrap().drain(..) {
            let _ = client.shutdown(std::net::Shutdown::Both);
        }
    }

    #[track_caller]
    fn wait(&self, count: usize, wanted: &str) {
        let end = Instant::now() + Duration::from_secs(45);
        loop {
            let lines = self.lines.lock().unwrap().clone();
            if lines.iter().filter(|line| line.contains(wanted)).count() >= count {
                return;
            }
            assert!(Instant::now() < end, "no {wanted} in {lines:#?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

fn serve(stream: TcpStream, heard: &Mutex<Vec<String>>) {
    let mut out = stream.try_clone().unwrap();
    let mut tell = |line: String| drop(out.write_all(format!(":irc.double {line}\r\n").as_bytes()));
    let mut nick = String::from("*");
    for line in BufReader::new(stream).lines().map_while(Result::ok) {
        let (command, rest) = line.split_once(' ').unwrap_or((&line, ""));
        match command {
            "CAP" if rest.starts_with("LS") => tell("CAP * LS :account-tag server-time".to_owned()),
            "CAP" if rest.starts_with("REQ") => tell("CAP * ACK :account-tag".to_owned()),
            // The first wish for the nick is refused, as when an old connection still holds it.
            "NICK" if rest == "hermes" && nick == "*" => {
                "taken".clone_into(&mut nick);
                tell("433 * hermes :Nickname is already in use".to_owned());
            }
            "NICK" => rest.clone_into(&mut nick),
            "CAP" => tell(format!("001 {nick} :Welcome")),
            "QUIT" => return,
            _ => {}
        }
        heard.lock().unwrap().push(line);
    }
}

#[test]
fn a_channel_is_answered_when_the_nick_is_called_and_a_lost_connection_comes_back() {
    let server = IrcServer::start();
    let env = format!(
        "IRC_SERVER=127.0.0.1\nIRC_PORT={}\nIRC_USE_TLS=no\nIRC_NICKNAME=hermes\nIRC_CHANNEL=#home\n\
         IRC_ALLOWED_USERS=ann\n",
        server.port
    );
    let steps = [Step::text("I am **here**.\nReally."), Step::text("Back again.")];
    let mut stage = Stage::new(steps, "  irc: {}\n", &env);
    stage.start_until("irc", "connected");
    server.wait(1, "JOIN #home");
    server.tell("PING :still there");
    server.wait(1, "PONG :still there");
    server.tell("@account=ann :Ann!a@h PRIVMSG #home :nobody is called");
    server.tell(":Ann!a@h PRIVMSG #home :hermes_: somebody who only has the nick");
    server.tell("@account=ann :Ann!a@h PRIVMSG #home :hermes_: are you there?");
    server.wait(1, "PRIVMSG #home :I am here.");
    server.wait(1, "PRIVMSG #home :Really.");
    assert_eq!(stage.model.questions().len(), 1);
    server.cut();
    server.wait(2, "JOIN #home");
    server.tell("@account=ann :Ann!a@h PRIVMSG hermes_ :alone now");
    server.wait(1, "PRIVMSG Ann :Back again.");
    // Without the gateway's connection, a short one of its own.
    stage.sandbox.run(["send", "-t", "irc:#home", "the backup is done"]).exits(0);
    server.wait(1, "PRIVMSG #home :the backup is done");
}

//! A program that appends numbered messages to a session, and says each number once it is kept.
//!
//! Its arguments are the database, the session, and how many messages at most.
#![expect(clippy::expect_used, reason = "what goes wrong here fails the test")]

use std::io::Write as _;

use hermes_sessions::{NewMessage, NewSession, SessionDatabase};

fn main() {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().expect("usage: hermes-sessions-appender DATABASE SESSION COUNT");
    let (store, session) = (SessionDatabase::at(next()), next());
    let count: usize = next().parse().expect("a number of messages");
    let new = NewSession { id: session.clone(), source: "cli".into(), ..NewSession::default() };
    store.create(&new).expect("a session");
    let mut out = std::io::stdout().lock();
    for number in 1..=count {
        let message = NewMessage::new("user", number.to_string());
        store.append(&session, &[message]).expect("an append");
        writeln!(out, "{number}").expect("a reader");
    }
}

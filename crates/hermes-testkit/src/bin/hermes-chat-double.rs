//! Serves the double of a chat platform for programs in other languages: prints its address, lets somebody say something every
//! moment, and prints what the bot said. `scripts/test-chat` logs the field's own libraries in to it.

use std::io::Write as _;
use std::time::Duration;

use hermes_testkit::{DiscordDouble, SlackDouble, TelegramDouble};

/// A line for whoever reads; whether somebody does.
fn tell(line: &str) -> bool {
    let mut out = std::io::stdout();
    writeln!(out, "{line}").and_then(|()| out.flush()).is_ok()
}

/// Says something again and again, and tells what was answered, until nobody reads any more.
fn converse(say: impl Fn(), answers: impl Fn() -> Vec<String>) {
    let mut told = 0;
    loop {
        say();
        std::thread::sleep(Duration::from_millis(500));
        for answer in answers().iter().skip(told) {
            told += 1;
            if !tell(&format!("said {answer}")) {
                return;
            }
        }
    }
}

fn main() {
    let platform = std::env::args().nth(1).unwrap_or_default();
    match platform.as_str() {
        "telegram" => {
            let double = TelegramDouble::start("4242:double-token");
            tell(&double.url());
            let answers = || double.messages(77).into_iter().map(|one| one.text).collect();
            converse(|| _ = double.say(77, "hello"), answers);
        }
        "discord" => {
            let double = DiscordDouble::start("discord.double.token");
            tell(&double.url());
            let answers =
                || double.board().messages("2077").into_iter().map(|one| one.text).collect();
            converse(|| _ = double.say(None, "2077", "77", "hello"), answers);
        }
        "slack" => {
            let double = SlackDouble::start("xoxb-double", "xapp-double");
            tell(&double.url());
            let answers =
                || double.board().messages("D012345678").into_iter().map(|one| one.text).collect();
            converse(|| _ = double.say("D012345678", None, "U077777777", "hello"), answers);
        }
        _ => {
            tell("usage: hermes-chat-double telegram|discord|slack");
            std::process::exit(2);
        }
    }
}

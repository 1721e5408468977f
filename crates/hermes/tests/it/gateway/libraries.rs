//! The field's own libraries log in to our doubles, hear and answer: a double that they do not accept proves nothing.

use std::process::{Child, Stdio};

use hermes_testkit::{SlackDouble, TelegramDouble, part};

use crate::support::std_command;

/// A bot of somebody else's making, that answers "hello back" to whatever it hears.
struct Bot(Child);

impl Bot {
    fn start(code: &str, address: &str) -> Self {
        let parts = part("HERMES_TEST_CHATS");
        let mut command = std_command(format!("{parts}/python/bin/python"));
        command.args(["-c", code, address]).env_clear().env("PATH", "/usr/bin:/bin");
        Self(command.stdin(Stdio::null()).stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Bot {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Says something again and again, since nobody knows when a library begins to listen.
#[track_caller]
fn until_answered(say: impl Fn(), is_answered: impl Fn() -> bool) {
    for _ in 0..120 {
        say();
        for _ in 0..10 {
            if is_answered() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
    }
    panic!("the library did not answer");
}

#[test]
fn python_telegram_bot_accepts_our_telegram() {
    let double = TelegramDouble::start("4242:double-token");
    let _bot = Bot::start(include_str!("../fixtures/telegram_bot.py"), &double.url());
    until_answered(
        || _ = double.say(77, "hello"),
        || double.messages(77).iter().any(|one| one.text == "hello back"),
    );
}

#[test]
fn slack_bolt_accepts_our_slack() {
    let double = SlackDouble::start("xoxb-double", "xapp-double");
    let _bot = Bot::start(include_str!("../fixtures/slack_bot.py"), &double.url());
    until_answered(
        || _ = double.say("D012345678", None, "U077777777", "hello"),
        || double.board().messages("D012345678").iter().any(|one| one.text == "hello back"),
    );
}

//! `hooks.md`: the events, and how a command in the settings listens to them.

use hermes_plugins::shell_hooks::consent::{ACCEPT_SETTING, ACCEPT_VARIABLE};
use hermes_plugins::shell_hooks::{
    DEFAULT_TIMEOUT, MAX_OUTPUT_CHARS, MAX_TIMEOUT, MIN_TIMEOUT, PASSED_VARIABLES,
    SAFE_MODE_VARIABLE, sample_payload,
};
use hermes_runtime::hooks::{HookEvent, PAYLOAD_VERSION};

use super::markdown::{Table, block, code, codes, finish, prose, push};

/// Read by a test, so that it stays right.
const CONFIG_EXAMPLE: &str = "\
hooks:
  pre_tool_call:
    - command: ~/hooks/no-force-push.sh   # run without a shell
      matcher: terminal|execute_code      # the whole name of the tool
      timeout: 10                         # seconds";

/// Fields of what a command reads, with their meaning.
const INPUT: &[(&str, &str)] = &[
    ("hook_event_name", "the event, such as `pre_tool_call`"),
    ("tool_name", "the tool, or null"),
    ("tool_input", "its arguments as an object, or null"),
    ("session_id", "the session, else that of the parent, else empty"),
    ("cwd", "the directory the command runs in"),
    ("extra", "every other field of the event"),
];

/// An answer that counts: the event, what to print and what that does. Read by a test as well.
struct Example {
    event: Option<HookEvent>,
    output: &'static str,
    effect: &'static str,
}

const ANSWERS: &[Example] = &[
    Example {
        event: Some(HookEvent::PreToolCall),
        output: r#"{"action": "block", "message": "Not on Fridays."}"#,
        effect: "the tool does not run; the model reads the text",
    },
    Example {
        event: Some(HookEvent::PreToolCall),
        output: r#"{"decision": "block", "reason": "Not on Fridays."}"#,
        effect: "the same",
    },
    Example {
        event: Some(HookEvent::PreVerify),
        output: r#"{"action": "continue", "message": "Run the tests first."}"#,
        effect: "the turn goes on with the text",
    },
    Example {
        event: Some(HookEvent::PreVerify),
        output: r#"{"decision": "block", "reason": "Run the tests first."}"#,
        effect: "the same",
    },
    Example {
        event: None,
        output: r#"{"context": "It is raining."}"#,
        effect: "the text is handed to whoever raised the event",
    },
];

pub(super) fn page() -> String {
    let mut page = String::new();
    push(&mut page, "# Hooks");
    push(
        &mut page,
        "Hooks are other people's code at fixed moments. Rust code listens with \
         `hermes_runtime::hooks::Hooks::on`; a command listens when the settings name it.",
    );
    events(&mut page);
    shell_hooks(&mut page);
    finish(&page)
}

fn events(page: &mut String) {
    push(page, "## Events");
    push(
        page,
        &format!(
            "The runtime raises the events of a tool call. The others are for programs built on it, \
             which raise them where they do what the event tells of. Every event also has the field \
             {}, now {}.",
            code(VERSION_FIELD),
            code(PAYLOAD_VERSION)
        ),
    );
    let mut table = Table::new(["event", "when, and what a hook may do", "fields"]);
    for event in HookEvent::ALL {
        let payload = sample_payload(*event);
        let fields = payload.keys().filter(|field| *field != VERSION_FIELD);
        table.row([code(event.name()), prose(event.about().trim()), codes(fields)]);
    }
    push(page, &table.finish());
}

/// The one field that all events share.
const VERSION_FIELD: &str = "telemetry_schema_version";

fn shell_hooks(page: &mut String) {
    push(page, "## Shell hooks");
    push(
        page,
        "A command in the [settings](config.md#hooks) that runs once for each event it is listed \
         under:",
    );
    push(page, &block("yaml", CONFIG_EXAMPLE));
    push(
        page,
        &format!(
            "`matcher` is a regular expression on the whole name of the tool; without it the hook \
             runs for every tool. `timeout` is between {} and {} seconds, {} if it is not set. A \
             hook is ended at its limit with everything it started.",
            MIN_TIMEOUT.as_secs(),
            MAX_TIMEOUT.as_secs(),
            DEFAULT_TIMEOUT.as_secs()
        ),
    );
    push(
        page,
        &format!(
            "**HookConsent.** Each pair of event and command runs only after somebody agreed to it: at \
             the question on first use, or with `hermes hooks approve`. `--accept-hooks`, {} and the \
             setting {} agree to all. `--safe-mode` and {} run none. `hermes hooks test EVENT` \
             tries them on a made-up event.",
            code(&format!("{ACCEPT_VARIABLE}=1")),
            code(ACCEPT_SETTING),
            code(&format!("{SAFE_MODE_VARIABLE}=1"))
        ),
    );
    push(page, "### What the command reads");
    push(page, "One JSON object on standard input:");
    let mut input = Table::new(["field", "content"]);
    for (field, content) in INPUT {
        input.row([code(field), prose(content)]);
    }
    push(page, &input.finish());
    push(
        page,
        &format!(
            "Of the environment it sees `HERMES_HOME`, {} and names beginning with `LC_`; no \
             secrets.",
            codes(PASSED_VARIABLES)
        ),
    );
    push(page, "### What it may answer");
    push(
        page,
        &format!(
            "Nothing, or one JSON object on standard output, of at most {MAX_OUTPUT_CHARS} \
             characters. The exit code does not matter."
        ),
    );
    let mut answers = Table::new(["event", "answer", "effect"]);
    for Example { event, output, effect } in ANSWERS {
        let event = event.map_or_else(|| "others".to_owned(), |event| code(event.name()));
        answers.row([event, code(output), prose(effect)]);
    }
    push(page, &answers.finish());
    push(
        page,
        "Anything else has no effect, and the log says why. A hook cannot approve a call, only keep \
         it from running.",
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use hermes_plugins::shell_hooks::{HookAnswer, read_config};
    use hermes_store::config::Config;

    #[test]
    fn every_event_has_a_row_with_its_fields() {
        let page = page();
        for event in HookEvent::ALL {
            assert!(page.contains(&format!("| `{event}` | ")), "{event}\n{page}");
        }
        assert!(page.contains("`tool_call_id`"), "{page}");
    }

    #[test]
    fn the_answers_shown_do_something() {
        let others = HookEvent::ALL
            .iter()
            .filter(|event| !matches!(event, HookEvent::PreToolCall | HookEvent::PreVerify));
        for example in ANSWERS {
            let events = match example.event {
                Some(event) => vec![event],
                None => others.clone().copied().collect(),
            };
            for event in events {
                let answer = HookAnswer::read(event, example.output);
                assert!(matches!(answer, HookAnswer::Directive(_)), "{event}: {answer:?}");
            }
        }
    }

    #[test]
    fn the_settings_shown_are_right() {
        let config = Config::parse(CONFIG_EXAMPLE, "config.yaml".as_ref()).unwrap();
        let read = read_config(config.value());
        assert_eq!(read.problems, []);
        assert_eq!(read.hooks.len(), 1);
        assert!(read.hooks[0].matcher.as_ref().unwrap().matches("execute_code"));
        assert_eq!(read.hooks[0].timeout.as_secs(), 10);
    }
}

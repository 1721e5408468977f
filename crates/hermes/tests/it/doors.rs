//! One gate, whatever the door: the same command has the same fate wherever it comes in.
//!
//! Doors × [`DANGERS`] × the people a door can ask. For each: does the command run, and which row is in the
//! log of decisions? A new door (cron, the gateway) is one more line of the table and one function.

use std::time::{Duration, Instant};

use hermes_testkit::{ModelServer, Step};
use serde_json::{Value, json};

use crate::mcp_serve::client::{Client, Forms};
use crate::mcp_serve::http::listening;
use crate::mcp_serve::stateless::{Stateless, decided};
use crate::support::{Sandbox, write};
use crate::wire::{Request, Served};

/// Who can be asked, and what they say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Person {
    Nobody,
    SaysNo,
    SaysYes,
}

use Person::{Nobody, SaysNo, SaysYes};

/// What is wrong with a command. All leave a file behind if they run, and do nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Danger {
    Flagged,
    Denied,
    Floor,
}

const DANGERS: [Danger; 3] = [Danger::Flagged, Danger::Denied, Danger::Floor];
const SETTINGS: &str = "approvals:\n  deny: ['git push*']\n";
const MARK: &str = "ran.mark";

impl Danger {
    fn command(self) -> String {
        let begin = match self {
            Self::Flagged => "rm -r precious",
            Self::Denied => "git push nowhere",
            Self::Floor => "mkfs.ext4 /dev/no-such-disk",
        };
        format!("{begin}; touch {MARK}")
    }

    /// Whether it runs, and by whose word it does or does not.
    fn fate(self, person: Person) -> (bool, &'static str) {
        match (self, person) {
            (Self::Floor, _) => (false, "hardline"),
            (Self::Denied, _) => (false, "deny rule"),
            (Self::Flagged, Nobody) => (false, "approvals.headless_mode"),
            (Self::Flagged, SaysNo) => (false, "user"),
            (Self::Flagged, SaysYes) => (true, "user"),
        }
    }
}

/// One door each: the people it can ask, and how a command is brought to it.
macro_rules! doors {
    ($($door:ident: $people:expr;)*) => {
        mod every_door_leads_to_the_same_gate {
            use super::{EVERYBODY, Person, check};
            $(
                #[test]
                fn $door() {
                    check($people, super::$door);
                }
            )*
        }
    };
}

const EVERYBODY: &[Person] = &[Nobody, SaysNo, SaysYes];

doors! {
    by_hand: EVERYBODY;
    on_a_pty: EVERYBODY;
    in_the_background: &[Person::Nobody, Person::SaysNo];
    into_a_running_shell: EVERYBODY;
    from_a_script: EVERYBODY;
    from_a_plugin: EVERYBODY;
    past_a_hook_that_approves: EVERYBODY;
    over_mcp: EVERYBODY;
    over_mcp_without_sessions: EVERYBODY;
    // Programs call these two, and nobody stands behind them.
    over_http: &[Person::Nobody];
    from_a_model: &[Person::Nobody];
}

fn check(people: &[Person], knock: fn(&str, Person) -> Sandbox) {
    let mut wrong = Vec::new();
    for danger in DANGERS {
        for &person in people {
            let command = danger.command();
            let sandbox = knock(&command, person);
            let (runs, by) = danger.fate(person);
            let ran = has_run(&sandbox, runs);
            let row = row_about(&sandbox, &command);
            let verdict = if runs { "allowed" } else { "blocked" };
            if ran != runs || row["by"] != by || row["verdict"] != verdict {
                wrong.push(format!("{danger:?}, {person:?}: ran {ran}, {row}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn has_run(sandbox: &Sandbox, expected: bool) -> bool {
    let mark = sandbox.scratch(MARK);
    let deadline = Instant::now() + Duration::from_secs(10);
    while expected && !mark.exists() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(50));
    }
    mark.exists()
}

/// The last decision about a command.
fn row_about(sandbox: &Sandbox, command: &str) -> Value {
    let Ok(log) = std::fs::read_to_string(sandbox.path("logs/approvals.jsonl")) else {
        return Value::Null;
    };
    let mut rows = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    // What is typed into a program ends with Enter.
    let is_it = |row: &Value| row["command"].as_str().is_some_and(|said| said.trim() == command);
    rows.rfind(is_it).unwrap_or(Value::Null)
}

fn sandbox_with(settings: &str) -> Sandbox {
    let sandbox = Sandbox::with_config(&format!("{SETTINGS}{settings}"));
    std::fs::create_dir(sandbox.scratch("precious")).unwrap();
    sandbox
}

/// Calls a tool at a terminal where the person sits, or where nobody does.
fn call(sandbox: Sandbox, tool: &str, arguments: &Value, person: Person) -> Sandbox {
    let arguments = arguments.to_string();
    let args = ["tools", "call", tool, arguments.as_str()];
    match person {
        Nobody => drop(sandbox.run(args)),
        SaysNo => drop(sandbox.run_at_terminal(&args, "\n")),
        SaysYes => drop(sandbox.run_at_terminal(&args, "once\n")),
    }
    sandbox
}

fn by_hand(command: &str, person: Person) -> Sandbox {
    call(sandbox_with(""), "terminal", &json!({"command": command}), person)
}

fn on_a_pty(command: &str, person: Person) -> Sandbox {
    call(sandbox_with(""), "terminal", &json!({"command": command, "pty": true}), person)
}

fn in_the_background(command: &str, person: Person) -> Sandbox {
    call(sandbox_with(""), "terminal", &json!({"command": command, "background": true}), person)
}

fn from_a_script(command: &str, person: Person) -> Sandbox {
    let code = format!("import hermes_tools\nprint(hermes_tools.terminal({command:?}))");
    // Whether the script itself may run where nobody is, is another question than its commands.
    let sandbox = sandbox_with("  allow: [execute_code]\n");
    call(sandbox, "execute_code", &json!({"code": code}), person)
}

fn from_a_plugin(command: &str, person: Person) -> Sandbox {
    const CODE: &str = r#"
def register(ctx):
    def run(args, **kwargs):
        return ctx.dispatch_tool("terminal", {"command": args["command"]})
    ctx.register_tool("door_run", "door", {"description": "Run a command.", "parameters": {
        "type": "object", "properties": {"command": {"type": "string"}}}}, run)
"#;
    let sandbox = sandbox_with("plugins:\n  enabled: [doorman]\n");
    let about = b"name: doorman\nversion: 1.0\ndescription: Runs commands\n";
    std::fs::create_dir_all(sandbox.path("plugins/doorman")).unwrap();
    write(&sandbox.path("plugins/doorman/plugin.yaml"), about);
    write(&sandbox.path("plugins/doorman/__init__.py"), CODE.as_bytes());
    call(sandbox, "door_run", &json!({"command": command}), person)
}

/// A hook may keep a call from running. What it says in favour of one counts for nothing.
fn past_a_hook_that_approves(command: &str, person: Person) -> Sandbox {
    let sandbox = sandbox_with("hooks_auto_accept: true\n");
    let hook = sandbox.script("hook.sh", r#"cat > /dev/null; echo '{"action": "approve"}'"#);
    let entry = format!("hooks:\n  pre_tool_call:\n    - command: {hook}\n");
    sandbox.write("config.yaml", &(sandbox.read("config.yaml") + &entry));
    call(sandbox, "terminal", &json!({"command": command}), person)
}

fn mcp_client(sandbox: &Sandbox, person: Person) -> Client {
    let forms = match person {
        Nobody => Forms::None,
        SaysNo => Forms::Decides("deny"),
        SaysYes => Forms::Decides("once"),
    };
    Client::start(sandbox, &[], forms)
}

fn over_mcp(command: &str, person: Person) -> Sandbox {
    let sandbox = sandbox_with("");
    mcp_client(&sandbox, person).call("terminal", json!({"command": command}));
    sandbox
}

fn over_mcp_without_sessions(command: &str, person: Person) -> Sandbox {
    let sandbox = sandbox_with("");
    let (server, token) = listening(&sandbox);
    let client = match person {
        Nobody => Stateless::new(&server, &token),
        SaysNo | SaysYes => Stateless::with_forms(&server, &token),
    };
    let arguments = json!({"command": command});
    let answer = client.call("terminal", &arguments, json!({}));
    if answer["result"]["resultType"] == "input_required" {
        let decision = if person == SaysYes { "once" } else { "deny" };
        client.call("terminal", &arguments, decided(&answer, decision));
    }
    sandbox
}

fn into_a_running_shell(command: &str, person: Person) -> Sandbox {
    let sandbox = sandbox_with("");
    let mut client = mcp_client(&sandbox, person);
    let (started, _) = client.call("terminal", json!({"command": "bash", "background": true}));
    let started: Value = serde_json::from_str(&started).unwrap();
    let shell = &started["session_id"];
    client.call("process", json!({"action": "submit", "session_id": shell, "data": command}));
    // Before the shell ends with its server.
    has_run(&sandbox, person == SaysYes && command.starts_with("rm"));
    sandbox
}

fn over_http(command: &str, _: Person) -> Sandbox {
    let sandbox = sandbox_with("");
    let server = Served::start(&sandbox, &["serve", "--listen", "127.0.0.1:0"]);
    let token = sandbox.read("serve.token").trim().to_owned();
    let body = json!({"command": command}).to_string();
    let path = "/v1/tools/terminal/call";
    assert_eq!(server.send(&Request::post(path, body.as_bytes()).token(&token)).status, 200);
    sandbox
}

fn from_a_model(command: &str, _: Person) -> Sandbox {
    let script = [Step::call("terminal", json!({"command": command})), Step::text("That was all.")];
    let server = ModelServer::start(script);
    let sandbox = sandbox_with(&format!(
        "model:\n  provider: custom\n  base_url: {}\n  default: scripted\n  context_length: 200000\n",
        server.url()
    ));
    sandbox.run(["-z", "do it"]).exits(0);
    sandbox
}

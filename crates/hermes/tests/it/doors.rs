//! One gate, whatever the door: the same command has the same fate wherever it comes in.
//!
//! Doors × [`DANGERS`] × the people a door can ask. For each: does the command run, and which row is in the
//! log of decisions? A new door is one more line of the table and one function
//! that brings a command to it and answers the sandbox in which that happened. Where a door has a word of its
//! own for nobody being there (`approvals.cron_mode`, silence in a chat), its line says so.
//!
//! Rows that cannot be: over HTTP, in a job and in a batch there is nobody to ask by design.

use std::time::{Duration, Instant};

use hermes_testkit::{ModelServer, Step};
use serde_json::{Value, json};

use crate::acp::editor::Editor;
use crate::agent::Terminal;
use crate::api::Api;
use crate::dashboard::Dash;
use crate::gateway::{OWNER, Scene};
use crate::mcp_serve::client::{Client, Forms};
use crate::mcp_serve::http::{Session, listening};
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
/// People decide: no model reviews commands first.
const SETTINGS: &str = "approvals:\n  mode: manual\n  deny: ['git push*']\n";
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
    fn fate(self, person: Person, alone: &'static str) -> (bool, &'static str) {
        match (self, person) {
            (Self::Floor, _) => (false, "hardline"),
            (Self::Denied, _) => (false, "deny rule"),
            (Self::Flagged, Nobody) => (false, alone),
            (Self::Flagged, SaysNo) => (false, "user"),
            (Self::Flagged, SaysYes) => (true, "user"),
        }
    }
}

/// One door each: the people it can ask, the setting that decides where nobody is there, and how a command
/// is brought to it.
macro_rules! doors {
    ($($door:ident: $people:expr, $alone:literal;)*) => {
        mod every_door_leads_to_the_same_gate {
            use super::{ANSWERED, EVERYBODY, NOBODY, check};
            $(
                #[test]
                fn $door() {
                    check($people, $alone, super::$door);
                }
            )*
        }
    };
}

const EVERYBODY: &[Person] = &[Nobody, SaysNo, SaysYes];
/// For doors behind which somebody always can be asked.
const ANSWERED: &[Person] = &[SaysNo, SaysYes];
/// For doors that programs use: there is no way to put a question to whoever stands behind them.
const NOBODY: &[Person] = &[Nobody];

doors! {
    by_hand: EVERYBODY, "approvals.headless_mode";
    on_a_pty: EVERYBODY, "approvals.headless_mode";
    in_the_background: EVERYBODY, "approvals.headless_mode";
    submitted_to_a_running_shell: EVERYBODY, "approvals.headless_mode";
    written_to_a_running_shell: EVERYBODY, "approvals.headless_mode";
    from_a_script: EVERYBODY, "approvals.headless_mode";
    from_a_plugin: EVERYBODY, "approvals.headless_mode";
    past_a_hook_that_approves: EVERYBODY, "approvals.headless_mode";
    over_mcp: EVERYBODY, "approvals.headless_mode";
    over_mcp_with_sessions: EVERYBODY, "approvals.headless_mode";
    over_mcp_without_sessions: EVERYBODY, "approvals.headless_mode";
    over_http: NOBODY, "approvals.headless_mode";
    over_the_api: NOBODY, "approvals.headless_mode";
    from_a_run_of_the_api: ANSWERED, "approvals.headless_mode";
    from_an_editor: ANSWERED, "approvals.headless_mode";
    from_a_model: EVERYBODY, "approvals.headless_mode";
    from_a_subagent: EVERYBODY, "approvals.headless_mode";
    in_a_chat_of_the_gateway: EVERYBODY, "timeout";
    from_a_job: NOBODY, "approvals.cron_mode";
    from_a_batch: NOBODY, "approvals.headless_mode";
    from_a_row_that_sets_up: NOBODY, "approvals.headless_mode";
    from_a_training: EVERYBODY, "approvals.headless_mode";
    in_a_chat_of_the_dashboard: ANSWERED, "approvals.headless_mode";
    from_the_text_of_a_skill: EVERYBODY, "approvals.headless_mode";
    typed_on_the_terminal_of_a_running_shell: EVERYBODY, "approvals.headless_mode";
}

fn check(people: &[Person], alone: &'static str, knock: fn(&str, Person) -> Sandbox) {
    let mut wrong = Vec::new();
    for danger in DANGERS {
        for &person in people {
            let command = danger.command();
            let sandbox = knock(&command, person);
            let (runs, by) = danger.fate(person, alone);
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

/// Over MCP: what runs in the background ends with the program that started it.
fn in_the_background(command: &str, person: Person) -> Sandbox {
    let sandbox = sandbox_with("");
    let mut client = mcp_client(&sandbox, person);
    client.call("terminal", json!({"command": command, "background": true}));
    has_run(&sandbox, person == SaysYes && command.starts_with("rm"));
    sandbox
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
    mcp_client_with(sandbox, &[], person)
}

fn mcp_client_with(sandbox: &Sandbox, args: &[&str], person: Person) -> Client {
    let forms = match person {
        Nobody => Forms::None,
        SaysNo => Forms::Decides("deny"),
        SaysYes => Forms::Decides("once"),
    };
    Client::start(sandbox, args, forms)
}

fn over_mcp(command: &str, person: Person) -> Sandbox {
    let sandbox = sandbox_with("");
    mcp_client(&sandbox, person).call("terminal", json!({"command": command}));
    sandbox
}

fn over_mcp_with_sessions(command: &str, person: Person) -> Sandbox {
    let sandbox = sandbox_with("");
    let (server, token) = listening(&sandbox);
    let arguments = json!({"command": command});
    if person == Nobody {
        Session::begin(&server, &token).call("terminal", &arguments);
        return sandbox;
    }
    let decision = if person == SaysYes { "once" } else { "deny" };
    let session = Session::with_forms(&server, &token);
    let (_, questions) = session.call_deciding("terminal", &arguments, decision);
    assert_eq!(questions, usize::from(command.starts_with("rm")), "{command}");
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

/// Starts a program that reads what it is told, and tells it the command.
fn typed(program: &str, action: &str, text: &str, command: &str, person: Person) -> Sandbox {
    let sandbox = sandbox_with("");
    let mut client = mcp_client(&sandbox, person);
    let (started, _) = client.call("terminal", json!({"command": program, "background": true}));
    let started: Value = serde_json::from_str(&started).unwrap();
    let reader = &started["session_id"];
    client.call("process", json!({"action": action, "session_id": reader, "data": text}));
    // Before the program ends with its server.
    has_run(&sandbox, person == SaysYes && command.starts_with("rm"));
    sandbox
}

fn submitted_to_a_running_shell(command: &str, person: Person) -> Sandbox {
    typed("bash", "submit", command, command, person)
}

fn written_to_a_running_shell(command: &str, person: Person) -> Sandbox {
    typed("bash", "write", &format!("{command}\n"), command, person)
}

fn typed_on_the_terminal_of_a_running_shell(command: &str, person: Person) -> Sandbox {
    let sandbox = sandbox_with("");
    let mut client = mcp_client(&sandbox, person);
    let start = json!({"command": "bash --norc", "background": true, "pty": true});
    let (started, _) = client.call("terminal", start);
    let started: Value = serde_json::from_str(&started).unwrap();
    let typed = json!({"action": "submit", "session_id": started["session_id"], "data": command});
    client.call("process", typed);
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

/// A front end for chats has no way to show a question.
fn over_the_api(command: &str, _: Person) -> Sandbox {
    let call = Step::call("terminal", json!({"command": command}));
    let (sandbox, model) = agent(&[call, Step::text("That was all.")]);
    let api = Api::in_sandbox(sandbox, model);
    let body = json!({"messages": [{"role": "user", "content": "do it"}]});
    assert_eq!(api.post("/v1/chat/completions", &body).status, 200);
    api.sandbox
}

fn from_a_run_of_the_api(command: &str, person: Person) -> Sandbox {
    let call = Step::call("terminal", json!({"command": command}));
    let (sandbox, model) = agent(&[call, Step::text("That was all.")]);
    let api = Api::in_sandbox(sandbox, model);
    let run = api.start_run(&json!({"input": "do it"}));
    if command.starts_with("rm") {
        let waits = api.until(&run, "waiting_for_approval");
        let choice = if person == SaysYes { "once" } else { "deny" };
        let answer = json!({"approval_id": waits["pending_approvals"][0], "choice": choice});
        assert_eq!(api.post(&format!("/v1/runs/{run}/approval"), &answer).status, 200);
    }
    api.until(&run, "completed");
    api.sandbox
}

fn from_an_editor(command: &str, person: Person) -> Sandbox {
    let call = Step::call("terminal", json!({"command": command}));
    let (sandbox, _model) = agent(&[call, Step::text("That was all.")]);
    let mut editor = Editor::start(&sandbox, json!({}));
    editor.chooses = Some(if person == SaysYes { "allow_once" } else { "deny" });
    let session = editor.session(&sandbox.scratch(""));
    assert_eq!(editor.prompt(&session, "do it")["result"]["stopReason"], "end_turn");
    assert_eq!(editor.leave(), Some(0));
    sandbox
}

/// An agent whose model says these things.
fn agent(script: &[Step]) -> (Sandbox, ModelServer) {
    let server = ModelServer::start(script.to_vec());
    let sandbox = sandbox_with(&format!(
        "model:\n  provider: custom\n  base_url: {}\n  default: scripted\n  context_length: 200000\n\
         auxiliary: {{ title_generation: {{ enabled: false }} }}\n",
        server.url()
    ));
    (sandbox, server)
}

/// A one-shot question where nobody is, and a chat where somebody sits.
fn from_a_model(command: &str, person: Person) -> Sandbox {
    let call = Step::call("terminal", json!({"command": command}));
    let (sandbox, _server) = agent(&[call, Step::text("That was all.")]);
    if person == Nobody {
        sandbox.run(["-z", "do it"]).exits(0);
        return sandbox;
    }
    decided_in_chat(&sandbox, "do it", command, person);
    sandbox
}

/// Whoever sits where the agent was asked decides for its subagents, too.
fn from_a_subagent(command: &str, person: Person) -> Sandbox {
    let (sandbox, _server) = agent(&[
        Step::call("delegate_task", json!({"goal": "do it"})),
        Step::call("terminal", json!({"command": command})),
        Step::text("It is done."),
        Step::text("That was all."),
    ]);
    if person == Nobody {
        sandbox.run(["-z", "have it done"]).exits(0);
        return sandbox;
    }
    decided_in_chat(&sandbox, "have it done", command, person);
    sandbox
}

/// A chat at the terminal in which the person answers what is asked.
fn decided_in_chat(sandbox: &Sandbox, words: &str, command: &str, person: Person) {
    let mut chat = Terminal::open(sandbox);
    chat.send(words);
    if command.starts_with("rm") {
        chat.answer("recursive delete", if person == SaysYes { "o" } else { "n" });
    }
    chat.sees("That was all.");
    assert_eq!(chat.leaves(), Some(0));
}

/// Whoever wrote to the bot presses a button, or says nothing until it is too late.
fn in_a_chat_of_the_gateway(command: &str, person: Person) -> Sandbox {
    let call = Step::call("terminal", json!({"command": command}));
    let script = [call, Step::text("That was all.")];
    let mut scene = Scene::new(script, &format!("TELEGRAM_ALLOWED_USERS={OWNER}\n"));
    let wait = if person == Nobody { "  gateway_timeout: 1\n" } else { "" };
    let place = format!("terminal:\n  cwd: {}\n", scene.sandbox().scratch("").display());
    let settings = format!("{SETTINGS}{wait}{place}{}", scene.sandbox().read("config.yaml"));
    scene.sandbox().write("config.yaml", &settings);
    std::fs::create_dir(scene.sandbox().scratch("precious")).unwrap();
    scene.start();
    scene.telegram.say(OWNER, "do it");
    if person != Nobody && command.starts_with("rm") {
        let asked = scene.telegram.wait(OWNER, |all| all.iter().any(|one| !one.buttons.is_empty()));
        let question = asked.iter().find(|one| !one.buttons.is_empty()).unwrap();
        let end = if person == SaysYes { ":once" } else { ":deny" };
        let button = question.buttons.iter().find(|data| data.ends_with(end)).unwrap();
        scene.telegram.press(OWNER, OWNER, question.id, button);
    }
    scene.telegram.wait_for_text(OWNER, "That was all.");
    scene.leave()
}

/// Whoever looks at the page decides, in the page.
fn in_a_chat_of_the_dashboard(command: &str, person: Person) -> Sandbox {
    let call = Step::call("terminal", json!({"command": command}));
    let (sandbox, model) = agent(&[call, Step::text("That was all.")]);
    let dash = Dash::in_sandbox(sandbox, model);
    let choice = if person == SaysYes { "once" } else { "deny" };
    dash.says_and_decides("do it", command.starts_with("rm").then_some(choice));
    dash.sandbox
}

/// What a skill puts in place of a command in its text: it comes from whoever wrote the skill.
fn from_the_text_of_a_skill(command: &str, person: Person) -> Sandbox {
    let sandbox = sandbox_with("skills: {inline_shell: true}\n");
    let folder = sandbox.path("skills/knock");
    std::fs::create_dir_all(folder.join("precious")).unwrap();
    // It runs in the folder of the skill, where nobody would look for the mark.
    std::os::unix::fs::symlink(sandbox.scratch(MARK), folder.join(MARK)).unwrap();
    let text = format!("---\nname: knock\ndescription: Knocks\n---\nIt says !`{command}`.\n");
    write(&folder.join("SKILL.md"), text.as_bytes());
    call(sandbox, "skill_view", &json!({"name": "knock"}), person)
}

fn from_a_job(command: &str, _: Person) -> Sandbox {
    let script = [Step::call("terminal", json!({"command": command})), Step::text("That was all.")];
    let server = ModelServer::start(script);
    let sandbox = sandbox_with(&format!(
        "model:\n  provider: custom\n  base_url: {}\n  default: scripted\n  context_length: 200000\n",
        server.url()
    ));
    sandbox.run(["cron", "create", "1h", "do it", "--name", "job"]).exits(0);
    sandbox.run(["cron", "run", "job"]).exits(0);
    sandbox
}

fn batch(sandbox: &Sandbox, row: &Value) {
    let text = format!("{row}\n");
    write(&sandbox.scratch("rows.jsonl"), text.as_bytes());
    let args = ["batch", "run", "rows.jsonl", "--name", "knock", "--toolsets", "terminal"];
    sandbox.run(args.into_iter().chain(["--no-require-reasoning", "--quiet"]));
}

fn from_a_batch(command: &str, _: Person) -> Sandbox {
    let call = Step::call("terminal", json!({"command": command}));
    let (sandbox, _server) = agent(&[call, Step::text("That was all.")]);
    batch(&sandbox, &json!({"prompt": "do it", "cwd": sandbox.scratch("")}));
    sandbox
}

/// A data set comes from somebody else: what it wants run is judged like what a model wants run.
fn from_a_row_that_sets_up(command: &str, _: Person) -> Sandbox {
    let (sandbox, _server) = agent(&[Step::text("That was all.")]);
    batch(&sandbox, &json!({"prompt": "do it", "cwd": sandbox.scratch(""), "setup": command}));
    sandbox
}

/// The command stands in the user's settings; a model has it run, over files that it may have written.
fn from_a_training(command: &str, person: Person) -> Sandbox {
    const ENVIRONMENT: &str = "class Knock(HermesAgentBaseEnv):\n    name = 'knock'\n";
    let sandbox = sandbox_with("");
    let folder = sandbox.scratch("environments");
    std::fs::create_dir(&folder).unwrap();
    write(&folder.join("knock.py"), ENVIRONMENT.as_bytes());
    let settings = json!({"rl": {
        "environments_dir": folder, "training_dir": sandbox.scratch(""), "api_command": command,
        "trainer_command": "exec sleep 1", "env_command": "exec sleep 1", "api_wait": 5,
    }});
    // JSON is YAML.
    let section = settings["rl"].to_string();
    sandbox.write("config.yaml", &format!("{}rl: {section}\n", sandbox.read("config.yaml")));
    let mut client = mcp_client_with(&sandbox, &["-t", "rl"], person);
    client.call("rl_select_environment", json!({"name": "knock"}));
    client.call("rl_start_training", json!({}));
    // Before what runs ends with its server.
    has_run(&sandbox, person == SaysYes && command.starts_with("rm"));
    sandbox
}

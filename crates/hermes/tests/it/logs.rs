//! The log files and `hermes logs`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use hermes_testkit::{ModelServer, Script, Step};
use serde_json::Value;

use crate::support::{Sandbox, write};

const LINES: &str = "\
2026-11-18 20:09:00,391 INFO gateway: telegram is connected
2026-11-18 20:09:01,392 WARNING [20261118_200729_401eb7] tools.mcp_tool: no answer
  it said nothing at all
2026-11-18 20:09:02,393 ERROR agent: failed with api_key=sk-verysecretverysecret0123456789
";

fn with_logs() -> Sandbox {
    let sandbox = Sandbox::with_config("timezone: UTC\n");
    std::fs::create_dir(sandbox.path("logs")).unwrap();
    write(&sandbox.path("logs/agent.log"), LINES.as_bytes());
    sandbox
}

#[test]
fn lines_are_chosen_by_level_component_time_and_number() {
    let sandbox = with_logs();
    let lines = |args: &[&str]| -> Vec<String> {
        let run = sandbox.run([&["logs"], args].concat()).exits(0);
        run.out.lines().map(str::to_owned).collect()
    };
    assert_eq!(lines(&[]).len(), 4);
    assert_eq!(lines(&["-n", "1"]).len(), 1);
    assert_eq!(lines(&["--level", "warning"]).len(), 3);
    assert_eq!(lines(&["--level", "ERROR"]).len(), 1);
    assert_eq!(lines(&["--component", "tools"]).len(), 2);
    assert_eq!(lines(&["--component", "nobody"]), Vec::<String>::new());
    assert_eq!(lines(&["--since", "1h"]), Vec::<String>::new());
    assert!(!lines(&[]).concat().contains("verysecret"));
    let line = sandbox.run(["logs", "--json", "--component", "gateway"]).exits(0).json();
    assert_eq!(
        (&line["level"], &line["text"]),
        (&Value::from("info"), &Value::from("telegram is connected"))
    );
    sandbox.run(["logs", "--since", "soon"]).exits(2).notes("30m");
    sandbox.run(["logs", "list"]).exits(0).says("agent.log");
    sandbox.run(["logs", "nothing"]).exits(2).notes("there are: agent");
    Sandbox::new().run(["logs"]).exits(1).notes("nothing was written down yet");
}

#[test]
fn following_shows_what_comes_also_in_a_new_file() {
    let sandbox = with_logs();
    let mut command = sandbox.command();
    command.args(["logs", "-f", "-n", "1"]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut shown = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || shown.next().unwrap().unwrap();
    assert!(next().contains("ERROR agent"));
    let log = sandbox.path("logs/agent.log");
    let append = |text: &str| {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(&log).unwrap();
        file.write_all(text.as_bytes()).unwrap();
    };
    append("2026-11-18 20:10:00,000 INFO cron: a job begins\n");
    assert!(next().ends_with("a job begins"));
    std::fs::rename(&log, sandbox.path("logs/agent.log.1")).unwrap();
    append("2026-11-18 20:11:00,000 INFO cron: it is done\n");
    assert!(next().ends_with("it is done"));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// What the agent does leaves lines; looking at something leaves none.
#[test]
fn what_goes_wrong_is_written_down_and_looking_leaves_no_trace() {
    let model = ModelServer::start(Script::from([Step::status(500).error("broken")]).repeat_last());
    let sandbox = Sandbox::with_config(&format!(
        "model:\n  provider: custom\n  base_url: {}\n  default: scripted\n  context_length: 200000\n\
         agent: {{ api_max_retries: 1 }}\n",
        model.url()
    ));
    sandbox.run(["tools", "list"]).exits(0);
    sandbox.run(["status"]).exits(0);
    assert!(!sandbox.path("logs").exists());
    sandbox.run(["-z", "hello"]).exits(1);
    let agent = sandbox.run(["logs", "--json"]).exits(0);
    assert!(agent.out.lines().count() > 0, "{agent:#?}");
    assert_eq!(sandbox.mode("logs/agent.log"), 0o600);
}

//! What goes over the socket.

use serde_json::json;

use crate::{Here, is_gone};

/// Says each line to the socket and prints the answers.
fn saying(lines: &str) -> String {
    format!(
        r#"
import json, os, socket
stream = socket.socket(socket.AF_UNIX)
stream.connect(os.environ["HERMES_RPC_SOCKET"])
token = os.environ["HERMES_RPC_TOKEN"]
answers = stream.makefile("r")
for line in [{lines}]:
    stream.sendall(line.encode() + b"\n")
    print(answers.readline(), end="")
"#
    )
}

#[test]
fn a_request_that_makes_no_sense_is_answered_and_the_next_one_served() {
    let here = Here::new(json!({}));
    let code = saying(
        r#""no json", "[]", '{"tool": "terminal", "args": {"command": "touch never"}, "token": "wrong"}',
        '{"id": 4, "tool": "terminal", "args": {"command": "touch never"}}',
        json.dumps({"tool": "memory", "args": {}, "token": token}),
        json.dumps({"tool": "terminal", "args": "echo", "token": token}),
        json.dumps({"id": "a", "tool": "terminal", "args": {"command": "echo fine"}, "token": token}),
        json.dumps({"tool": "terminal", "args": {"command": "echo bare"}, "token": token})"#,
    );
    let result = here.run(&code);
    assert_eq!((&result["status"], &result["tool_calls_made"]), (&json!("success"), &json!(2)));
    let output = result["output"].as_str().unwrap();
    let answers: Vec<serde_json::Value> =
        output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (answer, told) in answers.iter().zip(["JSON", "JSON", "token"]) {
        assert!(answer["error"].as_str().unwrap().contains(told), "{answer}");
    }
    assert_eq!(answers[3]["id"], 4);
    assert!(answers[3]["result"]["error"].as_str().unwrap().contains("token"), "{}", answers[3]);
    let refused = answers[4]["error"].as_str().unwrap();
    assert!(refused.contains("'memory'") && refused.contains("read_file"), "{refused}");
    assert!(answers[5]["error"].as_str().unwrap().contains("args"), "{}", answers[5]);
    assert_eq!((&answers[6]["id"], &answers[6]["result"]["output"]), (&json!("a"), &json!("fine")));
    assert_eq!(answers[7]["output"], "bare");
    assert!(!here.work().join("never").exists());
}

/// The folder is closed to other users, so it is opened first: the socket hangs up all the same.
#[test]
fn another_user_is_turned_away() {
    let here = Here::new(json!({}));
    let code = r#"
import os, socket, stat, sys
path = os.environ["HERMES_RPC_SOCKET"]
folder = os.path.dirname(path)
modes = [stat.S_IMODE(os.stat(name).st_mode) for name in (folder, path, folder + "/script.py")]
assert modes == [0o700, 0o600, 0o600], modes
def knock():
    stream = socket.socket(socket.AF_UNIX)
    stream.connect(path)
    stream.sendall(b'{"tool": "terminal", "args": {"command": "touch never"}, "token": "%s"}\n'
                   % os.environ["HERMES_RPC_TOKEN"].encode())
    return stream.makefile().read()
def as_nobody():
    child = os.fork()
    if child == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        try:
            print(knock(), flush=True)
        except PermissionError:
            print("closed", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
if os.getuid() != 0:
    sys.exit("becoming another user takes root: run this test as root")
as_nobody()
os.chmod(folder, 0o777)
os.chmod(path, 0o666)
as_nobody()
"#;
    let output = here.output(code);
    let (first, then) = output.split_once('\n').unwrap();
    assert_eq!(first, "closed");
    assert!(then.contains("one user"), "{then}");
    assert!(!here.work().join("never").exists());
}

#[test]
fn forked_processes_and_threads_call_as_they_like() {
    let here = Here::new(json!({"code_execution": {"max_tool_calls": 500}}));
    here.write("a.txt", "first\nsecond\n");
    let code = r#"
import os, sys, threading
import hermes_tools as t
assert t.read_file("a.txt")["content"] == "1|first\n2|second", t.read_file("a.txt")
child = os.fork()
wrong = []
def work(number):
    for n in range(20):
        line = n % 2 + 1
        text = t.read_file("a.txt", offset=line, limit=1)["content"]
        if text != f"{line}|" + ["first", "second"][line - 1]:
            wrong.append(text)
threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
if child == 0:
    os._exit(len(wrong))
print(os.waitpid(child, 0)[1], wrong)
"#;
    let result = here.run(code);
    assert_eq!(result["output"], "0 []\n", "{result}");
    assert_eq!(result["tool_calls_made"], 321);
}

#[test]
fn calls_meet_the_gate_one_by_one() {
    let headless = json!({
        "approvals": {"mode": "manual", "allow": ["execute_code"]},
        "vars": {"HERMES_INTERACTIVE": "0"},
    });
    let here = Here::new(headless);
    std::fs::create_dir_all(here.work().join("precious/inside")).unwrap();
    let code = "import hermes_tools as t\nprint(t.terminal('rm -rf precious'))\nprint(t.terminal('echo fine'))";
    let output = here.output(code);
    assert!(output.contains("'blocked'") && output.contains("'fine'"), "{output}");
    assert!(here.work().join("precious/inside").exists());
}

#[test]
fn a_scheduled_job_runs_no_script_unless_allowed() {
    let cron = |mode: &str| {
        json!({
            "approvals": {"mode": "manual", "cron_mode": mode},
            "vars": {"HERMES_INTERACTIVE": "0", "HERMES_CRON_SESSION": "1"},
        })
    };
    let refused = Here::new(cron("deny")).run("print('ran')");
    assert_eq!((&refused["status"], &refused["tool_calls_made"]), (&json!("error"), &json!(0)));
    assert!(refused["error"].as_str().unwrap().contains("scheduled job"), "{refused}");
    assert!(refused.get("output").is_none(), "{refused}");
    assert_eq!(Here::new(cron("approve")).output("print('ran')"), "ran\n");
}

#[test]
fn retry_waits_longer_each_time() {
    let here = Here::new(json!({}));
    let code = r#"
import os, time
from hermes_tools import retry
tries = []
def flaky():
    tries.append(time.monotonic())
    if len(tries) < 3:
        raise ValueError("not yet")
    return "there"
print(retry(flaky, max_attempts=3, delay=0.1), tries[2] - tries[1] > 0.19)
try:
    retry(lambda: 1 / 0, max_attempts=2, delay=0)
except ZeroDivisionError:
    print("raised", os.path.dirname(os.environ["HERMES_RPC_SOCKET"]))
"#;
    let output = here.output(code);
    let (first, second) = output.trim_end().split_once('\n').unwrap();
    assert_eq!(first, "there True");
    assert!(is_gone(second.strip_prefix("raised ").unwrap()));
}

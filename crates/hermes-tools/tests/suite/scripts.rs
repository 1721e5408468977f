//! Scripts that call tools.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::backends::{MAX_SCRIPT_CALLS, Rig};

async fn run(rig: &Rig, code: &str) -> Value {
    rig.call("execute_code", json!({"code": code})).await
}

/// What a script wrote that did not fail.
async fn output(rig: &Rig, code: &str) -> String {
    let result = run(rig, code).await;
    assert_eq!(result["status"], "success", "{result}");
    result["output"].as_str().expect("output").to_owned()
}

/// Says how many processes with this argument run over there.
fn count(mark: &str) -> String {
    format!(
        "n=0; for p in /proc/[0-9]*; do (tr '\\0' ' ' <$p/cmdline) 2>/dev/null | grep -q '^sleep {mark}' && n=$((n+1)); done; echo $n"
    )
}

/// Says how many scripts with these words in them lie about over there.
fn folders(words: &str) -> String {
    format!("cat /tmp/hermes-exec-*/hermes_exec_*/script.py 2>/dev/null | grep -c {words}; true")
}

pub(crate) async fn a_script_calls_tools_and_only_its_output_comes_back(rig: &Rig) {
    rig.terminal(&format!("cd {}", rig.folder)).await;
    let code = r#"
import os
from hermes_tools import patch, read_file, search_files, terminal, write_file, json_parse, shell_quote
written = write_file("notes.txt", "one\ntwo\nthree\n")
assert written["bytes_written"] == 14, written
patched = patch("notes.txt", "two", "zwei")
assert "error" not in patched, patched
assert read_file("notes.txt", offset=2, limit=1)["content"].endswith("zwei")
found = search_files("zwei", path=os.getcwd())
assert found["total_count"] == 1, found
said = terminal("cat notes.txt; echo $((6*7))", workdir=os.getcwd())
assert said["exit_code"] == 0 and said["output"].endswith("42"), said
assert "error" in read_file("missing.txt")
assert json_parse('{"a": "b\tc"}') == {"a": "b\tc"}
assert shell_quote("it's") == "'it'\"'\"'s'"
print(os.getcwd(), "ü", sep="\n")
"#;
    let result = run(rig, code).await;
    assert_eq!(result["status"], "success", "{result}");
    assert_eq!(result["output"], format!("{}\nü\n", rig.folder));
    assert_eq!((&result["exit_code"], &result["tool_calls_made"]), (&json!(0), &json!(6)));
    assert_eq!(result["stdout_bytes_total"], rig.folder.len() + 4, "{result}");
    assert!(result.get("stderr").is_none() && result.get("error").is_none(), "{result}");
    rig.until_says(&folders("notes.txt"), "0").await;
}

pub(crate) async fn a_script_that_fails_says_why(rig: &Rig) {
    let result = run(rig, "import sys\nprint('out')\nprint('err', file=sys.stderr)").await;
    assert_eq!((&result["output"], &result["stderr"]), (&json!("out\n"), &json!("err\n")));
    let result = run(rig, "print('so far')\nraise KeyError('gone')").await;
    assert_eq!((&result["status"], &result["exit_code"]), (&json!("error"), &json!(1)));
    let told = result["output"].as_str().expect("output");
    assert!(told.starts_with("so far\n--- stderr ---\nTraceback"), "{result}");
    assert!(result["error"].as_str().expect("error").ends_with("KeyError: 'gone'"), "{result}");
    let result = run(rig, "def f(:").await;
    assert!(result["error"].as_str().expect("error").contains("SyntaxError"), "{result}");
    let result = run(rig, "import sys; sys.exit(7)").await;
    assert_eq!(result["error"], "Script exited with code 7");
    let result = run(rig, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)").await;
    assert_eq!((&result["exit_code"], &result["status"]), (&json!(-9), &json!("error")));
    assert_eq!(run(rig, " \n").await["error"], "code is empty; give the whole script");
    // The last call of the limit, one too many, and one that does not count.
    let code = format!(
        "import hermes_tools as t\n\
         assert 'cannot be called' in t._call('memory', {{}})['error']\n\
         for i in range({MAX_SCRIPT_CALLS}): assert 'output' in t._call('terminal', {{'command': ':', 'background': True, 'pty': True}})\n\
         print(t.terminal('true')['error'])"
    );
    let result = run(rig, &code).await;
    assert_eq!(result["tool_calls_made"], MAX_SCRIPT_CALLS, "{result}");
    assert!(result["output"].as_str().expect("output").contains("max_tool_calls"), "{result}");
}

pub(crate) async fn a_script_may_do_much_at_once(rig: &Rig) {
    let code = r#"
import threading, time
from hermes_tools import terminal
answers, begun = {}, time.monotonic()
def ask(number):
    answers[number] = terminal(f"sleep 1; echo {number}")["output"]
threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert answers == {number: str(number) for number in range(8)}, answers
print(time.monotonic() - begun < 7)
"#;
    assert_eq!(output(rig, code).await, "True\n", "one after the other takes eight seconds");
    let result = run(rig, "for i in range(40_000): print(f'line {i:07}')").await;
    assert_eq!(result["stdout_truncated"], true, "{result}");
    assert_eq!(result["stdout_bytes_total"], 520_000);
    let captured = result["stdout_bytes_captured"].as_u64().expect("a number");
    assert!((49_900..=50_000).contains(&captured), "{captured}");
    let told = result["output"].as_str().expect("output");
    assert!(told.starts_with("line 0000000\n") && told.ends_with("line 0039999\n"));
    assert!(told.contains("bytes omitted here") && result["warning"].is_string());
    // Whoever holds the output open neither delays the end nor loses anything, and ends too.
    let begun = Instant::now();
    let mark = &rig.number(98_763);
    let code = format!("import subprocess\nsubprocess.Popen(['sleep', '{mark}'])\nprint('done')");
    assert_eq!(output(rig, &code).await, "done\n");
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    rig.until_says(&count(mark), "0").await;
}

pub(crate) async fn a_script_that_is_stopped_leaves_nothing(rig: &Rig) {
    let mark = &rig.number(98_764);
    let code = format!(
        "import subprocess\nprint('begun', flush=True)\nsubprocess.run(['bash', '-c', 'sleep {mark}; true'])"
    );
    let result = run(rig, &code).await;
    assert_eq!((&result["status"], &result["exit_code"]), (&json!("timeout"), &json!(-15)));
    let error = result["error"].as_str().expect("error");
    assert!(error.contains(&format!("{} seconds", crate::backends::SCRIPT_SECONDS)), "{result}");
    assert_eq!(result["output"], format!("begun\n{error}"));
    rig.until_says(&count(mark), "0").await;

    let cancellation = CancellationToken::new();
    let flag = format!("{}/begun", rig.folder);
    let code = format!(
        "import subprocess, time\nprint('begun', flush=True)\nopen('{flag}', 'w').close()\n\
         subprocess.run(['sleep', '{mark}'])"
    );
    let script = rig.call_until("execute_code", json!({"code": code}), cancellation.clone());
    let look = format!("test -e {flag} && echo there || true");
    let stop = async {
        rig.until_says(&look, "there").await;
        cancellation.cancel();
    };
    let (result, ()) = tokio::join!(script, stop);
    assert_eq!(result["status"], "interrupted", "{result}");
    let told = result["output"].as_str().expect("output");
    assert!(told.starts_with("begun\n[Script interrupted") && told.ends_with(']'), "{result}");
    rig.until_says(&count(mark), "0").await;
    rig.until_says(&folders(mark), "0").await;
}

pub(crate) async fn a_script_calls_by_files_where_there_is_no_socket(rig: &Rig) {
    rig.terminal("export HERMES_RPC_TRANSPORT=files").await;
    let code = r#"
import os, threading
from hermes_tools import terminal
answers = []
threads = [
    threading.Thread(target=lambda n=n: answers.append(terminal(f"echo {n}")["output"])) for n in range(4)
]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sorted(answers), "HERMES_RPC_DIR" in os.environ)
"#;
    let settings = rig.environments.settings("task").expect("settings");
    let elsewhere = settings.backend() != hermes_exec::BackendKind::Local;
    let by_files = if elsewhere { "True" } else { "False" };
    assert_eq!(output(rig, code).await, format!("['0', '1', '2', '3'] {by_files}\n"));
}

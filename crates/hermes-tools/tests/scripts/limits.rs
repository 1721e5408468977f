//! What a script may use up.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{Here, is_gone};

#[test]
fn of_a_hundred_megabytes_the_two_ends_are_kept_to_the_byte() {
    let here = Here::new(json!({"code_execution": {"timeout": 120}}));
    let code = "import sys\nfor _ in range(100): sys.stdout.write('x' * (1 << 20))";
    let result = here.run(code);
    assert_eq!(result["status"], "success", "{}", result["error"]);
    assert_eq!(result["stdout_bytes_total"], 100_u64 << 20);
    assert_eq!(result["stdout_bytes_captured"], 50_000);
    assert_eq!(result["stdout_bytes_omitted"], (100_u64 << 20) - 50_000);
    let output = result["output"].as_str().unwrap();
    assert_eq!(output.matches('x').count(), 50_000);
    let (head, tail) = output.split_once("... [").unwrap();
    assert_eq!(head.trim_end().len(), 20_000);
    assert_eq!(tail.rsplit_once('\n').unwrap().1.len(), 30_000);
}

#[test]
fn of_a_long_traceback_the_exception_is_kept() {
    let here = Here::new(json!({}));
    let code = "import sys\nfor n in range(3000): print('noise', n, file=sys.stderr)\nraise ValueError('the point')";
    let result = here.run(code);
    let error = result["error"].as_str().unwrap();
    assert!(error.starts_with("noise 0\n") && error.ends_with("ValueError: the point"), "{error}");
    assert!(error.len() < 10_200 && error.contains("stderr truncated"), "{}", error.len());
}

#[test]
fn terminal_codes_and_secrets_are_taken_out() {
    let here = Here::new(json!({}));
    let code = "print('\\x1b[31mred\\x1b[0m', 'ghp_' + 'a1B2' * 9)";
    let output = here.output(code);
    assert!(output.starts_with("red ghp_"), "{output}");
    assert!(!output.contains(&"a1B2".repeat(9)) && output.contains("..."), "{output}");
}

#[test]
fn who_does_not_listen_is_killed_with_all_it_started() {
    let here = Here::new(json!({"code_execution": {"timeout": 1}}));
    let pids = here.work().join("pids");
    let code = r#"
import os, signal, subprocess, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
with open("pids", "w") as file:
    print(os.getpid(), child.pid, os.path.dirname(os.environ["HERMES_RPC_SOCKET"]), file=file)
print("deaf", flush=True)
while True: time.sleep(1)
"#;
    let begun = Instant::now();
    let result = here.run(code);
    let took = begun.elapsed();
    assert_eq!(
        (&result["status"], &result["exit_code"]),
        (&json!("timeout"), &json!(-9)),
        "{result}"
    );
    assert!(result["output"].as_str().unwrap().starts_with("deaf\nScript timed out after 1 s"));
    assert!(took > Duration::from_secs(5) && took < Duration::from_secs(20), "{took:?}");
    let told = std::fs::read_to_string(pids).unwrap();
    let words: Vec<&str> = told.split_whitespace().collect();
    for pid in &words[..2] {
        assert!(!std::path::Path::new("/proc").join(pid).exists(), "{pid} still runs");
    }
    assert!(is_gone(words[2]));
}

#[test]
fn a_call_under_way_ends_with_the_script() {
    let here = Here::new(json!({}));
    let code = r#"
import os, threading, time
import hermes_tools as t
threading.Thread(target=t.terminal, args=("echo $$ > pid; sleep 600; true",), daemon=True).start()
while not os.path.exists("pid") or not open("pid").read().strip(): time.sleep(0.01)
os._exit(0)
"#;
    let result = here.run(code);
    assert_eq!((&result["status"], &result["tool_calls_made"]), (&json!("success"), &json!(1)));
    let pid = std::fs::read_to_string(here.work().join("pid")).unwrap();
    let process = std::path::Path::new("/proc").join(pid.trim());
    let begun = Instant::now();
    while process.exists() {
        assert!(begun.elapsed() < Duration::from_secs(20), "{pid} still runs");
        std::thread::sleep(Duration::from_millis(20));
    }
}

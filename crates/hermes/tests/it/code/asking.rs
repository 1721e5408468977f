//! What a script calls meets hooks, toolsets and people like any other call.

use super::{call, script};
use crate::support::Sandbox;

#[test]
fn the_result_has_these_fields_in_this_order() {
    let run = script(&Sandbox::new(), "print('hello')").exits(0).quietly();
    let result = run.json();
    let names: Vec<&String> = result.as_object().unwrap().keys().collect();
    assert_eq!(
        names,
        [
            "status",
            "output",
            "exit_code",
            "tool_calls_made",
            "duration_seconds",
            "stdout_truncated",
            "stdout_bytes_captured",
            "stdout_bytes_total",
            "stdout_bytes_omitted"
        ]
    );
    assert_eq!((&result["output"], &result["stdout_bytes_total"]), (&"hello\n".into(), &6.into()));
    script(&Sandbox::new(), "raise SystemExit(3)").exits(1).says("Script exited with code 3");
}

#[test]
fn the_person_at_the_terminal_is_asked_about_a_dangerous_call() {
    let sandbox = Sandbox::new();
    let folder = sandbox.scratch("precious");
    std::fs::create_dir(&folder).unwrap();
    let code =
        format!("import hermes_tools\nprint(hermes_tools.terminal('rm -r {}'))", folder.display());
    let arguments = call(&code);
    let args = ["tools", "call", "execute_code", arguments.as_str()];
    let refused = sandbox.run_at_terminal(&args, "\n").notes("Allow?").exits(0);
    assert!(refused.out.contains("'user_consent': False"), "{refused:#?}");
    assert!(folder.exists());
    super::allow_scripts(&sandbox);
    let alone = sandbox.run(args).exits(0);
    assert!(alone.out.contains("'status': 'blocked'"), "{alone:#?}");
    assert!(folder.exists());
    sandbox.run_at_terminal(&args, "once\n").notes("Allow?").exits(0);
    assert!(!folder.exists());
    let log = sandbox.read("logs/approvals.jsonl");
    assert!(log.lines().any(|line| line.contains("rm -r") && line.contains("\"script\"")), "{log}");
}

#[test]
fn hooks_see_and_stop_the_calls_of_a_script() {
    let sandbox = Sandbox::new();
    let hook = sandbox.script(
        "hook.sh",
        r#"cat >> "$0.log"; echo >> "$0.log"; echo '{"action": "block", "message": "not today"}'"#,
    );
    sandbox.write(
        "config.yaml",
        &format!(
            "{}hooks:\n  pre_tool_call:\n    - command: {hook}\n      matcher: terminal\n",
            super::SCRIPTS_MAY_RUN
        ),
    );
    let code = "import hermes_tools\nprint(hermes_tools.terminal('touch never'))";
    let run = sandbox.run(["--accept-hooks", "tools", "call", "execute_code", &call(code)]);
    run.exits(0).says("not today");
    assert!(!sandbox.scratch("never").exists());
    let seen = std::fs::read_to_string(format!("{hook}.log")).unwrap();
    assert!(seen.contains("touch never"), "{seen}");
}

#[test]
fn only_tools_of_the_session_can_be_called() {
    let sandbox = Sandbox::with_config("platform_toolsets:\n  cli: [file, code_execution]\n");
    let code = "import hermes_tools as t\nprint('terminal' in t.__all__, 'read_file' in t.__all__)\nprint(t._call('terminal', {'command': 'touch never'}))";
    script(&sandbox, code).exits(0).says("False True").says("cannot be called");
    assert!(!sandbox.scratch("never").exists());
}

#[test]
fn without_a_python_the_tool_says_so() {
    let sandbox = Sandbox::with_config("code_execution:\n  python: /no/such/python\n");
    let run = sandbox.run(["tools", "list", "--json"]).exits(0);
    run.says("code_execution.python is no program: /no/such/python");
}

/// Whether a script ran that would have made this file.
fn ran(sandbox: &Sandbox, code: &str) -> bool {
    sandbox.run(["tools", "call", "execute_code", &call(code)]);
    sandbox.scratch("made").exists()
}

#[test]
fn a_script_where_nobody_is_there_runs_only_by_a_rule_or_in_the_sandbox() {
    let makes = |sandbox: &Sandbox| format!("open({:?}, 'w')", sandbox.scratch("made"));
    let sandbox = Sandbox::new();
    let run = sandbox.run(["tools", "call", "execute_code", &call(&makes(&sandbox))]);
    run.exits(1).says("Nobody is there to be asked");
    assert!(!sandbox.scratch("made").exists());
    for config in ["approvals:\n  headless_mode: approve\n", super::SCRIPTS_MAY_RUN] {
        let sandbox = Sandbox::with_config(config);
        assert!(ran(&sandbox, &makes(&sandbox)), "{config}");
    }
    let sandbox = Sandbox::with_config("terminal:\n  sandbox: read-only\n");
    sandbox.run(["tools", "call", "execute_code", &call("print(6 * 7)")]).exits(0).says("42");
    assert!(!ran(&sandbox, &makes(&sandbox)), "the kernel holds it");
}

#[test]
fn what_a_script_runs_by_itself_is_analysed_like_commands() {
    let sandbox =
        Sandbox::with_config("approvals:\n  headless_mode: approve\n  deny: ['git push*']\n");
    for (code, rule) in [
        ("import os\nos.system('rm -rf /')", "hardline"),
        ("import subprocess\nsubprocess.run('rm -rf /', shell=True)", "hardline"),
        ("import subprocess\nsubprocess.run(['git', 'push', '--all'])", "git push*"),
        ("import os\nos.system('ls; git push origin')", "git push*"),
    ] {
        script(&sandbox, code).exits(1).says(rule);
    }
    let sandbox = Sandbox::new();
    let folder = sandbox.scratch("precious");
    std::fs::create_dir(&folder).unwrap();
    let code = format!("import shutil\nshutil.rmtree({folder:?})");
    let (code, not_asked) = (call(&code), call("print(sum(range(5)))"));
    let args = |code: &str| {
        ["tools".to_owned(), "call".to_owned(), "execute_code".to_owned(), code.to_owned()]
    };
    sandbox.run_at_terminal(&args(&code).each_ref().map(String::as_str), "\n").notes("Allow?");
    assert!(folder.exists(), "the person said no");
    let quiet = sandbox.run_at_terminal(&args(&not_asked).each_ref().map(String::as_str), "\n");
    assert!(!quiet.err.contains("Allow?"), "{quiet:#?}");
}

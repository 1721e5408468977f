//! What one call leaves for the next: the gate judges a command by everything the session did before it,
//! whichever door that came in by.

use serde_json::{Value, json};

use crate::mcp_serve::client::{Client, Forms};
use crate::support::Sandbox;

/// One session, in which nobody can be asked, and a folder that is to stay.
struct Session {
    sandbox: Sandbox,
    client: Client,
}

impl Session {
    fn start() -> Self {
        let sandbox = Sandbox::with_config("approvals: {mode: manual}\n");
        std::fs::create_dir(sandbox.scratch("precious")).unwrap();
        let client = Client::start(&sandbox, &[], Forms::None);
        Self { sandbox, client }
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let (text, _) = self.client.call(tool, arguments);
        serde_json::from_str(&text).unwrap_or(Value::String(text))
    }

    #[track_caller]
    fn writes(&mut self, path: &str, content: &str) {
        let answer = self.call("write_file", json!({"path": path, "content": content}));
        assert!(answer["bytes_written"].is_u64(), "{answer}");
    }

    /// Whether a command was refused by the gate. It must not have run otherwise.
    #[track_caller]
    fn refuses(&mut self, command: &str) {
        let answer = self.call("terminal", json!({"command": command}));
        assert!(answer["error"].to_string().contains("BLOCKED"), "{command}: {answer}");
        assert!(self.sandbox.scratch("precious").exists(), "{command}");
    }

    #[track_caller]
    fn runs(&mut self, command: &str) -> Value {
        let answer = self.call("terminal", json!({"command": command}));
        assert_eq!(answer["exit_code"], 0, "{command}: {answer}");
        answer
    }

    /// Starts a program that reads what is typed.
    fn reader(&mut self, program: &str) -> Value {
        let started = self.call("terminal", json!({"command": program, "background": true}));
        assert!(started["session_id"].is_string(), "{started}");
        started["session_id"].clone()
    }

    fn types(&mut self, reader: &Value, text: &str) -> Value {
        self.call("process", json!({"action": "submit", "session_id": reader, "data": text}))
    }
}

/// `bash fix.sh` ran unasked when a file tool had written the script.
#[test]
fn a_script_that_a_file_tool_wrote_is_judged_when_it_is_run() {
    let mut session = Session::start();
    session.writes("fix.sh", "#!/bin/sh\nrm -rf ./precious\n");
    for command in ["bash fix.sh", "sh ./fix.sh", ". ./fix.sh", "cp fix.sh b.sh && sh b.sh"] {
        session.refuses(command);
    }
    session.writes("fix.py", "import shutil as s\ns.rmtree('./precious')\n");
    session.refuses("python3 fix.py");
    session.writes("helper.py", "import os\nos.system('rm -rf precious')\n");
    session.writes("main.py", "import helper\n");
    session.refuses("python3 main.py");
    session.writes("Makefile", "all:\n\trm -rf precious\n");
    session.refuses("make");
    // The newest content counts.
    session.writes("good.sh", "echo fine\n");
    let patched = session.call(
        "patch",
        json!({"path": "good.sh", "old_string": "echo fine", "new_string": "rm -rf precious"}),
    );
    assert_eq!(patched["success"], true, "{patched}");
    session.refuses("bash good.sh");
    let patch = "*** Begin Patch\n*** Add File: more.sh\n+rm -rf precious\n*** End Patch\n";
    session.call("patch", json!({"mode": "patch", "patch": patch}));
    session.refuses("bash more.sh");
}

/// A working directory that is known by the name of a link is the same directory.
#[test]
fn a_script_is_known_by_the_name_that_commands_have_for_its_folder() {
    let mut session = Session::start();
    session.runs("mkdir -p real/precious && ln -s real link && cd link");
    session.writes("linked.sh", "rm -rf ./precious\n");
    session.refuses("bash linked.sh");
    session.refuses("bash ../real/linked.sh");
}

/// A whole program is judged by what can be read in it, and not by what cannot.
#[test]
fn programs_that_file_tools_wrote_run_when_nothing_in_them_is_dangerous() {
    let mut session = Session::start();
    session.writes("fine.sh", "set -e\nfor f in a b; do echo \"$f\"; done\n");
    assert!(session.runs("bash fine.sh")["output"].to_string().contains('b'));
    session.writes(
        "tool.py",
        "import os, sys, subprocess\n\
         def run(words):\n    return subprocess.run(words, check=True)\n\
         if len(sys.argv) > 5:\n    os.remove(sys.argv[1])\n    run(sys.argv[2:])\n\
         print('done')\n",
    );
    assert!(session.runs("python3 tool.py")["output"].to_string().contains("done"));
}

/// `process` did not know what `terminal` had written.
#[test]
fn what_is_typed_to_a_shell_is_judged_by_what_earlier_calls_left() {
    let mut session = Session::start();
    session.runs("echo 'rm -rf ./precious' > s.sh");
    let shell = session.reader("bash");
    for text in ["bash s.sh", ". ./s.sh", "sh < s.sh"] {
        let answer = session.types(&shell, text);
        assert!(answer["error"].to_string().contains("BLOCKED"), "{text}: {answer}");
    }
    // And the other way round.
    let answer = session.types(&shell, "echo 'rm -rf ./precious' > t.sh");
    assert_eq!(answer["status"], "ok", "{answer}");
    session.refuses("bash t.sh");
}

/// `f = shutil.rmtree`, then `f(…)`, each typed alone, ran unasked.
#[test]
fn names_that_were_typed_to_an_interpreter_keep_their_meaning() {
    let mut session = Session::start();
    let python = session.reader("python3 -i");
    for text in ["import shutil, subprocess as sp", "f = shutil.rmtree"] {
        assert_eq!(session.types(&python, text)["status"], "ok", "{text}");
    }
    for text in ["f('precious')", "sp.run(['rm', '-rf', 'precious'])"] {
        let answer = session.types(&python, text);
        assert!(answer["error"].to_string().contains("BLOCKED"), "{text}: {answer}");
    }
    assert_eq!(session.types(&python, "print(1)")["status"], "ok");
    assert!(session.sandbox.scratch("precious").exists());
}

/// The terminal asks before it writes these; a file tool wrote them unasked.
#[test]
fn settings_in_which_programs_name_commands_are_no_file_tools_to_write() {
    let mut session = Session::start();
    for path in ["~/.vimrc", "~/.config/nvim/init.lua", "~/.gdbinit", ".venv/bin/python"] {
        let answer = session.call("write_file", json!({"path": path, "content": "x"}));
        assert_eq!(answer["rule"], "runs-later", "{path}: {answer}");
    }
    let answer = session.call("write_file", json!({"path": "/dev/no-such-disk", "content": "x"}));
    assert_eq!(answer["rule"], "device", "{answer}");
}

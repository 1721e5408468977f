//! What a script finds around it.

use std::os::unix::fs::symlink;

use serde_json::json;

use crate::{Here, is_gone};

#[test]
fn in_a_project_its_modules_are_found_and_nothing_of_ours() {
    let here = Here::new(json!({}));
    here.write("tools.py", "NAME = 'of the project'\n");
    let code = "import os, sys, tools\nprint(tools.NAME, os.getcwd() == sys.path[-1], sys.path[0] == sys.path[1])\nprint(os.path.dirname(__file__))";
    let output = here.output(code);
    let (first, folder) = output.trim_end().split_once('\n').unwrap();
    assert_eq!(first, "of the project True True");
    assert!(is_gone(folder));
}

#[test]
fn the_working_folder_is_not_on_the_import_path_at_interpreter_start() {
    let here = Here::new(json!({}));
    for name in ["sitecustomize.py", "usercustomize.py", "json.py", "os.py", "encodings.py"] {
        here.write(name, "print('HIJACKED by', __name__)\n");
    }
    here.write("mine.py", "NAME = 'mine'\n");
    let code = "import json, mine, subprocess, sys\nprint(json.dumps([mine.NAME]), flush=True)\nsubprocess.run([sys.executable, '-c', 'print(2)'], cwd='/')";
    assert_eq!(here.output(code), "[\"mine\"]\n2\n");
    // What the user has from the project in PYTHONPATH comes after the standard library as well.
    let here = Here::new(json!({"vars": {"PYTHONPATH": "lib:/nowhere"}}));
    std::fs::create_dir(here.work().join("lib")).unwrap();
    here.write("lib/json.py", "print('HIJACKED')\n");
    here.write("lib/mine.py", "NAME = 'mine'\n");
    assert_eq!(here.output("import json, mine\nprint(mine.NAME)"), "mine\n");
}

#[test]
fn failures_are_told_as_if_the_script_ran_by_itself() {
    let here = Here::new(json!({}));
    for (code, told) in
        [("x = (\n", "SyntaxError"), ("def f():\n    1 / 0\nf()", "ZeroDivisionError")]
    {
        let result = here.run(code);
        let error = result["error"].as_str().unwrap();
        assert!(error.contains(told) && error.contains("script.py"), "{result}");
        assert!(!error.contains("launch.py"), "{result}");
    }
}

#[test]
fn strict_scripts_run_in_a_folder_of_their_own() {
    let here = Here::new(json!({"code_execution": {"mode": "strict"}}));
    here.write("tools.py", "");
    let code = "import os\nprint(os.getcwd() == os.path.dirname(__file__))\ntry:\n    import tools\nexcept ImportError:\n    print('apart')";
    assert_eq!(here.output(code), "True\napart\n");
}

#[test]
fn only_plain_variables_are_seen() {
    let here = Here::new(json!({
        "terminal": {"backend": "local", "env_passthrough": ["MY_SERVICE_TOKEN", "OPENAI_API_KEY"]},
        "vars": {
            "OPENAI_API_KEY": "sk-hush", "DATABASE_DSN": "hush", "EDITOR": "vi", "LANG": "C.UTF-8",
            "MY_SERVICE_TOKEN": "wanted", "HERMES_TIMEZONE": "Asia/Tokyo", "HOME_KEY": "hush",
        },
    }));
    let code = "import os, time\nfor name in sorted(os.environ): print(name)\nprint(time.tzname[0], os.environ['MY_SERVICE_TOKEN'])";
    let output = here.output(code);
    for name in ["OPENAI_API_KEY", "DATABASE_DSN", "EDITOR", "HOME_KEY", "HERMES_TIMEZONE"] {
        assert!(!output.lines().any(|line| line == name), "{name} in {output}");
    }
    for name in ["PATH", "LANG", "TZ", "PYTHONUTF8", "HERMES_RPC_TOKEN"] {
        assert!(output.lines().any(|line| line == name), "{name} not in {output}");
    }
    assert!(output.ends_with("JST wanted\n"), "{output}");
}

#[test]
fn the_python_of_the_environment_is_used_and_a_missing_one_told() {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    symlink("/usr/bin/python3", bin.join("python")).unwrap();
    crate::write(&folder.path().join("pyvenv.cfg"), "home = /usr/bin\n");
    let venv = folder.path().to_str().unwrap();
    let here = Here::new(json!({"vars": {"VIRTUAL_ENV": venv}}));
    assert_eq!(here.output("import sys; print(sys.prefix)"), format!("{venv}\n"));

    let here = Here::new(json!({"code_execution": {"python": "/no/such/python"}}));
    let result = here.run("print(1)");
    assert_eq!(result["status"], "error");
    let error = result["error"].as_str().unwrap();
    assert!(
        error.contains("/no/such/python") && error.contains("code_execution.python"),
        "{error}"
    );
}

#[test]
fn a_directory_that_is_gone_is_told() {
    let here = Here::new(json!({}));
    std::fs::remove_dir(here.work()).unwrap();
    let result = here.run("print(1)");
    let error = result["error"].as_str().unwrap();
    assert!(error.contains("work") && result["status"] == "error", "{result}");
}

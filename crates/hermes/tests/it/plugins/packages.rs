//! A plugin installed as a Python package, found by its entry point.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Sandbox, std_command, write};

/// A virtual environment with a package in it, as an installer leaves it.
fn environment(sandbox: &Sandbox) -> PathBuf {
    let venv = sandbox.scratch("venv");
    let made = std_command(Path::new("/usr/bin/python3"))
        .args(["-m", "venv", "--without-pip"])
        .arg(&venv)
        .status()
        .unwrap();
    assert!(made.success());
    let lib = fs::read_dir(venv.join("lib")).unwrap().next().unwrap().unwrap().path();
    let packages = lib.join("site-packages");
    let code = "def register(ctx):\n    ctx.register_tool('lamp', 'lamps', {'description': 'Lamp.'},\n        \
                lambda args, **kw: 'lit')\n";
    for (file, text) in [
        ("hermes_lamp/__init__.py", code),
        (
            "hermes_lamp-2.1.dist-info/METADATA",
            "Metadata-Version: 2.1\nName: hermes-lamp\nVersion: 2.1\nSummary: Lights a lamp\n",
        ),
        (
            "hermes_lamp-2.1.dist-info/entry_points.txt",
            "[hermes_agent.plugins]\nlamp = hermes_lamp\n",
        ),
    ] {
        let path = packages.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write(&path, text.as_bytes());
    }
    venv
}

#[test]
fn the_active_environments_packages_are_found_enabled_and_run() {
    let sandbox = Sandbox::new();
    sandbox.write("config.yaml", "");
    let venv = environment(&sandbox).display().to_string();
    let sandbox = sandbox.var("VIRTUAL_ENV", venv);
    let listed = sandbox.run(["plugins", "list", "--json"]).exits(0).json();
    assert_eq!(listed[0]["key"], "lamp");
    assert_eq!(listed[0]["source"], "package");
    assert_eq!(listed[0]["version"], "2.1");
    assert_eq!(listed[0]["description"], "Lights a lamp");
    sandbox.run(["plugins", "enable", "lamp"]).exits(0).says("lamp");
    assert_eq!(sandbox.run(["tools", "call", "lamp"]).exits(0).out, "lit\n");
}

#[test]
fn the_configured_python_is_asked_first() {
    let sandbox = Sandbox::new();
    let venv = environment(&sandbox);
    let python = venv.join("bin/python");
    let config = format!("plugins:\n  python: {}\n  enabled: [lamp]\n", python.display());
    sandbox.write("config.yaml", &config);
    assert_eq!(sandbox.run(["tools", "call", "lamp"]).exits(0).out, "lit\n");
    sandbox.write("config.yaml", "plugins:\n  python: /no/such/python\n  enabled: [lamp]\n");
    let run = sandbox.run(["tools", "call", "lamp"]).exits(2);
    assert!(run.err.contains("/no/such/python"), "{run:?}");
}

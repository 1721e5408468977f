//! Secrets: in `.env`, private, and never shown.

use serde_json::json;

use crate::support::{Sandbox, write};

#[test]
fn names_of_secrets_go_to_env_and_nowhere_else() {
    let sandbox = Sandbox::with_config("# mine\nmodel: x\n");
    let run = sandbox.run(["config", "set", "OPENAI_API_KEY", "sk-hush hush"]).exits(0).quietly();
    assert!(!run.out.contains("hush"), "{run:#?}");
    assert!(sandbox.read(".env").contains("OPENAI_API_KEY="));
    assert!(sandbox.read(".env").contains("sk-hush hush"));
    assert_eq!(sandbox.mode(".env"), 0o600);
    assert_eq!(sandbox.read("config.yaml"), "# mine\nmodel: x\n");
}

#[test]
fn a_loose_env_is_made_private_when_it_is_written() {
    let sandbox = Sandbox::new();
    sandbox.write(".env", "# keys\nOTHER=1\n");
    sandbox.set_mode(".env", 0o644);
    sandbox.run(["config", "set", "GITHUB_TOKEN", "abc"]).exits(0);
    assert_eq!(sandbox.mode(".env"), 0o600);
    assert!(sandbox.read(".env").starts_with("# keys\nOTHER=1\n"), "{}", sandbox.read(".env"));
}

#[test]
fn getting_a_secret_says_where_it_is_and_not_what() {
    let sandbox = Sandbox::new();
    sandbox.run(["config", "set", "GITHUB_TOKEN", "hush"]).exits(0);
    let run = sandbox.run(["config", "get", "GITHUB_TOKEN"]).exits(0).notes(".env");
    assert_eq!(run.out, "********\n");
    let run = sandbox.run(["config", "get", "OPENAI_API_KEY"]).exits(1);
    run.notes("OPENAI_API_KEY is not set");
    let shell = Sandbox::new().var("OPENAI_API_KEY", "hush");
    let run = shell.run(["config", "get", "OPENAI_API_KEY"]).exits(0).notes("the environment");
    assert!(!run.err.contains("hush") && !run.out.contains("hush"), "{run:#?}");
}

#[test]
fn showing_masks_secrets_in_the_file_and_names_those_in_env() {
    let sandbox = Sandbox::with_config(
        "model:\n  api_key: hush-1\n  default: m\nkeys_of: {API_KEYS: [hush-2]}\n",
    );
    sandbox.run(["config", "set", "GITHUB_TOKEN", "hush-3"]).exits(0);
    for args in [&["config", "show"][..], &["config", "show", "--json"]] {
        let run = sandbox.run(args).exits(0).says("********").says("default");
        assert!(!run.out.contains("hush") && !run.err.contains("hush"), "{run:#?}");
    }
    sandbox.run(["config", "show"]).exits(0).notes("sets GITHUB_TOKEN");
}

#[test]
fn getting_masks_secrets_wherever_they_come_from() {
    let config = "model:\n  api_key: hush-1\ncustom:\n  header: Bearer ${GITHUB_TOKEN}\n";
    let sandbox = Sandbox::with_config(config).var("GITHUB_TOKEN", "hush-2");
    let run = sandbox.run(["config", "get", "model.api_key"]).exits(0);
    assert_eq!(run.out, "********\n");
    let section = sandbox.run(["config", "get", "model"]).exits(0).json();
    assert_eq!(section, json!({"api_key": "********"}));
    let run = sandbox.run(["config", "get", "custom.header"]).exits(0);
    assert_eq!(run.out, "Bearer ********\n");
}

#[test]
fn unsetting_a_secret_takes_it_out_of_env() {
    let sandbox = Sandbox::new();
    sandbox.run(["config", "set", "GITHUB_TOKEN", "hush"]).exits(0);
    sandbox.run(["config", "unset", "GITHUB_TOKEN"]).exits(0).says("removed from");
    assert!(!sandbox.read(".env").contains("GITHUB_TOKEN"));
    sandbox.run(["config", "unset", "GITHUB_TOKEN"]).exits(2).notes("is not in");
}

#[test]
fn secrets_can_be_set_although_the_configuration_is_broken() {
    let sandbox = Sandbox::with_config("model: [x\n");
    sandbox.run(["config", "set", "GITHUB_TOKEN", "hush"]).exits(0);
    sandbox.run(["config", "get", "GITHUB_TOKEN"]).exits(0).says("********");
    assert_eq!(sandbox.read("config.yaml"), "model: [x\n");
}

#[test]
fn lines_of_env_that_mean_nothing_are_warned_about() {
    let sandbox = Sandbox::new();
    sandbox.write(".env", "GOOD=1\nno assignment\n");
    sandbox.run(["tools", "list"]).exits(0).notes("line 2: ignored");
}

/// Tokens of our own doors, keys that the configuration names, and keys that it uses in place.
#[test]
fn commands_and_scripts_do_not_see_our_own_tokens() {
    const CONFIG: &str = "custom_providers:\n  - {name: house, base_url: 'http://127.0.0.1:1/v1', \
        key_env: HOUSE_LLM}\nmcp_servers:\n  a: {command: /bin/false, enabled: false, env: \
        {A_TOKEN: '${LENT_TOKEN}'}}\napprovals:\n  headless_mode: approve\n";
    let names = ["HERMES_SERVE_TOKEN", "HERMES_MCP_TOKEN", "HOUSE_LLM", "LENT_TOKEN"];
    let mut sandbox = Sandbox::with_config(CONFIG).var("OTHER_THING", "hush-but-not-ours");
    for name in names {
        sandbox = sandbox.var(name, "hush-hush-hush-hush");
    }
    let script =
        "import os\nprint(sorted(n for n, v in os.environ.items() if v.startswith('hush-h')))";
    for (tool, arguments) in [
        ("terminal", json!({"command": "env | grep -c hush-hush; env | grep -c hush-but"})),
        ("execute_code", json!({"code": script})),
    ] {
        let run = sandbox.run(["tools", "call", tool, &arguments.to_string()]);
        for name in names {
            assert!(!run.out.contains(name), "{tool}: {run:#?}");
        }
    }
    let counted = json!({"command": "env | grep -c hush-hush; env | grep -c hush-but"}).to_string();
    let output = sandbox.run(["tools", "call", "terminal", &counted]).json()["output"].clone();
    assert_eq!(output.as_str().unwrap().trim(), "0\n1");
}

/// What commands print reaches a model without its secrets, in whatever notation: these were all shown once.
#[test]
fn output_of_commands_is_masked_where_only_the_place_tells() {
    let sandbox = Sandbox::new();
    let hash = "9f2c41d07ab3e5586c1d90bb47ae6f3e";
    let forms = [
        format!("Please use the following password to proceed:\n\n{hash}\n"),
        "compose.yml:12:      MINIO_ROOT_PASSWORD: bergziege22\n".to_owned(),
        "{user=app, passwd=Zitronenfalter3}\n".to_owned(),
        "ALTER ROLE app WITH PASSWORD 'wolkenkuckuck';\n".to_owned(),
        "mysql::root_password: Feldhase14\n".to_owned(),
        "conn.Open \"Provider=X;User ID=sa;Password=Laubfrosch5;\"\n".to_owned(),
        "export DATABASE_URL=postgres://a:Fichtennadel#80@h/d\n".to_owned(),
    ];
    let settings = "ignored: files\npassword: ${env:DB_PASSWORD}\npasswd: files systemd\n";
    std::fs::create_dir_all(sandbox.path("work")).unwrap();
    write(&sandbox.path("work/forms"), (forms.concat() + settings).as_bytes());
    let call = json!({"command": "cat forms", "workdir": sandbox.path("work")}).to_string();
    let output = sandbox.run(["tools", "call", "terminal", &call]).exits(0).json();
    let output = output["output"].as_str().unwrap();
    for secret in [
        hash,
        "bergziege22",
        "Zitronenfalter3",
        "wolkenkuckuck",
        "Feldhase14",
        "Laubfrosch5",
        "Fichtennadel#80",
    ] {
        assert!(!output.contains(secret), "{secret}: {output}");
    }
    assert!(output.contains(settings.trim_end()), "{output}");
}

/// Programs that stay beside us (hooks, plugins, MCP servers) get none of them either, wherever they stand, except
/// what a server's own entry hands to it by name.
#[test]
fn hooks_plugins_and_servers_do_not_see_our_own_tokens() {
    const SERVER: &str = r#"import json, os, sys
json.dump(dict(os.environ), open(sys.argv[1], "w"))
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked:
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "s", "version": "1"}, "tools": []}
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"#;
    const PLUGIN: &str = "import json, os\njson.dump(dict(os.environ), open('SEEN', 'w'))\n\
        def register(ctx):\n    ctx.register_tool('peep', 'p', {'description': 'd', 'parameters': {}}, \
        lambda args, **kw: json.dumps(dict(os.environ)))\n";
    let names =
        ["HERMES_SERVE_TOKEN", "HERMES_MCP_TOKEN", "HOUSE_LLM", "LENT_TOKEN", "IN_FILE_TOKEN"];
    let mut sandbox = Sandbox::new();
    let seen = |sandbox: &Sandbox, who: &str| sandbox.scratch(&format!("{who}.json"));
    let hook = sandbox.script("hook.sh", r#"cat > /dev/null; env > "$0.env""#);
    let server = sandbox.scratch("server.py");
    write(&server, SERVER.as_bytes());
    let (server, plain, lent) = (server.display(), seen(&sandbox, "plain"), seen(&sandbox, "lent"));
    sandbox.write(
        "config.yaml",
        &format!(
            "custom_providers:\n  - {{name: house, base_url: 'http://127.0.0.1:1/v1', key_env: HOUSE_LLM}}\n\
             mcp_servers:\n  plain: {{command: python3, args: [{server}, {}]}}\n  lent: {{command: python3, \
             args: [{server}, {}], env: {{A_TOKEN: '${{LENT_TOKEN}}'}}}}\n\
             hooks_auto_accept: true\nhooks:\n  pre_tool_call:\n    - command: {hook}\n\
             plugins:\n  enabled: [peeper]\n",
            plain.display(),
            lent.display()
        ),
    );
    sandbox
        .write(".env", "HERMES_SERVE_TOKEN=hush-hush-in-file\nIN_FILE_TOKEN=hush-hush-in-file\n");
    std::fs::create_dir_all(sandbox.path("plugins/peeper")).unwrap();
    write(&sandbox.path("plugins/peeper/plugin.yaml"), b"name: peeper\nversion: 1.0\n");
    let imported = seen(&sandbox, "imported");
    let code = PLUGIN.replace("SEEN", imported.to_str().unwrap());
    write(&sandbox.path("plugins/peeper/__init__.py"), code.as_bytes());
    for name in &names[..4] {
        sandbox = sandbox.var(name, "hush-hush-hush-hush");
    }
    let peeped = sandbox.run(["tools", "call", "peep", "{}"]).exits(0);
    sandbox.run(["mcp", "test", "plain"]).exits(0);
    sandbox.run(["mcp", "test", "lent"]).exits(0);
    let told = |path: &std::path::Path| {
        std::fs::read_to_string(path).unwrap_or_else(|why| panic!("{}: {why}", path.display()))
    };
    let hook = told(std::path::Path::new(&format!("{hook}.env")));
    for (who, text) in [
        ("the hook", &hook),
        ("the plugin's import", &told(&imported)),
        ("the plugin's tool", &peeped.out),
        ("the server", &told(&plain)),
    ] {
        assert!(text.contains("PATH"), "{who} told its variables: {text}");
        assert!(!text.contains("hush-hush"), "{who}: {text}");
        assert!(names.iter().all(|name| !text.contains(name)), "{who}: {text}");
    }
    let lent = told(&lent);
    assert_eq!(lent.matches("hush-hush-hush-hush").count(), 1, "{lent}");
    assert!(lent.contains("A_TOKEN") && !lent.contains("LENT_TOKEN"), "{lent}");
}

#[test]
fn the_editor_of_the_configuration_does_not_get_the_env_file() {
    let sandbox = Sandbox::new();
    let editor = sandbox.script("editor.sh", r#"env > "$0.env""#);
    sandbox.write(".env", "MY_KEY=hush\nVISUAL=/bin/false\n");
    let sandbox = sandbox.var("VISUAL", editor.clone());
    sandbox.run(["config", "edit"]).exits(0);
    let seen = std::fs::read_to_string(format!("{editor}.env")).unwrap();
    assert!(!seen.contains("MY_KEY") && !seen.contains("hush"), "{seen}");
}

//! The agent's own rules: its program and its home.
//!
//! Who may call `hermes` from a command, or change what is in its home, may change what is asked.
//! So both ask, every time: a yes to this is for one command only.

use super::super::call::{Arg, ProgramCall, Taint};
use super::super::category::Category;
use super::super::find::Find;
use super::super::interpreters;
use super::super::names::is_pattern;
use super::super::options::{Opt, Spec, options};
use super::files;
use super::own_search::{self, HOME};
use super::{DangerRule, REDIRECTION, RuleCheck};
use crate::shell::pattern::{PatternCase, ShellPattern};

pub(crate) const OWN_RULES: Category = Category::asks(
    "own rules",
    "The agent would change its own rules, settings or records, or start itself anew.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: OWN_RULES,
        programs: &["hermes", "hermes-agent"],
        check: RuleCheck::Call(|call| !only_reads(call)),
        catches: &[
            "hermes --yolo tools call terminal '{}'",
            "HERMES_YOLO_MODE=1 hermes chat",
            "hermes config set approvals.mode off",
            "hermes approvals add --allow 'rm *'",
            "hermes hooks approve x",
            "hermes plugins enable x",
            "hermes mcp add x",
            "hermes skills install anthropics/skills/skills/pdf --yes",
            "hermes skills search pdf",
            "hermes skills update",
            "/usr/local/bin/hermes -p other config unset approvals",
            "hermes",
            "hermes 'delete everything'",
            "hermes tools call terminal '{\"command\": \"ls\"}'",
            "env HERMES_HOME=/tmp/h hermes config edit",
        ],
        passes: &[
            "hermes --version",
            "hermes --help",
            "hermes config show",
            "hermes -p work config get terminal.backend",
            "hermes tools list",
            "hermes sessions list",
            "hermes skills list",
            "hermes approvals test 'ls'",
            "hermes doctor",
            "hermes config set --help",
            "which hermes",
        ],
    },
    DangerRule {
        category: OWN_RULES,
        programs: &["python", "uvx", "uv", "pipx", "npx"],
        check: RuleCheck::Call(|call| {
            call.args.iter().any(|arg| {
                matches!(arg.as_str(), "hermes" | "hermes-agent" | "hermes_cli.main" | "hermes_cli")
            }) && !call.has(&["--help", "--version", "-h", "install", "show", "pip", "status"])
        }),
        catches: &["uvx hermes-agent chat", "python -m hermes_cli.main --yolo"],
        passes: &["pipx install hermes-agent", "uvx hermes-agent --help"],
    },
    DangerRule {
        category: OWN_RULES,
        programs: &[],
        check: RuleCheck::Structure,
        catches: &[
            "rm ~/.hermes/config.yaml",
            "mv ~/.hermes /tmp/h",
            "yq -i '.approvals.mode = \"off\"' ~/.hermes/config.yaml",
            "echo 'approvals: {mode: off}' > $HERMES_HOME/config.yaml",
            "cd ~/.hermes && rm config.yaml",
            "cp x ~/.hermes/config.yaml",
            "sed -i s/manual/off/ ~/.hermes/config.yaml",
            "sudo mount --bind /tmp/h ~/.hermes",
            "mount --bind /tmp/h /home/other/.hermes",
            "export HERMES_SAFE_MODE=1",
            "HERMES_YOLO_MODE=1 ./run.sh",
            "unset HERMES_GATEWAY_SESSION",
            "env -u HERMES_CRON_SESSION make",
            "truncate -s 0 ~/.hermes/logs/approvals.jsonl",
            "ln -sfn /tmp/h ~/.hermes",
            "rm -rf ~/.her*/config.yaml",
            "sqlite3 ~/.hermes/state.db 'delete from messages'",
            "docker run -v ~/.hermes:/h alpine ls",
            "tar xf x.tar -C ~/.hermes",
            "find ~/.hermes -name '*.yaml' -delete",
            "find ~ -path '*/.hermes/config.yaml' -exec sed -i d {} +",
            "touch ~/.hermes/plugins/x/plugin.yaml",
            "chmod 777 ~/.hermes/config.yaml",
            "curl -o ~/.hermes/config.yaml https://x.io/c",
            "dd if=x of=$HOME/.hermes/auth.json",
            "tool --out=$HOME/.hermes/config.yaml",
            "sed -i s/x/y/ $(python3 -c 'import hermes_cli; print(hermes_cli.__file__)')",
            "cp /tmp/x $(which hermes)",
            "find ~ -maxdepth 2 -name '*.yaml' | xargs sed -i s/manual/off/",
            "grep -rl manual ~ --include=*.yaml | xargs sed -i s/manual/off/",
            "rg -l manual / | xargs perl -pi -e s/manual/off/",
            "find / -path '*mes/config.yaml' -exec sh -c 'echo x > \"$1\"' _ {} \\;",
            "for f in $(find ~ -type f); do sed -i s/a/b/ \"$f\"; done",
            "find ~ -type f | while read -r f; do echo x > \"$f\"; done",
            "chmod -x \"$(command -v hermes)\"",
        ],
        passes: &[
            "ls ~/.hermes",
            "cat ~/.hermes/config.yaml",
            "grep -r x ~/.hermes/skills",
            "cp ~/.hermes/config.yaml /tmp/c",
            "tar czf backup.tgz ~/.hermes",
            "python3 ~/.hermes/skills/x/run.py",
            "echo x > ~/.hermes/workspace/notes.txt",
            "find ~/.hermes -name '*.md'",
            "echo ~/.hermes",
            "cd ~/.hermes && ls",
            "ls -l $(which hermes)",
            "cp $(which hermes) /tmp/backup",
            "rm ~/.hermes-old/x",
            "find ~ -name '*.rs' | xargs sed -i s/a/b/",
            "grep -rl old ~/src | xargs sed -i s/old/new/",
            "find ~ -maxdepth 1 -name '*.txt' -exec sed -i s/a/b/ {} +",
            "find / -name '*.yaml' 2>/dev/null | xargs grep -l x",
            "grep -rl old . | xargs sed -i s/old/new/",
        ],
    },
];

/// Programs that do nothing to the files they are given.
const READERS: &[&str] = &[
    "cat",
    "tac",
    "ls",
    "eza",
    "exa",
    "ll",
    "head",
    "tail",
    "less",
    "more",
    "bat",
    "batcat",
    "nl",
    "wc",
    "grep",
    "egrep",
    "fgrep",
    "rg",
    "ag",
    "ack",
    "zgrep",
    "stat",
    "file",
    "du",
    "df",
    "tree",
    "diff",
    "cmp",
    "comm",
    "colordiff",
    "jq",
    "awk",
    "cut",
    "uniq",
    "tr",
    "od",
    "xxd",
    "hexdump",
    "strings",
    "sha256sum",
    "sha1sum",
    "md5sum",
    "cksum",
    "shasum",
    "realpath",
    "readlink",
    "basename",
    "dirname",
    "pwd",
    "cd",
    "pushd",
    "popd",
    "test",
    "[",
    "[[",
    "echo",
    "printf",
    "true",
    "false",
    ":",
    "export",
    "declare",
    "local",
    "typeset",
    "readonly",
    "set",
    "unset",
    "alias",
    "read",
    "which",
    "type",
    "command",
    "fd",
    "column",
    "fold",
    "yamllint",
    "getfacl",
    "lsof",
    "fuser",
    "namei",
    "locate",
    "source",
    ".",
    "hermes",
    "for",
    "exit",
    "return",
    "sort",
    "paste",
    "join",
    "expand",
    "env",
    "sudo",
    "nice",
    "timeout",
    "time",
    "xargs",
    "watch",
    "eval",
    "trap",
    "nohup",
    "exec",
    "history",
    "man",
    "whoami",
    "id",
    "date",
    "sleep",
    "wait",
    "git-log",
    "find",
    "sed",
    "yq",
    "zip",
    "tar",
    "cp",
    "rsync",
    "scp",
    "ln",
    "install",
    "dd",
    "git",
    "tee",
    "curl",
    "wget",
    "split",
    "truncate",
    "perl",
    "ruby",
];

/// What hermes is only asked, not told.
fn only_reads(call: &ProgramCall<'_>) -> bool {
    const SPEC: Spec = Spec::with(
        "pmtsr",
        &["profile", "model", "toolsets", "skills", "resume", "provider", "config", "home"],
    );
    if call.has(&["--help", "-h", "--version", "-V", "help", "completion"]) {
        return true;
    }
    if call.args.iter().any(|arg| arg.text.starts_with("--yolo")) {
        return false;
    }
    let words: Vec<&str> = options(call.args, &SPEC)
        .filter_map(|opt| match opt {
            Opt::Operand(arg, _) => Some(arg.text.as_ref()),
            _ => None,
        })
        .collect();
    match words.as_slice() {
        ["doctor" | "status" | "version", ..] => !call.has(&["--fix"]),
        // Other people's skills are for a person to find and bring in.
        ["skills", "search" | "check", ..] => false,
        ["toolsets" | "checkpoints" | "sessions" | "skills" | "insights" | "memory", verb, ..]
        | ["tools" | "config" | "approvals" | "hooks" | "plugins" | "mcp" | "model", verb, ..]
        | ["gateway" | "logs" | "cron" | "auth" | "profile" | "profiles", verb, ..] => matches!(
            *verb,
            "list"
                | "ls"
                | "show"
                | "get"
                | "path"
                | "check"
                | "keys"
                | "schema"
                | "test"
                | "search"
                | "status"
                | "providers"
                | "pending"
                | "resolve"
                | "distributions"
                | "export"
                | "info"
                | "view"
                | "log"
        ),
        ["logs" | "insights" | "toolsets"] => true,
        _ => false,
    }
}

/// Whether a program, whatever it is called, is told what only the agent's own program understands: a
/// copy of it, a link to it, or `cargo run`.
pub(crate) fn speaks_to_agent(call: &ProgramCall<'_>) -> bool {
    const SETTINGS: &[&str] = &[
        "approvals",
        "command_allowlist",
        "terminal",
        "security",
        "hooks",
        "hooks_auto_accept",
        "plugins",
        "mcp_servers",
        "delegation",
        "auxiliary",
    ];
    if call.args.len() < 2 || matches!(call.name, "echo" | "printf" | "grep" | "rg" | "git" | "man")
    {
        return false;
    }
    call.args.windows(3).take(8).any(|three| {
        let [first, second, third] = [three[0].as_str(), three[1].as_str(), three[2].as_str()];
        match (first, second) {
            ("config", "set" | "unset") => {
                SETTINGS.contains(&third.split('.').next().unwrap_or_default())
            }
            ("approvals", "add") => third.starts_with("--"),
            _ => false,
        }
    }) || call.args.windows(2).take(8).any(|two| {
        matches!((two[0].as_str(), two[1].as_str()), ("hooks", "approve") | ("approvals", "revoke"))
    }) || call.args.iter().take(8).any(|arg| arg.text == "--yolo")
        && call.args.iter().any(|arg| matches!(arg.as_str(), "tools" | "chat" | "-z" | "serve"))
}

/// Whether a call prints where the agent's own program or its parts are: `which hermes`, `python -c 'import
/// hermes_cli; …'`.
pub(crate) fn finds_own(call: &ProgramCall<'_>) -> bool {
    let is_own = |text: &str| {
        text.split(|char: char| !char.is_ascii_alphanumeric() && char != '-' && char != '_').any(
            |word| {
                matches!(
                    word,
                    "hermes" | "hermes-agent" | "hermes_cli" | "hermes_agent" | "run_agent"
                )
            },
        )
    };
    let finds = matches!(
        call.name,
        "which"
            | "command"
            | "type"
            | "whereis"
            | "readlink"
            | "realpath"
            | "python"
            | "pip"
            | "pip3"
            | "locate"
            | "dirname"
            | "find"
            | "npm"
            | "brew"
            | "dpkg"
            | "whence"
            | "uv"
            | "pipx"
    );
    finds
        && call
            .args
            .iter()
            .any(|arg| arg.taint.has(Taint::OWN) || arg.text.len() < 512 && is_own(&arg.text))
}

/// Whether a call changes what [`finds_own`] found.
pub(crate) fn touches_own(call: &ProgramCall<'_>) -> bool {
    own_search::writes_found(call)
        || call.args.iter().any(|arg| arg.taint.has(Taint::OWN))
            && match call.name {
                "sed" | "perl" | "ruby" => !files::edited(call).is_empty() || call.has(&["-i"]),
                "yq" | "dasel" => call.args.iter().any(|arg| arg.text.starts_with("-i")),
                "cp" | "ln" | "install" | "rsync" | "scp" | "tar" => {
                    call.operands().last().is_some_and(|arg| arg.taint.has(Taint::OWN))
                }
                name => matches!(
                    name,
                    "rm" | "mv"
                        | "chmod"
                        | "chown"
                        | "truncate"
                        | "tee"
                        | "dd"
                        | "patch"
                        | "vim"
                        | "vi"
                        | "nano"
                        | "ed"
                        | "shred"
                        | "unlink"
                        | "touch"
                        | "git"
                        | "pip"
                        | "pip3"
                        | "strip"
                        | "patchelf"
                        | "setcap"
                        | "kill"
                        | "gdb"
                        | REDIRECTION
                ),
            }
}

/// Whether a call changes something in the home of the agent, however it is spelled.
pub(crate) fn changes_home(call: &ProgramCall<'_>) -> bool {
    if call.args.is_empty() || !names_home(call) {
        return false;
    }
    if call.name == "find" && call.args.iter().any(|arg| arg.text.contains("/.hermes")) {
        let find = Find::new(call.args);
        if find.deletes || !find.actions.is_empty() {
            return true;
        }
    }
    if takes_code(call.name) && call.args.iter().any(|arg| code_names_home(call, arg)) {
        return true;
    }
    let inside: Vec<&Arg<'_>> =
        call.args.iter().filter(|arg| places(arg).any(|place| is_home(call, place))).collect();
    if inside.is_empty() {
        return false;
    }
    let writes = || {
        let mut written = files::targets(call).into_iter().chain(files::inside_folder(call));
        written.any(|path| is_home(call, &path))
    };
    match call.name {
        REDIRECTION => true,
        "find" => {
            let find = Find::new(call.args);
            find.deletes || !find.actions.is_empty() || !find.writes.is_empty()
        }
        "sed" | "perl" | "ruby" => !files::edited(call).is_empty() || call.has(&["-i"]),
        "yq" | "dasel" => call
            .args
            .iter()
            .any(|arg| arg.text.starts_with("-i") || arg.text.starts_with("--inplace")),
        "sort" => call.args.iter().any(|arg| arg.text.starts_with("-o")),
        // Another name for a file here is a way to change it unseen.
        "ln" => true,
        "tar" if call.args.iter().any(|arg| arg.text.starts_with(".hermes")) => {
            call.args.iter().any(|arg| matches!(arg.as_str(), "-C" | "--directory"))
                && !call
                    .args
                    .iter()
                    .any(|arg| arg.text.starts_with("-c") || arg.text.starts_with('c'))
        }
        "tar" | "cp" | "rsync" | "scp" | "install" | "dd" | "tee" | "curl" | "wget" | "split"
        | "truncate" => writes(),
        "zip" => call.operands().next().is_some_and(|arg| is_home(call, &arg.text)),
        "git" => {
            !call.has(&["status", "log", "diff", "show", "ls-files", "blame", "grep", "rev-parse"])
        }
        "sqlite3" => !call.has(&["-readonly", "--readonly"]),
        name if READERS.contains(&name) => false,
        name if interpreters::is_shell(name) || interpreters::program(name, &[]).is_some() => false,
        "rm" | "mv" | "mkdir" | "touch" | "chmod" | "chown" | "rmdir" | "unlink" | "shred" => true,
        // What else a program does with a skill's files is the skill's business.
        _ => inside.iter().any(|arg| {
            places(arg).any(|place| {
                is_home(call, place) && !call.path(place).starts_with("~/.hermes/skills/")
            })
        }),
    }
}

/// Programs whose words are code of languages that are not read here: what they do to a path in it is not known.
fn takes_code(name: &str) -> bool {
    matches!(
        name,
        "perl"
            | "ruby"
            | "php"
            | "lua"
            | "luajit"
            | "tclsh"
            | "guile"
            | "Rscript"
            | "julia"
            | "vi"
            | "vim"
            | "nvim"
            | "ex"
            | "view"
            | "emacs"
            | "emacsclient"
            | "osascript"
    )
}

/// Whether a word is code, not a path, and the home stands in it.
fn code_names_home(call: &ProgramCall<'_>, arg: &Arg<'_>) -> bool {
    let text = arg.as_str();
    let is_code = text.contains([' ', '(', '"', '\'', ';', '{']);
    let home = call.facts.host.hermes_home.filter(|home| home.len() > 1);
    is_code && (text.contains("/.hermes/") || home.is_some_and(|home| text.contains(home)))
}

/// A quick look: most commands have nothing to do with it.
fn names_home(call: &ProgramCall<'_>) -> bool {
    let is_inside = call.facts.cwd.as_deref().is_some_and(|cwd| cwd.starts_with(HOME));
    let own = call.facts.host.hermes_home.and_then(|home| home.rsplit('/').next());
    let own = own.filter(|name| !name.is_empty()).unwrap_or(".hermes");
    is_inside
        || call.args.iter().any(|arg| {
            let text = arg.as_str();
            text.contains(".hermes") || text.contains(own) || (text.len() < 128 && is_pattern(text))
        })
}

/// The places that a word may name: itself, the value of an option, the parts of a mount.
fn places<'a>(arg: &'a Arg<'_>) -> impl Iterator<Item = &'a str> {
    let text = arg.as_str();
    let value = text.split_once('=').map(|(_, value)| value);
    let whole = if text.starts_with('-') { None } else { Some(text) };
    let attached = text.strip_prefix('-').and_then(|_| text.find(['/', '~'])).map(|at| &text[at..]);
    let mounted = value.unwrap_or(text).split([':', ',']).filter(|part| part.contains(['/', '~']));
    whole.into_iter().chain(value).chain(attached).chain(mounted)
}

/// Whether a path is the home or something in it, except for the workspace.
fn is_home(call: &ProgramCall<'_>, place: &str) -> bool {
    let path = call.path(place);
    if let Some(rest) = path.strip_prefix(HOME) {
        let is_below = rest.is_empty() || rest.starts_with('/');
        return is_below && !rest.starts_with("/workspace/");
    }
    // Another account's agent is an agent as well.
    if let Some(rest) = super::super::paths::below_home(&path).filter(|_| path.starts_with('/')) {
        return rest == ".hermes" || rest.starts_with(".hermes/");
    }
    is_pattern(&path) && covers_home(call, &path)
}

/// Whether a pattern fits the home, name by name; a name with a dot is fitted by a dot only.
fn covers_home(call: &ProgramCall<'_>, path: &str) -> bool {
    let home = call.facts.spelled_out(HOME);
    let path = call.facts.spelled_out(path);
    let mut parts = path.split('/');
    home.split('/').all(|name| {
        parts.next().is_some_and(|part| {
            part.starts_with('.') == name.starts_with('.')
                && ShellPattern::new(part, PatternCase::Matters).matches(name)
        })
    })
}

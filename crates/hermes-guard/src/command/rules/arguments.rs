//! Programs given as arguments, and options that run something or raise privileges.

use super::super::call::{Arg, Call, Via};
use super::super::category::Category;
use super::super::interpreters::{self, Program};
use super::super::options::{Opt, Spec, options};
use super::super::wrappers;
use super::{Check, Rule};

pub(super) const SCRIPT: Category = Category::asks(
    "script execution via -e/-c flag",
    "A program given as an argument is run by an interpreter.",
);
const SHELL: Category =
    Category::asks("shell command via -c/-lc", "A shell runs a program given as an argument.");
const READ_TOOL: Category = Category::asks(
    "arbitrary program via read tool",
    "An option makes a tool that only reads run another program.",
);
const SUDO: Category = Category::asks(
    "sudo privilege flag",
    "sudo is asked for a root shell, or to take its password from somewhere else.",
);

const INTERPRETERS: &[&str] = &[
    "python",
    "pypy",
    "ipython",
    "node",
    "bun",
    "deno",
    "perl",
    "ruby",
    "php",
    "lua",
    "powershell",
    "rscript",
    "r",
    "julia",
    "osascript",
    "elixir",
    "groovy",
    "scala",
    "tclsh",
    "racket",
    "guile",
    "swift",
];
const SHELLS: &[&str] =
    &["sh", "bash", "zsh", "ksh", "dash", "ash", "fish", "mksh", "pdksh", "yash", "csh", "tcsh"];

pub(super) const RULES: &[Rule] = &[
    Rule {
        category: SCRIPT,
        programs: INTERPRETERS,
        check: Check::Call(|call| {
            !call.via.has(Via::CONTAINER)
                && matches!(interpreters::program(call.name, call.args), Some(Program::Text { .. }))
        }),
        catches: &[
            "python -c 'print(1)'",
            "python3 -Bc 'x'",
            "python -W ignore -c x",
            "node -e '1'",
            "node -p 1",
            "node --eval=1",
            "node -pe 1",
            "perl -e 1",
            "perl -lane 'print'",
            "perl -E 'say 1'",
            "ruby -e 1",
            "ruby -rjson -e 1",
            "php -r 'x;'",
            "bun -e 1",
            "deno eval 1",
            "lua -e 1",
            "pypy3 -c 1",
            "ipython -c 1",
            "uv run python -c 1",
            "poetry run python -c 1",
            "timeout 5 python -c 1",
            "pwsh -Command ls",
            "powershell.exe -File x.ps1",
            "perl -i -pe s/a/b/ x",
        ],
        passes: &[
            "python x.py",
            "python x.py -c a",
            "python -m pytest -c x.ini",
            "node app.js -e prod",
            "perl x.pl -e",
            "gcc -c x.c",
            "ruby x.rb",
            "php artisan migrate",
            "node --version",
            "python3 -V",
            "deno run x.ts",
            "perl -c x.pl",
            "bun run dev",
        ],
    },
    Rule {
        category: SCRIPT,
        programs: &[
            "vim", "vi", "nvim", "ex", "view", "emacs", "psql", "sqlite3", "mysql", "gdb", "make",
            "expect",
        ],
        check: Check::Call(escapes_to_shell),
        catches: &[
            "vim -c ':!ls' x",
            "vim -es '+!id'",
            "emacs --batch --eval '(x)'",
            "psql -c '\\! ls'",
            "sqlite3 x '.shell ls'",
            "gdb -ex '!ls'",
        ],
        passes: &[
            "vim +10 x",
            "vim -c 'set nu' x",
            "psql -c '\\dt'",
            "sqlite3 x .schema",
            "make test",
            "gdb -ex run ./x",
        ],
    },
    Rule {
        category: SHELL,
        programs: SHELLS,
        check: Check::Call(|call| {
            !call.via.has(Via::CONTAINER)
                && matches!(interpreters::shell_program(call.name, call.args), Program::Text { .. })
        }),
        catches: &[
            "bash -c ls",
            "sh -lc ls",
            "zsh -ic ls",
            "bash -o pipefail -c ls",
            "bash -x -c ls",
            "dash -c ls",
            "fish -c ls",
            "bash --login -c ls",
            "find . -exec sh -c 'echo $1' _ {} \\;",
            "ls | xargs -I{} bash -c 'echo {}'",
            "env -S 'bash -c ls'",
            "bash -euo pipefail -c ls",
        ],
        passes: &[
            "bash --norc",
            "bash --rcfile f",
            "bash -n x.sh",
            "bash -x x.sh",
            "sh -e x.sh -c",
            "bash",
            "bash x.sh -c y",
        ],
    },
    Rule {
        category: READ_TOOL,
        programs: &["sort", "rg", "ag", "man", "tar"],
        check: Check::Call(runs_program),
        catches: &[
            "sort --compress-program=x f",
            "rg --pre ./x y",
            "rg --hostname-bin=x y",
            "ag --pager=less x",
            "man -P x ls",
            "man --pager=x ls",
            "man -Hx ls",
            "tar cf x --checkpoint-action=exec=sh y",
        ],
        passes: &[
            "sort -k2 f",
            "rg --pretty x",
            "rg --pre-glob '*.pdf' x",
            "ag x",
            "man ls",
            "man -k x",
            "tar xzf x",
            "rg -- --pre",
        ],
    },
    Rule {
        category: SUDO,
        programs: &["sudo"],
        check: Check::Call(|call| {
            let Some(wrapper) = wrappers::wrapper("sudo") else { return false };
            options(call.args, &wrapper.spec)
                .take_while(|opt| !matches!(opt, Opt::Operand(..)))
                .any(|opt| match opt {
                    Opt::Short(letter, _) => matches!(letter, 's' | 'S' | 'a' | 'A'),
                    Opt::Long(name, _) => {
                        matches!(name, "stdin" | "askpass" | "shell" | "auth-type")
                    }
                    Opt::Operand(..) => false,
                })
        }),
        catches: &[
            "sudo -s",
            "sudo -S ls",
            "sudo -kS ls",
            "sudo -n -S ls",
            "sudo --stdin ls",
            "sudo -A ls",
            "sudo -u x -S ls",
        ],
        passes: &["sudo ls", "sudo ls -la -S", "sudo -u x ls -s", "sudo -n true", "sudo -E make"],
    },
];

/// Programs with a command line of their own that leads back to a shell.
fn escapes_to_shell(call: &Call<'_>) -> bool {
    let any = |check: fn(&str) -> bool| call.args.iter().any(|arg| check(&arg.text));
    match call.name {
        "psql" | "mysql" => any(|text| text.trim_start().starts_with("\\!")),
        "sqlite3" => any(|text| {
            let text = text.trim_start();
            text.starts_with(".shell") || text.starts_with(".system")
        }),
        "gdb" => any(|text| {
            text.starts_with('!') || text.starts_with("shell ") || text.starts_with("python ")
        }),
        "emacs" => any(|text| text.starts_with("--eval") || text.starts_with("--execute")),
        "make" => any(|text| text.starts_with("--eval")),
        "expect" => call.has(&["-c"]),
        _ => any(|text| {
            let text = text.trim_start_matches(['+', ':', ' ', '"']);
            text.starts_with('!')
                || text.starts_with("call system(")
                || text.starts_with("silent !")
        }),
    }
}

fn runs_program(call: &Call<'_>) -> bool {
    let long = |names: &[&str]| {
        options(call.args, &Spec::with("", names_of(call.name))).any(|opt| match opt {
            Opt::Long(name, _) => names.contains(&name),
            _ => false,
        })
    };
    match call.name {
        "sort" => options(call.args, &Spec::FLAGS)
            .any(|opt| matches!(opt, Opt::Long(name, _) if name.len() > 3 && "compress-program".starts_with(name))),
        "rg" => long(&["pre", "hostname-bin"]),
        "ag" => long(&["pager"]),
        "man" => {
            let spec = Spec::with("PCMLmrRESs", &["pager", "html", "manpath", "locale"]);
            options(call.args, &spec).any(|opt| match opt {
                Opt::Short(letter, _) => matches!(letter, 'P' | 'H'),
                Opt::Long(name, _) => matches!(name, "pager" | "html"),
                Opt::Operand(..) => false,
            })
        }
        "tar" => call.args.windows(1).any(|one| {
            let text = one[0].as_str();
            text.starts_with("--to-command") || text.contains("checkpoint-action=exec")
        }) || follows(call.args, "--checkpoint-action", "exec"),
        _ => false,
    }
}

fn names_of(program: &str) -> &'static [&'static str] {
    match program {
        "rg" => &[
            "pre",
            "hostname-bin",
            "regexp",
            "glob",
            "type",
            "file",
            "max-count",
            "context",
            "pre-glob",
            "replace",
        ],
        _ => &["pager"],
    }
}

fn follows(args: &[Arg<'_>], option: &str, value: &str) -> bool {
    args.windows(2).any(|two| two[0].text == option && two[1].text.starts_with(value))
}

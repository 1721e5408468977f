//! Programs run elsewhere (ssh, containers) and programs that take shell text as an option's value.

use super::{Machine, Site};
use crate::command::call::{Arg, Channel, Flow, Taint, Via};
use crate::command::options::{Opt, Spec, first_operand, options};

/// Options of `docker run` and `docker exec` that take a value.
pub(in crate::command) const CONTAINER_VALUES: &[&str] = &[
    "add-host",
    "annotation",
    "attach",
    "cap-add",
    "cap-drop",
    "cidfile",
    "cpus",
    "cpu-shares",
    "cpuset-cpus",
    "device",
    "dns",
    "entrypoint",
    "env",
    "env-file",
    "expose",
    "gpus",
    "group-add",
    "health-cmd",
    "hostname",
    "ip",
    "ipc",
    "label",
    "link",
    "log-driver",
    "log-opt",
    "mac-address",
    "memory",
    "mount",
    "name",
    "net",
    "network",
    "network-alias",
    "pid",
    "platform",
    "publish",
    "pull",
    "restart",
    "runtime",
    "security-opt",
    "shm-size",
    "stop-signal",
    "storage-opt",
    "sysctl",
    "tmpfs",
    "ulimit",
    "user",
    "userns",
    "uts",
    "volume",
    "volumes-from",
    "workdir",
    "index",
    "file",
    "project-name",
    "project-directory",
    "profile",
    "context",
    "host",
    "namespace",
    "container",
    "kubeconfig",
    "cluster",
    "image",
];

impl Machine<'_> {
    pub(super) fn ssh(&mut self, args: &[Arg<'_>], stdin: &Flow, site: Site<'_>) -> Flow {
        const SPEC: Spec = Spec::leading("BbcDEeFIiJLlmOopQRSWw", &[]);
        for opt in options(args, &SPEC) {
            match opt {
                Opt::Operand(..) => break,
                Opt::Short('o', value) => {
                    if let Some((key, program)) = value.split_once('=')
                        && matches!(
                            key.to_ascii_lowercase().as_str(),
                            "proxycommand" | "localcommand" | "knownhostscommand"
                        )
                    {
                        self.subshell_text(program, site, &Flow::default());
                    }
                }
                _ => {}
            }
        }
        let host = first_operand(args, &SPEC);
        let words: Vec<&str> = args.iter().skip(host + 1).map(|arg| arg.text.as_ref()).collect();
        let site = site.also(Via::REMOTE);
        // Another machine has other directories and variables.
        let cwd = self.facts.cwd.take();
        if words.is_empty() {
            if stdin.channel == Channel::Here
                && let Some(text) = &stdin.text
            {
                self.subshell_text(text, site, &Flow::default());
            }
        } else {
            self.subshell_text(&words.join(" "), site, stdin);
        }
        self.facts.cwd = cwd;
        Flow::unknown(Taint::GENERATED)
    }

    /// `docker run image …`, `docker exec name …`, `docker compose run service …`, `kubectl exec`.
    pub(super) fn container(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &Flow,
        site: Site<'_>,
    ) -> Flow {
        const SPEC: Spec = Spec::leading("aceHhlmnpuvwf", CONTAINER_VALUES);
        let output = Flow::unknown(Taint::GENERATED);
        let mut at = first_operand(args, &SPEC);
        let mut verb = args.get(at).map_or("", |arg| arg.text.as_ref());
        if matches!(verb, "compose" | "container") {
            at += 1 + first_operand(&args[at + 1..], &SPEC);
            verb = args.get(at).map_or("", |arg| arg.text.as_ref());
        }
        if !matches!(verb, "run" | "exec" | "create" | "debug") {
            return output;
        }
        let rest = &args[at + 1..];
        let dashes = rest.iter().position(|arg| arg.text == "--");
        let start = match (name, dashes) {
            ("kubectl" | "oc" | "lxc" | "incus", Some(at)) => at + 1,
            _ => first_operand(rest, &SPEC) + 1,
        };
        if let Some(inner) = rest.get(start..).filter(|inner| !inner.is_empty()) {
            let cwd = self.facts.cwd.take();
            self.call(inner, stdin, site.also(Via::CONTAINER));
            self.facts.cwd = cwd;
        }
        output
    }

    /// `su -c text`, `script -c text`, `flock file -c text`, `nix-shell --run text`, `npx -c text`.
    pub(super) fn text_option(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &Flow,
        site: Site<'_>,
    ) -> Option<Flow> {
        for (at, arg) in args.iter().enumerate() {
            let text = arg.as_str();
            let bundle = text.starts_with('-') && !text.starts_with("--") && text.ends_with('c');
            let takes_text =
                matches!(text, "--command" | "--session-command" | "--run" | "--call") || bundle;
            let text = match text.split_once('=') {
                Some(("--command" | "--run" | "--call", value)) => value,
                // Here the rest are words, not one text.
                _ if takes_text && name == "nix" => {
                    return Some(self.call(&args[at + 1..], stdin, site));
                }
                _ if takes_text => args.get(at + 1).map_or("", Arg::as_str),
                _ => continue,
            };
            return Some(self.subshell_text(text, site, stdin));
        }
        match name {
            "flock" => {
                let at = first_operand(args, &Spec::leading("wEx", &["timeout", "wait"]));
                let inner = args.get(at + 1..).filter(|inner| !inner.is_empty());
                inner.map(|inner| self.call(inner, stdin, site))
            }
            // `runuser -u name -- program`
            "runuser" => Some(match args.iter().position(|arg| arg.text == "--") {
                Some(at) => self.call(&args[at + 1..], stdin, site),
                None => self.run_stdin("bash", stdin, site),
            }),
            "su" => Some(self.run_stdin("bash", stdin, site)),
            _ => None,
        }
    }

    /// Programs that git runs: `git -c alias.x='!…' x`, `git rebase -x …`, `git bisect run …`,
    /// `git submodule foreach …`.
    pub(super) fn git_aliases(&mut self, args: &[Arg<'_>], site: Site<'_>) {
        for pair in args.windows(2) {
            if pair[0].text == "-c"
                && let Some((key, program)) = pair[1].text.split_once("=!")
                && key.starts_with("alias.")
            {
                self.subshell_text(program, site, &Flow::default());
            }
            if matches!(pair[0].as_str(), "-x" | "--exec")
                && args.iter().any(|arg| arg.text == "rebase")
            {
                self.subshell_text(&pair[1].text, site, &Flow::default());
            }
            let inner = match (pair[0].as_str(), pair[1].as_str()) {
                ("bisect", "run") | ("submodule", "foreach") => {
                    args.iter().skip_while(|arg| arg.text != pair[1].text)
                }
                _ => continue,
            };
            let words: Vec<&str> =
                inner.skip(1).map(Arg::as_str).filter(|text| *text != "--recursive").collect();
            self.subshell_text(&words.join(" "), site, &Flow::default());
        }
    }

    /// `tmux new-session -d 'text'`, `tmux send-keys -t x 'text' Enter`, `screen -dm program`.
    pub(super) fn multiplexer(&mut self, args: &[Arg<'_>], site: Site<'_>) {
        let starts = args.iter().any(|arg| {
            matches!(
                arg.text.as_ref(),
                "new-session"
                    | "new"
                    | "neww"
                    | "new-window"
                    | "send-keys"
                    | "send"
                    | "splitw"
                    | "split-window"
                    | "run-shell"
                    | "respawn-pane"
            )
        });
        if starts {
            for arg in args.iter().filter(|arg| arg.text.contains(' ')) {
                self.subshell_text(&arg.text, site, &Flow::default());
            }
            return;
        }
        let detached =
            args.iter().position(|arg| matches!(arg.text.as_ref(), "-dm" | "-dmS" | "-Dm"));
        if let Some(at) = detached {
            let skip = usize::from(args[at].text.ends_with('S'));
            let inner = args.get(at + 1 + skip..).unwrap_or_default();
            self.call(inner, &Flow::default(), site.also(Via::BACKGROUND));
        }
    }
}

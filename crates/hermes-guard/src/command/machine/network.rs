//! Programs run elsewhere (ssh, containers) and programs that take shell text as an option's value.

use std::rc::Rc;

use super::{Machine, RunSite};
use crate::command::call::{Arg, Channel, ProgramCall, Taint, TextFlow, Via};
use crate::command::options::{CONTAINER_VALUES, Opt, Spec, first_operand, options};
use crate::command::rules;
use crate::shell::escapes;

/// So many words of a recipe are looked at.
const MAX_WORDS: usize = 4_096;

impl Machine<'_> {
    pub(super) fn ssh(
        &mut self,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> TextFlow {
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
                        self.subshell_text(program, site, &TextFlow::default());
                    }
                }
                _ => {}
            }
        }
        let host = first_operand(args, &SPEC);
        let words: Vec<&str> = args.iter().skip(host + 1).map(|arg| arg.text.as_ref()).collect();
        let words = words.strip_prefix(&["--"]).unwrap_or(&words);
        let site = site.also(Via::REMOTE);
        // Another machine has other directories and variables; whoever logs in begins at home.
        let cwd = self.facts.cwd.replace(Rc::from("~"));
        if words.is_empty() {
            // A file whose text nobody knows, for a shell on another machine.
            if stdin.channel == Channel::File && stdin.text.is_none() {
                self.report(rules::structure::HEREDOC_CODE, site);
            }
            if matches!(stdin.channel, Channel::Here | Channel::File | Channel::Pipe)
                && let Some(text) = &stdin.text
            {
                self.subshell_text(text, site, &TextFlow::default());
            }
        } else {
            self.subshell_text(&words.join(" "), site, stdin);
        }
        self.facts.cwd = cwd;
        TextFlow::unknown(Taint::GENERATED)
    }

    /// Programs that run the words behind `shell`, `ssh`, `--`, or the text of an option in a machine of
    /// their own.
    pub(super) fn elsewhere(&mut self, args: &[Arg<'_>], site: RunSite<'_>) {
        let site = site.also(Via::REMOTE);
        let nothing = TextFlow::default();
        let cwd = self.facts.cwd.take();
        let mut rest = args;
        while let Some((first, behind)) = rest.split_first() {
            let text = first.as_str();
            match text {
                "-C" | "--command" | "-c" => {
                    if let Some(text) = behind.first() {
                        self.subshell_text(&text.text, site, &nothing);
                    }
                }
                "--" | "shell" | "run" | "-e" | "exec" => {
                    match behind {
                        [text] => self.subshell_text(&text.text, site, &nothing),
                        words => self.call(words, &nothing, site),
                    };
                    break;
                }
                _ => {
                    if let Some(text) = text.strip_prefix("--command=") {
                        self.subshell_text(text, site, &nothing);
                    }
                }
            }
            rest = behind;
        }
        self.facts.cwd = cwd;
    }

    /// Programs that hand a text to many machines at once.
    pub(super) fn many_machines(&mut self, args: &[Arg<'_>], site: RunSite<'_>) {
        let site = site.also(Via::REMOTE);
        let nothing = TextFlow::default();
        let cwd = self.facts.cwd.take();
        let last = args.len().saturating_sub(1);
        for (at, arg) in args.iter().enumerate() {
            if (arg.text.contains(' ') || at == last) && !arg.text.contains("name:") {
                self.subshell_text(&arg.text, site, &nothing);
            }
        }
        if let Some(at) = args.iter().position(|arg| arg.text == "--") {
            self.call(&args[at + 1..], &nothing, site);
        }
        self.facts.cwd = cwd;
    }

    /// `docker run image …`, `docker exec name …`, `docker compose run service …`, `kubectl exec`.
    pub(super) fn container(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> TextFlow {
        const SPEC: Spec = Spec::leading("aceHhlmnpuvwf", CONTAINER_VALUES);
        let call = ProgramCall { name, args, stdin, via: site.via, facts: &self.facts };
        let output = TextFlow::unknown(Taint::GENERATED.and(rules::printed(&call)));
        let mut at = first_operand(args, &SPEC);
        let mut verb = args.get(at).map_or("", |arg| arg.text.as_ref());
        if matches!(verb, "compose" | "container") {
            at += 1 + first_operand(&args[at + 1..], &SPEC);
            verb = args.get(at).map_or("", |arg| arg.text.as_ref());
        }
        if matches!(verb, "build" | "buildx") {
            self.image_recipe(args, stdin, site);
        }
        // Another user of one's own, and the same files.
        if verb == "unshare" {
            return self.call(&args[at + 1..], stdin, site);
        }
        if !matches!(verb, "run" | "exec" | "create" | "debug") {
            let saves = matches!(verb, "save" | "export" | "cp");
            return if saves { output.tainted(Taint::SECRET) } else { output };
        }
        let rest = &args[at + 1..];
        let dashes = rest.iter().position(|arg| arg.text == "--");
        let start = match (name, dashes) {
            ("kubectl" | "oc" | "lxc" | "incus", Some(at)) => at + 1,
            _ => first_operand(rest, &SPEC) + 1,
        };
        if let Some(inner) = rest.get(start..).filter(|inner| !inner.is_empty()) {
            let cwd = self.facts.cwd.take();
            let flow = self.call(inner, stdin, site.also(Via::CONTAINER));
            self.facts.cwd = cwd;
            return output.tainted(flow.taint);
        }
        output
    }

    /// `docker build - <<E`: where a recipe that is known gets what it runs inside of the image.
    fn image_recipe(&mut self, args: &[Arg<'_>], stdin: &TextFlow, site: RunSite<'_>) {
        let named = args.windows(2).find(|two| matches!(two[0].as_str(), "-f" | "--file"));
        let reads_input = args.iter().any(|arg| arg.text == "-");
        let file = match named {
            Some(two) if two[1].text != "-" => Some(self.read_file(&two[1])),
            None if !reads_input && self.state.knows_files() => {
                Some(self.read_file(&Arg::new("Dockerfile")))
            }
            _ => None,
        };
        let Some(text) = file.as_ref().unwrap_or(stdin).text.clone() else { return };
        if !self.charge(text.len()) {
            return;
        }
        // What an image is made of is its own business, unless it comes from a machine without a name.
        let words = text.split(|char: char| char.is_whitespace() || "\"'=()".contains(char));
        if words.take(MAX_WORDS).any(rules::is_numbered) {
            self.report(rules::structure::REMOTE_CODE, site);
        }
    }

    /// `su -c text`, `script -c text`, `flock file -c text`, `nix-shell --run text`, `npx -c text`.
    pub(super) fn text_option(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> Option<TextFlow> {
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

    /// What an awk program starts and writes.
    pub(super) fn awk(&mut self, args: &[Arg<'_>], stdin: &TextFlow, site: RunSite<'_>) {
        const SPEC: Spec = Spec::leading("Ffv", &["field-separator", "assign", "file"]);
        let known = self.script_file(args, &SPEC, stdin);
        let known = known.map(|text| Arg::new(text.to_string()));
        let Some(program) = known.as_ref().or(args.get(first_operand(args, &SPEC))) else { return };
        if !self.charge(program.text.len()) {
            return;
        }
        let found = rules::awk::read(&program.text);
        if found.asks {
            self.report(rules::SCRIPT, site);
        }
        for command in found.commands {
            let command = escapes::decode(command);
            self.subshell_text(&command, site, &TextFlow::unknown(Taint::GENERATED));
        }
        for path in found.writes {
            self.check(rules::REDIRECTION, &[Arg::new(path)], &TextFlow::default(), site);
        }
    }

    /// The program that `-f` names, where its text is known; `-` is what comes in.
    fn script_file(&mut self, args: &[Arg<'_>], spec: &Spec, stdin: &TextFlow) -> Option<Rc<str>> {
        let named = options(args, spec).filter(|opt| opt.is('f', "file"));
        let named = named.filter_map(|opt| opt.value()).next()?.to_owned();
        match named.as_str() {
            "-" | "/dev/stdin" => stdin.text.clone(),
            _ => self.read_file(&Arg::new(named)).text,
        }
    }

    /// What a sed script in a file starts and writes.
    pub(super) fn sed_file(&mut self, args: &[Arg<'_>], stdin: &TextFlow, site: RunSite<'_>) {
        let spec = rules::sed::SPEC;
        let Some(text) = self.script_file(args, &spec, stdin) else { return };
        if self.charge(text.len()) {
            let script = [Arg::new("-e"), Arg::new(text.to_string())];
            self.check("sed", &script, &TextFlow::default(), site);
        }
    }

    /// `ed` does what it reads: `!command`, `w file`.
    pub(super) fn line_editor(&mut self, stdin: &TextFlow, site: RunSite<'_>) {
        let Some(text) = stdin.text.clone().filter(|text| self.charge(text.len())) else { return };
        let nothing = TextFlow::default();
        for line in text.lines() {
            let line = line
                .trim_start_matches(|char: char| ",$%.".contains(char) || char.is_ascii_digit());
            if let Some((_, command)) = line.split_once('!').filter(|(before, _)| before.len() < 3)
            {
                self.subshell_text(command, site, &nothing);
                self.report(rules::SCRIPT, site);
            } else if let Some(path) = line.strip_prefix("w ").or_else(|| line.strip_prefix("W ")) {
                self.check(rules::REDIRECTION, &[Arg::new(path.trim())], &nothing, site);
            }
        }
    }

    /// A file that is split is in its pieces; which of it is in which, nobody needs to know.
    pub(super) fn split_pieces(&mut self, args: &[Arg<'_>], stdin: &TextFlow) {
        const SPEC: Spec = Spec::with("abClnt", &["bytes", "lines", "number", "suffix-length"]);
        let operands = options(args, &SPEC).filter_map(|opt| match opt {
            Opt::Operand(arg, _) => Some(arg.text.as_ref()),
            Opt::Short(..) | Opt::Long(..) => None,
        });
        let operands: Vec<&str> = operands.take(2).collect();
        let whole = match operands.first() {
            None | Some(&"-") => stdin.clone(),
            Some(file) if self.state.knows_files() => self.read_file(&Arg::new(*file)),
            Some(_) => return,
        };
        if whole.text.is_none() && whole.taint.without(Taint::FILE) == Taint::NONE {
            return;
        }
        let prefix = operands.get(1).unwrap_or(&"x");
        for end in ["aa", "ab", "00", "01"] {
            let path = self.facts.path(&format!("{prefix}{end}")).into_owned();
            if let Some(origin) = self.state.file_mut(&path) {
                origin.text.clone_from(&whole.text);
                origin.taint = whole.taint.without(Taint::FILE);
            }
        }
    }

    /// `split --filter='text'` hands each piece to a shell.
    pub(super) fn split_filter(&mut self, args: &[Arg<'_>], site: RunSite<'_>) {
        for (at, arg) in args.iter().enumerate() {
            let text = match arg.text.split_once('=') {
                Some(("--filter", text)) => text,
                None if arg.text == "--filter" => args.get(at + 1).map_or("", Arg::as_str),
                _ => continue,
            };
            self.subshell_text(text, site, &TextFlow::unknown(Taint::GENERATED));
        }
    }

    /// Programs that git runs: `git -c alias.x='!…' x`, `git rebase -x …`, `git bisect run …`,
    /// `git submodule foreach …`.
    pub(super) fn git_aliases(&mut self, args: &[Arg<'_>], site: RunSite<'_>) {
        let names_alias = |arg: &Arg<'_>| arg.text.starts_with("alias.");
        if args.iter().any(|arg| arg.text == "config")
            && let Some(at) = args.iter().position(names_alias)
            && let Some(text) = args.get(at + 1)
        {
            // What the new name stands for is judged when it is given.
            let text = match text.text.strip_prefix('!') {
                Some(command) => command.to_owned(),
                None => format!("git {}", text.text),
            };
            self.subshell_text(&text, site, &TextFlow::default());
        }
        for pair in args.windows(2) {
            if pair[0].text == "-c"
                && let Some((key, program)) = pair[1].text.split_once("=!")
                && key.starts_with("alias.")
            {
                self.subshell_text(program, site, &TextFlow::default());
            }
            if matches!(pair[0].as_str(), "-x" | "--exec")
                && args.iter().any(|arg| arg.text == "rebase")
            {
                self.subshell_text(&pair[1].text, site, &TextFlow::default());
            }
            let inner = match (pair[0].as_str(), pair[1].as_str()) {
                ("bisect", "run") | ("submodule", "foreach") => {
                    args.iter().skip_while(|arg| arg.text != pair[1].text)
                }
                _ => continue,
            };
            let words: Vec<Arg<'_>> =
                inner.skip(1).filter(|arg| arg.text != "--recursive").cloned().collect();
            match words.as_slice() {
                [text] => self.subshell_text(&text.text, site, &TextFlow::default()),
                words => self.call(words, &TextFlow::default(), site),
            };
        }
    }

    /// `tmux new-session -d 'text'`, `tmux send-keys -t x 'text' Enter`, `screen -dm program`.
    pub(super) fn multiplexer(&mut self, args: &[Arg<'_>], site: RunSite<'_>) {
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
        if let Some(at) = args.iter().position(|arg| arg.text == "stuff")
            && let Some(typed) = args.get(at + 1)
        {
            let typed = typed.text.replace("\\n", "\n").replace("^M", "\n");
            self.subshell_text(&typed, site, &TextFlow::default());
        }
        if starts {
            for arg in args.iter().filter(|arg| arg.text.contains(' ')) {
                self.subshell_text(&arg.text, site, &TextFlow::default());
            }
            return;
        }
        let detached =
            args.iter().position(|arg| matches!(arg.text.as_ref(), "-dm" | "-dmS" | "-Dm"));
        if let Some(at) = detached {
            let skip = usize::from(args[at].text.ends_with('S'));
            let inner = args.get(at + 1 + skip..).unwrap_or_default();
            self.call(inner, &TextFlow::default(), site.also(Via::BACKGROUND));
        }
    }
}

//! Calls: the rules are asked, then whatever the call runs in turn is walked.

use std::rc::Rc;

use super::state::{HeldValue, Positional};
use super::{ARGUMENT_WORK, CALL_WORK, MANY_ARGUMENTS, MANY_ARGUMENTS_WORK, Machine, RunSite};
use crate::command::call::{Arg, Channel, ProgramCall, Taint, TextFlow, Via};
use crate::command::facts::HOLE;
use crate::command::interpreters::{self, Interpreter};
use crate::command::options::{Opt, Spec, options};
use crate::command::rules::structure;
use crate::command::wrappers::{self, WrappedCommand};
use crate::command::{abbreviations, code, names, paths, rules};

/// So many statements in a program are judged.
const MAX_STATEMENTS: usize = 8;

/// What reading a byte of a program in another language costs.
const CODE_WORK: usize = 4;

impl Machine<'_> {
    /// Walks a call; the result is what it prints.
    pub(super) fn call(
        &mut self,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> TextFlow {
        self.deeper(|machine| machine.call_inside(args, stdin, site))
    }

    fn call_inside(&mut self, args: &[Arg<'_>], stdin: &TextFlow, site: RunSite<'_>) -> TextFlow {
        let Some((first, rest)) = args.split_first() else { return TextFlow::known("") };
        let each = match args.len() > MANY_ARGUMENTS {
            true => MANY_ARGUMENTS_WORK,
            false => ARGUMENT_WORK,
        };
        if !self.charge(CALL_WORK + args.len() * each) {
            return TextFlow::default();
        }
        self.note_spelling(args);
        if let Some(category) = structure::made_up_command(first) {
            self.report(category, site);
        }
        // Who has not called a function yet does not know its arguments; the call is walked.
        let is_called = !matches!(self.state.positional, Positional::Unknown);
        if is_called && structure::is_unknown_command(&first.text) {
            self.report(structure::UNKNOWN, site);
        }
        if let Some(flow) = self.defined(first, rest, stdin, site) {
            return flow;
        }
        let name = names::canonical(&first.text);
        let name = match name.as_ref() {
            "" => structure::unknown_program(rest),
            // Somebody's own script may be called like a program of the system.
            name if rules::is_only_of_system(name) && first.text.contains('/') => {
                let own = !names::is_system_path(&self.facts.path(&first.text));
                if own { "" } else { name }
            }
            name => name,
        };
        let whole = abbreviations::written_out(name, rest);
        let rest = whole.as_deref().unwrap_or(rest);
        let known = self.with_origins(name, rest);
        let rest = known.as_deref().unwrap_or(rest);

        let file = self.file_as_input(name, rest);
        let stdin = file.as_ref().unwrap_or(stdin);
        let before = self.findings.len();
        let aimed = self.with_aim(name, rest);
        self.check(name, aimed.as_deref().unwrap_or(rest), stdin, site);
        self.statements(name, rest, stdin, site);
        self.option_commands(name, rest, stdin, site);
        self.takes_arrival(name, rest, stdin, site);
        self.builds_foreign(name, rest, site);
        self.prompt_lines(name, rest, stdin, site);
        self.piped_file(name, rest, site);
        self.edits_recipe(name, rest, site);
        self.named_keys(name, rest, site);
        self.run_from_path(first, site);
        if first.text.contains('/') {
            if self.facts.path(&first.text).starts_with(rules::INIT_SCRIPT) {
                self.check(rules::INIT_SCRIPT, rest, stdin, site);
            }
            self.run_file(first, site);
        }
        let output = self.inside(name, rest, stdin, site);
        let call = ProgramCall { name, args: rest, stdin, via: site.via, facts: &self.facts };
        let output = match rules::own_rules::finds_own(&call) {
            true => TextFlow { text: None, ..output.tainted(Taint::OWN) },
            false => output.tainted(rules::own_search::taint(&call)),
        };
        if self.findings.len() == before {
            self.carried(name, rest, stdin, site);
        }
        output
    }

    /// The arguments of a program that sends files, each with where the file's content comes from.
    fn with_origins<'a>(&self, name: &str, args: &[Arg<'a>]) -> Option<Vec<Arg<'a>>> {
        let sends = rules::is_sender(name);
        if !sends || !self.state.knows_files() {
            return None;
        }
        let origin = |arg: &Arg<'_>| {
            let text = arg.text.rsplit(['@', '=']).next().unwrap_or_default();
            let path = self.facts.path(text);
            let taint = self.state.origin(&path).map_or(Taint::NONE, |origin| origin.taint);
            if taint.has(Taint::SECRET) { Taint::SECRET } else { Taint::NONE }
        };
        let all = args.iter().map(|arg| Arg { taint: arg.taint.and(origin(arg)), ..arg.clone() });
        Some(all.collect())
    }

    /// The arguments of a tool that a variable aims at another place than its own, with that place.
    fn with_aim<'a>(&self, name: &str, args: &[Arg<'a>]) -> Option<Vec<Arg<'a>>> {
        let (variables, option): (&[&str], &str) = match name {
            "docker" | "docker-compose" => (&["DOCKER_HOST", "DOCKER_CONTEXT"], "--host"),
            "kubectl" | "oc" | "helm" | "helmfile" => {
                (&["KUBECONFIG", "HELM_KUBECONTEXT"], "--context")
            }
            "terraform" | "terragrunt" => (&["TF_WORKSPACE", "AWS_PROFILE"], "-var-file"),
            _ => return None,
        };
        let variable = variables.iter().find_map(|variable| self.state.get(variable))?;
        let HeldValue::Text(value) = &variable.value else { return None };
        let aim = [Arg::new(option), Arg::new(value.to_string())];
        Some(args.iter().cloned().chain(aim).collect())
    }

    /// Statements for a database, whatever client is told them.
    fn statements(&mut self, name: &str, args: &[Arg<'_>], stdin: &TextFlow, site: RunSite<'_>) {
        if matches!(name, "echo" | "printf" | "grep" | "rg" | "git" | "sed" | "awk" | "test" | "[")
        {
            return;
        }
        let call = ProgramCall { name, args, stdin, via: site.via, facts: &self.facts };
        let texts: Vec<String> = rules::statements(&call).into_iter().map(str::to_owned).collect();
        for text in texts {
            self.check("psql", &[Arg::new(text)], &TextFlow::default(), site);
        }
        // A bare line to a cache or a queue.
        let empties = |text: &str| {
            let lower = text.to_ascii_lowercase();
            ["flush_all", "flushall", "flushdb", "shutdown"].iter().any(|verb| lower.contains(verb))
        };
        if matches!(name, "nc" | "telnet" | "socat") && stdin.text.as_deref().is_some_and(empties) {
            self.report(rules::DESTRUCTIVE, site);
        }
    }

    /// Asks every rule about a call.
    pub(super) fn check(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) {
        let found = {
            let call = ProgramCall { name, args, stdin, via: site.via, facts: &self.facts };
            if name == "rm" && self.disposables.len() < super::super::MAX_FINDINGS {
                let places = rules::delete::disposables(&call);
                self.disposables.extend(places.iter().map(|path| self.facts.spelled_out(path)));
            }
            let mut found = rules::matching(&call);
            if rules::own_rules::changes_home(&call) || rules::own_rules::speaks_to_agent(&call) {
                found.push(rules::own_rules::OWN_RULES);
            }
            if rules::cmdlets::changes(&call) {
                found.push(rules::cmdlets::CMDLET);
            }
            if rules::arrivals::takes_address(&call) {
                found.push(structure::REMOTE_CODE);
            }
            if rules::loaders::loads(&call) {
                found.push(rules::indirect::INDIRECT);
            }
            if rules::loaders::takes_pipe(&call) {
                found.push(structure::REMOTE_CODE);
            }
            if rules::sends_secrets(&call) {
                found.push(rules::UPLOAD);
            }
            if rules::indirect::names_command(&call) {
                found.push(rules::indirect::INDIRECT);
            }
            let listed = site.via.has(Via::XARGS.and(Via::EACH).and(Via::FIND));
            let given = |arg: &Arg<'_>| arg.taint.has(Taint::SECRET) && arg.has_hole();
            if listed && rules::worded::shows_named(name) && args.iter().any(given) {
                found.push(rules::worded::SHOWN);
            }
            if rules::lets_out(&call) {
                found.push(rules::UPLOAD);
            }
            if rules::own_rules::touches_own(&call) {
                found.push(rules::own_rules::OWN_RULES);
            }
            if found.is_empty() && rules::writes_system(&call) {
                found.push(rules::SYSTEM_FILE);
            }
            if found.is_empty() && (rules::destructive_verb(&call) || rules::takes_listed(&call)) {
                found.push(rules::DESTRUCTIVE);
            }
            if found.is_empty() && rules::is_strange(&call, rules::is_listed(name)) {
                found.push(rules::STRANGE);
            }
            found
        };
        for category in found {
            self.report(category, site);
        }
    }

    fn note_spelling(&mut self, args: &[Arg<'_>]) {
        if let Some(spellings) = &mut self.spellings {
            let words: Vec<&str> = args.iter().map(|arg| arg.text.as_ref()).collect();
            spellings.push(words.join(" "));
        }
    }

    pub(super) fn set_positional(&mut self, zero: &str, args: &[Arg<'_>]) {
        let all = std::iter::once(Rc::from(zero))
            .chain(args.iter().map(|arg| Rc::from(arg.text.as_ref())));
        self.state.positional = Positional::Known(all.collect());
    }

    /// What a call does besides being what it is.
    fn inside(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> TextFlow {
        if let Some(flow) = self.builtin(name, args, stdin, site) {
            return flow;
        }
        if interpreters::is_shell(name) {
            return self.shell(name, args, stdin, site);
        }
        if matches!(name, "erl" | "escript" | "sbcl" | "ecl" | "clisp") {
            for pair in args.windows(2) {
                if matches!(pair[0].as_str(), "-eval" | "--eval" | "-x" | "-run" | "-e") {
                    self.code(name, &pair[1].text, site);
                }
            }
            return TextFlow::unknown(Taint::GENERATED);
        }
        self.named_program(name, args, site);
        // What a console of an application reads.
        let is_console = args.iter().any(|arg| arg.text == "-m" || arg.text.ends_with("manage.py"))
            && args.iter().any(|arg| matches!(arg.as_str(), "code" | "shell" | "shell_plus"));
        if name == "python" && is_console && stdin.text.is_some() {
            self.run_code(name, stdin, site);
        }
        // `python -m pip uninstall x` is `pip uninstall x`.
        if let [flag, module, rest @ ..] = args
            && name == "python"
            && flag.text == "-m"
        {
            self.check(&module.text, rest, stdin, site);
        }
        if let Some(program) = interpreters::program(name, args) {
            self.interpreter(name, program, args, stdin, site);
            return TextFlow::unknown(Taint::GENERATED.and(stdin.taint));
        }
        self.implied_code(name, site);
        match name {
            "sudo" | "doas" => return self.privileged(name, args, stdin, site),
            "env" => return self.env(args, stdin, site),
            "find" => return self.find_files(args, stdin, site),
            "fd" => return self.fd(args, stdin, site),
            "xargs" => return self.xargs(args, stdin, site),
            "parallel" => return self.parallel(args, stdin, site),
            "su" | "runuser" | "script" | "flock" | "nix-shell" | "nix" | "vagrant" | "capsh"
            | "npx" | "npm" | "pnpm" => {
                self.recipes(name, args, site);
                self.package_scripts(args, site);
                if let Some(flow) = self.text_option(name, args, stdin, site) {
                    return flow;
                }
            }
            "ssh" => {
                self.ssh_settings(args, site);
                return self.ssh(args, stdin, site);
            }
            "ansible" | "pssh" | "pdsh" | "clush" | "dsh" | "parallel-ssh" | "salt"
            | "salt-ssh" | "knife" | "fab" | "mssh" | "cssh" | "bolt" => {
                self.many_machines(args, site);
            }
            "docker" | "kubectl" | "docker-compose" | "oc" | "lxc" | "incus" => {
                self.manifests(name, args, stdin, site);
                return self.container(name, args, stdin, site);
            }
            "at" | "batch" => {
                if let Some(text) = &stdin.text {
                    self.subshell_text(text, site, &TextFlow::default());
                }
                return TextFlow::known("");
            }
            "split" => {
                self.split_pieces(args, stdin);
                self.split_filter(args, site);
            }
            "cmd" => {
                let at = args.iter().position(|arg| arg.text.eq_ignore_ascii_case("/c"));
                let words: Vec<&str> =
                    args.iter().skip(at.map_or(args.len(), |at| at + 1)).map(Arg::as_str).collect();
                let text = words.join(" ");
                // A caret only hides the letter behind it.
                if text.contains('^') {
                    let plain = Arg::new(text.replace('^', ""));
                    self.check("cmd", &[Arg::new("/c"), plain], &TextFlow::default(), site);
                }
                self.subshell_text(&text, site, &TextFlow::default());
            }
            "ip" if args.len() > 3 && args[0].text == "netns" && args[1].text == "exec" => {
                return self.call(&args[3..], stdin, site);
            }
            "sshfs" | "rclone" | "curlftpfs" => self.mounts_elsewhere(args),
            "awk" => self.awk(args, stdin, site),
            "sed" => self.sed_file(args, stdin, site),
            "ed" | "ex" => self.line_editor(stdin, site),
            "iex" | "invoke-expression" if stdin.channel == Channel::Pipe => {
                self.run_stdin("bash", stdin, site);
            }
            "xterm" | "gnome-terminal" | "konsole" | "alacritty" | "kitty" | "xfce4-terminal" => {
                let at = args.iter().position(|arg| matches!(arg.as_str(), "-e" | "-x" | "--"));
                let inner = at.map_or(&[][..], |at| &args[at + 1..]);
                match inner {
                    [text] => self.subshell_text(&text.text, site, stdin),
                    words => self.call(words, stdin, site),
                };
            }
            "adb" | "wsl" | "gcloud" | "flyctl" | "fly" | "heroku" | "multipass" | "limactl"
            | "colima" | "toolbox" | "distrobox" | "orb" | "minikube" | "podman-machine" => {
                self.elsewhere(args, site);
            }
            "git" => {
                self.git_aliases(args, site);
                self.clone_from_elsewhere(args);
                self.remotes(args, site);
            }
            "bats" => self.shell_tests(args, site),
            "make" | "gmake" | "bmake" | "just" | "task" | "yarn" | "bun" | "composer"
            | "direnv" | "tox" | "ansible-playbook" | "pre-commit" => {
                self.recipes(name, args, site);
            }
            "gcc" | "cc" | "g++" | "c++" | "clang" | "clang++" | "tcc" | "rustc" | "go"
            | "javac" | "java" | "zig" | "swiftc" | "nim" => self.compiled(name, args, site),
            "tmux" | "screen" => self.multiplexer(args, site),
            _ => {}
        }
        if let Some(wrapper) = wrappers::wrapper(name)
            && let Some(start) = wrapper.start(args)
        {
            let via = match name {
                "nohup" | "setsid" | "systemd-run" => site.also(Via::BACKGROUND),
                _ => site,
            };
            let inner = &args[start..];
            return match wrapper.inner {
                WrappedCommand::ProgramOrText if inner.len() == 1 => {
                    self.subshell_text(&inner[0].text, via, stdin)
                }
                WrappedCommand::Texts => {
                    for text in inner.iter().filter(|arg| !arg.text.starts_with('-')) {
                        self.subshell_text(&text.text, via, stdin);
                    }
                    TextFlow::unknown(Taint::GENERATED)
                }
                _ => self.call(inner, stdin, via),
            };
        }
        self.output(name, args, stdin)
    }

    /// `sudo` and `doas`. `-s` and `-i` hand the words to a shell.
    fn privileged(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> TextFlow {
        let Some(wrapper) = wrappers::wrapper(name) else { return TextFlow::default() };
        let mut through_shell = false;
        for opt in options(args, &wrapper.spec) {
            match opt {
                Opt::Operand(..) => break,
                Opt::Short('S', _) if name == "sudo" => self.sudo_reads_stdin = true,
                Opt::Short('s' | 'i', _) => through_shell = true,
                Opt::Long(long, _) => {
                    self.sudo_reads_stdin |= long == "stdin";
                    through_shell |= matches!(long, "shell" | "login");
                }
                Opt::Short(..) => {}
            }
        }
        let Some(start) = wrapper.start(args) else {
            return match through_shell {
                true => self.run_stdin("bash", stdin, site),
                false => TextFlow::known(""),
            };
        };
        // `sudo LD_PRELOAD=x program`
        let given = args[start..].iter().take_while(|arg| wrappers::is_assignment(&arg.text));
        let inner = &args[start + given.count()..];
        if let Some((word, rest)) = inner.split_first() {
            let name = names::canonical(&word.text);
            let looks = rest.iter().any(|arg| {
                matches!(
                    arg.as_str(),
                    "--help" | "--version" | "status" | "list" | "show" | "-l" | "--list"
                )
            });
            if !looks
                && rules::worded::is_strange_as_root(&name, &word.text)
                && wrappers::wrapper(&name).is_none()
            {
                self.report(rules::worded::ADMINISTER, site);
            }
        }
        self.root_in_clone(inner, site);
        self.scoped(|machine| {
            for arg in args.iter().filter(|arg| wrappers::is_assignment(&arg.text)) {
                machine.declare(&arg.text, arg.taint, site);
            }
            match through_shell && inner.len() == 1 {
                true => machine.subshell_text(&inner[0].text, site, stdin),
                false => machine.call(inner, stdin, site),
            }
        })
    }

    /// `env -S 'rm -rf /'` splits its text into words.
    fn env(&mut self, args: &[Arg<'_>], stdin: &TextFlow, site: RunSite<'_>) -> TextFlow {
        const SPEC: Spec = Spec::leading("uCS", &["unset", "chdir", "split-string"]);
        let split = options(args, &SPEC)
            .take_while(|opt| !matches!(opt, Opt::Operand(..)))
            .filter(|opt| opt.is('S', "split-string"))
            .find_map(|opt| opt.value());
        if let Some(text) = split {
            let at = crate::command::options::first_operand(args, &SPEC);
            let mut words: Vec<Arg<'_>> = text.split_whitespace().map(Arg::new).collect();
            words.extend(args[at..].iter().cloned());
            let skip = words.iter().take_while(|arg| wrappers::is_assignment(&arg.text)).count();
            // Quotes in the text need the shell's reading.
            return match text.contains(['\'', '"', '\\']) {
                true => self.subshell_text(text, site, stdin),
                false => self.call(&words[skip..], stdin, site),
            };
        }
        let taken = options(args, &SPEC)
            .take_while(|opt| !matches!(opt, Opt::Operand(..)))
            .filter(|opt| opt.is('u', "unset"))
            .filter_map(|opt| opt.value());
        if taken.into_iter().any(super::builtins::is_own_variable) {
            self.report(rules::own_rules::OWN_RULES, site);
        }
        let inner = wrappers::wrapper("env").and_then(|wrapper| wrapper.start(args));
        // `env $(cat settings) program`: what is put in are variables.
        let inner = inner.map(|start| {
            let put_in = args[start..].iter().take_while(|arg| {
                arg.text.chars().all(|char| char == HOLE)
                    && arg.taint.has(Taint::GENERATED.and(Taint::FILE))
            });
            let skip = put_in.count();
            if start + skip < args.len() { start + skip } else { start }
        });
        match inner {
            Some(start) => self.scoped(|machine| {
                for arg in &args[..start] {
                    machine.declare(&arg.text, arg.taint, site);
                }
                machine.call(&args[start..], stdin, site)
            }),
            None => TextFlow::unknown(Taint::GENERATED.and(Taint::SECRET)),
        }
    }

    /// A shell: a program after `-c`, a script, or whatever comes in.
    fn shell(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> TextFlow {
        for two in args.windows(2) {
            // What an interactive shell reads first.
            if matches!(two[0].as_str(), "--rcfile" | "--init-file") && two[1].pipe.is_some() {
                let flow = self.read_file(&two[1]);
                self.run_flow(name, &flow, site);
            }
        }
        let output = match interpreters::shell_program(name, args) {
            Interpreter::Text { text, rest } => {
                self.check_origin(args, site);
                let text = text.to_owned();
                self.glob_code(name, &text, site);
                self.scoped(|machine| {
                    let zero = rest.first().map_or(name, |arg| arg.text.as_ref()).to_owned();
                    machine.set_positional(&zero, rest.get(1..).unwrap_or_default());
                    machine.text(&text, site.via, stdin)
                })
            }
            Interpreter::File(file) => {
                let flow = self.read_file(file);
                self.run_flow(name, &flow, site);
                TextFlow::unknown(Taint::GENERATED)
            }
            Interpreter::Input => self.run_stdin(name, stdin, site),
            Interpreter::None => TextFlow::unknown(Taint::GENERATED),
        };
        output.tainted(Taint::SHELL)
    }

    /// A program given as an argument may have been fetched or decoded on the way.
    fn check_origin(&mut self, args: &[Arg<'_>], site: RunSite<'_>) {
        let taint = args.iter().fold(Taint::NONE, |taint, arg| taint.and(arg.taint));
        if let Some(category) = structure::evaluating(taint) {
            self.report(category, site);
        }
    }

    /// What comes in is run.
    pub(super) fn run_stdin(
        &mut self,
        name: &str,
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> TextFlow {
        if stdin.channel == Channel::Nothing {
            return TextFlow::unknown(Taint::GENERATED);
        }
        self.run_flow(name, stdin, site)
    }

    /// Text from somewhere is run by an interpreter.
    fn run_flow(&mut self, name: &str, flow: &TextFlow, site: RunSite<'_>) -> TextFlow {
        if let Some(category) = structure::running(name, flow) {
            self.report(category, site);
        }
        // A file from here, for a shell on another machine.
        if site.via.has(Via::REMOTE.and(Via::CONTAINER))
            && flow.channel == Channel::File
            && flow.text.is_none()
        {
            self.report(structure::HEREDOC_CODE, site);
        }
        match &flow.text {
            Some(text) if interpreters::is_shell(name) => {
                let text = text.clone();
                self.subshell_text(&text, site, &TextFlow::default())
            }
            _ => TextFlow::unknown(Taint::GENERATED),
        }
    }

    /// Python, node and the like: where their programs come from, and what can be read in them.
    fn interpreter(
        &mut self,
        name: &str,
        program: Interpreter<'_>,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) {
        match program {
            Interpreter::Text { text, .. } => {
                self.check_origin(args, site);
                let loaded = loaded_modules(name, args);
                match loaded.is_empty() {
                    true => self.code(name, text, site),
                    false => self.code(name, &format!("{loaded}{text}"), site),
                }
            }
            Interpreter::Input if stdin.channel != Channel::Nothing => {
                self.run_code(name, stdin, site);
            }
            Interpreter::File(file) => {
                let knows_files = self.state.knows_files();
                for two in args.windows(2).filter(|_| knows_files) {
                    // What is loaded before the program.
                    if matches!(
                        two[0].as_str(),
                        "-r" | "--require" | "--import" | "--loader" | "--preload"
                    ) {
                        let flow = self.read_file(&two[1]);
                        self.run_code(name, &flow, site);
                    }
                }
                if file.text.starts_with("http://") || file.text.starts_with("https://") {
                    self.report(structure::REMOTE_CODE, site);
                }
                let flow = self.read_file(file);
                self.run_code(name, &flow, site);
            }
            _ => {}
        }
    }

    pub(super) fn run_code(&mut self, name: &str, flow: &TextFlow, site: RunSite<'_>) {
        if let Some(category) = structure::running("", flow) {
            self.report(category, site);
        }
        if let Some(text) = &flow.text {
            self.program(name, text, flow.taint, site);
        }
    }

    fn code(&mut self, name: &str, text: &str, site: RunSite<'_>) {
        self.program(name, text, Taint::NONE, site);
    }

    /// A program in another language: what it runs and changes is judged, what cannot be read asks. A file
    /// that lies there for everybody to look at is judged by what can be read in it, as any other program.
    fn program(&mut self, name: &str, text: &str, origin: Taint, site: RunSite<'_>) {
        let is_shown = origin.has(Taint::SHOWN);
        if !self.charge(text.len() * CODE_WORK) {
            return;
        }
        if name == "powershell" {
            for words in rules::cmdlets::statements(text) {
                let args: Vec<Arg<'_>> =
                    words[1..].iter().map(|word| Arg::new(word.as_str())).collect();
                self.check(&names::canonical(&words[0]), &args, &TextFlow::default(), site);
            }
        }
        let found = code::read(name, text);
        self.imported(name, &found.imports, site);
        // Statements for a database, whatever client sends them.
        let is_statement = |text: &&String| {
            let begin: String =
                text.trim_start().chars().take(9).collect::<String>().to_ascii_lowercase();
            ["drop ", "truncate ", "delete fr", "update ", "alter ", "revoke "]
                .iter()
                .any(|verb| begin.starts_with(verb))
        };
        for text in found.texts.iter().filter(is_statement).take(MAX_STATEMENTS) {
            self.check("psql", &[Arg::new(text.as_str())], &TextFlow::default(), site);
        }
        let leaks = found.network && {
            // In a whole program a word like `token` is mostly the name of a field.
            let is_secret = |text: &String| {
                (!is_shown || text.starts_with(['/', '~']))
                    && paths::is_secret(&self.facts.path(text))
            };
            let shows_all = |command: &String| {
                let first = command.split_whitespace().next().unwrap_or_default();
                matches!(
                    first,
                    "env" | "printenv" | "set" | "history" | "id" | "hostname" | "whoami"
                ) || command.split_whitespace().any(|word| paths::is_secret(&self.facts.path(word)))
            };
            found.environment && !is_shown
                || found.texts.iter().any(is_secret)
                || found.commands.iter().any(shows_all)
        };
        // The agent's own files, by whatever path they are put together.
        let is_own = |text: &String| {
            text == ".hermes" || text.starts_with(".hermes/") || text.contains("/.hermes/")
        };
        let writes = !found.writes.is_empty()
            || ["write", "dump", "'w'", "\"w\"", "remove", "rename", "unlink"]
                .iter()
                .any(|word| text.contains(word));
        if writes && found.texts.iter().any(is_own) {
            self.report(rules::own_rules::OWN_RULES, site);
        }
        let deletes = code::is_other(name) && super::carried::calls_delete(text);
        if (found.asks && !is_shown || leaks || deletes) && !site.via.has(Via::CONTAINER) {
            self.report(rules::SCRIPT, site);
        }
        // A shell on somebody's line, or one whose commands are made up elsewhere.
        let opens_shell = |command: &str| {
            let mut words = command.split_whitespace();
            let program = words.next().unwrap_or_default();
            let program = program.rsplit('/').next().unwrap_or(program);
            interpreters::is_shell(program)
                && words.all(|word| {
                    word.starts_with(['-', '<', '>', '0', '1', '2']) && !word.contains('c')
                })
        };
        let shells = found.commands.iter().any(|command| opens_shell(command))
            || found.calls.iter().any(|words| opens_shell(&words.join(" ")));
        if shells && !site.via.has(Via::CONTAINER) {
            self.report(rules::SCRIPT, site);
        }
        let nothing = TextFlow::default();
        for command in &found.commands {
            self.subshell_text(command, site, &nothing);
        }
        for words in &found.calls {
            let words: Vec<Arg<'_>> = words.iter().map(|word| Arg::new(word.as_str())).collect();
            self.call(&words, &nothing, site);
        }
        for path in &found.deletes {
            self.call(&[Arg::new("rm"), Arg::new(path.as_str())], &nothing, site);
        }
        for path in &found.deletes_all {
            self.call(&[Arg::new("rm"), Arg::new("-r"), Arg::new(path.as_str())], &nothing, site);
        }
        // Behind a home that is put before it.
        let at_home = |path: &&String| path.starts_with("/.");
        for path in found.writes.iter().filter(at_home) {
            let path = format!("~{path}");
            self.check(rules::REDIRECTION, &[Arg::new(path.as_str())], &nothing, site);
        }
        for path in &found.writes {
            self.check(rules::REDIRECTION, &[Arg::new(path.as_str())], &nothing, site);
            // Nobody has read what is in it now.
            let path = self.facts.path(path).into_owned();
            if let Some(origin) = self.state.file_mut(&path).filter(|_| !path.starts_with("/dev/"))
            {
                origin.text = None;
                origin.taint = origin.taint.and(Taint::GENERATED);
            }
        }
    }

    /// A file of this very text is executed.
    pub(super) fn run_file(&mut self, file: &Arg<'_>, site: RunSite<'_>) {
        let path = self.facts.path(&file.text).into_owned();
        let origin = self.state.origin(&path);
        let executable = origin.as_ref().is_some_and(|origin| origin.executable);
        if executable || (self.state.anything_executable && file.text.starts_with("./")) {
            self.report(structure::CHMOD_RUN, site);
        }
        if origin.is_some() {
            let flow = self.read_file(file);
            let name = flow.text.as_deref().and_then(interpreters::named_in_first_line);
            match name.filter(|name| !interpreters::is_shell(name)) {
                Some(name) => self.run_code(&name, &flow, site),
                None => {
                    self.run_flow("bash", &flow, site);
                }
            }
        }
    }
}

/// `perl -MIO::Socket`, `ruby -rsocket`: modules that a program begins with, as it would name them itself.
fn loaded_modules(name: &str, args: &[Arg<'_>]) -> String {
    let flag = match name {
        "perl" => "-M",
        "ruby" => "-r",
        _ => return String::new(),
    };
    let modules = args.iter().filter_map(|arg| arg.text.strip_prefix(flag));
    let modules = modules.filter(|module| !module.is_empty() && module.len() < 64);
    modules.map(|module| format!("use {};\n", module.split('=').next().unwrap_or(module))).collect()
}

//! Calls: the rules are asked, then whatever the call runs in turn is walked.

use std::rc::Rc;

use super::state::Positional;
use super::{ARGUMENT_WORK, CALL_WORK, MANY_ARGUMENTS, MANY_ARGUMENTS_WORK, Machine, Site};
use crate::command::call::{Arg, Call, Channel, Flow, Taint, Via};
use crate::command::interpreters::{self, Program};
use crate::command::options::{Opt, Spec, options};
use crate::command::rules::structure;
use crate::command::wrappers::{self, Inner};
use crate::command::{names, rules};

impl Machine<'_> {
    /// Walks a call; the result is what it prints.
    pub(super) fn call(&mut self, args: &[Arg<'_>], stdin: &Flow, site: Site<'_>) -> Flow {
        self.deeper(|machine| machine.call_inside(args, stdin, site))
    }

    fn call_inside(&mut self, args: &[Arg<'_>], stdin: &Flow, site: Site<'_>) -> Flow {
        let Some((first, rest)) = args.split_first() else { return Flow::known("") };
        let each = match args.len() > MANY_ARGUMENTS {
            true => MANY_ARGUMENTS_WORK,
            false => ARGUMENT_WORK,
        };
        if !self.charge(CALL_WORK + args.len() * each) {
            return Flow::default();
        }
        self.note_spelling(args);
        if let Some(category) = structure::made_up_command(first) {
            self.report(category, site);
        }
        if let Some(body) = self.state.function(&first.text) {
            return self.function(first, rest, &body, stdin, site);
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
        self.check(name, rest, stdin, site);
        if first.text.contains('/') {
            if self.facts.path(&first.text).starts_with(rules::INIT_SCRIPT) {
                self.check(rules::INIT_SCRIPT, rest, stdin, site);
            }
            self.run_file(first, site);
        }
        self.inside(name, rest, stdin, site)
    }

    /// Asks every rule about a call.
    pub(super) fn check(&mut self, name: &str, args: &[Arg<'_>], stdin: &Flow, site: Site<'_>) {
        let found = {
            let call = Call { name, args, stdin, via: site.via, facts: &self.facts };
            rules::matching(&call)
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

    /// A function or alias that the text has defined.
    fn function(
        &mut self,
        name: &Arg<'_>,
        args: &[Arg<'_>],
        body: &Rc<str>,
        stdin: &Flow,
        site: Site<'_>,
    ) -> Flow {
        let name = name.text.to_string();
        if self.state.running.contains(&name) || !self.can_repeat() {
            return Flow::unknown(Taint::GENERATED);
        }
        self.state.running.push(name.clone());
        let outer = self.state.positional.clone();
        self.set_positional(&name, args);
        let flow = self.text(body, site.via, stdin);
        self.state.positional = outer;
        self.state.running.pop();
        flow
    }

    pub(super) fn set_positional(&mut self, zero: &str, args: &[Arg<'_>]) {
        let all = std::iter::once(Rc::from(zero))
            .chain(args.iter().map(|arg| Rc::from(arg.text.as_ref())));
        self.state.positional = Positional::Known(all.collect());
    }

    /// What a call does besides being what it is.
    fn inside(&mut self, name: &str, args: &[Arg<'_>], stdin: &Flow, site: Site<'_>) -> Flow {
        if let Some(flow) = self.builtin(name, args, stdin, site) {
            return flow;
        }
        if interpreters::is_shell(name) {
            return self.shell(name, args, stdin, site);
        }
        if let Some(program) = interpreters::program(name, args) {
            self.interpreter(program, args, stdin, site);
            return Flow::unknown(Taint::GENERATED.and(stdin.taint));
        }
        match name {
            "sudo" | "doas" => return self.privileged(name, args, stdin, site),
            "env" => return self.env(args, stdin, site),
            "find" => return self.find_files(args, site),
            "fd" => return self.fd(args, stdin, site),
            "xargs" => return self.xargs(args, stdin, site),
            "parallel" => return self.parallel(args, stdin, site),
            "su" | "runuser" | "script" | "flock" | "nix-shell" | "nix" | "vagrant" | "capsh"
            | "npx" | "npm" | "pnpm" => {
                if let Some(flow) = self.text_option(name, args, stdin, site) {
                    return flow;
                }
            }
            "ssh" => return self.ssh(args, stdin, site),
            "docker" | "kubectl" | "docker-compose" | "oc" | "lxc" | "incus" => {
                return self.container(name, args, stdin, site);
            }
            "at" | "batch" => {
                if let Some(text) = &stdin.text {
                    self.subshell_text(text, site, &Flow::default());
                }
                return Flow::known("");
            }
            "git" => self.git_aliases(args, site),
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
                Inner::ProgramOrText if inner.len() == 1 => {
                    self.subshell_text(&inner[0].text, via, stdin)
                }
                Inner::Texts => {
                    for text in inner.iter().filter(|arg| !arg.text.starts_with('-')) {
                        self.subshell_text(&text.text, via, stdin);
                    }
                    Flow::unknown(Taint::GENERATED)
                }
                _ => self.call(inner, stdin, via),
            };
        }
        self.output(name, args, stdin)
    }

    /// `sudo` and `doas`. `-s` and `-i` hand the words to a shell.
    fn privileged(&mut self, name: &str, args: &[Arg<'_>], stdin: &Flow, site: Site<'_>) -> Flow {
        let Some(wrapper) = wrappers::wrapper(name) else { return Flow::default() };
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
                false => Flow::known(""),
            };
        };
        let inner = &args[start..];
        match through_shell && inner.len() == 1 {
            true => self.subshell_text(&inner[0].text, site, stdin),
            false => self.call(inner, stdin, site),
        }
    }

    /// `env -S 'rm -rf /'` splits its text into words.
    fn env(&mut self, args: &[Arg<'_>], stdin: &Flow, site: Site<'_>) -> Flow {
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
        let inner = wrappers::wrapper("env").and_then(|wrapper| wrapper.start(args));
        match inner {
            Some(start) => self.scoped(|machine| {
                for arg in &args[..start] {
                    machine.declare(&arg.text, arg.taint);
                }
                machine.call(&args[start..], stdin, site)
            }),
            None => Flow::unknown(Taint::GENERATED.and(Taint::SECRET)),
        }
    }

    /// A shell: a program after `-c`, a script, or whatever comes in.
    fn shell(&mut self, name: &str, args: &[Arg<'_>], stdin: &Flow, site: Site<'_>) -> Flow {
        let output = match interpreters::shell_program(name, args) {
            Program::Text { text, rest } => {
                self.check_origin(args, site);
                let text = text.to_owned();
                self.scoped(|machine| {
                    let zero = rest.first().map_or(name, |arg| arg.text.as_ref()).to_owned();
                    machine.set_positional(&zero, rest.get(1..).unwrap_or_default());
                    machine.text(&text, site.via, stdin)
                })
            }
            Program::File(file) => {
                let flow = self.read_file(file);
                self.run_flow(name, &flow, site);
                Flow::unknown(Taint::GENERATED)
            }
            Program::Input => self.run_stdin(name, stdin, site),
            Program::None => Flow::unknown(Taint::GENERATED),
        };
        output.tainted(Taint::SHELL)
    }

    /// A program given as an argument may have been fetched or decoded on the way.
    fn check_origin(&mut self, args: &[Arg<'_>], site: Site<'_>) {
        let taint = args.iter().fold(Taint::NONE, |taint, arg| taint.and(arg.taint));
        if let Some(category) = structure::evaluating(taint) {
            self.report(category, site);
        }
    }

    /// What comes in is run.
    pub(super) fn run_stdin(&mut self, name: &str, stdin: &Flow, site: Site<'_>) -> Flow {
        if stdin.channel == Channel::Nothing {
            return Flow::unknown(Taint::GENERATED);
        }
        self.run_flow(name, stdin, site)
    }

    /// Text from somewhere is run by an interpreter.
    fn run_flow(&mut self, name: &str, flow: &Flow, site: Site<'_>) -> Flow {
        if let Some(category) = structure::running(name, flow) {
            self.report(category, site);
        }
        match &flow.text {
            Some(text) if interpreters::is_shell(name) => {
                let text = text.clone();
                self.subshell_text(&text, site, &Flow::default())
            }
            _ => Flow::unknown(Taint::GENERATED),
        }
    }

    /// Python, node and the like: only their programs' origins matter.
    fn interpreter(
        &mut self,
        program: Program<'_>,
        args: &[Arg<'_>],
        stdin: &Flow,
        site: Site<'_>,
    ) {
        match program {
            Program::Text { .. } => self.check_origin(args, site),
            Program::Input if stdin.channel != Channel::Nothing => {
                if let Some(category) = structure::running("", stdin) {
                    self.report(category, site);
                }
            }
            Program::File(file) => {
                let flow = self.read_file(file);
                if let Some(category) = structure::running("", &flow) {
                    self.report(category, site);
                }
            }
            _ => {}
        }
    }

    /// A file of this very text is executed.
    pub(super) fn run_file(&mut self, file: &Arg<'_>, site: Site<'_>) {
        let path = self.facts.path(&file.text).into_owned();
        let origin = self.state.origin(&path);
        let executable = origin.as_ref().is_some_and(|origin| origin.executable);
        if executable || (self.state.anything_executable && file.text.starts_with("./")) {
            self.report(structure::CHMOD_RUN, site);
        }
        if origin.is_some() {
            let flow = self.read_file(file);
            self.run_flow("bash", &flow, site);
        }
    }
}

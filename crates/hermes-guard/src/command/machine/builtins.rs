//! What the shell itself does: it changes directories and variables and runs text.

use std::borrow::Cow;
use std::rc::Rc;

use super::definitions::alias_body;
use super::state::{Definition, HeldValue, Positional};
use super::{Machine, RunSite};
use crate::command::call::{Arg, Channel, Taint, TextFlow};
use crate::command::facts::HOLE;
use crate::command::names::is_pattern;
use crate::command::options::{Spec, first_operand};
use crate::command::rules::{self, indirect, structure};

impl Machine<'_> {
    /// Walks a builtin; `None` for everything else.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> Option<TextFlow> {
        match name {
            "cd" | "pushd" | "chdir" => self.change_directory(args),
            "popd" => self.facts.cwd = None,
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                let refers = args.iter().any(|arg| {
                    arg.text.starts_with('-')
                        && !arg.text.starts_with("--")
                        && arg.text.contains('n')
                });
                for arg in args {
                    self.declare(&arg.text, arg.taint, site);
                    // A name for another variable, whatever that holds when it is used.
                    if refers && name != "export" && !arg.text.starts_with('-') {
                        let name = arg.text.split('=').next().unwrap_or_default();
                        self.state.set(name, HeldValue::Unknown, arg.taint);
                    }
                }
                return Some(match args.iter().all(|arg| arg.text.starts_with('-')) {
                    true => TextFlow::unknown(Taint::GENERATED.and(Taint::SECRET)),
                    false => TextFlow::known(""),
                });
            }
            "unset" => {
                for arg in args.iter().filter(|arg| !arg.text.starts_with('-')) {
                    if is_own_variable(&arg.text) {
                        self.report(rules::own_rules::OWN_RULES, site);
                    }
                    self.state.set(&arg.text, HeldValue::Text(Rc::from("")), Taint::NONE);
                }
            }
            "set" => return Some(self.set_options(args)),
            "shift" => {
                let count = args.first().and_then(|arg| arg.text.parse().ok()).unwrap_or(1_usize);
                if let Positional::Known(all) = &self.state.positional {
                    let left = all.iter().take(1).chain(all.iter().skip(1 + count)).cloned();
                    self.state.positional = Positional::Known(left.collect());
                }
            }
            "read" => self.read(args, stdin),
            "test" | "[" | "printf" | "let" => {
                let texts: Vec<&str> = match name {
                    "printf" if args.first().is_none_or(|arg| arg.text != "-v") => Vec::new(),
                    _ => args.iter().map(Arg::as_str).collect(),
                };
                self.worked_out(&texts, site);
                return None;
            }
            "mapfile" | "readarray" | "getopts" => {
                let callback = args.windows(2).find(|two| two[0].text == "-C");
                if let Some(text) = callback.map(|two| two[1].text.to_string()) {
                    self.subshell_text(&text, site, stdin);
                }
                for arg in args.iter().filter(|arg| !arg.text.starts_with('-')) {
                    self.state.set(&arg.text, HeldValue::Unknown, stdin.taint);
                }
            }
            "eval" => return Some(self.eval(args, stdin, site)),
            "source" | "." => self.source(args, stdin, site),
            "complete" | "compgen" | "bind" => {
                let at = args.iter().position(|arg| matches!(arg.as_str(), "-C" | "-x"));
                if let Some(text) = at.and_then(|at| args.get(at + 1)) {
                    let text = text
                        .text
                        .rsplit_once("\":")
                        .map_or(text.as_str(), |(_, text)| text)
                        .to_owned();
                    self.subshell_text(&text, site, stdin);
                }
            }
            "trap" => {
                let text = args.iter().find(|arg| !arg.text.starts_with('-'));
                if let Some(text) = text.filter(|_| args.len() > 1) {
                    let text = text.text.to_string();
                    self.subshell_text(&text, site, stdin);
                    self.watches_commands(&text, args, site);
                }
            }
            "alias" => {
                // The way of csh: a name, then what it stands for.
                if let [name, body @ ..] = args
                    && !body.is_empty()
                    && !args.iter().any(|arg| arg.text.contains('='))
                {
                    let words: Vec<&str> = body.iter().map(Arg::as_str).collect();
                    self.define(Definition::Alias, &name.text, &alias_body(&words.join(" ")), site);
                }
                for arg in args {
                    if let Some((name, body)) = arg.text.split_once('=') {
                        if shadows(name, body) {
                            self.report(rules::worded::SHELL_STATE, site);
                        }
                        self.define(Definition::Alias, name, &alias_body(body), site);
                    }
                }
            }
            "command" | "type" | "which" | "whereis" | "hash" => return self.lookup(name, args),
            "chmod" => self.mark_executable(args),
            _ => return None,
        }
        Some(TextFlow::known(""))
    }

    /// The first line of what comes in, one word for each name; the last gets the rest.
    fn read(&mut self, args: &[Arg<'_>], stdin: &TextFlow) {
        const SPEC: Spec = Spec::leading("adinNptu", &[]);
        let at = first_operand(args, &SPEC);
        let default = [Arg::new("REPLY")];
        let names = args.get(at..).filter(|names| !names.is_empty()).unwrap_or(&default);
        let line = stdin.text.as_deref().and_then(|text| text.lines().next());
        let mut rest = line.filter(|line| self.charge(line.len())).map(str::trim);
        for (index, name) in names.iter().enumerate() {
            let value = match rest {
                None => HeldValue::Unknown,
                Some(text) if index + 1 == names.len() => HeldValue::Text(Rc::from(text)),
                Some(text) => {
                    let (word, behind) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
                    rest = Some(behind.trim_start());
                    HeldValue::Text(Rc::from(word))
                }
            };
            self.state.set(&name.text, value, stdin.taint);
        }
    }

    fn change_directory(&mut self, args: &[Arg<'_>]) {
        let target = args.iter().find(|arg| !arg.text.starts_with('-') || arg.text == "-");
        self.facts.cwd = match target.map(|arg| arg.text.as_ref()) {
            None => Some(Rc::from("~")),
            Some("-") => None,
            Some(path) => {
                let path = self.facts.path(path);
                // A relative path from an unknown place leads to an unknown place.
                let known = path.starts_with(['/', '~']) && !path.contains(HOLE);
                known.then(|| Rc::from(path.as_ref()))
            }
        };
    }

    /// `name=value` among the words of `export` or `env`.
    pub(super) fn declare(&mut self, text: &str, taint: Taint, site: RunSite<'_>) {
        if let Some((name, value)) = text.split_once('=')
            && !name.starts_with('-')
        {
            self.look_at_value(name, value, site);
            self.state.set(name, HeldValue::Text(Rc::from(value)), taint);
        }
    }

    /// A value that some program will run is judged as if it ran now.
    pub(super) fn look_at_value(&mut self, name: &str, value: &str, site: RunSite<'_>) {
        if is_own_variable(name) {
            self.report(rules::own_rules::OWN_RULES, site);
        }
        if rules::worded::trust::switches_off(name, value) {
            self.report(rules::worded::trust::UNCHECKED, site);
        }
        if matches!(name, "HISTFILE" | "HISTSIZE" | "HISTFILESIZE")
            && matches!(value, "/dev/null" | "0" | "")
        {
            self.report(rules::worded::TRACES, site);
        }
        let is_proxy = matches!(
            name,
            "http_proxy" | "https_proxy" | "HTTP_PROXY" | "HTTPS_PROXY" | "ALL_PROXY" | "all_proxy"
        );
        if is_proxy && rules::is_numbered(value) {
            self.report(rules::worded::trust::UNCHECKED, site);
        }
        let host = self.facts.host;
        let before = host.shell.and_then(|shell| shell.variable(name)).unwrap_or_default();
        // What was there before, as in `PATH=x:$PATH`, is nobody's doing now.
        let added = match before {
            "" => Cow::Borrowed(value),
            before => Cow::Owned(value.replace(before, "")),
        };
        match name {
            // Evaluated whenever the shell shows them.
            "PS0" | "PS1" | "PS2" | "PS3" if value.contains("$(") || value.contains('`') => {
                self.subshell_text(
                    &format!("echo \"{}\"", value.replace('"', "")),
                    site,
                    &TextFlow::default(),
                );
            }
            // Builds run them, usually a compiler with options.
            "CC" | "CXX" | "CPP" | "AR" | "AS" | "NM" | "FC" | "RUSTC" | "MAKE" | "CMAKE"
            | "PYTHON" | "RANLIB" | "STRIP" | "INSTALL" | "LINKER" => {
                self.subshell_text(value, site, &TextFlow::default());
            }
            _ => {}
        }
        if indirect::makes_run(name, &added, host.temp_dir.unwrap_or("/tmp")) {
            self.report(indirect::INDIRECT, site);
            self.subshell_text(&added, site, &TextFlow::default());
        }
    }

    fn set_options(&mut self, args: &[Arg<'_>]) -> TextFlow {
        match args.iter().position(|arg| arg.text == "--") {
            Some(at) => self.set_positional("bash", &args[at + 1..]),
            None if args.first().is_some_and(|arg| !arg.text.starts_with(['-', '+'])) => {
                self.set_positional("bash", args);
            }
            None if args.is_empty() => {
                return TextFlow::unknown(Taint::GENERATED.and(Taint::SECRET));
            }
            None => {}
        }
        TextFlow::known("")
    }

    /// The words, joined, are a program for this very shell.
    fn eval(&mut self, args: &[Arg<'_>], stdin: &TextFlow, site: RunSite<'_>) -> TextFlow {
        let taint = args.iter().fold(Taint::NONE, |taint, arg| taint.and(arg.taint));
        if let Some(category) = structure::evaluating(taint) {
            self.report(category, site);
        }
        let words: Vec<&str> = args.iter().map(|arg| arg.text.as_ref()).collect();
        let mut text = words.join(" ");
        if taint == Taint::SETTINGS {
            text = text.replace(HOLE, ":");
        }
        self.text(&text, site.via, stdin)
    }

    fn source(&mut self, args: &[Arg<'_>], stdin: &TextFlow, site: RunSite<'_>) {
        // fish takes what comes in.
        let input = Arg::new("/dev/stdin");
        let piped = (stdin.channel == Channel::Pipe).then_some(&input);
        let Some(file) = args.first().or(piped) else { return };
        let flow = match file.text.as_ref() {
            "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => stdin.clone(),
            _ => self.read_file(file),
        };
        let is_unread = flow.text.is_none() && flow.taint.has(Taint::SECRET);
        self.state.keys_are_loaded |= is_unread;
        // Settings that a tool prints for the shell are how many tools are set up.
        let category = match flow.channel {
            Channel::Pipe => structure::evaluating(flow.taint),
            Channel::Nothing => None,
            Channel::Here | Channel::File => structure::running("bash", &flow),
        };
        if let Some(category) = category {
            self.report(category, site);
        }
        if let Some(text) = flow.text {
            self.text(&text, site.via, stdin);
        }
    }

    /// `command -v`, `type` and `which` only look; `command` without that runs.
    fn lookup(&mut self, name: &str, args: &[Arg<'_>]) -> Option<TextFlow> {
        let looks = |arg: &Arg<'_>| {
            arg.text.starts_with('-')
                && arg.text.contains(['v', 'V'])
                && !arg.text.starts_with("--")
        };
        if name == "command" && !args.first().is_some_and(looks) {
            return None;
        }
        let program = args.iter().find(|arg| !arg.text.starts_with('-'));
        Some(match program {
            Some(program) if !program.has_hole() => {
                TextFlow::known(match program.text.contains('/') {
                    true => format!("{}\n", program.text),
                    false => format!("/usr/bin/{}\n", program.text),
                })
            }
            _ => TextFlow::unknown(Taint::GENERATED),
        })
    }

    /// `chmod +x file`: whoever then runs the file runs something new.
    fn mark_executable(&mut self, args: &[Arg<'_>]) {
        let mut operands = args.iter().filter(|arg| !is_chmod_option(&arg.text));
        let Some(mode) = operands.next() else { return };
        if !gives_execution(&mode.text) {
            return;
        }
        for file in operands {
            if file.has_hole() || is_pattern(&file.text) {
                self.state.anything_executable = true;
            }
            let path = self.facts.path(&file.text).into_owned();
            if let Some(origin) = self.state.file_mut(&path) {
                origin.executable = true;
            }
        }
    }
}

/// Whether a name that people type with their password is made to stand for something else.
fn shadows(name: &str, body: &str) -> bool {
    matches!(name, "sudo" | "su" | "doas" | "ssh" | "passwd" | "gpg" | "kinit" | "scp" | "git")
        && !body.split([' ', '/', '=']).any(|word| {
            word == name || matches!((name, word), ("git", "hub") | ("sudo", "doas" | "run0"))
        })
}

/// Whether a variable tells the agent's own program what to do.
pub(super) fn is_own_variable(name: &str) -> bool {
    name.starts_with("HERMES_") && name != "HERMES_"
}

/// `-R`, `--recursive`; but `-x` takes a permission away.
fn is_chmod_option(text: &str) -> bool {
    text.starts_with("--") || matches!(text, "-R" | "-v" | "-c" | "-f" | "-vR" | "-Rv")
}

fn gives_execution(mode: &str) -> bool {
    if mode.bytes().all(|byte| byte.is_ascii_digit()) {
        return mode.bytes().rev().take(3).any(|digit| digit & 1 == 1);
    }
    mode.split(',')
        .any(|clause| clause.find(['+', '=']).is_some_and(|at| clause[at..].contains(['x', 'X'])))
}

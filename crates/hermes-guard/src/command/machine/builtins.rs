//! What the shell itself does: it changes directories and variables and runs text.

use std::rc::Rc;

use super::state::Value;
use super::{Machine, Site};
use crate::command::call::{Arg, Channel, Flow, HOLE, Taint};
use crate::command::glob;
use crate::command::options::{Spec, first_operand};
use crate::command::rules::structure;

impl Machine<'_> {
    /// Walks a builtin; `None` for everything else.
    pub(super) fn builtin(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &Flow,
        site: Site<'_>,
    ) -> Option<Flow> {
        match name {
            "cd" | "pushd" | "chdir" => self.change_directory(args),
            "popd" => self.facts.cwd = None,
            "export" | "declare" | "typeset" | "local" | "readonly" => {
                for arg in args {
                    self.declare(&arg.text, arg.taint);
                }
                return Some(match args.iter().all(|arg| arg.text.starts_with('-')) {
                    true => Flow::unknown(Taint::GENERATED.and(Taint::SECRET)),
                    false => Flow::known(""),
                });
            }
            "unset" => {
                for arg in args.iter().filter(|arg| !arg.text.starts_with('-')) {
                    self.state.set(&arg.text, Value::Text(Rc::from("")), Taint::NONE);
                }
            }
            "set" => return Some(self.set_options(args)),
            "read" => self.read(args, stdin),
            "mapfile" | "readarray" | "getopts" => {
                for arg in args.iter().filter(|arg| !arg.text.starts_with('-')) {
                    self.state.set(&arg.text, Value::Unknown, stdin.taint);
                }
            }
            "eval" => return Some(self.eval(args, stdin, site)),
            "source" | "." => self.source(args, stdin, site),
            "trap" => {
                let text = args.iter().find(|arg| !arg.text.starts_with('-'));
                if let Some(text) = text.filter(|_| args.len() > 1) {
                    let text = text.text.to_string();
                    self.subshell_text(&text, site, stdin);
                }
            }
            "alias" => {
                for arg in args {
                    if let Some((name, body)) = arg.text.split_once('=') {
                        self.state.define(name, &format!("{body} \"$@\""));
                    }
                }
            }
            "command" | "type" | "which" | "whereis" | "hash" => return self.lookup(name, args),
            "chmod" => self.mark_executable(args),
            _ => return None,
        }
        Some(Flow::known(""))
    }

    /// The first line of what comes in, one word for each name; the last gets the rest.
    fn read(&mut self, args: &[Arg<'_>], stdin: &Flow) {
        const SPEC: Spec = Spec::leading("adinNptu", &[]);
        let at = first_operand(args, &SPEC);
        let default = [Arg::new("REPLY")];
        let names = args.get(at..).filter(|names| !names.is_empty()).unwrap_or(&default);
        let line = stdin.text.as_deref().and_then(|text| text.lines().next());
        let mut rest = line.filter(|line| self.charge(line.len())).map(str::trim);
        for (index, name) in names.iter().enumerate() {
            let value = match rest {
                None => Value::Unknown,
                Some(text) if index + 1 == names.len() => Value::Text(Rc::from(text)),
                Some(text) => {
                    let (word, behind) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
                    rest = Some(behind.trim_start());
                    Value::Text(Rc::from(word))
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
    pub(super) fn declare(&mut self, text: &str, taint: Taint) {
        if let Some((name, value)) = text.split_once('=')
            && !name.starts_with('-')
        {
            self.state.set(name, Value::Text(Rc::from(value)), taint);
        }
    }

    fn set_options(&mut self, args: &[Arg<'_>]) -> Flow {
        match args.iter().position(|arg| arg.text == "--") {
            Some(at) => self.set_positional("bash", &args[at + 1..]),
            None if args.first().is_some_and(|arg| !arg.text.starts_with(['-', '+'])) => {
                self.set_positional("bash", args);
            }
            None if args.is_empty() => return Flow::unknown(Taint::GENERATED.and(Taint::SECRET)),
            None => {}
        }
        Flow::known("")
    }

    /// The words, joined, are a program for this very shell.
    fn eval(&mut self, args: &[Arg<'_>], stdin: &Flow, site: Site<'_>) -> Flow {
        let taint = args.iter().fold(Taint::NONE, |taint, arg| taint.and(arg.taint));
        if let Some(category) = structure::evaluating(taint) {
            self.report(category, site);
        }
        let words: Vec<&str> = args.iter().map(|arg| arg.text.as_ref()).collect();
        let text = words.join(" ");
        self.text(&text, site.via, stdin)
    }

    fn source(&mut self, args: &[Arg<'_>], stdin: &Flow, site: Site<'_>) {
        let Some(file) = args.first() else { return };
        let flow = match file.text.as_ref() {
            "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0" => stdin.clone(),
            _ => self.read_file(file),
        };
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
    fn lookup(&mut self, name: &str, args: &[Arg<'_>]) -> Option<Flow> {
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
            Some(program) if !program.has_hole() => Flow::known(format!("{}\n", program.text)),
            _ => Flow::unknown(Taint::GENERATED),
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
            if file.has_hole() || glob::is_pattern(&file.text) {
                self.state.anything_executable = true;
            }
            let path = self.facts.path(&file.text).into_owned();
            if let Some(origin) = self.state.file_mut(&path) {
                origin.executable = true;
            }
        }
    }
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

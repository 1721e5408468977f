//! The walk through the tree.

use std::rc::Rc;

use super::state::{Definition, HeldValue, Positional};
use super::{CALL_WORK, Here, Machine, REDIRECT_WORK, RunSite};
use crate::command::call::{Arg, Channel, ProgramCall, Taint, TextFlow, Via};
use crate::command::rules::{emptied, structure};
use crate::command::{paths, rules};
use crate::shell::{
    AssignedValue, Chain, CommandList, Compound, CompoundKind, Pipeline, Redirect, RedirectKind,
    ShellCommand, ShellWord, SimpleCommand, Terminator, VariableAssignment,
};

/// A loop over at most so many constants is walked for each of them.
const MAX_ROUNDS: usize = 12;

/// What the redirections of a command do to it.
#[derive(Default)]
struct Plumbing {
    stdin: Option<TextFlow>,
    /// Files that get the output.
    files: Vec<(String, RunMode)>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum RunMode {
    Replace,
    Append,
}

impl Machine<'_> {
    pub(super) fn list(&mut self, here: Here<'_, '_>, list: &CommandList<'_>) -> TextFlow {
        let mut output = TextFlow::known("");
        for item in &list.items {
            let here = match item.terminator {
                Terminator::Background => Here { via: here.via.and(Via::BACKGROUND), ..here },
                _ => here,
            };
            let more = self.chain(here, &item.chain);
            output = self.join(output, more);
            if self.spent {
                break;
            }
        }
        output
    }

    fn chain(&mut self, here: Here<'_, '_>, chain: &Chain<'_>) -> TextFlow {
        let mut output = self.pipeline(here, &chain.first);
        for (_, _, pipeline) in &chain.rest {
            let more = self.pipeline(here, pipeline);
            output = self.join(output, more);
        }
        output
    }

    /// One output after the other.
    pub(super) fn join(&mut self, first: TextFlow, second: TextFlow) -> TextFlow {
        let taint = first.taint.and(second.taint);
        let text = match (first.text, second.text) {
            (Some(first), Some(second)) if first.is_empty() => Some(second),
            (Some(first), Some(second)) if second.is_empty() => Some(first),
            (Some(first), Some(second)) => {
                let len = first.len() + second.len();
                let fits = len <= super::state::MAX_VALUE && self.charge(len);
                fits.then(|| Rc::from(format!("{first}{second}")))
            }
            _ => None,
        };
        TextFlow { text, taint, channel: Channel::Nothing }
    }

    fn pipeline(&mut self, here: Here<'_, '_>, pipeline: &Pipeline<'_>) -> TextFlow {
        if let [command] = pipeline.commands.as_slice() {
            return self.command(here, command);
        }
        let mut flow = here.stdin.clone();
        for command in &pipeline.commands {
            let output =
                self.scoped(|machine| machine.command(Here { stdin: &flow, ..here }, command));
            flow = output.through(Channel::Pipe);
        }
        flow
    }

    fn command(&mut self, here: Here<'_, '_>, command: &ShellCommand<'_>) -> TextFlow {
        self.deeper(|machine| match command {
            ShellCommand::Simple(simple) => machine.simple(here, simple),
            ShellCommand::Compound(compound) => machine.compound(here, compound),
        })
    }

    fn simple(&mut self, here: Here<'_, '_>, command: &SimpleCommand<'_>) -> TextFlow {
        if !self.charge(CALL_WORK) {
            return TextFlow::default();
        }
        let source = here.script.source;
        let site = RunSite { words: command.span.of(source), via: here.via };
        let mut args = Vec::with_capacity(command.words.len());
        for word in &command.words {
            self.fields(here, word, &mut args);
        }
        let plumbing = self.plumb(here, &command.redirects, site);
        let stdin = plumbing.stdin.as_ref().unwrap_or(here.stdin);
        let output = if args.is_empty() {
            let mut taint = Taint::NONE;
            for assignment in &command.assignments {
                taint = taint.and(self.assign(here, assignment, site));
            }
            match (&plumbing.stdin, command.assignments.is_empty()) {
                (Some(flow), true) => flow.clone(), // `$(< file)`
                _ => TextFlow::known("").tainted(taint),
            }
        } else if command.assignments.is_empty() {
            self.call(&args, stdin, site)
        } else {
            self.with_environment(here, command, &args, stdin, site)
        };
        self.look_at_output(&plumbing, &output, site);
        self.write_out(&plumbing, output)
    }

    /// Nothing, or something without an end, that goes to a file.
    fn look_at_output(&mut self, plumbing: &Plumbing, output: &TextFlow, site: RunSite<'_>) {
        if plumbing.files.is_empty() {
            return;
        }
        if output.taint.has(Taint::ENDLESS) {
            self.report(emptied::FILLED, site);
        }
        if !output.text.as_deref().is_some_and(|text| text.trim().is_empty()) {
            return;
        }
        let nothing = TextFlow::default();
        let is_lost = plumbing.files.iter().any(|(path, mode)| {
            let call = ProgramCall {
                name: rules::REDIRECTION,
                args: &[],
                stdin: &nothing,
                via: site.via,
                facts: &self.facts,
            };
            *mode == RunMode::Replace && emptied::is_worth(&call, path)
        });
        if is_lost {
            self.report(emptied::EMPTIED, site);
        }
    }

    /// Assignments before a command hold for the command only; those of `declare` and its kin stay.
    fn with_environment(
        &mut self,
        here: Here<'_, '_>,
        command: &SimpleCommand<'_>,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        site: RunSite<'_>,
    ) -> TextFlow {
        let first = command.words.first().map_or(0, |word| word.span.start);
        let (before, among): (Vec<_>, Vec<_>) =
            command.assignments.iter().partition(|one| one.span.start < first);
        for assignment in among {
            self.assign(here, assignment, site);
        }
        // `IFS= read x` sets its variable for good.
        let reads = matches!(args[0].as_str(), "read" | "mapfile" | "readarray");
        if before.is_empty() || reads {
            return self.call(args, stdin, site);
        }
        self.scoped(|machine| {
            for assignment in before {
                machine.assign(here, assignment, site);
                if let Some(HeldValue::Text(text)) =
                    machine.state.get(assignment.name).map(|variable| variable.value.clone())
                    && machine.charge(text.len())
                {
                    machine.carried_in(&[&text], site);
                }
            }
            machine.call(args, stdin, site)
        })
    }

    fn assign(
        &mut self,
        here: Here<'_, '_>,
        assignment: &VariableAssignment<'_>,
        site: RunSite<'_>,
    ) -> Taint {
        if !self.charge(CALL_WORK) {
            return Taint::NONE;
        }
        let before = match assignment.append {
            true => self.state.get(assignment.name).cloned(),
            false => None,
        };
        if assignment.indexed {
            let text = assignment.span.of(here.script.source).to_owned();
            self.worked_out(&[&text], site);
        }
        match &assignment.value {
            AssignedValue::Scalar(word) => {
                let (text, taint) = self.scalar(here, word);
                self.look_at_value(assignment.name, &text, site);
                if assignment.name == "BASH_ALIASES" {
                    self.subshell_text(&text, site, &TextFlow::default());
                }
                let value = match before.map(|variable| variable.value) {
                    _ if assignment.indexed => HeldValue::Unknown,
                    Some(HeldValue::Text(old)) if self.charge(old.len()) => {
                        HeldValue::Text(Rc::from(format!("{old}{text}")))
                    }
                    Some(_) => HeldValue::Unknown,
                    None => HeldValue::Text(Rc::from(text)),
                };
                self.state.set(assignment.name, value, taint);
                taint
            }
            AssignedValue::Array(words) => {
                let mut args = Vec::new();
                for word in words {
                    self.fields(here, word, &mut args);
                }
                if assignment.name == "PROMPT_COMMAND" {
                    for arg in &args {
                        self.look_at_value(assignment.name, &arg.text, site);
                    }
                }
                let taint = args.iter().fold(Taint::NONE, |taint, arg| taint.and(arg.taint));
                let mut items: Vec<Rc<str>> = match before.map(|variable| variable.value) {
                    Some(HeldValue::List(old)) if self.charge(old.len() * CALL_WORK) => {
                        old.to_vec()
                    }
                    _ => Vec::new(),
                };
                items.extend(args.iter().map(|arg| Rc::from(arg.text.as_ref())));
                self.state.set(assignment.name, HeldValue::List(items.into()), taint);
                taint
            }
        }
    }

    fn plumb(
        &mut self,
        here: Here<'_, '_>,
        redirects: &[Redirect<'_>],
        site: RunSite<'_>,
    ) -> Plumbing {
        let mut plumbing = Plumbing::default();
        for redirect in redirects {
            if !self.charge(REDIRECT_WORK) {
                break;
            }
            match redirect.kind {
                RedirectKind::Heredoc => {
                    let heredoc = redirect.heredoc.and_then(|at| here.script.heredocs.get(at));
                    let flow = heredoc.map(|heredoc| self.heredoc(here, heredoc));
                    plumbing.stdin = flow;
                    continue;
                }
                RedirectKind::HereString => {
                    let (text, taint) = self.scalar(here, &redirect.target);
                    let flow = TextFlow::known(text + "\n").tainted(taint).through(Channel::Here);
                    plumbing.stdin = Some(flow);
                    continue;
                }
                RedirectKind::DuplicateIn => continue,
                RedirectKind::DuplicateOut if !redirect.writes_file() => continue,
                _ => {}
            }
            let mut fields = Vec::new();
            self.fields(here, &redirect.target, &mut fields);
            let Some(target) = fields.pop() else { continue };
            if structure::is_socket(&target.text) {
                self.report(structure::REMOTE_CODE, site);
            }
            let reads_stdin = matches!(redirect.fd, None | Some("0"));
            if redirect.kind == RedirectKind::Read {
                // Whatever reads it, a key is read.
                if rules::worded::is_key(&self.facts.path(&target.text)) && target.pipe.is_none() {
                    self.report(rules::worded::SHOWN, site);
                }
                if reads_stdin {
                    plumbing.stdin = Some(self.read_file(&target));
                }
                continue;
            }
            let path = self.facts.path(&target.text).into_owned();
            self.check(rules::REDIRECTION, std::slice::from_ref(&target), here.stdin, site);
            if matches!(redirect.fd, None | Some("1")) {
                let append =
                    matches!(redirect.kind, RedirectKind::Append | RedirectKind::AppendBoth);
                plumbing
                    .files
                    .push((path, if append { RunMode::Append } else { RunMode::Replace }));
            }
        }
        plumbing
    }

    /// What reading a file gives.
    pub(super) fn read_file(&mut self, target: &Arg<'_>) -> TextFlow {
        if let Some(pipe) = &target.pipe {
            return pipe.clone().through(Channel::Pipe);
        }
        let path = self.facts.path(&target.text);
        match path.as_ref() {
            "/dev/null" => return TextFlow::known("").through(Channel::File),
            "/dev/zero" | "/dev/urandom" | "/dev/random" => {
                return TextFlow::unknown(Taint::ENDLESS).through(Channel::File);
            }
            _ => {}
        }
        // A name that was looked up says nothing about what is in the file.
        let mut taint = target.taint.without(Taint::GENERATED).and(Taint::FILE);
        if structure::is_socket(&path) {
            taint = taint.and(Taint::NETWORK);
        }
        if paths::is_secret(&path) {
            taint = taint.and(Taint::SECRET);
        }
        let known = self.state.origin(&path);
        let taint = known.as_ref().map_or(taint, |origin| taint.and(origin.taint));
        let text = known.and_then(|origin| origin.text);
        TextFlow { text, taint, channel: Channel::File }
    }

    /// Sends output where the redirections say.
    fn write_out(&mut self, plumbing: &Plumbing, output: TextFlow) -> TextFlow {
        if plumbing.files.is_empty() {
            return output;
        }
        for (path, mode) in &plumbing.files {
            self.write_file(path, &output, *mode);
        }
        TextFlow::known("")
    }

    pub(super) fn write_file(&mut self, path: &str, content: &TextFlow, mode: RunMode) {
        if path.starts_with("/dev/") {
            return;
        }
        let before = match mode {
            RunMode::Append => self.state.file(path).unwrap_or_default(),
            RunMode::Replace => super::state::FileOrigin::default(),
        };
        let old = TextFlow {
            text: Some(before.text.unwrap_or_else(|| Rc::from(""))),
            taint: before.taint,
            channel: Channel::Nothing,
        };
        let joined = self.join(old, content.clone());
        if let (true, Some(text)) = (runs_later(path), &joined.text) {
            let text = text.clone();
            self.subshell_text(
                &text,
                RunSite { words: path, via: Via::NONE },
                &TextFlow::default(),
            );
        }
        if let Some(origin) = self.state.file_mut(path) {
            origin.text = joined.text;
            origin.taint = joined.taint;
        }
    }

    fn compound(&mut self, here: Here<'_, '_>, compound: &Compound<'_>) -> TextFlow {
        let site = RunSite { words: compound.span.of(here.script.source), via: here.via };
        let plumbing = self.plumb(here, &compound.redirects, site);
        let stdin = plumbing.stdin.as_ref().unwrap_or(here.stdin);
        let here = Here { stdin, ..here };
        let output = self.compound_kind(here, compound);
        self.write_out(&plumbing, output)
    }

    fn compound_kind(&mut self, here: Here<'_, '_>, compound: &Compound<'_>) -> TextFlow {
        match &compound.kind {
            CompoundKind::Subshell(list) => self.scoped(|machine| machine.list(here, list)),
            CompoundKind::Group(list) => self.list(here, list),
            CompoundKind::If { branches, otherwise } => {
                let mut output = TextFlow::known("");
                for (condition, body) in branches {
                    self.list(here, condition);
                    let more = self.list(here, body);
                    output = self.join(output, more);
                }
                if let Some(body) = otherwise {
                    let more = self.list(here, body);
                    output = self.join(output, more);
                }
                output
            }
            CompoundKind::While { condition, body } => {
                if structure::piles_up(condition, body) {
                    let words = compound.span.of(here.script.source);
                    self.report(emptied::FILLED, RunSite { words, via: here.via });
                }
                self.while_loop(here, condition, body)
            }
            CompoundKind::For { variable, items, body } => {
                self.for_loop(here, variable, items.as_deref(), body)
            }
            CompoundKind::ArithmeticFor { head, body } => {
                self.visit(here, head);
                TextFlow { text: None, ..self.list(here, body) }
            }
            CompoundKind::Case { subject, arms } => {
                self.scalar(here, subject);
                let mut output = TextFlow::known("");
                for arm in arms {
                    for pattern in &arm.patterns {
                        self.scalar(here, pattern);
                    }
                    let more = self.list(here, &arm.body);
                    output = self.join(output, more);
                }
                output
            }
            CompoundKind::Arithmetic(parts) => {
                self.visit(here, parts);
                TextFlow::known("")
            }
            CompoundKind::Test(words) => {
                let site = RunSite { words: compound.span.of(here.script.source), via: here.via };
                for word in words {
                    let (text, _) = self.scalar(here, word);
                    self.worked_out(&[&text], site);
                }
                TextFlow::known("")
            }
            CompoundKind::Function { name, body } => {
                let site = RunSite { words: compound.span.of(here.script.source), via: here.via };
                if structure::is_fork_bomb(name, body) {
                    self.report(structure::FORK_BOMB, site);
                }
                self.define(Definition::Function, name, body.span.of(here.script.source), site);
                self.scoped(|machine| {
                    machine.state.positional = Positional::Unknown;
                    machine.pipeline(here, body);
                });
                TextFlow::known("")
            }
            CompoundKind::Coproc(body) => {
                self.pipeline(Here { via: here.via.and(Via::BACKGROUND), ..here }, body)
            }
        }
    }

    /// A loop that reads known lines is walked for each of the first ones.
    fn while_loop(
        &mut self,
        here: Here<'_, '_>,
        condition: &CommandList<'_>,
        body: &CommandList<'_>,
    ) -> TextFlow {
        let lines = match &here.stdin.text {
            Some(text) if reads(condition) && self.charge(text.len()) => text.clone(),
            _ => Rc::from(""),
        };
        let mut rest: &str = &lines;
        let mut output = TextFlow::known("");
        for _ in 0..MAX_ROUNDS {
            let stdin = TextFlow { text: Some(Rc::from(rest)), ..here.stdin.clone() };
            let round = if rest.is_empty() { here } else { Here { stdin: &stdin, ..here } };
            self.list(round, condition);
            let more = self.list(round, body);
            output = self.join(output, more);
            rest = rest.split_once('\n').map_or("", |(_, rest)| rest);
            if rest.is_empty() || !self.can_repeat() || !self.charge(rest.len()) {
                break;
            }
        }
        TextFlow { text: None, ..output }
    }

    fn for_loop(
        &mut self,
        here: Here<'_, '_>,
        variable: &str,
        items: Option<&[ShellWord<'_>]>,
        body: &CommandList<'_>,
    ) -> TextFlow {
        let mut args = Vec::new();
        for word in items.unwrap_or_default() {
            self.fields(here, word, &mut args);
        }
        let mut output = TextFlow::known("");
        if !args.is_empty() && args.len() <= MAX_ROUNDS {
            for arg in &args {
                if !self.can_repeat() {
                    break;
                }
                self.state.set(variable, HeldValue::Text(Rc::from(arg.text.as_ref())), arg.taint);
                let more = self.list(here, body);
                output = self.join(output, more);
            }
            if self.can_repeat() {
                return output;
            }
        }
        let taint = args.iter().fold(Taint::NONE, |taint, arg| taint.and(arg.taint));
        self.state.set(variable, HeldValue::Unknown, taint);
        TextFlow { text: None, ..self.list(here, body) }
    }
}

/// Whether git runs a file of this path by itself, in projects that keep their hooks.
fn runs_later(path: &str) -> bool {
    [".husky/", ".githooks/", ".hooks/"]
        .iter()
        .any(|folder| path.starts_with(folder) || path.contains(&format!("/{folder}")))
}

/// Whether a condition begins with `read`.
fn reads(condition: &CommandList<'_>) -> bool {
    let first = condition.items.first().and_then(|item| item.chain.first.commands.first());
    match first {
        Some(ShellCommand::Simple(simple)) => {
            simple.words.first().is_some_and(|word| word.text == "read")
        }
        _ => false,
    }
}

//! The simple commands of a script as one list.

use super::tree::{
    AssignedValue, CommandList, CompoundKind, Connector, PartKind, Pipeline, Redirect,
    ShellCommand, ShellWord, SimpleCommand, SubstitutionStyle, Terminator, WordPart,
};
use super::{Heredoc, ShellScript};

/// A simple command with its surroundings.
#[derive(Clone, Copy, Debug)]
pub struct CommandPosition<'s, 'a> {
    /// The words, assignments and redirections.
    pub command: &'s SimpleCommand<'a>,
    /// The pipeline it is a stage of.
    pub pipeline: &'s Pipeline<'a>,
    /// Its index among the commands of the pipeline.
    pub stage: usize,
    /// What stands between it and the command before it.
    pub before: Separator,
    /// What stands between it and the next command.
    pub after: Separator,
    /// It, or something it is nested in, is followed by `&`.
    pub background: bool,
    /// Everything around it, however far away.
    pub nesting: Nesting,
}

impl<'s, 'a> CommandPosition<'s, 'a> {
    /// The stage that reads its output.
    #[must_use]
    pub fn feeds(&self) -> Option<&'s ShellCommand<'a>> {
        self.pipeline.commands.get(self.stage + 1)
    }
}

/// What stands between commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// The beginning or the end of the list.
    Edge,
    /// `;`
    Semicolon,
    /// `&`
    Background,
    /// The end of a line.
    Newline,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `|` or `|&`
    Pipe,
}

/// What a command is nested in, at any distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Nesting {
    /// How many constructs are around it; 0 at the top level.
    pub depth: u32,
    /// The body of a function: not run where it stands.
    pub function: bool,
    /// The body or the condition of a loop: may run many times.
    pub in_loop: bool,
    /// Inside `( … )`: what it changes ends with it.
    pub subshell: bool,
    /// `$(…)`, backticks, `<(…)` or `>(…)`
    pub substitution: bool,
    /// The body of a heredoc that is expanded.
    pub heredoc: bool,
}

impl<'a> ShellScript<'a> {
    /// Every simple command in the order of the source, also those in functions, substitutions and
    /// expanded heredocs. Programs in backticks that hold escapes are not among them
    /// ([`super::Substitution::escaped`]): their bytes are not the source's.
    #[must_use]
    pub fn simple_commands(&self) -> Vec<CommandPosition<'_, 'a>> {
        let mut walk = Walk { heredocs: &self.heredocs, places: Vec::new() };
        walk.list(&self.root, Nesting::default(), false);
        walk.places.sort_by_key(|place| place.command.span.start);
        walk.places
    }
}

const ALONE: (Separator, Separator) = (Separator::Edge, Separator::Edge);

struct Walk<'s, 'a> {
    heredocs: &'s [Heredoc<'a>],
    places: Vec<CommandPosition<'s, 'a>>,
}

impl<'s, 'a> Walk<'s, 'a> {
    fn list(&mut self, list: &'s CommandList<'a>, nesting: Nesting, background: bool) {
        let mut before = Separator::Edge;
        for item in &list.items {
            let after = match item.terminator {
                Terminator::Semicolon => Separator::Semicolon,
                Terminator::Background => Separator::Background,
                Terminator::Newline => Separator::Newline,
                Terminator::End => Separator::Edge,
            };
            let background = background || item.terminator == Terminator::Background;
            let chain = &item.chain;
            for (index, pipeline) in chain.pipelines().enumerate() {
                let next = chain.rest.get(index).map_or(after, |(next, ..)| connector(*next));
                self.pipeline(pipeline, (before, next), nesting, background);
                before = next;
            }
        }
    }

    fn pipeline(
        &mut self,
        pipeline: &'s Pipeline<'a>,
        (mut before, after): (Separator, Separator),
        nesting: Nesting,
        background: bool,
    ) {
        let last = pipeline.commands.len().saturating_sub(1);
        for (stage, command) in pipeline.commands.iter().enumerate() {
            let after = if stage == last { after } else { Separator::Pipe };
            match command {
                ShellCommand::Simple(command) => {
                    self.places.push(CommandPosition {
                        command,
                        pipeline,
                        stage,
                        before,
                        after,
                        background,
                        nesting,
                    });
                    self.inside_simple(command, nesting, background);
                }
                ShellCommand::Compound(_) => self.compound(command, nesting, background),
            }
            before = Separator::Pipe;
        }
    }

    fn inside_simple(&mut self, command: &'s SimpleCommand<'a>, nesting: Nesting, back: bool) {
        for assignment in &command.assignments {
            match &assignment.value {
                AssignedValue::Scalar(word) => self.word(word, nesting, back),
                AssignedValue::Array(words) => self.words(words, nesting, back),
            }
        }
        self.words(&command.words, nesting, back);
        self.redirects(&command.redirects, nesting, back);
    }

    fn compound(&mut self, command: &'s ShellCommand<'a>, outer: Nesting, back: bool) {
        let ShellCommand::Compound(compound) = command else { return };
        let nesting = Nesting { depth: outer.depth + 1, ..outer };
        let looped = Nesting { in_loop: true, ..nesting };
        match &compound.kind {
            CompoundKind::Subshell(list) => {
                self.list(list, Nesting { subshell: true, ..nesting }, back);
            }
            CompoundKind::Group(list) => self.list(list, nesting, back),
            CompoundKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.list(condition, nesting, back);
                    self.list(body, nesting, back);
                }
                if let Some(body) = otherwise {
                    self.list(body, nesting, back);
                }
            }
            CompoundKind::While { condition, body } => {
                self.list(condition, looped, back);
                self.list(body, looped, back);
            }
            CompoundKind::For { items, body, .. } => {
                self.words(items.as_deref().unwrap_or_default(), nesting, back);
                self.list(body, looped, back);
            }
            CompoundKind::ArithmeticFor { head, body } => {
                self.parts(head, nesting, back);
                self.list(body, looped, back);
            }
            CompoundKind::Case { subject, arms } => {
                self.word(subject, nesting, back);
                for arm in arms {
                    self.words(&arm.patterns, nesting, back);
                    self.list(&arm.body, nesting, back);
                }
            }
            CompoundKind::Arithmetic(parts) => self.parts(parts, nesting, back),
            CompoundKind::Test(words) => self.words(words, nesting, back),
            CompoundKind::Function { body, .. } => {
                let nesting = Nesting { function: true, ..nesting };
                self.pipeline(body, ALONE, nesting, back);
            }
            CompoundKind::Coproc(body) => self.pipeline(body, ALONE, nesting, true),
        }
        self.redirects(&compound.redirects, outer, back);
    }

    fn redirects(&mut self, redirects: &'s [Redirect<'a>], nesting: Nesting, back: bool) {
        for redirect in redirects {
            match redirect.heredoc.and_then(|index| self.heredocs.get(index)) {
                Some(heredoc) => {
                    self.parts(&heredoc.parts, Nesting { heredoc: true, ..nesting }, back);
                }
                None => self.word(&redirect.target, nesting, back),
            }
        }
    }

    fn words(&mut self, words: &'s [ShellWord<'a>], nesting: Nesting, back: bool) {
        for word in words {
            self.word(word, nesting, back);
        }
    }

    fn word(&mut self, word: &'s ShellWord<'a>, nesting: Nesting, back: bool) {
        self.parts(&word.parts, nesting, back);
    }

    fn parts(&mut self, parts: &'s [WordPart<'a>], nesting: Nesting, back: bool) {
        for part in parts {
            match &part.kind {
                PartKind::Literal(_) => {}
                PartKind::Parameter(parameter) => self.words(&parameter.arguments, nesting, back),
                PartKind::Arithmetic(inside) => self.parts(inside, nesting, back),
                PartKind::Substitution(inside) => {
                    let depth = nesting.depth + 1;
                    let back = back || inside.style == SubstitutionStyle::Output;
                    let nesting = Nesting { depth, substitution: true, ..nesting };
                    self.list(&inside.list, nesting, back);
                }
            }
        }
    }
}

fn connector(connector: Connector) -> Separator {
    match connector {
        Connector::And => Separator::And,
        Connector::Or => Separator::Or,
    }
}

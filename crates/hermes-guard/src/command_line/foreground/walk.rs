//! The commands of a line shell by shell, to know which jobs are waited for.

use crate::shell::{
    AssignedValue, Chain, CommandList, CompoundKind, ListItem, PartKind, Quoting, ShellCommand,
    ShellWord, SimpleCommand, SubstitutionStyle, Terminator,
};

/// What was found in a line.
#[derive(Default)]
pub(super) struct ForegroundWalk<'s, 'a> {
    /// Every simple command outside quotes and backticks.
    pub(super) commands: Vec<&'s SimpleCommand<'a>>,
    /// The jobs that no `wait` of their shell comes after.
    pub(super) jobs: Vec<&'s ListItem<'a>>,
    /// The jobs of the shell at hand that may still be waited for.
    pending: Vec<&'s ListItem<'a>>,
}

impl<'s, 'a> ForegroundWalk<'s, 'a> {
    pub(super) fn over(root: &'s CommandList<'a>) -> Self {
        let mut walk = Self::default();
        walk.shell(|walk| walk.list(root));
        walk.jobs.sort_by_key(|item| item.chain.span.start);
        walk
    }

    /// Something that runs in a shell of its own, which waits only for its own jobs.
    fn shell(&mut self, inside: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.pending);
        inside(self);
        let left = std::mem::replace(&mut self.pending, outer);
        self.jobs.extend(left);
    }

    fn list(&mut self, list: &'s CommandList<'a>) {
        for item in &list.items {
            if item.terminator == Terminator::Background {
                self.shell(|walk| walk.chain(&item.chain));
                self.pending.push(item);
            } else {
                self.chain(&item.chain);
            }
        }
    }

    fn chain(&mut self, chain: &'s Chain<'a>) {
        for pipeline in chain.pipelines() {
            match pipeline.commands.as_slice() {
                [command] => self.command(command),
                stages => stages.iter().for_each(|stage| self.shell(|walk| walk.command(stage))),
            }
        }
    }

    fn command(&mut self, command: &'s ShellCommand<'a>) {
        let compound = match command {
            ShellCommand::Simple(simple) => return self.simple(simple),
            ShellCommand::Compound(compound) => compound,
        };
        match &compound.kind {
            CompoundKind::Subshell(list) => self.shell(|walk| walk.list(list)),
            CompoundKind::Group(list) => self.list(list),
            CompoundKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.list(condition);
                    self.list(body);
                }
                if let Some(body) = otherwise {
                    self.list(body);
                }
            }
            CompoundKind::While { condition, body } => {
                self.list(condition);
                self.list(body);
            }
            CompoundKind::For { items, body, .. } => {
                items.iter().flatten().for_each(|word| self.word(word));
                self.list(body);
            }
            CompoundKind::ArithmeticFor { body, .. } => self.list(body),
            CompoundKind::Case { arms, .. } => arms.iter().for_each(|arm| self.list(&arm.body)),
            // As if it ran where it stands: whoever defines it is about to call it.
            CompoundKind::Function { body, .. } => {
                body.commands.iter().for_each(|command| self.command(command));
            }
            CompoundKind::Coproc(body) => {
                self.shell(|walk| body.commands.iter().for_each(|command| walk.command(command)));
            }
            CompoundKind::Arithmetic(_) | CompoundKind::Test(_) => {}
        }
    }

    fn simple(&mut self, simple: &'s SimpleCommand<'a>) {
        self.commands.push(simple);
        for assignment in &simple.assignments {
            match &assignment.value {
                AssignedValue::Scalar(word) => self.word(word),
                AssignedValue::Array(words) => words.iter().for_each(|word| self.word(word)),
            }
        }
        simple.words.iter().for_each(|word| self.word(word));
        if simple.words.first().and_then(ShellWord::literal).is_some_and(|name| name == "wait") {
            self.pending.clear();
        }
    }

    /// Substitutions, except those in quotes and backticks.
    fn word(&mut self, word: &'s ShellWord<'a>) {
        for part in &word.parts {
            if let PartKind::Substitution(inside) = &part.kind
                && part.quoting == Quoting::None
                && inside.style != SubstitutionStyle::Backticks
            {
                self.shell(|walk| walk.list(&inside.list));
            }
        }
    }
}

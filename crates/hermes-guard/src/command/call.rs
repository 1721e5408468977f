//! A program about to run, as the rules see it.

use std::borrow::Cow;
use std::rc::Rc;

use super::facts::{HOLE, ShellFacts};
use super::paths::{self, Protected};

macro_rules! flags {
    ($(#[$about:meta])* $name:ident: $($(#[$doc:meta])* $flag:ident = $bit:expr),+ $(,)?) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(super) struct $name(u32);

        impl $name {
            /// None of them.
            pub(super) const NONE: Self = Self(0);
            $($(#[$doc])* pub(super) const $flag: Self = Self(1 << $bit);)+

            /// Whether any of these is set.
            pub(super) const fn has(self, any: Self) -> bool {
                self.0 & any.0 != 0
            }

            /// Both together.
            pub(super) const fn and(self, more: Self) -> Self {
                Self(self.0 | more.0)
            }
        }
    };
}

flags! {
    /// Where a text comes from.
    Taint:
    /// Fetched from a network.
    NETWORK = 0,
    /// Made readable again by a decoder.
    DECODED = 1,
    /// Made by a program.
    GENERATED = 2,
    /// Read from a file.
    FILE = 3,
    /// A password, a key, or a file that holds them.
    SECRET = 4,
    /// The output of a shell.
    SHELL = 5,
    /// The numbers of processes that were searched for.
    PROCESSES = 6,
    /// The numbers of one's own jobs, or of who holds a port.
    LISTED = 8,
    /// Settings that a tool prints for the shell to take over.
    SETTINGS = 7,
    /// Everything in a database, or all that a project or a machine shows of itself.
    DUMP = 11,
    /// Who and where one is.
    IDENTITY = 14,
    /// Where the agent's own program or its parts are.
    OWN = 15,
    /// Statements for a database that a query put together.
    STATEMENTS = 10,
    /// A key or password, by the name of the variable that holds it.
    KEY = 13,
    /// There is no end to it.
    ENDLESS = 12,
    /// The address of somebody who reads what is sent there, by the variable's name.
    ADDRESSEE = 9,
    /// A tool wrote it down as a file, in sight of whoever looks on.
    SHOWN = 16,
}

impl Taint {
    /// These without others.
    pub(super) const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }
}

flags! {
    /// What a call is wrapped in.
    Via:
    /// Behind xargs.
    XARGS = 0,
    /// Behind `find -exec`.
    FIND = 1,
    /// Behind another program that repeats it (fd, parallel).
    EACH = 2,
    /// Inside a container.
    CONTAINER = 3,
    /// On another machine.
    REMOTE = 4,
    /// It does not hold up what follows.
    BACKGROUND = 5,
}

/// A word with its value.
#[derive(Clone, Debug, Default)]
pub(super) struct Arg<'t> {
    /// What the program gets, as far as known ([`HOLE`]).
    pub(super) text: Cow<'t, str>,
    /// Where it comes from.
    pub(super) taint: Taint,
    /// The pipe behind a `<(…)`.
    pub(super) pipe: Option<TextFlow>,
}

impl<'t> Arg<'t> {
    pub(super) fn new(text: impl Into<Cow<'t, str>>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether any of it is unknown.
    pub(super) fn has_hole(&self) -> bool {
        self.text.contains(HOLE)
    }
}

/// Text that goes into or comes out of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct TextFlow {
    /// What it is, when known.
    pub(super) text: Option<Rc<str>>,
    /// Where it comes from.
    pub(super) taint: Taint,
    /// How it gets there.
    pub(super) channel: Channel,
}

/// How text reaches a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Channel {
    /// Not at all: nothing is connected.
    #[default]
    Nothing,
    /// Another program writes it.
    Pipe,
    /// It stands in the command: `<<` or `<<<`.
    Here,
    /// `< file`
    File,
}

impl TextFlow {
    /// Known text.
    pub(super) fn known(text: impl Into<Rc<str>>) -> Self {
        Self { text: Some(text.into()), ..Self::default() }
    }

    /// Unknown text.
    pub(super) fn unknown(taint: Taint) -> Self {
        Self { taint, ..Self::default() }
    }

    pub(super) fn through(self, channel: Channel) -> Self {
        Self { channel, ..self }
    }

    pub(super) fn tainted(self, more: Taint) -> Self {
        Self { taint: self.taint.and(more), ..self }
    }
}

/// A program with its arguments, wrappers removed.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProgramCall<'c> {
    /// Without path and version, in lower case.
    pub(super) name: &'c str,
    /// Without the name.
    pub(super) args: &'c [Arg<'c>],
    /// What it reads.
    pub(super) stdin: &'c TextFlow,
    /// What it is wrapped in.
    pub(super) via: Via,
    /// The world around it.
    pub(super) facts: &'c ShellFacts<'c>,
}

impl<'c> ProgramCall<'c> {
    /// An argument's text, empty when there is none.
    pub(super) fn arg(&self, index: usize) -> &'c str {
        self.args.get(index).map_or("", |arg| arg.text.as_ref())
    }

    /// Whether any argument is one of these.
    pub(super) fn has(&self, any: &[&str]) -> bool {
        self.args.iter().any(|arg| any.contains(&arg.text.as_ref()))
    }

    /// Whether all it does is tell about itself.
    pub(super) fn asks_for_help(&self) -> bool {
        self.has(&["--help", "--version", "-?"])
    }

    /// The arguments that are no options, for programs whose options take no separate values.
    pub(super) fn operands(&self) -> impl Iterator<Item = &'c Arg<'c>> {
        self.args.iter().filter(|arg| !arg.text.starts_with('-'))
    }

    /// See [`ShellFacts::path`].
    pub(super) fn path<'p>(&self, path: &'p str) -> Cow<'p, str> {
        self.facts.path(path)
    }

    /// What deleting a path would take away, if it is a place that must stay.
    pub(super) fn protects(&self, path: &str) -> Option<Protected> {
        paths::protected(&self.path(path))
    }
}

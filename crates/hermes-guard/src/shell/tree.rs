//! What shell text consists of.

use std::borrow::Cow;

/// Bytes of the source, from `start` up to and without `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first byte.
    pub start: usize,
    /// The byte behind the last.
    pub end: usize,
}

impl Span {
    /// The bytes between two places.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The text there.
    #[must_use]
    pub fn of(self, source: &str) -> &str {
        source.get(self.start..self.end).unwrap_or_default()
    }

    /// Whether another span lies inside.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// Chains, one after the other.
#[derive(Debug, Default)]
pub struct List<'a> {
    /// From the first command to the last separator.
    pub span: Span,
    /// The chains.
    pub items: Vec<Item<'a>>,
}

/// A chain with what ends it.
#[derive(Debug)]
pub struct Item<'a> {
    /// What runs.
    pub chain: Chain<'a>,
    /// What stands behind it.
    pub terminator: Terminator,
    /// Where that stands (empty at the end of the text).
    pub terminator_span: Span,
}

/// What ends a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// `;`
    Semicolon,
    /// `&`: the chain runs in the background.
    Background,
    /// The end of a line.
    Newline,
    /// The end of the text or of what encloses the list.
    End,
}

/// Pipelines joined by `&&` and `||`.
#[derive(Debug)]
pub struct Chain<'a> {
    /// From the first pipeline to the last.
    pub span: Span,
    /// The first pipeline.
    pub first: Pipeline<'a>,
    /// The others, each behind its connector.
    pub rest: Vec<(Connector, Span, Pipeline<'a>)>,
}

impl<'a> Chain<'a> {
    /// All pipelines in order.
    pub fn pipelines(&self) -> impl Iterator<Item = &Pipeline<'a>> {
        std::iter::once(&self.first).chain(self.rest.iter().map(|(_, _, pipeline)| pipeline))
    }
}

/// What joins two pipelines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connector {
    /// `&&`
    And,
    /// `||`
    Or,
}

/// Commands joined by `|` and `|&`.
#[derive(Debug)]
pub struct Pipeline<'a> {
    /// From `!`, `time` or the first command to the last.
    pub span: Span,
    /// `!` stood before it an odd number of times.
    pub negated: bool,
    /// `time` stood before it.
    pub timed: bool,
    /// At least one.
    pub commands: Vec<Command<'a>>,
}

/// One stage of a pipeline.
#[derive(Debug)]
pub enum Command<'a> {
    /// A program with its arguments.
    Simple(SimpleCommand<'a>),
    /// Something that holds other commands.
    Compound(Box<Compound<'a>>),
}

impl Command<'_> {
    /// Where it stands.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Simple(simple) => simple.span,
            Self::Compound(compound) => compound.span,
        }
    }
}

/// A program with its arguments, or assignments, or only redirections.
#[derive(Debug, Default)]
pub struct SimpleCommand<'a> {
    /// From its first word to its last.
    pub span: Span,
    /// `x=1` before the first word; also lists (`x=(a b)`) among the words of `declare` and its kin.
    pub assignments: Vec<Assignment<'a>>,
    /// The command word and its arguments.
    pub words: Vec<Word<'a>>,
    /// In order.
    pub redirects: Vec<Redirect<'a>>,
}

/// `name=value`, `name+=value`, `name[i]=value`, `name=(…)`.
#[derive(Debug)]
pub struct Assignment<'a> {
    /// All of it.
    pub span: Span,
    /// The variable.
    pub name: &'a str,
    /// `[i]` was given.
    pub indexed: bool,
    /// `+=`
    pub append: bool,
    /// What it becomes.
    pub value: Value<'a>,
}

/// The right side of an assignment.
#[derive(Debug)]
pub enum Value<'a> {
    /// One word.
    Scalar(Word<'a>),
    /// A list of words.
    Array(Vec<Word<'a>>),
}

/// `2> file` and its relatives.
#[derive(Debug)]
pub struct Redirect<'a> {
    /// From the descriptor to the target.
    pub span: Span,
    /// The descriptor that was written, if any.
    pub fd: Option<&'a str>,
    /// The operator.
    pub kind: RedirectKind,
    /// The file, descriptor, here-string or heredoc delimiter.
    pub target: Word<'a>,
    /// Index into [`crate::shell::Script::heredocs`].
    pub heredoc: Option<usize>,
}

impl Redirect<'_> {
    /// Whether it writes to a file: `>`, `>>`, `>|`, `<>`, `&>`, `&>>`, and `>&` unless its target
    /// is a descriptor.
    #[must_use]
    pub fn writes_file(&self) -> bool {
        match self.kind {
            RedirectKind::Write
            | RedirectKind::Append
            | RedirectKind::Clobber
            | RedirectKind::ReadWrite
            | RedirectKind::WriteBoth
            | RedirectKind::AppendBoth => true,
            RedirectKind::DuplicateOut => {
                !self.target.text.starts_with(|first: char| first.is_ascii_digit() || first == '-')
            }
            _ => false,
        }
    }
}

/// The operators of redirections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectKind {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<&`
    DuplicateIn,
    /// `>&`: another descriptor, or (like `&>`) a file.
    DuplicateOut,
    /// `<<` and `<<-`
    Heredoc,
    /// `<<<`
    HereString,
}

/// The text behind a `<<`.
#[derive(Debug)]
pub struct Heredoc<'a> {
    /// The body without the line of the delimiter.
    pub span: Span,
    /// The delimiter without its quotes.
    pub delimiter: Cow<'a, str>,
    /// The delimiter was quoted: nothing in the body is expanded.
    pub quoted: bool,
    /// `<<-`: tabs at the beginnings of lines do not belong to the text.
    pub strip_tabs: bool,
    /// Text and expansions; text only when quoted.
    pub parts: Vec<Part<'a>>,
}

/// A command with others inside.
#[derive(Debug)]
pub struct Compound<'a> {
    /// From its first to its last character, without the redirections.
    pub span: Span,
    /// What it is.
    pub kind: CompoundKind<'a>,
    /// For everything inside.
    pub redirects: Vec<Redirect<'a>>,
}

/// The kinds of compound commands.
#[derive(Debug)]
pub enum CompoundKind<'a> {
    /// `( … )`
    Subshell(List<'a>),
    /// `{ …; }`
    Group(List<'a>),
    /// `if … then … elif … else … fi`
    If {
        /// Conditions with what they guard.
        branches: Vec<(List<'a>, List<'a>)>,
        /// `else`
        otherwise: Option<List<'a>>,
    },
    /// `while` or `until … do … done`
    While {
        /// What is asked each time.
        condition: List<'a>,
        /// What is repeated.
        body: List<'a>,
    },
    /// `for x in … do … done` and `select`
    For {
        /// The variable.
        variable: &'a str,
        /// Absent without `in`: the positional parameters.
        items: Option<Vec<Word<'a>>>,
        /// What is repeated.
        body: List<'a>,
    },
    /// `for ((…)) do … done`
    ArithmeticFor {
        /// What is expanded in the head.
        head: Vec<Part<'a>>,
        /// What is repeated.
        body: List<'a>,
    },
    /// `case … in … esac`
    Case {
        /// What is compared.
        subject: Word<'a>,
        /// With what.
        arms: Vec<CaseArm<'a>>,
    },
    /// `(( … ))`, as the expansions inside.
    Arithmetic(Vec<Part<'a>>),
    /// `[[ … ]]`, as its words.
    Test(Vec<Word<'a>>),
    /// `name() …` and `function name …`
    Function {
        /// What it is called.
        name: Cow<'a, str>,
        /// What it does: one command, in a pipeline of its own.
        body: Box<Pipeline<'a>>,
    },
    /// `coproc …`: one command, in a pipeline of its own.
    Coproc(Box<Pipeline<'a>>),
}

/// `a|b) …;;`
#[derive(Debug)]
pub struct CaseArm<'a> {
    /// The alternatives.
    pub patterns: Vec<Word<'a>>,
    /// What is run.
    pub body: List<'a>,
}

/// One word.
#[derive(Debug, Default)]
pub struct Word<'a> {
    /// With all quotes.
    pub span: Span,
    /// As it stands in the source.
    pub text: &'a str,
    /// Empty when the word means exactly what stands there, letter by letter.
    pub parts: Vec<Part<'a>>,
}

impl<'a> Word<'a> {
    /// Whether it has neither quotes nor escapes nor expansions (globs and braces it may have).
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.parts.is_empty()
    }

    /// Whether any of it is quoted or escaped.
    #[must_use]
    pub fn is_quoted(&self) -> bool {
        self.parts.iter().any(|part| part.quoting != Quoting::None)
    }

    /// What it stands for, quotes removed, when it depends on nothing.
    #[must_use]
    pub fn literal(&self) -> Option<Cow<'a, str>> {
        match self.parts.as_slice() {
            [] => Some(Cow::Borrowed(self.text)),
            [Part { kind: PartKind::Literal(text), .. }] => Some(text.clone()),
            parts => {
                let mut whole = String::new();
                for part in parts {
                    let PartKind::Literal(text) = &part.kind else { return None };
                    whole.push_str(text);
                }
                Some(Cow::Owned(whole))
            }
        }
    }
}

/// A piece of a word.
#[derive(Debug)]
pub struct Part<'a> {
    /// Without the quote characters around it.
    pub span: Span,
    /// How it is quoted.
    pub quoting: Quoting,
    /// What it is.
    pub kind: PartKind<'a>,
}

/// How a piece of text is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// Not at all.
    None,
    /// By a backslash.
    Escaped,
    /// `'…'`
    Single,
    /// `"…"` or `$"…"`
    Double,
    /// `$'…'`
    Ansi,
}

/// A quotation in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quoted {
    /// With its quote characters.
    pub span: Span,
    /// Of which kind.
    pub quoting: Quoting,
}

/// What a piece of a word is.
#[derive(Debug)]
pub enum PartKind<'a> {
    /// Text.
    Literal(Cow<'a, str>),
    /// `$x`, `${x…}`
    Parameter(Box<Parameter<'a>>),
    /// `$(…)`, backticks, `<(…)`, `>(…)`
    Substitution(Box<Substitution<'a>>),
    /// `$((…))`, as the expansions inside.
    Arithmetic(Vec<Part<'a>>),
}

/// A command whose output (or whose pipe) is used as a word.
#[derive(Debug)]
pub struct Substitution<'a> {
    /// How it was written.
    pub style: SubstitutionStyle,
    /// What it runs. Empty when [`Self::escaped`] is set.
    pub list: List<'a>,
    /// Backticks that hold escapes: the program after one round of unescaping, to be parsed by
    /// itself, since its bytes no longer are the source's.
    pub escaped: Option<String>,
}

/// The ways to write a substitution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubstitutionStyle {
    /// `$(…)`
    Dollar,
    /// Backticks.
    Backticks,
    /// `<(…)`
    Input,
    /// `>(…)`
    Output,
}

/// A variable with what is done to its value.
#[derive(Debug)]
pub struct Parameter<'a> {
    /// The name, a digit, or one of `@ * # ? - $ !`.
    pub name: &'a str,
    /// `[i]` or `[@]`, without the brackets.
    pub index: Option<&'a str>,
    /// `${!x}`
    pub indirect: bool,
    /// What is done.
    pub operation: Operation,
    /// The words behind the operator: none, one, or two (replacing, cutting).
    pub arguments: Vec<Word<'a>>,
}

/// What braces do to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `$x`
    Value,
    /// `${#x}`
    Length,
    /// `${x:-w}`, `${x-w}`, `${x:=w}`, `${x=w}`
    Default,
    /// `${x:+w}`, `${x+w}`
    Alternative,
    /// `${x:?w}`, `${x?w}`
    Require,
    /// `${x#w}`
    ShortPrefix,
    /// `${x##w}`
    LongPrefix,
    /// `${x%w}`
    ShortSuffix,
    /// `${x%%w}`
    LongSuffix,
    /// `${x/a/b}` (also anchored, `/#` and `/%`)
    ReplaceOne,
    /// `${x//a/b}`
    ReplaceAll,
    /// `${x:a:b}`
    Cut,
    /// `${x^}`
    UpperFirst,
    /// `${x^^}`
    Upper,
    /// `${x,}`
    LowerFirst,
    /// `${x,,}`
    Lower,
    /// `${x@Q}` and anything else.
    Other,
}

//! What shell text consists of.

use std::borrow::Cow;

/// Bytes of the source, from `start` up to and without `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The offset of the first byte.
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

    /// The text there, empty if the span does not fit the source.
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
pub struct CommandList<'a> {
    /// From the first command to the last separator.
    pub span: Span,
    /// The chains of the list, each with what ends it.
    pub items: Vec<ListItem<'a>>,
}

/// A chain with what ends it.
#[derive(Debug)]
pub struct ListItem<'a> {
    /// The pipelines, joined by `&&` and `||`.
    pub chain: Chain<'a>,
    /// The separator behind the chain.
    pub terminator: Terminator,
    /// Where that stands (empty at the end of the text).
    pub terminator_span: Span,
}

/// What ends a chain, and so whether the shell waits for it.
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
    /// The pipeline that always runs.
    pub first: Pipeline<'a>,
    /// The others, each behind its connector.
    pub rest: Vec<(Connector, Span, Pipeline<'a>)>,
}

impl<'a> Chain<'a> {
    /// The first pipeline and those behind the connectors.
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
    /// The stages; none only behind a lone `time` or `!`.
    pub commands: Vec<ShellCommand<'a>>,
}

/// One stage of a pipeline: a program, or something with commands inside.
#[derive(Debug)]
pub enum ShellCommand<'a> {
    /// A program with its arguments.
    Simple(SimpleCommand<'a>),
    /// Something that holds other commands.
    Compound(Box<Compound<'a>>),
}

impl ShellCommand<'_> {
    /// From its first to its last byte.
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
    pub assignments: Vec<VariableAssignment<'a>>,
    /// The command word and its arguments.
    pub words: Vec<ShellWord<'a>>,
    /// Redirections, in the order in which they take effect.
    pub redirects: Vec<Redirect<'a>>,
}

/// `name=value`, `name+=value`, `name[i]=value`, `name=(…)`.
#[derive(Debug)]
pub struct VariableAssignment<'a> {
    /// Name, operator and value.
    pub span: Span,
    /// The variable that is set.
    pub name: &'a str,
    /// Only one element is set: `name[i]=…`.
    pub indexed: bool,
    /// The value is added to the old one: `+=`.
    pub append: bool,
    /// The new value, before expansion.
    pub value: AssignedValue<'a>,
}

/// The right side of an assignment.
#[derive(Debug)]
pub enum AssignedValue<'a> {
    /// One word.
    Scalar(ShellWord<'a>),
    /// A list of words.
    Array(Vec<ShellWord<'a>>),
}

/// `2> file` and its relatives.
#[derive(Debug)]
pub struct Redirect<'a> {
    /// From the descriptor to the target.
    pub span: Span,
    /// The descriptor that was written, if any.
    pub fd: Option<&'a str>,
    /// Which operator, and so what is done with the target.
    pub kind: RedirectKind,
    /// The file, descriptor, here-string or heredoc delimiter.
    pub target: ShellWord<'a>,
    /// Index into [`crate::shell::ShellScript::heredocs`].
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

/// The text behind a `<<`, which a command reads as its input.
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
    /// The line of the delimiter was found; without it the body reaches to the end of the text.
    pub closed: bool,
    /// Text and expansions; text only when quoted.
    pub parts: Vec<WordPart<'a>>,
}

/// A command with others inside.
#[derive(Debug)]
pub struct Compound<'a> {
    /// From its first to its last character, without the redirections.
    pub span: Span,
    /// What the construct is, with its parts.
    pub kind: CompoundKind<'a>,
    /// Redirections that hold for everything inside.
    pub redirects: Vec<Redirect<'a>>,
}

/// The kinds of compound commands.
#[derive(Debug)]
pub enum CompoundKind<'a> {
    /// `( … )`
    Subshell(CommandList<'a>),
    /// `{ …; }`
    Group(CommandList<'a>),
    /// `if … then … elif … else … fi`
    If {
        /// Conditions with what they guard.
        branches: Vec<(CommandList<'a>, CommandList<'a>)>,
        /// `else`
        otherwise: Option<CommandList<'a>>,
    },
    /// `while` or `until … do … done`
    While {
        /// The commands whose last exit code decides.
        condition: CommandList<'a>,
        /// The commands between `do` and `done`.
        body: CommandList<'a>,
    },
    /// `for x in … do … done` and `select`
    For {
        /// The variable that gets one item after the other.
        variable: &'a str,
        /// Absent without `in`: the positional parameters.
        items: Option<Vec<ShellWord<'a>>>,
        /// The commands between `do` and `done`.
        body: CommandList<'a>,
    },
    /// `for ((…)) do … done`
    ArithmeticFor {
        /// What is expanded in the head.
        head: Vec<WordPart<'a>>,
        /// The commands between `do` and `done`.
        body: CommandList<'a>,
    },
    /// `case … in … esac`
    Case {
        /// The word that the patterns are compared with.
        subject: ShellWord<'a>,
        /// The alternatives, tried in this order.
        arms: Vec<CaseArm<'a>>,
    },
    /// `(( … ))`, as the expansions inside.
    Arithmetic(Vec<WordPart<'a>>),
    /// `[[ … ]]`, as its words.
    Test(Vec<ShellWord<'a>>),
    /// `name() …` and `function name …`
    Function {
        /// The name it can be called by.
        name: Cow<'a, str>,
        /// What it does: one command, in a pipeline of its own.
        body: Box<Pipeline<'a>>,
    },
    /// `coproc …`: one command, in a pipeline of its own.
    Coproc(Box<Pipeline<'a>>),
}

/// One alternative of a `case`: `a|b) …;;`.
#[derive(Debug)]
pub struct CaseArm<'a> {
    /// Patterns of which one must match.
    pub patterns: Vec<ShellWord<'a>>,
    /// The commands up to `;;`.
    pub body: CommandList<'a>,
}

/// One word of a command, with everything that is expanded in it.
#[derive(Debug, Default)]
pub struct ShellWord<'a> {
    /// From its first to its last byte, quotes included.
    pub span: Span,
    /// As it stands in the source.
    pub text: &'a str,
    /// Empty when the word means exactly what stands there, letter by letter.
    pub parts: Vec<WordPart<'a>>,
}

impl<'a> ShellWord<'a> {
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
            [WordPart { kind: PartKind::Literal(text), .. }] => Some(text.clone()),
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

/// A run of text or an expansion, quoted in one way.
#[derive(Debug)]
pub struct WordPart<'a> {
    /// Without the quote characters around it.
    pub span: Span,
    /// The quotes around it, which decide what is expanded.
    pub quoting: Quoting,
    /// Text, or what is to be expanded.
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
    /// Which kind of quotes these are.
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
    Arithmetic(Vec<WordPart<'a>>),
}

/// A command whose output (or whose pipe) is used as a word.
#[derive(Debug)]
pub struct Substitution<'a> {
    /// `$(…)`, backticks or one of the two arrows.
    pub style: SubstitutionStyle,
    /// What it runs. Empty when [`Self::escaped`] is set.
    pub list: CommandList<'a>,
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
    /// The value names the variable that is meant: `${!x}`.
    pub indirect: bool,
    /// What the operator in braces does to the value.
    pub operation: ParameterOperation,
    /// The words behind the operator: none, one, or two (replacing, cutting).
    pub arguments: Vec<ShellWord<'a>>,
}

/// What braces do to a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParameterOperation {
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

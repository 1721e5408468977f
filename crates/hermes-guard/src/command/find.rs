//! The expression of `find`.

use super::call::Arg;

/// What a `find` is told.
pub(super) struct Find<'c> {
    /// Where it begins; empty: here.
    pub(super) starts: Vec<&'c Arg<'c>>,
    /// The commands of `-exec` and its kin.
    pub(super) actions: Vec<&'c [Arg<'c>]>,
    /// Those of `-ok`, which ask before each file.
    pub(super) asked: Vec<&'c [Arg<'c>]>,
    /// `-delete`
    pub(super) deletes: bool,
    /// Files it writes lists into.
    pub(super) writes: Vec<&'c Arg<'c>>,
    /// Some test lets only a part of the files through.
    pub(super) narrowed: bool,
    /// The names it looks for, when each of them is written out.
    pub(super) names: Vec<&'c str>,
    /// Patterns of the names and paths it looks for, and other tests that pick out single files.
    patterns: Vec<&'c str>,
    /// How many alternatives there are besides the first.
    alternatives: usize,
    /// The next test is turned round.
    negated: bool,
    /// What was known before the present alternative, and before the last brackets.
    before: FindMark,
    before_group: FindMark,
    /// Brackets were closed just now.
    closed: bool,
    /// The present alternative is passed over: what was known before it.
    pruned: Option<FindMark>,
}

/// So much was known at some place of the expression.
#[derive(Clone, Copy, Default)]
struct FindMark {
    names: usize,
    patterns: usize,
    alternatives: usize,
}

/// What stands for one of [`LEFTOVERS`]: something in a folder that is made again.
pub(super) const LEFTOVER: &str = "__pycache__/found-by-name";

/// What tools leave behind and nobody made by hand: as good as a build folder.
const LEFTOVERS: &[&str] = &[
    ".svn",
    "CVS",
    ".DS_Store",
    "._*",
    "Thumbs.db",
    ".AppleDouble",
    "*.pyc",
    "*.pyo",
    "*.tmp",
    "*.swp",
    "*.orig",
    "*.rej",
    "*~",
];

impl<'c> Find<'c> {
    pub(super) fn new(args: &'c [Arg<'c>]) -> Self {
        let mut find = Self {
            starts: Vec::new(),
            actions: Vec::new(),
            asked: Vec::new(),
            deletes: false,
            writes: Vec::new(),
            narrowed: false,
            names: Vec::new(),
            patterns: Vec::new(),
            alternatives: 0,
            negated: false,
            before: FindMark::default(),
            before_group: FindMark::default(),
            closed: false,
            pruned: None,
        };
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            match arg.as_str() {
                "-H" | "-L" | "-P" => {}
                "-D" => at += 1,
                text if text.starts_with("-O") => {}
                text if text.starts_with('-') || matches!(text, "(" | "!" | ")" | ",") => break,
                _ => find.starts.push(arg),
            }
            at += 1;
        }
        while at < args.len() {
            at += find.primary(args, at);
        }
        find
    }

    /// Whether each of its alternatives finds only what is empty, a single file, or files of a name that
    /// says what they are. Deleting those one by one is no more than `rm` with a pattern.
    pub(super) fn is_narrow(&self) -> bool {
        let says_something = |pattern: &&str| {
            pattern.chars().filter(|char| char.is_alphanumeric()).count() > 1
                || pattern
                    .strip_prefix("*.")
                    .is_some_and(|end| end.starts_with(char::is_alphanumeric))
                || matches!(*pattern, "*~" | "#*#" | "*#" | "._*")
        };
        self.patterns.len() > self.alternatives && self.patterns.iter().all(says_something)
    }

    /// Names and patterns of what it looks for.
    pub(super) fn looked_for(&self) -> impl Iterator<Item = &'c str> {
        self.patterns.iter().copied()
    }

    /// Whether nothing but what some test lets through is found.
    pub(super) fn is_limited(&self) -> bool {
        self.narrowed && self.alternatives == 0
    }

    fn mark(&self) -> FindMark {
        FindMark {
            names: self.names.len(),
            patterns: self.patterns.len(),
            alternatives: self.alternatives,
        }
    }

    /// Takes in one primary; the result is how many words it has.
    fn primary(&mut self, args: &'c [Arg<'c>], at: usize) -> usize {
        let closed = std::mem::replace(&mut self.closed, args[at].text == ")");
        match args[at].as_str() {
            "-delete" => {
                self.deletes = true;
                self.pruned = None;
            }
            // These ask before each file, and nobody is there to answer.
            "-ok" | "-okdir" => {
                let rest = &args[at + 1..];
                let ends = |arg: &Arg<'_>| matches!(arg.as_str(), ";" | "+");
                self.narrowed = true;
                let end = rest.iter().position(ends).unwrap_or(rest.len());
                self.asked.push(&rest[..end]);
                return end + 2;
            }
            "-exec" | "-execdir" => {
                let rest = &args[at + 1..];
                let ends = |arg: &Arg<'_>| matches!(arg.as_str(), ";" | "+");
                let end = rest.iter().position(ends).unwrap_or(rest.len());
                self.pruned = None;
                self.actions.push(&rest[..end]);
                return end + 2;
            }
            "-mindepth" | "-maxdepth" | "-type" => return 2,
            "-depth"
            | "-d"
            | "-xdev"
            | "-mount"
            | "-print"
            | "-print0"
            | "-follow"
            | "-true"
            | ")"
            | "-a"
            | "-and"
            | "-ignore_readdir_race"
            | "-noleaf"
            | "-ls"
            | "-x" => {}
            "-name" | "-iname" | "-path" | "-wholename" | "-ipath" => {
                let pattern = args.get(at + 1).map_or("", Arg::as_str);
                self.narrowed |= !matches!(pattern, "*" | "**" | "/*");
                if !std::mem::take(&mut self.negated) {
                    self.patterns.push(pattern);
                }
                if LEFTOVERS.contains(&pattern) {
                    self.names.push(LEFTOVER);
                } else if args[at].text == "-name" && !pattern.contains(['*', '?', '[', '\\']) {
                    self.names.push(pattern);
                }
                return 2;
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                self.writes.extend(args.get(at + 1));
                return if args[at].text == "-fprintf" { 3 } else { 2 };
            }
            "-printf" => return 2,
            "-empty" => {
                self.narrowed = true;
                if !std::mem::take(&mut self.negated) {
                    self.patterns.push("-empty");
                }
            }
            test @ ("-inum" | "-size" | "-samefile") => {
                self.narrowed = true;
                let value = args.get(at + 1).map_or("", Arg::as_str);
                let picks = test != "-size" || matches!(value, "0" | "0c" | "0k");
                if !std::mem::take(&mut self.negated) && picks {
                    self.patterns.push("-inum");
                }
                return 2;
            }
            "-not" | "!" => {
                self.narrowed = true;
                self.negated = true;
            }
            "(" => self.before_group = self.mark(),
            "-o" | "-or" | "," => {
                self.narrowed = true;
                match self.pruned.take() {
                    // What it found so far is left out, and nothing was done to it.
                    Some(mark) => {
                        self.names.truncate(mark.names);
                        self.patterns.truncate(mark.patterns);
                        self.alternatives = mark.alternatives;
                    }
                    None => self.alternatives += 1,
                }
                self.before = self.mark();
            }
            "-prune" => {
                self.narrowed = true;
                self.pruned = Some(if closed { self.before_group } else { self.before });
            }
            "-executable" | "-readable" | "-writable" | "-nogroup" | "-nouser" | "-quit"
            | "-false" | "-E" | "-daystart" => {
                self.narrowed = true;
            }
            _ => {
                self.narrowed = true;
                return 2;
            }
        }
        1
    }
}

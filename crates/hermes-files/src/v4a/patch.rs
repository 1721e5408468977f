//! What a patch says, before anyone looks at a file.

/// A parsed patch: its operations in the order written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// In the order written; at least one.
    pub operations: Vec<PatchOperation>,
}

/// One header of the patch with what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchOperation {
    /// Line of the header in the patch text, from 1.
    pub line: usize,
    /// What is to happen to which file.
    pub action: PatchAction,
}

/// What one operation asks for. Paths are as written, without blanks around them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchAction {
    /// Create a file.
    Add {
        /// The path as the patch spells it; nothing may be there.
        path: String,
        /// Its lines, without markers and endings.
        lines: Vec<String>,
        /// Whether the last line ends with a newline; only an explicit marker says no.
        final_newline: bool,
    },
    /// Change a file, and perhaps its name.
    Update {
        /// The path as the patch spells it.
        path: String,
        /// Its new path, if it moves as well.
        move_to: Option<String>,
        /// The changes, from the top of the file to its end.
        hunks: Vec<Hunk>,
    },
    /// Remove a file.
    Delete {
        /// The path as the patch spells it.
        path: String,
    },
    /// Rename a file, content untouched.
    Move {
        /// Where the file is now, as the patch spells it.
        from: String,
        /// Where it goes, as the patch spells it.
        to: String,
    },
}

/// One contiguous change of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Where it begins in the patch text, from 1.
    pub line: usize,
    /// Texts of lines at or above the change, outermost first.
    pub hints: Vec<String>,
    /// Where the patch believes the change to be; a preference between equal places, no more.
    pub range: Option<OldRange>,
    /// Context, removed and added lines in order.
    pub lines: Vec<HunkLine>,
    /// The hunk's last line is the last of the file.
    pub at_end: bool,
}

/// The old side of a numeric hunk header, `-start,len`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OldRange {
    /// First line, from 1 (0 in front of the first line when `len` is 0).
    pub start: usize,
    /// How many old lines the header speaks of.
    pub len: usize,
}

/// A line of a hunk, without the character that marks it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HunkLine {
    /// Whether it stays, goes or comes.
    pub marker: Marker,
    /// The text without marker and line ending.
    pub text: String,
    /// A marker below says that no newline follows this line.
    pub no_newline: bool,
}

/// What a hunk does with a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// Must be there, stays as it is.
    Context,
    /// Must be there, goes.
    Remove,
    /// Is new.
    Add,
}

impl Patch {
    /// Every path named in a header, in order, both ends of moves included: what path guards and
    /// locks have to look at.
    pub fn paths(&self) -> Vec<&str> {
        let mut paths = Vec::new();
        for operation in &self.operations {
            match &operation.action {
                PatchAction::Add { path, .. } | PatchAction::Delete { path } => {
                    paths.push(path.as_str());
                }
                PatchAction::Update { path, move_to, .. } => {
                    paths.push(path);
                    paths.extend(move_to.as_deref());
                }
                PatchAction::Move { from, to } => paths.extend([from.as_str(), to.as_str()]),
            }
        }
        paths
    }
}

impl Hunk {
    /// Whether the hunk has anything to do; one without `-` and `+` lines has not.
    pub fn changes_something(&self) -> bool {
        self.lines.iter().any(|line| line.marker != Marker::Context)
    }

    /// The lines that must be in the file: context and removed ones.
    pub fn old_lines(&self) -> impl Iterator<Item = &HunkLine> {
        self.lines.iter().filter(|line| line.marker != Marker::Add)
    }

    /// The lines that will be in the file: context and added ones.
    pub fn new_lines(&self) -> impl Iterator<Item = &HunkLine> {
        self.lines.iter().filter(|line| line.marker != Marker::Remove)
    }
}

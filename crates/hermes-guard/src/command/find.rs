//! The expression of `find`.

use super::call::Arg;

/// What a `find` is told.
pub(super) struct Find<'c> {
    /// Where it begins; empty: here.
    pub(super) starts: Vec<&'c Arg<'c>>,
    /// The commands of `-exec` and its kin.
    pub(super) actions: Vec<&'c [Arg<'c>]>,
    /// `-delete`
    pub(super) deletes: bool,
    /// Files it writes lists into.
    pub(super) writes: Vec<&'c Arg<'c>>,
    /// Some test lets only a part of the files through.
    pub(super) narrowed: bool,
    /// The names it looks for, when each of them is written out.
    pub(super) names: Vec<&'c str>,
}

impl<'c> Find<'c> {
    pub(super) fn new(args: &'c [Arg<'c>]) -> Self {
        let mut find = Self {
            starts: Vec::new(),
            actions: Vec::new(),
            deletes: false,
            writes: Vec::new(),
            narrowed: false,
            names: Vec::new(),
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

    /// Takes in one primary; the result is how many words it has.
    fn primary(&mut self, args: &'c [Arg<'c>], at: usize) -> usize {
        match args[at].as_str() {
            "-delete" => self.deletes = true,
            // These ask before each file, and nobody is there to answer.
            "-ok" | "-okdir" => {
                let rest = &args[at + 1..];
                let ends = |arg: &Arg<'_>| matches!(arg.as_str(), ";" | "+");
                self.narrowed = true;
                return rest.iter().position(ends).unwrap_or(rest.len()) + 2;
            }
            "-exec" | "-execdir" => {
                let rest = &args[at + 1..];
                let ends = |arg: &Arg<'_>| matches!(arg.as_str(), ";" | "+");
                let end = rest.iter().position(ends).unwrap_or(rest.len());
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
            | "("
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
                if args[at].text == "-name" && !pattern.contains(['*', '?', '[', '\\']) {
                    self.names.push(pattern);
                }
                return 2;
            }
            "-fprint" | "-fprint0" | "-fls" | "-fprintf" => {
                self.writes.extend(args.get(at + 1));
                return if args[at].text == "-fprintf" { 3 } else { 2 };
            }
            "-printf" => return 2,
            "-empty" | "-executable" | "-readable" | "-writable" | "-nogroup" | "-nouser"
            | "-prune" | "-quit" | "-not" | "!" | "-o" | "-or" | "-false" | "," | "-E"
            | "-daystart" => {
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

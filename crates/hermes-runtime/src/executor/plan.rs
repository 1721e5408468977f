//! Which calls of a turn may run at the same time, from what their tools declare.
//!
//! The calls are cut, in order, into runs. Tools that only look may share a run. Tools whose effects
//! are bound to paths may share one as long as no path equals, contains or lies under another's;
//! reading one file twice counts as a clash too, since tools remember what was read. Everything else
//! runs alone, after what came before it and before what comes after. Order never changes.

use std::path::{Component, Path, PathBuf};

use hermes_tool::{Args, Concurrency, Effects, Tool};
use serde_json::Value;

/// A stretch of calls, by their place in the turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Segment {
    /// One after the other.
    Sequential(Vec<usize>),
    /// At the same time.
    Parallel(Vec<usize>),
}

/// How one call may be placed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Alone.
    Barrier,
    /// Beside others.
    Joins,
    /// Beside others that touch other files.
    JoinsAt(Vec<PathBuf>),
}

/// Places one call. `args` is `None` when the arguments could not be read as an object.
#[must_use]
pub fn place(
    tool: Option<&Tool>,
    args: Option<&Args>,
    cwd: &Path,
    home: Option<&Path>,
) -> Placement {
    let (Some(tool), Some(args)) = (tool, args) else { return Placement::Barrier };
    let effects = tool.effects();
    if tool.concurrency() == Concurrency::Safe {
        return Placement::Joins;
    }
    if !effects.path_arguments().is_empty() {
        return at_paths(effects, args, cwd, home);
    }
    if effects.is_read_only() { Placement::Joins } else { Placement::Barrier }
}

fn at_paths(effects: Effects, args: &Args, cwd: &Path, home: Option<&Path>) -> Placement {
    use hermes_tool::Effect::{Interactive, Runs};
    if effects.has(Runs) || effects.has(Interactive) {
        return Placement::Barrier;
    }
    let mut paths = Vec::new();
    for name in effects.path_arguments() {
        match args.get(*name) {
            Some(Value::String(path)) if !path.trim().is_empty() => {
                paths.push(canonical(path, cwd, home));
            }
            // Without its path a call could touch anything.
            _ => return Placement::Barrier,
        }
    }
    Placement::JoinsAt(paths)
}

/// Cuts a turn into segments.
#[must_use]
pub fn plan(placements: &[Placement]) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut run = Vec::new();
    let mut taken: Vec<&PathBuf> = Vec::new();
    for (index, placement) in placements.iter().enumerate() {
        match placement {
            Placement::Barrier => {
                close(&mut segments, &mut run);
                taken.clear();
                push_sequential(&mut segments, index);
            }
            Placement::Joins => run.push(index),
            Placement::JoinsAt(paths) => {
                if paths.iter().any(|path| taken.iter().any(|other| overlap(path, other))) {
                    close(&mut segments, &mut run);
                    taken.clear();
                }
                taken.extend(paths);
                run.push(index);
            }
        }
    }
    close(&mut segments, &mut run);
    segments
}

/// Ends a run; a run of one is no run.
fn close(segments: &mut Vec<Segment>, run: &mut Vec<usize>) {
    match std::mem::take(run).as_slice() {
        [] => {}
        [only] => push_sequential(segments, *only),
        several => segments.push(Segment::Parallel(several.to_vec())),
    }
}

fn push_sequential(segments: &mut Vec<Segment>, index: usize) {
    if let Some(Segment::Sequential(calls)) = segments.last_mut() {
        calls.push(index);
    } else {
        segments.push(Segment::Sequential(vec![index]));
    }
}

fn overlap(a: &Path, b: &Path) -> bool {
    a.starts_with(b) || b.starts_with(a)
}

/// The path with home and `..` resolved and, as far as the file system knows it, symlinks too. A
/// file that does not exist yet is resolved through its nearest existing parent.
fn canonical(path: &str, cwd: &Path, home: Option<&Path>) -> PathBuf {
    let path = path.trim();
    let expanded = match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => home.join(&rest[1..]),
        _ => PathBuf::from(path),
    };
    let plain = normal(&cwd.join(expanded));
    for parent in plain.ancestors() {
        if let Ok(real) = parent.canonicalize() {
            return match plain.strip_prefix(parent) {
                Ok(rest) if rest.as_os_str().is_empty() => real,
                Ok(rest) => real.join(rest),
                Err(_) => plain,
            };
        }
    }
    plain
}

fn normal(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

//! From a patch and the files it speaks of to what has to be done.
//!
//! The operations are played in order on a [`Simulation`]; problems are collected, not thrown, so
//! that one answer tells all of them. What remains is compared with the disk: several operations
//! on one file become one write, an add that is deleted again becomes nothing, a delete followed
//! by an add becomes a rewrite. The gate judges only those final contents, against what was on
//! disk, because nobody will ever read the states in between.

use super::editor::locate::Miss;
use super::editor::{AppliedHunk, HunkEditor};
use super::patch::{Hunk, Patch, PatchAction, PatchOperation};
use super::problem::{PatchProblem, ProblemKind};
use super::workspace::PatchWorkspace;

mod simulation;

use simulation::{PlannedFile, Simulation};

/// Everything a patch comes down to. Carrying out the effects in order gives what it asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchPlan {
    /// At least one effect: renames and deletes as they come, then the writes.
    pub effects: Vec<PatchEffect>,
    /// What happens to each file, in the order first named.
    pub files: Vec<FileChange>,
    /// Files the patch names but leaves as they are.
    pub unchanged: Vec<String>,
}

/// One step on disk. Missing parent directories of targets have to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatchEffect {
    /// Rename a file; nothing is at the target by then.
    Move {
        /// Where the file is before the step.
        from: String,
        /// Where it is after the step.
        to: String,
    },
    /// Remove a file.
    Delete {
        /// The path as the patch spells it.
        path: String,
    },
    /// Give a file its final content.
    Write {
        /// The path as the patch spells it.
        path: String,
        /// What is there by then; `None` if the file is new.
        before: Option<Vec<u8>>,
        /// The whole file as it shall be, byte for byte.
        after: Vec<u8>,
    },
}

/// What a plan does to one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    /// Its path; the new one after a move, the old one after a delete.
    pub path: String,
    /// What has happened to it when all steps are done.
    pub change: ChangeKind,
    /// The hunks applied to it, in the order written.
    pub hunks: Vec<AppliedHunk>,
}

/// What a patch as a whole does to a file, however many steps that takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    /// The file is new.
    Created,
    /// Its content changes.
    Modified,
    /// It goes.
    Deleted,
    /// It gets another path, and perhaps other content.
    Moved {
        /// Its path before the patch.
        from: String,
        /// Whether its content changes too.
        modified: bool,
    },
}

impl PatchPlan {
    /// The paths of the files that become new.
    pub fn created(&self) -> impl Iterator<Item = &str> {
        self.paths(|change| *change == ChangeKind::Created)
    }

    /// The paths of the files whose content changes in place.
    pub fn modified(&self) -> impl Iterator<Item = &str> {
        self.paths(|change| *change == ChangeKind::Modified)
    }

    /// The paths of the files that go.
    pub fn deleted(&self) -> impl Iterator<Item = &str> {
        self.paths(|change| *change == ChangeKind::Deleted)
    }

    /// Old and new paths of the files that move.
    pub fn moved(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|file| match &file.change {
            ChangeKind::Moved { from, .. } => Some((from.as_str(), file.path.as_str())),
            ChangeKind::Created | ChangeKind::Modified | ChangeKind::Deleted => None,
        })
    }

    fn paths(&self, wanted: impl Fn(&ChangeKind) -> bool) -> impl Iterator<Item = &str> {
        self.files.iter().filter(move |file| wanted(&file.change)).map(|file| file.path.as_str())
    }
}

/// Plays a patch through against the files of a workspace.
///
/// # Errors
/// Every problem found, in the order of the patch; there is no plan with only some of them.
pub fn plan(patch: &Patch, workspace: &dyn PatchWorkspace) -> Result<PatchPlan, Vec<PatchProblem>> {
    let mut simulation = Simulation::new(workspace);
    let mut problems = Vec::new();
    for operation in &patch.operations {
        problems.extend(play(&mut simulation, operation));
    }
    for node in &simulation.nodes {
        problems.extend(refusal(workspace, node));
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let plan = conclude(simulation);
    if plan.files.is_empty() {
        let path = patch.paths().first().map_or_else(String::new, |&path| path.to_owned());
        let patch_line = patch.operations.first().map_or(1, |operation| operation.line);
        return Err(vec![PatchProblem { path, patch_line, kind: ProblemKind::NothingChanges }]);
    }
    Ok(plan)
}

/// Plays one operation; the problems are all it has, so that later ones can be looked at too.
fn play(simulation: &mut Simulation<'_>, operation: &PatchOperation) -> Vec<PatchProblem> {
    let line = operation.line;
    let touched = match &operation.action {
        PatchAction::Add { path, lines, final_newline } => {
            let mut content = lines.join("\n");
            if *final_newline && !lines.is_empty() {
                content.push('\n');
            }
            simulation.add(path, content.into_bytes()).map_err(|kind| problem(path, line, kind))
        }
        PatchAction::Delete { path } => {
            simulation.delete(path).map_err(|kind| problem(path, line, kind))
        }
        PatchAction::Move { from, to } => relocate(simulation, from, to, line),
        PatchAction::Update { path, move_to, hunks } => {
            return update(simulation, line, path, move_to.as_deref(), hunks);
        }
    };
    match touched {
        Ok(node) => {
            simulation.nodes[node].patch_line = line;
            Vec::new()
        }
        Err(problem) => vec![problem],
    }
}

fn relocate(
    simulation: &mut Simulation<'_>,
    from: &str,
    to: &str,
    line: usize,
) -> Result<usize, PatchProblem> {
    let node = simulation.find(from).map_err(|kind| problem(from, line, kind))?;
    simulation.check_target(from, to).map_err(|kind| problem(to, line, kind))?;
    simulation.rename(node, from, to);
    Ok(node)
}

fn update(
    simulation: &mut Simulation<'_>,
    line: usize,
    path: &str,
    move_to: Option<&str>,
    hunks: &[Hunk],
) -> Vec<PatchProblem> {
    let node = match simulation.find(path) {
        Ok(node) => node,
        Err(kind) => return vec![problem(path, line, kind)],
    };
    simulation.nodes[node].patch_line = line;
    let mut problems = Vec::new();
    if hunks.iter().any(Hunk::changes_something) {
        match simulation.content(node) {
            Err(kind) => problems.push(problem(path, line, kind)),
            Ok(content) => {
                let (after, applied, misses) = edit(content, path, hunks);
                simulation.write(node, after);
                simulation.nodes[node].broken |= !misses.is_empty();
                problems.extend(misses);
                simulation.nodes[node].hunks.extend(applied);
            }
        }
    }
    if let Some(to) = move_to {
        problems.extend(relocate(simulation, path, to, line).err());
    }
    problems
}

/// Plays the hunks of a file. They are looked for in the file as it was; one that is not found there may
/// speak of what earlier ones have written, and is looked for in that.
fn edit(
    content: &[u8],
    path: &str,
    hunks: &[Hunk],
) -> (Vec<u8>, Vec<AppliedHunk>, Vec<PatchProblem>) {
    let (mut applied, mut problems) = (Vec::new(), Vec::new());
    let mut rest: Vec<&Hunk> = hunks.iter().filter(|hunk| hunk.changes_something()).collect();
    rest.reverse();
    let (after, misses) = edit_from(content, 0, &mut rest, &mut applied);
    for (hunk, miss) in misses {
        problems.push(problem(path, hunk.line, ProblemKind::of_miss(miss, hunk, content)));
    }
    (after, applied, problems)
}

/// Applies hunks from the last of `rest` on to a file whose lines up to `cursor` were gone through.
fn edit_from<'h>(
    content: &[u8],
    cursor: usize,
    rest: &mut Vec<&'h Hunk>,
    applied: &mut Vec<AppliedHunk>,
) -> (Vec<u8>, Vec<(&'h Hunk, Miss)>) {
    let mut editor = HunkEditor::from_line(content, cursor);
    let mut misses = Vec::new();
    while let Some(hunk) = rest.pop() {
        let miss = match editor.apply(hunk) {
            Ok(done) => {
                applied.push(done);
                continue;
            }
            Err(miss) => miss,
        };
        if editor.has_edits() {
            let (now, cursor) = (editor.finish(), editor.cursor_after());
            if HunkEditor::from_line(&now, cursor).apply(hunk).is_ok() {
                rest.push(hunk);
                let first = applied.len();
                let (after, more) = edit_from(&now, cursor, rest, applied);
                for later in applied.iter_mut().skip(first) {
                    later.file_line = editor.line_before(later.file_line);
                }
                misses.extend(more);
                return (after, misses);
            }
        }
        misses.push((hunk, miss));
    }
    (editor.finish(), misses)
}

fn problem(path: &str, patch_line: usize, kind: ProblemKind) -> PatchProblem {
    PatchProblem { path: path.to_owned(), patch_line, kind }
}

/// What the gate has against the final content of a file.
fn refusal(workspace: &dyn PatchWorkspace, node: &PlannedFile) -> Option<PatchProblem> {
    let path = node.path.as_deref().filter(|_| !node.broken)?;
    let reason = workspace.gate(path, node.before.as_deref(), node.changed()?)?;
    Some(problem(path, node.patch_line, ProblemKind::Gate(reason)))
}

fn conclude(simulation: Simulation<'_>) -> PatchPlan {
    let mut plan =
        PatchPlan { effects: simulation.effects, files: Vec::new(), unchanged: Vec::new() };
    for node in simulation.nodes {
        let changed = node.changed().is_some();
        let (path, change) = match (node.origin, node.path) {
            (None, None) => continue,
            (None, Some(path)) => (path, ChangeKind::Created),
            (Some(origin), None) => (origin, ChangeKind::Deleted),
            (Some(from), Some(path)) if from != path => {
                (path, ChangeKind::Moved { from, modified: changed })
            }
            (Some(_), Some(path)) if changed => (path, ChangeKind::Modified),
            (Some(_), Some(path)) => {
                plan.unchanged.push(path);
                continue;
            }
        };
        if let Some(after) = node.after
            && changed
            && change != ChangeKind::Deleted
        {
            plan.effects.push(PatchEffect::Write {
                path: path.clone(),
                before: node.before,
                after,
            });
        }
        plan.files.push(FileChange { path, change, hunks: node.hunks });
    }
    plan
}

#[cfg(test)]
mod tests;

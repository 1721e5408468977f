//! `hermes migrate` as words.

use std::path::PathBuf;

use clap::Args;
use hermes_host::Host;
use hermes_skills::report::{ReportPart, ReportTable, VerbReport};

use super::{MoveWish, Moved, move_in};

/// From where, and how far.
#[derive(Clone, Debug, Args)]
pub struct MigrateArgs {
    /// The home of the Python program; without one, this home is looked at, which both can use
    #[arg(long, value_name = "DIR")]
    from: Option<PathBuf>,
    /// Say what would come along and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Also where a home is in use; what is here is kept as a snapshot
    #[arg(short, long)]
    force: bool,
    /// Print JSON for programs
    #[arg(long)]
    json: bool,
}

impl MigrateArgs {
    /// Whether nothing is changed by it.
    pub(crate) fn only_looks(&self) -> bool {
        self.dry_run || self.from.is_none()
    }

    pub(crate) fn run(&self, host: &Host) -> anyhow::Result<VerbReport> {
        let wish = MoveWish { dry_run: self.dry_run, force: self.force };
        let moved = move_in(host, self.from.as_deref(), wish)?;
        if self.json {
            return Ok(VerbReport::json(&moved));
        }
        let mut table = ReportTable::new(["part", "count", "here", "about"]);
        table.numbers = vec![1];
        for part in &moved.parts {
            table.row(part.row());
        }
        let report = VerbReport::table(table).with(ReportPart::Text(summary(&moved)));
        Ok(report.warned(moved.warnings))
    }
}

fn summary(moved: &Moved) -> String {
    let (from, to) = (moved.from.display(), moved.to.display());
    let size = format!("{} files, {} bytes", moved.files, moved.bytes);
    if moved.in_place {
        return format!("\n{to} is the home of both programs: there is nothing to move.");
    }
    if moved.dry_run {
        return format!("\n{size} would come from {from} to {to}; nothing was changed.");
    }
    let kept = match &moved.before {
        Some(before) => format!("\nWhat was here before is in {}.", before.display()),
        None => String::new(),
    };
    format!(
        "\n{size} are in {to} now; {from} is as it was.{kept}\n`hermes doctor` looks at everything, `hermes` begins."
    )
}

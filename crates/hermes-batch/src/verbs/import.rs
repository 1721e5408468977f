//! `hermes batch import`.

use std::path::Path;

use hermes_host::Host;
use hermes_skills::report::VerbReport;

use super::args::RunArgs;
use super::start::{Begun, begin, name_of, options};
use super::{BatchReport, RunHome};
use crate::BatchError;
use crate::import::{foreign_files, import};
use crate::run::RunFront;
use crate::store::RunLock;

pub(super) async fn imported(
    host: &Host,
    home: &RunHome,
    from: &Path,
    args: &RunArgs,
    front: &dyn RunFront,
) -> Result<BatchReport, BatchError> {
    let name = name_of(args)?;
    if args.samples > 1 {
        return Err(BatchError::usage("the other program has one task a row; leave out --samples"));
    }
    let folder = home.find(&name, args.start.out.as_deref());
    if folder.has_run() {
        let place = folder.root().display();
        return Err(BatchError::usage(format!("{place} has a run already; choose another --name")));
    }
    foreign_files(from)?;
    let begun = begin(host, &folder, args, options(host, home, args)?, front).await?;
    let (dataset, manifest) = match begun {
        Begun::Rehearsed(report) => return Ok(report),
        Begun::Ready { dataset, manifest, .. } => (dataset, manifest),
    };
    folder.begin(&manifest)?;
    let _lock = RunLock::take(&folder, &name)?;
    let totals = import(from, &folder, &dataset, manifest.now()).await?;
    let text = format!(
        "{} of {} tasks have a record now; go on with: hermes batch resume {name}",
        totals.records,
        dataset.len()
    );
    let mut warnings = Vec::new();
    if totals.unreadable > 0 {
        warnings.push(format!("{} lines are none of a run", totals.unreadable));
    }
    if totals.unknown > 0 {
        warnings
            .push(format!("{} rows have a prompt that the data set does not have", totals.unknown));
    }
    Ok(BatchReport::done(VerbReport::text(text).warned(warnings)))
}

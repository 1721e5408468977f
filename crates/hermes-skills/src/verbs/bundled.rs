//! Skills that came with the program.

use super::{BundledVerb, VerbContext, VerbError, count};
use crate::bundled::{Stock, list_modified, opt_in, opt_out, repair, reset, restore_stock};
use crate::report::{ReportPart, ReportTable, VerbReport};

pub(super) fn run(place: &VerbContext<'_>, verb: &BundledVerb) -> Result<VerbReport, VerbError> {
    let (home, stock) = (place.library.home(), Stock::of(place.vars));
    Ok(match verb {
        BundledVerb::ListModified { json: true } => VerbReport::json(&list_modified(home, &stock)),
        BundledVerb::ListModified { json: false } => {
            let mut table = ReportTable::new(["name", "original changed too", "path"]);
            for one in list_modified(home, &stock) {
                let changed = if one.stock_changed { "yes" } else { "no" };
                table.row([one.name, changed.to_owned(), one.path.display().to_string()]);
            }
            VerbReport::table(table)
        }
        BundledVerb::Reset { name, restore: true } => {
            restore_stock(home, &stock, name)?;
            VerbReport::text(format!("{name} is the original again"))
        }
        BundledVerb::Reset { name, restore: false } => {
            reset(home, &stock, name)?;
            VerbReport::text(format!("{name} follows its updates again, from the next start on"))
        }
        BundledVerb::RepairOfficial { json } => {
            let done = repair(home, &stock)?;
            if *json {
                return Ok(VerbReport::json(&done));
            }
            let sound = count(done.sound.len(), "skill");
            let repaired = count(done.repaired.len(), "skill");
            VerbReport::text(format!("{repaired} put back, {sound} sound"))
                .noted(done.repaired.iter().map(|name| format!("put back: {name}")))
                .noted(done.kept.iter().map(|name| {
                    format!(
                        "kept, because it was changed: {name} (`hermes skills reset {name} --restore` puts the original back)"
                    )
                }))
        }
        BundledVerb::OptOut { remove } => {
            let done = opt_out(home, &stock, *remove)?;
            let removed = count(done.removed.len(), "skill");
            VerbReport::text(format!(
                "Skills that come with Hermes are no longer put here; {removed} removed"
            ))
            .noted(done.kept.iter().map(|name| format!("kept, because it was changed: {name}")))
        }
        BundledVerb::OptIn { sync } => {
            opt_in(home)?;
            let mut report = VerbReport::text("Skills that come with Hermes are put here again");
            if *sync {
                let done = place.library.seed(place.config, place.vars);
                let added = format!("{} added", count(done.copied.len(), "skill"));
                report = report.with(ReportPart::Text(added)).warned(done.problems);
            }
            report
        }
    })
}

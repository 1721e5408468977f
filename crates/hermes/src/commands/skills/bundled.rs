//! Skills that came with the program.

use hermes_skills::SkillLibrary;
use hermes_skills::bundled::{Stock, list_modified, opt_in, opt_out, reset, restore_stock};

use super::args::BundledCommand;
use crate::exit::Exit;
use crate::host::Host;
use crate::ui::{Table, Ui, count};

pub(super) fn run(
    command: &BundledCommand,
    library: &SkillLibrary,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let (home, stock) = (library.home(), Stock::of(host.vars()));
    match command {
        BundledCommand::ListModified { json: true } => ui.json(&list_modified(home, &stock))?,
        BundledCommand::ListModified { json: false } => {
            let mut table = Table::new(["name", "original changed too", "path"]);
            for one in list_modified(home, &stock) {
                let changed = if one.stock_changed { "yes" } else { "no" };
                table.row([one.name.into(), changed.into(), one.path.display().to_string().into()]);
            }
            ui.table(&table)?;
        }
        BundledCommand::Reset { name, restore: true } => {
            restore_stock(home, &stock, name)?;
            ui.line(format_args!("{name} is the original again"))?;
        }
        BundledCommand::Reset { name, restore: false } => {
            reset(home, &stock, name)?;
            ui.line(format_args!("{name} follows its updates again, from the next start on"))?;
        }
        BundledCommand::OptOut { remove } => {
            let done = opt_out(home, &stock, *remove)?;
            ui.line(format_args!(
                "Skills that come with Hermes are no longer put here; {} removed",
                count(done.removed.len(), "skill")
            ))?;
            for name in done.kept {
                ui.note(format_args!("kept, because it was changed: {name}"))?;
            }
        }
        BundledCommand::OptIn { sync } => {
            opt_in(home)?;
            ui.line("Skills that come with Hermes are put here again")?;
            if *sync {
                let report = library.seed(host.config().value(), host.vars());
                ui.line(format_args!("{} added", count(report.copied.len(), "skill")))?;
                ui.warn_all(&report.problems)?;
            }
        }
    }
    Ok(Exit::Done)
}

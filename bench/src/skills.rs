//! Skills: listing six hundred, viewing one, the index of the prompt.
//!
//! *Cold* is a process that has looked at nothing yet, with the snapshot an earlier one left; *warm* is a second look. What
//! is listed and viewed is checked, so that no number stands for the wrong work.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use hermes_skills::offer::SessionTools;
use hermes_skills::setup::SetupSurface;
use hermes_skills::{SkillLibrary, prompt};
use hermes_store::home::Home;
use hermes_tool::Vars;
use serde::Serialize;
use serde_json::Value;

use crate::report::{Baseline, Row, Target};
use crate::timing::median;
use crate::units::Unit;

/// How many skills there are.
const SKILLS: usize = 600;
/// How often everything is done.
const RUNS: usize = 31;

const LIST_COLD: Target = Target::AtMost(10e6);
const LIST_WARM: Target = Target::AtMost(1e6);
const VIEW: Target = Target::AtMost(5e6);
const INDEX_COLD: Target = Target::AtMost(10e6);

/// Nanoseconds of the median run of each.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Numbers {
    list_unseen: f64,
    list_cold: f64,
    list_warm: f64,
    view: f64,
    index_cold: f64,
}

/// Makes the skills and measures everything.
pub(crate) fn measure() -> Result<Numbers> {
    let folder = tempfile::tempdir().context("making a folder for skills")?;
    let home = Home::at(folder.path());
    for number in 0..SKILLS {
        make(
            &home.skills().join(format!("category-{:02}/skill-{number:03}", number % 20)),
            number,
        )?;
    }
    // Files that changed just now are read again, whatever is known of them.
    std::thread::sleep(Duration::from_millis(100));
    let (config, vars) = (Value::Null, Vars::default());
    let list = |library: &SkillLibrary| {
        let store = library.store(&config, &vars);
        store.list(store.offers(None), None)
    };
    let begun = Instant::now();
    let first = list(&SkillLibrary::new(&home));
    let list_unseen = begun.elapsed().as_nanos() as f64;
    ensure!(first["count"] == SKILLS, "{SKILLS} skills were made, {} were listed", first["count"]);
    // What was learnt is written beside the work.
    std::thread::sleep(Duration::from_millis(500));
    let warm = SkillLibrary::new(&home);
    list(&warm);
    let store = warm.store(&config, &vars);
    Ok(Numbers {
        list_unseen,
        list_cold: timed(|| list(&SkillLibrary::new(&home)))?,
        list_warm: timed(|| list(&warm))?,
        view: timed(|| {
            let opened = store.find("skill-321").and_then(|located| store.open(located, None));
            opened.map(|opened| opened.to_value(SetupSurface::Local, "local")).ok()
        })?,
        index_cold: timed(|| {
            let library = SkillLibrary::new(&home);
            let store = library.store(&config, &vars);
            prompt::block(&store.table(), &store.offers(None), &SessionTools::default())
        })?,
    })
}

fn make(folder: &Path, number: usize) -> Result<()> {
    std::fs::create_dir_all(folder.join("references"))?;
    let name = format!("skill-{number:03}");
    let text = format!(
        "---\nname: {name}\ndescription: \"What skill {number} is for, and when to use it: a sentence or two.\"\n\
         metadata:\n  hermes:\n    tags: [one, two]\n---\n\n# {name}\n\n{}",
        "A line of instructions of the usual length, with a `command` in it.\n".repeat(80)
    );
    File::create(folder.join("SKILL.md"))?.write_all(text.as_bytes())?;
    File::create(folder.join("references/more.md"))?.write_all(b"Detail.\n")?;
    Ok(())
}

fn timed<T>(mut work: impl FnMut() -> T) -> Result<f64> {
    let runs = (0..RUNS).map(|_| {
        let begun = Instant::now();
        std::hint::black_box(work());
        begun.elapsed().as_nanos() as f64
    });
    median(runs.collect::<Vec<_>>().into_iter()).context("nothing was measured")
}

/// All rows, in the order of printing. Nothing here is compared with another program.
pub(crate) fn rows(numbers: &Numbers) -> Vec<Row> {
    let row = |name, value, target| Row::new(name, Unit::Time, value, Baseline::Skipped, target);
    vec![
        row("600 skills never seen, list", numbers.list_unseen, Target::None),
        row("600 skills, list, cold", numbers.list_cold, LIST_COLD),
        row("600 skills, list, warm", numbers.list_warm, LIST_WARM),
        row("600 skills, view one", numbers.view, VIEW),
        row("600 skills, prompt index, cold", numbers.index_cold, INDEX_COLD),
    ]
}

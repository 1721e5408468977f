//! Looking at skills.

use hermes_skills::offer::{SessionTools, Withheld};
use hermes_skills::provenance::{Origins, SkillProvenance};
use hermes_skills::setup::SetupSurface;
use hermes_skills::{SkillLibrary, support};
use serde_json::{Value, json};

use super::args::ListOptions;
use crate::exit::Exit;
use crate::host::Host;
use crate::ui::{Cell, Table, Ui, count};

pub(super) fn list(
    options: &ListOptions,
    library: &SkillLibrary,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let report = library.seed(host.config().value(), host.vars());
    ui.warn_all(&report.problems)?;
    let store = library.store(host.config().value(), host.vars());
    let (table, offers, origins) = (store.table(), store.offers(None), Origins::read(store.home()));
    let usable: Vec<_> = table.usable().map(|entry| entry.file.clone()).collect();
    let mut rows = Vec::new();
    for entry in &table.all {
        let provenance = origins.of(entry);
        let why = match offers.withheld(entry) {
            None if !usable.contains(&entry.file) => Some(Withheld::Shadowed),
            why => why,
        };
        if (options.source != "all" && options.source != provenance.word())
            || (options.enabled_only && why.is_some())
        {
            continue;
        }
        // What it asks of a session, whichever that will be.
        let needs =
            offers.withheld_from_prompt(entry, &SessionTools::default()).filter(|_| why.is_none());
        rows.push((entry, provenance, why, needs));
    }
    if options.json {
        let rows: Vec<Value> = rows
            .iter()
            .map(|(entry, provenance, why, needs)| {
                json!({"name": entry.name, "category": entry.category, "description": entry.description,
                    "source": provenance.word(), "path": entry.file, "offered": why.is_none(),
                    "why": why.as_ref().or(needs.as_ref()).map(ToString::to_string), "warnings": entry.warnings,
                    "pinned": origins.is_pinned(&entry.name)})
            })
            .collect();
        ui.json(&rows)?;
        return Ok(Exit::Done);
    }
    let mut shown = Table::new([
        "name",
        "category",
        "source",
        "status",
        if options.why { "why" } else { "about" },
    ]);
    for (entry, provenance, why, needs) in &rows {
        let status = match (why, needs) {
            (Some(Withheld::Broken(_)), _) => "broken",
            (Some(Withheld::Disabled), _) => "disabled",
            (Some(_), _) => "not offered",
            (None, Some(_)) => "conditional",
            (None, None) => "offered",
        };
        let source = match provenance {
            SkillProvenance::Hub { trust, .. } => format!("hub ({trust})"),
            other => other.word().to_owned(),
        };
        let last = match (options.why, why.as_ref().or(needs.as_ref())) {
            (true, Some(why)) => why.to_string(),
            (true, None) => "offered to every session".to_owned(),
            (false, _) => hermes_skills::index::shortened(&entry.description, 60),
        };
        let category = entry.chain.clone().unwrap_or_default();
        shown.row([
            entry.name.as_str().into(),
            Cell::dim(category),
            source.into(),
            status.into(),
            last.into(),
        ]);
    }
    ui.table(&shown)?;
    let offered = rows.iter().filter(|(_, _, why, _)| why.is_none()).count();
    ui.note(format_args!("{}, {offered} offered", count(rows.len(), "skill")))?;
    for (entry, _, why, _) in &rows {
        if let Some(Withheld::Broken(problem)) = why {
            ui.warn(format_args!("{}: {problem}", entry.file.display()))?;
        }
    }
    ui.warn_all(&table.warnings)?;
    Ok(Exit::Done)
}

pub(super) fn view(
    name: &str,
    file: Option<&str>,
    as_json: bool,
    library: &SkillLibrary,
    host: &Host,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    library.seed(host.config().value(), host.vars());
    let store = library.store(host.config().value(), host.vars());
    let answer = store.find(name).and_then(|located| match file {
        Some(path) => support::read_file(&located.name(), located.root(), &located.file, path),
        None => {
            store.open(located, None).map(|opened| opened.to_value(SetupSurface::Local, "local"))
        }
    });
    match answer {
        Ok(answer) if as_json => ui.json(&answer)?,
        Ok(answer) => ui.line(answer["content"].as_str().unwrap_or_default().trim_end())?,
        Err(refusal) if as_json => {
            ui.json(&refusal.to_value())?;
            return Ok(Exit::Failed);
        }
        Err(refusal) => {
            let hint = refusal.extra.get("hint").and_then(Value::as_str).unwrap_or_default();
            anyhow::bail!("{} {hint}", refusal.error);
        }
    }
    Ok(Exit::Done)
}

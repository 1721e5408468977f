//! Looking at skills.

use hermes_store::UnknownName;
use serde_json::{Value, json};

use super::{SkillsListArgs, VerbContext, VerbError, count};
use crate::index::{IndexedSkill, shortened};
use crate::offer::{SessionTools, Withheld};
use crate::provenance::{Origins, SkillProvenance};
use crate::report::{ReportTable, VerbReport, VerbStatus};
use crate::setup::SetupSurface;
use crate::support;

/// Longest description in the list.
const ABOUT: usize = 60;

/// A skill as a list shows it.
struct ListedSkill<'a> {
    entry: &'a IndexedSkill,
    provenance: SkillProvenance,
    /// Why it is offered nowhere.
    why: Option<Withheld>,
    /// What it asks of a session, whichever that will be.
    needs: Option<Withheld>,
}

impl ListedSkill<'_> {
    fn status(&self) -> &'static str {
        match (&self.why, &self.needs) {
            (Some(Withheld::Broken(_)), _) => "broken",
            (Some(Withheld::Disabled(_)), _) => "disabled",
            (Some(_), _) => "not offered",
            (None, Some(_)) => "conditional",
            (None, None) => "offered",
        }
    }

    fn reason(&self) -> Option<String> {
        self.why.as_ref().or(self.needs.as_ref()).map(ToString::to_string)
    }
}

pub(super) fn list(place: &VerbContext<'_>, args: &SkillsListArgs) -> VerbReport {
    let seeded = place.library.seed(place.config, place.vars);
    let store = place.store();
    let (table, offers, origins) =
        (store.listed_table(), store.offers(args.platform.as_deref()), Origins::read(store.home()));
    let usable: Vec<_> = table.usable().map(|entry| entry.file.clone()).collect();
    let mut listed = Vec::new();
    for entry in &table.all {
        let provenance = origins.of(entry);
        let why = match offers.withheld(entry) {
            None if !usable.contains(&entry.file) => Some(Withheld::Shadowed),
            why => why,
        };
        if (args.source != "all" && args.source != provenance.word())
            || (args.enabled_only && why.is_some())
        {
            continue;
        }
        let needs =
            offers.withheld_from_prompt(entry, &SessionTools::default()).filter(|_| why.is_none());
        listed.push(ListedSkill { entry, provenance, why, needs });
    }
    if args.json {
        return VerbReport::json(
            &listed.iter().map(|one| as_json(one, &origins)).collect::<Vec<_>>(),
        )
        .warned(seeded.problems);
    }
    let last = if args.why { "why" } else { "about" };
    let mut shown = ReportTable::new(["name", "category", "source", "status", last]);
    for one in &listed {
        let source = match &one.provenance {
            SkillProvenance::Hub { trust, .. } => format!("hub ({trust})"),
            other => other.word().to_owned(),
        };
        let last = match args.why {
            true => one.reason().unwrap_or_else(|| "offered to every session".to_owned()),
            false => shortened(&one.entry.description, ABOUT),
        };
        let category = one.entry.chain.clone().unwrap_or_default();
        shown.row([one.entry.name.clone(), category, source, one.status().to_owned(), last]);
    }
    let offered = listed.iter().filter(|one| one.why.is_none()).count();
    let broken = listed.iter().filter_map(|one| match &one.why {
        Some(Withheld::Broken(problem)) => Some(format!("{}: {problem}", one.entry.file.display())),
        _ => None,
    });
    VerbReport::table(shown)
        .noted([format!("{}, {offered} offered", count(listed.len(), "skill"))])
        .warned(seeded.problems)
        .warned(broken)
        .warned(table.warnings.iter().map(ToString::to_string))
}

fn as_json(one: &ListedSkill<'_>, origins: &Origins) -> Value {
    let entry = one.entry;
    json!({"name": entry.name, "category": entry.category, "description": entry.description,
        "source": one.provenance.word(), "path": entry.file, "offered": one.why.is_none(),
        "why": one.reason(), "warnings": entry.warnings, "pinned": origins.is_pinned(&entry.name)})
}

pub(super) fn view(
    place: &VerbContext<'_>,
    name: &str,
    file: Option<&str>,
    as_json: bool,
) -> Result<VerbReport, VerbError> {
    place.library.seed(place.config, place.vars);
    let store = place.store();
    let answer = store.find_readable(name).and_then(|located| match file {
        Some(path) => support::read_file(&located.name(), located.root(), &located.file, path),
        None => {
            store.open(located, None).map(|opened| opened.to_value(SetupSurface::Local, "local"))
        }
    });
    match answer {
        Ok(answer) if as_json => Ok(VerbReport::json(&answer)),
        Ok(answer) => {
            Ok(VerbReport::text(answer["content"].as_str().unwrap_or_default().trim_end()))
        }
        Err(refusal) if as_json => {
            let status = match refusal.kind {
                "not_found" => VerbStatus::Usage,
                _ => VerbStatus::Failed,
            };
            Ok(VerbReport::json(&refusal.to_value()).ending(status))
        }
        Err(refusal) => {
            let hint = refusal.extra.get("hint").and_then(Value::as_str).unwrap_or_default();
            let told = format!("{} {hint}", refusal.error).trim_end().to_owned();
            Err(match refusal.kind {
                "not_found" => UnknownName(told).into(),
                _ => told.into(),
            })
        }
    }
}

//! Several skills behind one slash command.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::{BundlesVerb, VerbContext, VerbError};
use crate::activation::slash_bundles::{self, SlashBundle};
use crate::activation::slug;
use crate::report::{ReportTable, VerbReport};

pub(super) fn run(place: &VerbContext<'_>, verb: &BundlesVerb) -> Result<VerbReport, VerbError> {
    let home = place.library.home();
    Ok(match verb {
        BundlesVerb::List { json: true } => {
            let all: Vec<_> = slash_bundles::read(home).iter().map(value).collect();
            VerbReport::json(&all)
        }
        BundlesVerb::List { json: false } => {
            let mut table = ReportTable::new(["command", "skills", "about"]);
            for one in slash_bundles::read(home) {
                let about = one.description.clone().unwrap_or_default();
                table.row([format!("/{}", slug(&one.name)), one.skills.join(", "), about]);
            }
            VerbReport::table(table)
        }
        BundlesVerb::Show { name, json: true } => {
            VerbReport::json(&value(&slash_bundles::find(home, name)?))
        }
        BundlesVerb::Show { name, json: false } => {
            let bundle = slash_bundles::find(home, name)?;
            let (store, mut text) = (place.store(), format!("/{}\n", slug(&bundle.name)));
            let offers = store.offers(None);
            for skill in &bundle.skills {
                let stands = match store.find_usable(skill, &offers) {
                    Ok(_) => String::new(),
                    Err(refusal) => format!(" (left out: {})", refusal.error),
                };
                text += &format!("  {skill}{stands}\n");
            }
            if let Some(instruction) = &bundle.instruction {
                text += &format!("{instruction}\n");
            }
            VerbReport::text(text)
        }
        BundlesVerb::Create { name, skills, description, instruction } => {
            if skills.iter().all(|skill| skill.trim().is_empty()) {
                return Err("a bundle needs at least one skill, by its name".into());
            }
            let store = place.store();
            let unknown: Vec<String> = skills
                .iter()
                .filter_map(|skill| store.find(skill).err())
                .map(|refusal| refusal.error)
                .collect();
            let bundle = SlashBundle {
                name: name.clone(),
                skills: skills.clone(),
                description: description.clone(),
                instruction: instruction.clone(),
                file: PathBuf::new(),
            };
            let file = slash_bundles::create(home, &bundle)?;
            VerbReport::text(file.display().to_string())
                .noted([format!("/{} calls it", slug(name))])
                .warned(unknown)
        }
        BundlesVerb::Delete { name } => {
            let file = slash_bundles::delete(home, name)?;
            VerbReport::text(format!("Removed {}", file.display()))
        }
    })
}

/// A bundle, for programs.
fn value(one: &SlashBundle) -> Value {
    json!({
        "name": one.name, "command": format!("/{}", slug(&one.name)), "skills": one.skills,
        "description": one.description, "instruction": one.instruction, "file": one.file,
    })
}

//! Names like `plugin:skill`.

use std::sync::Arc;

use serde_json::json;

use super::{LocatedSkill, MAX_LISTED, nearest};
use crate::index::IndexedSkill;
use crate::library::SkillStore;
use crate::plugin_skills::{PluginNamespace, PluginSkill};
use crate::refusal::SkillRefusal;
use crate::roots::RootKind;

impl SkillStore<'_> {
    /// The skill of a plugin that a name with a colon means; nothing if it means none, and may mean a category.
    ///
    /// # Errors
    /// When the plugin is there and the skill cannot be had.
    pub(super) fn find_in_plugin(&self, name: &str) -> Result<Option<LocatedSkill>, SkillRefusal> {
        let Some(plugins) = self.library().plugin_skills() else { return Ok(None) };
        let Some((space, wanted)) = name.trim().split_once(':') else { return Ok(None) };
        let (space, wanted) = (space.trim(), wanted.trim());
        match plugins.namespace(space) {
            PluginNamespace::Unknown => Ok(None),
            PluginNamespace::NotEnabled(known) => {
                let error = format!(
                    "`{space}` is a plugin that is not enabled, so its skills are not there. The user can enable it \
                     with `hermes plugins enable {space}`."
                );
                Err(SkillRefusal::new("plugin_disabled", error).with("plugin_skills", json!(known)))
            }
            PluginNamespace::Enabled(skills) => {
                let names: Vec<String> = skills.iter().map(PluginSkill::full_name).collect();
                match skills.iter().find(|skill| skill.name == wanted) {
                    Some(skill) => Ok(Some(located(skill, &names))),
                    None => Err(missing(space, wanted, &names)),
                }
            }
        }
    }
}

fn located(skill: &PluginSkill, names: &[String]) -> LocatedSkill {
    let entry = IndexedSkill::of_plugin(skill);
    let own = skill.full_name();
    LocatedSkill {
        file: entry.file.clone(),
        relative: entry.relative.clone(),
        kind: RootKind::Plugin,
        siblings: names.iter().filter(|name| **name != own).cloned().collect(),
        entry: Some(Arc::new(entry)),
    }
}

fn missing(plugin: &str, wanted: &str, names: &[String]) -> SkillRefusal {
    let error = match names {
        [] => format!("The plugin `{plugin}` has no skills."),
        _ => format!("The plugin `{plugin}` has no skill `{wanted}`. It has: {}.", listed(names)),
    };
    let full = format!("{plugin}:{wanted}");
    let near = nearest(names.iter().map(String::as_str), &full);
    let refusal = SkillRefusal::new("not_found", error).with("plugin_skills", json!(names));
    match near.as_slice() {
        [] => refusal,
        near => refusal.hint(format!("Did you mean {}?", near.join(", "))),
    }
}

/// One line for the top of a plugin's skill: whose it is, and what else there is of it.
#[must_use]
pub(crate) fn banner(skill: &LocatedSkill) -> Option<String> {
    let plugin = skill.entry.as_ref().filter(|_| skill.kind == RootKind::Plugin)?;
    let plugin = plugin.category.as_deref().unwrap_or_default();
    Some(match skill.siblings.as_slice() {
        [] => format!("[A skill of the plugin {plugin}.]"),
        siblings => format!("[A skill of the plugin {plugin}. Its others: {}.]", listed(siblings)),
    })
}

/// Names for a sentence, as many as one can read.
fn listed(names: &[String]) -> String {
    let mut text = names.iter().take(MAX_LISTED).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > MAX_LISTED {
        text += &format!(" and {} more", names.len() - MAX_LISTED);
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::listing;
    use crate::offer::SessionTools;
    use crate::plugin_skills::PluginSkills;
    use crate::prompt;
    use crate::setup::SetupSurface;
    use crate::testing::{SkillBench, document, put};

    #[derive(Debug)]
    struct TrailPlugins(Vec<PluginSkill>);

    impl PluginSkills for TrailPlugins {
        fn namespace(&self, name: &str) -> PluginNamespace {
            match name {
                "desk" => PluginNamespace::Enabled(self.0.clone()),
                "off" => PluginNamespace::NotEnabled(vec!["off:lamp".to_owned()]),
                "bare" => PluginNamespace::Enabled(Vec::new()),
                _ => PluginNamespace::Unknown,
            }
        }

        fn all(&self) -> Vec<PluginSkill> {
            self.0.clone()
        }
    }

    /// A home with a plugin `desk` that has the skills `packing` and `maps`.
    fn bench() -> SkillBench {
        let bench = SkillBench::new();
        let folder = bench.folder.path().join("plugin");
        let skill = |name: &str, description: &str| {
            let root = folder.join(name);
            std::fs::create_dir_all(root.join("references")).unwrap();
            put(root.join("SKILL.md"), document(name, description, "Do it.\n"));
            put(root.join("references/more.md"), "more");
            PluginSkill {
                plugin: "desk".to_owned(),
                name: name.to_owned(),
                file: root.join("SKILL.md"),
                description: String::new(),
            }
        };
        let skills = vec![skill("packing", "Pack a bag"), skill("maps", "Read maps")];
        bench.library.set_plugin_skills(Arc::new(TrailPlugins(skills)));
        bench
    }

    fn view(bench: &SkillBench, name: &str) -> Value {
        let store = bench.store();
        let found = store.find_usable(name, &bench.offers());
        match found.and_then(|located| store.open(located, None)) {
            Ok(opened) => opened.to_value(SetupSurface::Local, "local"),
            Err(refusal) => refusal.to_value(),
        }
    }

    #[test]
    fn a_skill_of_a_plugin_is_served_with_a_line_on_its_siblings() {
        let answer = view(&bench(), " desk:packing ");
        assert_eq!(answer["name"], "desk:packing");
        let content = answer["content"].as_str().unwrap();
        let (banner, rest) = content.split_once('\n').unwrap();
        assert!(banner.contains("desk") && banner.contains("desk:maps"), "{banner}");
        assert!(!banner.contains("desk:packing") && rest.starts_with("---"), "{content}");
        assert_eq!(answer["linked_files"], json!({"references": ["references/more.md"]}));
    }

    #[test]
    fn what_a_plugin_does_not_have_is_answered_with_what_it_has() {
        let bench = bench();
        let answer = view(&bench, "desk:pakcing");
        assert_eq!(answer["kind"], "not_found");
        assert_eq!(answer["plugin_skills"], json!(["desk:packing", "desk:maps"]));
        assert!(answer["hint"].as_str().unwrap().contains("desk:packing"), "{answer}");
        let off = view(&bench, "off:lamp");
        assert_eq!(off["kind"], "plugin_disabled");
        assert_eq!(off["plugin_skills"], json!(["off:lamp"]));
        assert!(off["error"].as_str().unwrap().contains("hermes plugins enable off"), "{off}");
        assert!(view(&bench, "bare:x")["error"].as_str().unwrap().contains("no skills"));
    }

    #[test]
    fn a_namespace_without_a_plugin_is_a_category_and_a_category_of_a_plugins_name_still_works() {
        let bench = bench();
        bench.skill("food/bread", "bread", "d");
        bench.skill("desk/own", "own", "d");
        assert_eq!(view(&bench, "food:bread")["name"], "bread");
        assert_eq!(view(&bench, "desk:own")["name"], "own");
        assert_eq!(view(&bench, "bad name:x")["kind"], "name_invalid");
    }

    #[test]
    fn skills_of_plugins_are_listed_under_their_plugin_and_obey_the_switches() {
        let mut bench = bench();
        bench.skill("food/bread", "bread", "d");
        let store = bench.store();
        let (table, offers) = (store.listed_table(), bench.offers());
        let listed = listing::list(&table, &offers, Some("desk"));
        assert_eq!(listed["skills"][1]["name"], "desk:packing", "{listed}");
        assert_eq!(listed["skills"][1]["description"], "Pack a bag");
        let block = prompt::block(&table, &offers, &SessionTools::default()).unwrap();
        assert!(block.contains("desk:\n- desk:maps: Read maps\n"), "{block}");
        bench.config = json!({"skills": {"disabled": ["desk:maps"]}});
        let (store, offers) = (bench.store(), bench.offers());
        assert!(!listing::list(&store.listed_table(), &offers, None).to_string().contains("maps"));
        assert_eq!(view(&bench, "desk:maps")["kind"], "disabled");
    }

    #[test]
    fn a_plugins_skill_is_called_by_its_own_name_or_where_that_is_taken_by_both() {
        use crate::activation::{ActivationContext, parse};

        let bench = bench();
        bench.skill("maps", "maps", "my own maps");
        let (store, offers) = (bench.store(), bench.offers());
        let commands = store.commands(&offers, &["packing".to_owned()]);
        assert_eq!(commands.keys().collect::<Vec<_>>(), ["desk-maps", "desk-packing", "maps"]);
        let commands = store.commands(&offers, &[]);
        assert_eq!(commands.keys().collect::<Vec<_>>(), ["desk-maps", "maps", "packing"]);
        assert_eq!(commands["maps"].about, "my own maps");
        let context = ActivationContext { offers: &offers, session: None };
        for line in ["/packing go", "/desk:packing go", "/Packing go"] {
            let asked = parse(line, &commands).unwrap_or_else(|| panic!("{line}"));
            let message = store.message(store.open_called(&asked, context).unwrap(), "local");
            assert_eq!(message.skills, ["desk:packing"], "{line}");
            assert!(message.text.contains("Do it."), "{}", message.text);
            assert_eq!(crate::activation::own_words(&message.text), Some("go"));
        }
        for line in ["/desk:nothing go", "/other:packing go", "/desk: go", "/:packing go"] {
            assert_eq!(parse(line, &commands), None, "{line}");
        }
    }

    #[test]
    fn a_plugins_document_is_read_again_only_when_it_changed() {
        let bench = bench();
        bench.skill("food/bread", "bread", "d");
        // A file that changed just now may change again within one tick of its clock.
        std::thread::sleep(std::time::Duration::from_millis(60));
        let first = bench.store().listed_table();
        assert!(Arc::ptr_eq(&first, &bench.store().listed_table()));
        let file = bench.folder.path().join("plugin/maps/SKILL.md");
        put(file, document("maps", "Read charts", "Look.\n"));
        let second = bench.store().listed_table();
        let about = |name: &str| {
            let found = second.all.iter().find(|entry| entry.name == name);
            found.map(|entry| entry.description.clone())
        };
        assert_eq!(about("desk:maps").as_deref(), Some("Read charts"));
    }

    #[test]
    fn nothing_that_writes_finds_a_plugins_skill() {
        let bench = bench();
        assert_eq!(bench.store().find("desk:packing").unwrap_err().kind, "not_found");
        assert_eq!(bench.store().find("packing").unwrap_err().kind, "not_found");
        assert!(bench.table().all.is_empty());
    }
}

//! What is done about skills when an agent starts: cut-off installations are settled, unused skills put away.
//!
//! Both cost a few looks at the disk where there is nothing to do. The curator's weekly round is made before the prompt,
//! so that the prompt lists what is there; a model that merges skills works on the side, and a session that ends takes
//! nothing with it but that work.

use std::collections::HashSet;

use hermes_skills::SkillLibrary;
use hermes_skills::curator::{self, CuratorMode};
use hermes_skills::hub::state::HubState;
use hermes_skills::layout::SkillsHome;
use hermes_skills::settings::CuratorSettings;

use crate::Host;

impl Host {
    /// Settles what was cut off and lets the curator make its round if one is due; gives what a person should know.
    pub(super) async fn look_after_skills(&self) -> Vec<String> {
        let (home, config, vars) = (self.home().clone(), self.config_value(), self.vars().clone());
        let work = move || {
            let skills = SkillsHome::new(&home);
            if !skills.root().is_dir() {
                return (Vec::new(), false);
            }
            let mut told = Vec::new();
            if let Err(problem) = HubState::new(&skills).recover() {
                told.push(format!("an installation of a skill was cut off: {problem}"));
            }
            let settings = CuratorSettings::from_config(&config);
            if !curator::is_due(&skills, &settings) {
                return (told, false);
            }
            let library = SkillLibrary::new(&home);
            let store = library.store(&config, &vars);
            let report = curator::run(&store, &settings, &HashSet::new(), CuratorMode::Run);
            if !report.archived.is_empty() {
                told.push(format!(
                    "skills nobody used for long were put away: {}; `hermes curator restore NAME` brings one back",
                    report.archived.join(", ")
                ));
            }
            told.extend(report.problems);
            (told, settings.consolidate)
        };
        let Ok((told, merge)) = tokio::task::spawn_blocking(work).await else { return Vec::new() };
        if merge {
            self.merge_skills();
        }
        told
    }

    /// Has a model merge skills that overlap, while other things go on.
    fn merge_skills(&self) {
        let Some(model) = self.skill_auditor() else { return };
        let (home, config, vars) = (self.home().clone(), self.config_value(), self.vars().clone());
        tokio::spawn(async move {
            let library = SkillLibrary::new(&home);
            let store = library.store(&config, &vars);
            let settings = CuratorSettings::from_config(&config);
            match curator::consolidate(&store, &settings, &HashSet::new(), &*model).await {
                Ok(report) => tracing::info!(?report, "skills that overlap"),
                Err(problem) => tracing::warn!(%problem, "skills were not merged"),
            }
        });
    }
}

//! The hub as a person uses it, against doubles of registries on the loopback.
//!
//! Every test goes through [`verbs::run`], which is what `hermes skills` and `/skills` call.

mod auditing;
mod defects;
mod doubles;
mod installing;
mod kept;
mod registries;
mod settling;
mod sharing;
mod updating;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use clap::Parser;
use hermes_store::home::Home;
use hermes_tool::Vars;
use serde_json::{Value, json};

use super::HubContext;
use super::verbs::{self, HubVerb, VerbFront};
use crate::report::{VerbReport, VerbStatus};
use crate::scan::AuditModel;

/// A home, a hub for it, and what its person answers.
pub(super) struct Bench {
    folder: tempfile::TempDir,
    config: Value,
    vars: Vec<(String, String)>,
}

#[derive(Parser)]
struct Words {
    #[command(subcommand)]
    verb: HubVerb,
}

/// A person who answers every question alike and remembers what was shown.
pub(super) struct Person {
    says: bool,
    pub(super) offers: Mutex<Vec<String>>,
    pub(super) told: Mutex<Vec<String>>,
}

impl Person {
    pub(super) fn who_says(says: bool) -> Self {
        Self { says, offers: Mutex::default(), told: Mutex::default() }
    }
}

impl VerbFront for Person {
    fn progress(&self, text: &str) {
        self.told.lock().unwrap().push(text.to_owned());
    }

    fn agree(&self, offer: &str) -> bool {
        self.offers.lock().unwrap().push(offer.to_owned());
        self.says
    }
}

impl Bench {
    /// A hub whose registries are all at addresses where nobody answers, except those given.
    pub(super) fn new(addresses: &[(&str, &str)]) -> Self {
        let mut hub = serde_json::Map::new();
        for name in
            ["github_api", "github_raw", "index", "skills_sh", "clawhub", "lobehub", "browse_sh"]
        {
            // Port 9 of this machine: refused at once.
            hub.insert(name.to_owned(), json!("http://127.0.0.1:9/nobody"));
        }
        for (name, address) in addresses {
            hub.insert((*name).to_owned(), json!(address));
        }
        let config = json!({"skills": {"hub": hub}});
        Self {
            folder: tempfile::tempdir().unwrap(),
            config,
            vars: vec![("PATH".to_owned(), "/nowhere".to_owned())],
        }
    }

    /// Any address of this machine may be reached.
    pub(super) fn open_to_private(mut self) -> Self {
        self.config["security"] = json!({"allow_private_urls": true});
        self
    }

    pub(super) fn var(mut self, name: &str, value: &str) -> Self {
        self.vars.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(super) fn hub(&self) -> HubContext {
        let vars = Vars::default().overlaid(self.vars.clone());
        HubContext::new(&Home::at(self.folder.path()), &self.config, &vars)
    }

    pub(super) async fn run(&self, words: &[&str]) -> VerbReport {
        self.run_as(words, &Person::who_says(true)).await
    }

    pub(super) async fn run_as(&self, words: &[&str], person: &Person) -> VerbReport {
        self.run_with(words, person, None).await
    }

    pub(super) async fn run_with(
        &self,
        words: &[&str],
        person: &Person,
        auditor: Option<Arc<dyn AuditModel>>,
    ) -> VerbReport {
        let words = std::iter::once("skills").chain(words.iter().copied());
        let words = Words::try_parse_from(words).unwrap_or_else(|error| panic!("{error}"));
        verbs::run(&self.hub().with_auditor(auditor), &words.verb, person).await
    }

    /// A path below the skills folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("skills").join(name)
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        #[expect(clippy::disallowed_methods, reason = "a file of the test's own")]
        std::fs::write(path, text).unwrap();
    }

    pub(super) fn lock(&self) -> Value {
        serde_json::from_str(&self.read(".hub/lock.json")).unwrap()
    }

    pub(super) fn nothing_in_quarantine(&self) {
        let left: Vec<_> =
            std::fs::read_dir(self.path(".hub/quarantine")).into_iter().flatten().collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

/// Checks how a verb ended, showing all of it if not so.
pub(super) fn ended(report: &VerbReport, status: VerbStatus) {
    assert_eq!(report.status, status, "{report:#?}");
}

/// Checks that something was said.
pub(super) fn said(report: &VerbReport, words: &str) {
    let all = format!("{}\n{}", report.plain(), report.notes.join("\n"));
    assert!(all.contains(words), "no `{words}` in:\n{all}");
}

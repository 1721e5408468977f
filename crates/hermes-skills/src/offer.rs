//! Which skills are offered, and why others are not.
//!
//! A skill for another system is never served. One that is disabled, or made for other surroundings, is left out of
//! lists and slash commands. What a session can do (tools and toolsets) decides about the prompt only.

use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use hermes_tool::Vars;

use crate::document::Gates;
use crate::index::IndexedSkill;
use crate::settings::SkillsSettings;

/// Surroundings that skills may name; other words hide nothing.
const KNOWN_ENVIRONMENTS: [&str; 3] = ["kanban", "docker", "s6"];

/// What decides about offers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferContext {
    /// Words for this system.
    systems: Vec<&'static str>,
    environments: Vec<&'static str>,
    disabled: HashSet<String>,
    /// Disabled on this platform.
    disabled_on: Option<(String, HashSet<String>)>,
}

/// The platform a session takes place on (`cli`, `telegram` …), among the services of its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPlatform(pub String);

/// What a session can do.
#[derive(Clone, Debug, Default)]
pub struct SessionTools {
    /// Names of tools on offer.
    pub tools: HashSet<String>,
    /// Names of toolsets they belong to.
    pub toolsets: HashSet<String>,
}

/// Why a skill is not offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Withheld {
    /// It is for other systems.
    System(Vec<String>),
    /// It is for other surroundings.
    Environment(Vec<String>),
    /// The user disabled it, everywhere or on the platform named.
    Disabled(Option<String>),
    /// It needs tools or toolsets that are not there.
    Requires(Vec<String>),
    /// It stands in for tools or toolsets that are there.
    FallbackFor(Vec<String>),
    /// Its document is broken.
    Broken(String),
    /// Another skill of its name comes first.
    Shadowed,
}

impl fmt::Display for Withheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System(systems) => write!(f, "made for {}", systems.join(", ")),
            Self::Environment(names) => write!(f, "of use in {} only", names.join(", ")),
            Self::Disabled(None) => f.write_str("disabled (skills.disabled)"),
            Self::Disabled(Some(platform)) => {
                write!(f, "disabled on {platform} (skills.platform_disabled.{platform})")
            }
            Self::Requires(names) => write!(f, "needs {}", names.join(", ")),
            Self::FallbackFor(names) => {
                write!(f, "stands in for {}, which is there", names.join(", "))
            }
            Self::Broken(problem) => write!(f, "broken: {problem}"),
            Self::Shadowed => f.write_str("another skill of this name comes first"),
        }
    }
}

impl OfferContext {
    /// What the settings and surroundings say on a platform (`cli`, `telegram` …).
    #[must_use]
    pub fn new(settings: &SkillsSettings, vars: &Vars, platform: Option<&str>) -> Self {
        let platform = platform
            .or_else(|| vars.non_blank("HERMES_PLATFORM"))
            .or_else(|| vars.non_blank("HERMES_SESSION_PLATFORM"));
        let on = |name: &str| Some((name.to_owned(), settings.platform_disabled.get(name)?));
        Self {
            systems: systems(vars),
            environments: environments(vars),
            disabled: names(&settings.disabled),
            disabled_on: platform.and_then(on).map(|(platform, here)| (platform, names(here))),
        }
    }

    /// Where the user disabled a skill, by its name or its folder's; nothing if that is nowhere.
    pub(crate) fn disabled(&self, entry: &IndexedSkill) -> Option<DisabledWhere<'_>> {
        let lists =
            |names: &HashSet<String>| names.contains(&entry.name) || names.contains(&entry.folder);
        match &self.disabled_on {
            _ if lists(&self.disabled) => Some(DisabledWhere::Everywhere),
            Some((platform, here)) if lists(here) => Some(DisabledWhere::On(platform)),
            _ => None,
        }
    }

    /// Whether a skill works on this system.
    #[must_use]
    pub fn fits_system(&self, gates: &Gates) -> bool {
        let fits = |written: &String| self.systems.contains(&system_word(written).as_str());
        gates.platforms.is_empty() || gates.platforms.iter().any(fits)
    }

    fn fits_environment(&self, gates: &Gates) -> bool {
        let known: Vec<String> = gates
            .environments
            .iter()
            .map(|name| name.trim().to_ascii_lowercase())
            .filter(|name| KNOWN_ENVIRONMENTS.contains(&name.as_str()))
            .collect();
        known.len() < gates.environments.len()
            || known.is_empty()
            || known.iter().any(|name| self.environments.contains(&name.as_str()))
    }

    /// Why lists and slash commands leave a skill out; nothing if they show it.
    #[must_use]
    pub fn withheld(&self, entry: &IndexedSkill) -> Option<Withheld> {
        if entry.broken {
            let problem = entry.warnings.first().cloned().unwrap_or_default();
            return Some(Withheld::Broken(problem));
        }
        if !self.fits_system(&entry.gates) {
            return Some(Withheld::System(entry.gates.platforms.clone()));
        }
        if let Some(place) = self.disabled(entry) {
            return Some(Withheld::Disabled(place.platform().map(str::to_owned)));
        }
        let unfit = !self.fits_environment(&entry.gates);
        unfit.then(|| Withheld::Environment(entry.gates.environments.clone()))
    }

    /// Why the prompt of a session leaves a skill out; nothing if it shows it.
    #[must_use]
    pub fn withheld_from_prompt(
        &self,
        entry: &IndexedSkill,
        session: &SessionTools,
    ) -> Option<Withheld> {
        self.withheld(entry).or_else(|| session.withheld(&entry.gates))
    }
}

impl SessionTools {
    fn withheld(&self, gates: &Gates) -> Option<Withheld> {
        let present: Vec<String> = gates
            .fallback_for_tools
            .iter()
            .filter(|name| self.tools.contains(*name))
            .chain(gates.fallback_for_toolsets.iter().filter(|name| self.toolsets.contains(*name)))
            .cloned()
            .collect();
        if !present.is_empty() {
            return Some(Withheld::FallbackFor(present));
        }
        let absent: Vec<String> = gates
            .requires_tools
            .iter()
            .filter(|name| !self.tools.contains(*name))
            .chain(gates.requires_toolsets.iter().filter(|name| !self.toolsets.contains(*name)))
            .cloned()
            .collect();
        (!absent.is_empty()).then_some(Withheld::Requires(absent))
    }
}

/// Where a skill is disabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DisabledWhere<'a> {
    Everywhere,
    On(&'a str),
}

impl<'a> DisabledWhere<'a> {
    fn platform(self) -> Option<&'a str> {
        match self {
            Self::Everywhere => None,
            Self::On(platform) => Some(platform),
        }
    }

    /// The command that enables a skill there.
    pub(crate) fn way_back(self, name: &str) -> String {
        let on = self.platform().map(|platform| format!(" --platform {platform}"));
        format!("hermes skills config {name} --enable{}", on.unwrap_or_default())
    }
}

fn names(written: &[String]) -> HashSet<String> {
    let names = written.iter().map(|name| name.trim().to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

/// The word of ours for a system somebody wrote.
fn system_word(written: &str) -> String {
    match written.trim().to_ascii_lowercase().as_str() {
        "darwin" => "macos".to_owned(),
        "win32" => "windows".to_owned(),
        other => other.to_owned(),
    }
}

fn systems(vars: &Vars) -> Vec<&'static str> {
    let in_termux = vars.non_blank("TERMUX_VERSION").is_some()
        || vars.get("PREFIX").is_some_and(|prefix| prefix.contains("com.termux"));
    match std::env::consts::OS {
        "macos" => vec!["macos"],
        "windows" => vec!["windows"],
        "android" => vec!["linux", "termux", "android"],
        _ if in_termux => vec!["linux", "termux", "android"],
        _ => vec!["linux"],
    }
}

fn environments(vars: &Vars) -> Vec<&'static str> {
    let mut found = Vec::new();
    if vars.non_blank("HERMES_KANBAN_TASK").is_some() {
        found.push("kanban");
    }
    if Path::new("/.dockerenv").exists() || Path::new("/run/.containerenv").exists() {
        found.push("docker");
    }
    if Path::new("/run/s6").exists() {
        found.push("s6");
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::roots::RootKind;

    fn entry(name: &str, gates: Gates) -> IndexedSkill {
        IndexedSkill {
            name: name.to_owned(),
            folder: format!("{name}-folder"),
            description: String::new(),
            category: None,
            chain: None,
            gates,
            tags: Vec::new(),
            file: "/s/x/SKILL.md".into(),
            relative: "x/SKILL.md".into(),
            kind: RootKind::Local,
            warnings: Vec::new(),
            broken: false,
        }
    }

    fn context(systems: &[&'static str], environments: &[&'static str]) -> OfferContext {
        OfferContext {
            systems: systems.to_vec(),
            environments: environments.to_vec(),
            ..OfferContext::default()
        }
    }

    fn texts(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn systems_are_whole_words_with_aliases_in_any_case() {
        let on = |here: &[&'static str], written: &[&str]| {
            context(here, &[]).fits_system(&Gates { platforms: texts(written), ..Gates::default() })
        };
        assert!(on(&["linux"], &[]));
        assert!(
            on(&["linux"], &["Linux"])
                && on(&["macos"], &["darwin"])
                && on(&["windows"], &["WIN32"])
        );
        assert!(!on(&["linux"], &["linuxes"]) && !on(&["macos"], &["windows", "linux"]));
        for word in ["linux", "termux", "android"] {
            assert!(on(&["linux", "termux", "android"], &[word]), "{word}");
        }
        assert!(!on(&["linux"], &["termux"]));
        let termux: Vars = [("TERMUX_VERSION".to_owned(), "1".to_owned())].into_iter().collect();
        if cfg!(target_os = "linux") {
            assert_eq!(systems(&termux), ["linux", "termux", "android"]);
        }
    }

    #[test]
    fn any_environment_suffices_and_unknown_words_hide_nothing() {
        let shown = |here: &[&'static str], written: &[&str]| {
            let gates = Gates { environments: texts(written), ..Gates::default() };
            context(&["linux"], here).withheld(&entry("a", gates)).is_none()
        };
        assert!(shown(&["docker"], &["kanban", "docker"]));
        assert!(!shown(&[], &["docker"]));
        assert!(shown(&[], &["moon"]) && shown(&[], &["moon", "docker"]));
    }

    #[test]
    fn disabled_skills_are_named_globally_or_for_a_platform() {
        let settings = SkillsSettings::from_config(
            &json!({"skills": {"disabled": ["a"], "platform_disabled": {"telegram": "b-folder"}}}),
        );
        let disabled = |name: &str, vars: &Vars, platform: Option<&str>| {
            let context = OfferContext::new(&settings, vars, platform);
            let why = context.withheld(&entry(name, Gates::default()));
            assert!(why.is_none() || matches!(why, Some(Withheld::Disabled(_))), "{why:?}");
            why.is_some()
        };
        let none = Vars::default();
        let telegram: Vars =
            [("HERMES_PLATFORM".to_owned(), "telegram".to_owned())].into_iter().collect();
        assert!(disabled("a", &none, None));
        assert!(!disabled("b", &none, None) && disabled("b", &none, Some("telegram")));
        assert!(disabled("b", &telegram, None) && !disabled("b", &telegram, Some("cli")));
        let chat: Vars =
            [("HERMES_SESSION_PLATFORM".to_owned(), "telegram".to_owned())].into_iter().collect();
        assert!(disabled("b", &chat, None));
        let context = OfferContext::new(&settings, &none, Some("telegram"));
        let way_back =
            |name: &str| context.disabled(&entry(name, Gates::default())).unwrap().way_back(name);
        assert_eq!(way_back("a"), "hermes skills config a --enable");
        assert_eq!(way_back("b"), "hermes skills config b --enable --platform telegram");
    }

    #[test]
    fn the_prompt_follows_the_tools_of_the_session() {
        let session = SessionTools {
            tools: ["web_search".to_owned()].into(),
            toolsets: ["file".to_owned()].into(),
        };
        let context = context(&["linux"], &[]);
        let why = |gates: Gates| context.withheld_from_prompt(&entry("a", gates), &session);
        assert_eq!(why(Gates::default()), None);
        assert_eq!(why(Gates { requires_tools: texts(&["web_search"]), ..Gates::default() }), None);
        assert_eq!(
            why(Gates { requires_tools: texts(&["web_search", "x"]), ..Gates::default() }),
            Some(Withheld::Requires(texts(&["x"])))
        );
        assert_eq!(
            why(Gates { requires_toolsets: texts(&["web"]), ..Gates::default() }),
            Some(Withheld::Requires(texts(&["web"])))
        );
        assert_eq!(
            why(Gates { fallback_for_tools: texts(&["web_search"]), ..Gates::default() }),
            Some(Withheld::FallbackFor(texts(&["web_search"])))
        );
        assert_eq!(
            why(Gates { fallback_for_toolsets: texts(&["file"]), ..Gates::default() }),
            Some(Withheld::FallbackFor(texts(&["file"])))
        );
        assert_eq!(why(Gates { fallback_for_toolsets: texts(&["web"]), ..Gates::default() }), None);
    }
}

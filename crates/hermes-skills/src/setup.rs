//! What a skill needs before it works: variables, files, commands.
//!
//! A variable counts as there if the home's `.env` gives it a value; if `.env` does not name it at all, the
//! environment may. What the program itself manages (keys of providers, tokens of messengers) a skill is not
//! given, so it is never listed as handed on.

use hermes_store::dotenv::DotEnv;
use hermes_tool::Vars;
use serde_json::{Map, Value, json};

use crate::document::{EnvironmentVariable, Frontmatter};
use crate::index::shortened;
use crate::layout::SkillsHome;

/// Backends on other machines, which do not see this one's variables and files.
const REMOTE_BACKENDS: [&str; 6] =
    ["docker", "singularity", "modal", "ssh", "daytona", "vercel_sandbox"];

/// Most characters of each piece of a skill's words in a question.
const MAX_QUESTION_CHARS: usize = 200;

/// Platforms that are no chat service.
const LOCAL_PLATFORMS: [&str; 8] = ["", "cli", "tui", "cron", "api", "acp", "batch", "mcp"];

/// Where a skill is viewed, as far as asking for secrets goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupSurface {
    /// A chat service: nobody is asked for secrets there.
    Messaging,
    /// Anywhere else.
    Local,
}

impl SetupSurface {
    /// From the variables of a session and its platform, which they name too if the host does not.
    #[must_use]
    pub fn of(vars: &Vars, platform: Option<&str>) -> Self {
        let platform = platform
            .or_else(|| vars.non_blank("HERMES_PLATFORM"))
            .or_else(|| vars.non_blank("HERMES_SESSION_PLATFORM"));
        let elsewhere = platform.is_some_and(|name| !LOCAL_PLATFORMS.contains(&name));
        let messaging = elsewhere || vars.non_blank("HERMES_GATEWAY_SESSION").is_some();
        if messaging && vars.non_blank("HERMES_INTERACTIVE").is_none() {
            Self::Messaging
        } else {
            Self::Local
        }
    }
}

/// Beginnings of names that steer programs or Hermes itself: no skill is given them.
const STEERING_PREFIXES: [&str; 5] = ["HERMES_", "_HERMES_", "LD_", "DYLD_", "BASH_FUNC_"];

/// Names of that sort.
const STEERING: [&str; 22] = [
    "BASH_ENV",
    "CLASSPATH",
    "EDITOR",
    "ENV",
    "HOME",
    "IFS",
    "LOGNAME",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PAGER",
    "PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PROMPT_COMMAND",
    "PS4",
    "PWD",
    "PYTHONHOME",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "SHELL",
    "USER",
];

/// Whether a skill may have a variable asked for and given to its commands. Credentials of ours are for others to tell.
#[must_use]
pub fn may_be_given(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    !STEERING.contains(&upper.as_str())
        && !STEERING_PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
}

/// The values of variables, from `.env` and else from the process; those without one are left out.
#[must_use]
pub fn values(names: &[String], home: &SkillsHome, vars: &Vars) -> Vec<(String, String)> {
    if names.is_empty() {
        return Vec::new();
    }
    let env = DotEnv::load(&home.home().env_file()).unwrap_or_default();
    let value = |name: &String| {
        let value = env.get(name).or_else(|| vars.get(name)).filter(|value| !value.is_empty())?;
        Some((name.clone(), value.to_owned()))
    };
    names.iter().filter(|name| may_be_given(name)).filter_map(value).collect()
}

/// What a skill needs, and what of it is missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillSetup {
    /// All it names.
    pub variables: Vec<EnvironmentVariable>,
    /// Those without a value that it cannot do without.
    pub missing: Vec<EnvironmentVariable>,
    /// Those with a value.
    pub present: Vec<String>,
    /// Files below the home that are there, for commands that run elsewhere.
    pub files: Vec<String>,
    /// Files that are not there.
    pub missing_files: Vec<String>,
    /// What a person is told.
    pub help: Option<String>,
    /// Whether somebody was asked and did not answer.
    pub skipped: bool,
}

impl SkillSetup {
    /// Looks at what there is.
    #[must_use]
    pub fn check(frontmatter: &Frontmatter, home: &SkillsHome, vars: &Vars) -> Self {
        let variables = frontmatter.environment_variables();
        let files = frontmatter.credential_files();
        let env = match variables.is_empty() {
            true => DotEnv::default(),
            false => DotEnv::load(&home.home().env_file()).unwrap_or_default(),
        };
        let is_set = |name: &str| match env.get(name) {
            Some(value) => !value.is_empty(),
            None => vars.get(name).is_some_and(|value| !value.is_empty()),
        };
        let (present, absent): (Vec<_>, Vec<_>) =
            variables.iter().cloned().partition(|one| is_set(&one.name));
        let (files, missing_files) =
            files.into_iter().partition(|file| home.home().root().join(file).is_file());
        Self {
            missing: absent.into_iter().filter(|one| !one.optional).collect(),
            present: present.into_iter().map(|one| one.name).collect(),
            files,
            missing_files,
            help: frontmatter.setup_help().map(str::to_owned),
            skipped: false,
            variables,
        }
    }

    /// Whether something is missing.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        !self.missing.is_empty() || !self.missing_files.is_empty()
    }

    /// One sentence or two on what is missing; nothing if nothing is.
    #[must_use]
    pub fn note(&self, backend: &str) -> Option<String> {
        if !self.is_needed() {
            return None;
        }
        let variables = self.missing.iter().map(|one| format!("env ${}", one.name));
        let files = self.missing_files.iter().map(|file| format!("file {file}"));
        let items: Vec<String> = variables.chain(files).collect();
        let mut note =
            format!("Setup is needed before this skill works fully: missing {}.", items.join(", "));
        if let Some(help) = &self.help {
            note += &format!(" {help}");
        }
        if REMOTE_BACKENDS.contains(&backend) {
            note += &format!(" Commands run in {backend}, so these are needed there too.");
        }
        Some(note)
    }

    /// The keys of a view that are about setup.
    #[must_use]
    pub fn to_map(&self, surface: SetupSurface, backend: &str) -> Map<String, Value> {
        let names: Vec<&str> = self.missing.iter().map(|one| one.name.as_str()).collect();
        let variables: Vec<Value> = self.variables.iter().map(variable).collect();
        let mut map = Map::new();
        let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
        put("required_environment_variables", json!(variables));
        put("missing_required_environment_variables", json!(names));
        put("required_commands", json!([]));
        put("missing_required_commands", json!([]));
        put("missing_credential_files", json!(self.missing_files));
        put("setup_needed", json!(self.is_needed()));
        put("setup_skipped", json!(self.skipped));
        put("readiness_status", json!(if self.is_needed() { "setup_needed" } else { "available" }));
        if let Some(help) = self.help.as_ref().filter(|_| self.is_needed()) {
            put("setup_help", json!(help));
        }
        if let Some(note) = self.note(backend) {
            put("setup_note", json!(note));
        }
        if !self.missing.is_empty() && surface == SetupSurface::Messaging {
            let hint = "Secrets are not asked for in a chat. The user can set them on the machine Hermes runs on: \
                        `hermes config set NAME VALUE`, or a line in the .env of its home.";
            put("gateway_setup_hint", json!(hint));
        }
        map
    }
}

fn variable(one: &EnvironmentVariable) -> Value {
    let mut value = json!({"name": one.name, "prompt": one.prompt});
    if let Some(help) = &one.help {
        value["help"] = json!(help);
    }
    if let Some(required_for) = &one.required_for {
        value["required_for"] = json!(required_for);
    }
    if one.optional {
        value["optional"] = json!(true);
    }
    value
}

/// The question for a variable that is missing: who wants it and what becomes of it, then the skill's own words.
#[must_use]
pub fn question(skill: &str, variable: &EnvironmentVariable) -> String {
    let plain = |text: &str| {
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        shortened(text.trim(), MAX_QUESTION_CHARS)
    };
    let mut text = format!(
        "The skill \"{}\" needs {}. It is kept in .env and given to commands of conversations that load the skill. \
         Enter alone leaves it out.",
        plain(skill),
        variable.name
    );
    let own = [Some(&variable.prompt), variable.required_for.as_ref(), variable.help.as_ref()];
    let own: Vec<String> = own.into_iter().flatten().map(|words| plain(words)).collect();
    text += &format!("\nThe skill says: {}", own.join("; "));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{SkillBench, put};

    fn vars(pairs: &[(&str, &str)]) -> Vars {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn check(bench: &SkillBench, block: &str, environment: &[(&str, &str)]) -> SkillSetup {
        let frontmatter = Frontmatter::read(block, 2).unwrap();
        SkillSetup::check(&frontmatter, bench.library.home(), &vars(environment))
    }

    #[test]
    fn the_env_file_wins_when_it_names_a_variable_even_empty() {
        let bench = SkillBench::new();
        let env = bench.library.home().home().env_file();
        put(env, "IN_FILE=x\nEMPTY=\n");
        let block = "required_environment_variables: [IN_FILE, EMPTY, AROUND, NOWHERE, {name: MAYBE, optional: true}]\n";
        let setup = check(&bench, block, &[("EMPTY", "set"), ("AROUND", "y"), ("NOWHERE", "")]);
        assert_eq!(setup.present, ["IN_FILE", "AROUND"]);
        let missing: Vec<&str> = setup.missing.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(missing, ["EMPTY", "NOWHERE"]);
    }

    #[test]
    fn the_note_names_what_is_missing_and_where_it_is_needed() {
        let bench = SkillBench::new();
        let block = "required_environment_variables: [A]\nrequired_credential_files: [x/y.json]\nsetup: {help: Ask Ada}\n";
        let setup = check(&bench, block, &[]);
        let note = setup.note("local").unwrap();
        assert!(
            note.contains("env $A") && note.contains("file x/y.json") && note.contains("Ask Ada"),
            "{note}"
        );
        for backend in REMOTE_BACKENDS {
            assert!(setup.note(backend).unwrap().contains(backend), "{backend}");
        }
        assert_eq!(check(&bench, "name: a\n", &[]).note("ssh"), None);
    }

    #[test]
    fn secrets_are_not_asked_for_in_a_chat() {
        let bench = SkillBench::new();
        let setup = check(&bench, "required_environment_variables: [A]\n", &[]);
        let chat = setup.to_map(SetupSurface::Messaging, "local");
        assert!(chat.contains_key("gateway_setup_hint"));
        assert_eq!(chat["readiness_status"], "setup_needed");
        assert!(!setup.to_map(SetupSurface::Local, "local").contains_key("gateway_setup_hint"));
        let session = vars(&[("HERMES_GATEWAY_SESSION", "1")]);
        assert_eq!(SetupSurface::of(&session, None), SetupSurface::Messaging);
        assert_eq!(SetupSurface::of(&Vars::default(), Some("telegram")), SetupSurface::Messaging);
        assert_eq!(SetupSurface::of(&Vars::default(), Some("cli")), SetupSurface::Local);
        let person = vars(&[("HERMES_GATEWAY_SESSION", "1"), ("HERMES_INTERACTIVE", "1")]);
        assert_eq!(SetupSurface::of(&person, Some("telegram")), SetupSurface::Local);
    }

    #[test]
    fn what_steers_programs_or_hermes_is_never_asked_for_or_given() {
        let bench = SkillBench::new();
        put(bench.library.home().home().env_file(), "A_KEY=file\nPATH=/x\nEMPTY=\n");
        let names = ["A_KEY", "B_KEY", "PATH", "hermes_home", "LD_PRELOAD", "EMPTY", "NONE"]
            .map(str::to_owned);
        let around = vars(&[
            ("A_KEY", "process"),
            ("B_KEY", "process"),
            ("hermes_home", "x"),
            ("EMPTY", "x"),
        ]);
        let given = values(&names, bench.library.home(), &around);
        let expected = [("A_KEY", "file"), ("B_KEY", "process")];
        assert_eq!(given, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn a_question_says_whose_it_is_and_a_skills_words_cannot_move_the_cursor() {
        let variable = EnvironmentVariable {
            name: "A_KEY".to_owned(),
            prompt: format!("\u{1b}[2Jyour\nkey {}", "x".repeat(500)),
            help: Some("https://example.com".to_owned()),
            required_for: None,
            optional: false,
        };
        let text = question("a\u{7}b", &variable);
        assert!(text.starts_with("The skill \"a b\" needs A_KEY."), "{text}");
        assert_eq!(text.lines().count(), 2, "{text}");
        assert!(!text.contains('\u{1b}') && text.chars().count() < 700, "{text}");
    }
}

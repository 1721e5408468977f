//! Which variables a script sees that calls tools.
//!
//! A command of a terminal gets what it would find in the user's own terminal, less our keys. A
//! script gets less: only what a program needs to find its way around, and of that nothing whose
//! name sounds like a secret, whoever it belongs to. What else it needs, the user can name
//! (`terminal.env_passthrough`).

use std::collections::BTreeMap;

use hermes_store::home::HOME_VARIABLE;
use hermes_tool::Vars;

use super::names::{is_dynamic_secret, is_withheld};
use super::{ENVIRONMENT_MARKERS, EnvRules, variables};

/// A name with one of these in it is taken for that of a secret.
const SECRET_WORDS: [&str; 12] = [
    "KEY",
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "CREDENTIAL",
    "PASSWD",
    "AUTH",
    "DSN",
    "WEBHOOK",
    "CREDS",
    "BEARER",
    "APIKEY",
];

/// What the names begin with that a program needs to find its way around.
const PLAIN_PREFIXES: [&str; 15] = [
    "PATH",
    "HOME",
    "USER",
    "LANG",
    "LC_",
    "TERM",
    "TMPDIR",
    "TMP",
    "TEMP",
    "SHELL",
    "LOGNAME",
    "XDG_",
    "PYTHONPATH",
    "VIRTUAL_ENV",
    "CONDA",
];

/// Where Hermes has its state, for scripts that look at it.
const OWN_NAMES: [&str; 4] = [HOME_VARIABLE, "HERMES_PROFILE", "HERMES_CONFIG", "HERMES_ENV"];

/// The variables of a script, without those that belong to its run.
#[must_use]
pub fn script_variables(process: &Vars, rules: &EnvRules) -> BTreeMap<String, String> {
    let mut given = variables(process, rules);
    // A script runs with the Python of the environment it is in, unlike a command.
    for name in ENVIRONMENT_MARKERS {
        given.extend(process.get(name).map(|value| (name.to_owned(), value.to_owned())));
    }
    given.retain(|name, _| rules.passthrough.allows(name) || is_plain(name));
    given
}

fn is_plain(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    if SECRET_WORDS.iter().any(|word| upper.contains(word))
        || is_withheld(name)
        || is_dynamic_secret(name)
    {
        return false;
    }
    OWN_NAMES.contains(&name) || PLAIN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::child_env::Passthrough;

    fn given(process: &[&str], passthrough: &[&str]) -> Vec<String> {
        let process: Vars =
            process.iter().map(|name| ((*name).to_owned(), "x".to_owned())).collect();
        let passthrough = Passthrough::new(passthrough, &BTreeSet::new());
        let rules = EnvRules { passthrough, ..EnvRules::default() };
        script_variables(&process, &rules).into_keys().collect()
    }

    #[test]
    fn only_what_a_program_needs_is_given() {
        let plain =
            ["HERMES_HOME", "HOME", "LANG", "LC_ALL", "PATH", "TERM", "USER", "VIRTUAL_ENV"];
        let mut all = plain.to_vec();
        all.extend(["EDITOR", "HERMES_YOLO_MODE", "AWS_REGION", "LD_PRELOAD", "PYTHONSTARTUP"]);
        assert_eq!(given(&all, &[]), plain);
    }

    #[test]
    fn nothing_that_sounds_like_a_secret_is_given() {
        let secrets = [
            "OPENAI_API_KEY",
            "HOME_TOKEN",
            "PATH_SECRET",
            "USER_PASSWORD",
            "LC_CREDENTIALS",
            "TERM_AUTH",
            "TMP_DSN",
            "XDG_WEBHOOK",
            "LANG_creds",
            "SHELL_Bearer",
        ];
        assert_eq!(given(&secrets, &[]), ["PATH"], "which is always there");
    }

    #[test]
    fn what_the_user_names_is_given_unless_it_is_a_key_of_ours() {
        let asked = ["MY_SERVICE_TOKEN", "OPENAI_API_KEY"];
        assert_eq!(given(&asked, &asked), ["MY_SERVICE_TOKEN", "PATH"]);
    }
}

//! The variables a plugin's process sees.

use std::path::Path;

use hermes_store::home::HOME_VARIABLE;
use hermes_tool::Vars;

use crate::shell_hooks::PASSED_VARIABLES;

/// Variables every plugin sees, besides those hooks see: where Python and certificates are.
const ALSO_PASSED: [&str; 5] =
    ["VIRTUAL_ENV", "CONDA_PREFIX", "TZ", "SSL_CERT_FILE", "XDG_RUNTIME_DIR"];

/// Names and values: what programs need to find their way, what was granted by name, and nothing
/// else. Keys and tokens are among them only if somebody agreed to that very one.
pub(crate) fn environment(vars: &Vars, granted: &[String], home: &Path) -> Vec<(String, String)> {
    let is_passed = |name: &str| {
        PASSED_VARIABLES.contains(&name)
            || ALSO_PASSED.contains(&name)
            || name.starts_with("LC_")
            || granted.iter().any(|granted| granted == name)
    };
    let mut all: Vec<(String, String)> = vars
        .iter()
        .filter(|(name, _)| is_passed(name))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    all.push((HOME_VARIABLE.to_owned(), home.display().to_string()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_handed_on_only_by_name() {
        let vars: Vars = [("PATH", "/bin"), ("A_KEY", "1"), ("B_KEY", "2")]
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let seen = environment(&vars, &["B_KEY".to_owned()], Path::new("/h"));
        let names: Vec<&str> = seen.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["B_KEY", "PATH", "HERMES_HOME"]);
    }
}

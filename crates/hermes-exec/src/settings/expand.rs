//! `~` and variables in the paths of settings.

use std::path::{Path, PathBuf};

use hermes_tool::Vars;

/// The path with `~` as the user's home. Without a home, and for the home of another user, it stays
/// as it is written.
pub(super) fn tilde(path: &str, vars: &Vars) -> PathBuf {
    let rest = match path {
        "~" => Some(""),
        _ => path.strip_prefix("~/"),
    };
    match (rest, vars.non_blank("HOME")) {
        (Some(""), Some(home)) => PathBuf::from(home),
        (Some(rest), Some(home)) => Path::new(home).join(rest),
        _ => PathBuf::from(path),
    }
}

/// The path with `$NAME`, `${NAME}` and then `~` replaced. A variable that is not set stays as it
/// is written.
pub(super) fn everything(path: &str, vars: &Vars) -> PathBuf {
    let mut expanded = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(dollar) = rest.find('$') {
        let (before, from) = rest.split_at(dollar);
        expanded.push_str(before);
        let (written, name) = reference(from);
        match vars.get(name).filter(|_| !name.is_empty()) {
            Some(value) => expanded.push_str(value),
            None => expanded.push_str(&from[..written]),
        }
        rest = &from[written..];
    }
    expanded.push_str(rest);
    tilde(&expanded, vars)
}

/// Of a text that begins with `$`: the length of the reference, and the name in it.
fn reference(text: &str) -> (usize, &str) {
    let after = &text[1..];
    if let Some((name, _)) = after.strip_prefix('{').and_then(|braced| braced.split_once('}')) {
        return (name.len() + 3, name);
    }
    let end = after.find(|c: char| c != '_' && !c.is_ascii_alphanumeric()).unwrap_or(after.len());
    (end + 1, &after[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_expanded_as_a_shell_would() {
        let vars: Vars = [("HOME", "/home/me"), ("X", "x y"), ("H", "~/in")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into_iter()
            .collect();
        for (path, expanded) in [
            ("~", "/home/me"),
            ("~/a", "/home/me/a"),
            ("~other/a", "~other/a"),
            ("a/~", "a/~"),
            ("/a/${X}/b", "/a/x y/b"),
            ("/a/$X.sh", "/a/x y.sh"),
            ("$H/a", "/home/me/in/a"),
            ("$UNSET/${UNSET}", "$UNSET/${UNSET}"),
            ("a$", "a$"),
            ("${", "${"),
            ("${}$", "${}$"),
            ("$ä", "$ä"),
        ] {
            assert_eq!(everything(path, &vars), Path::new(expanded), "{path}");
        }
    }

    #[test]
    fn without_a_home_the_tilde_stays() {
        assert_eq!(tilde("~/a", &Vars::default()), Path::new("~/a"));
    }
}

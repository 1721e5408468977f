//! Which environments there are: Python files, read and not run.

use std::path::{Path, PathBuf};

use serde::Serialize;

/// Files above this are no environments.
const MOST_BYTES: u64 = 2 << 20;

/// A class of a file that can be trained in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EnvironmentFile {
    /// What it is called: the class's `name`, or the file's.
    pub name: String,
    /// The Python class in the file that makes the environment.
    pub class_name: String,
    /// Where it is.
    pub file_path: PathBuf,
    /// The first line of what the class says about itself.
    pub description: String,
}

/// The environments of a folder, by name: every class of a `.py` file (none that begins with `_`) with a base whose name
/// ends in `BaseEnv`.
///
/// # Errors
/// If the folder cannot be listed.
pub fn environments_in(folder: &Path) -> std::io::Result<Vec<EnvironmentFile>> {
    let mut found = Vec::new();
    for entry in folder.read_dir()? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_small =
            path.metadata().is_ok_and(|about| about.is_file() && about.len() <= MOST_BYTES);
        if name.starts_with('_') || !name.ends_with(".py") || !is_small {
            continue;
        }
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let stem = name.trim_end_matches(".py");
        found.extend(classes(&text).into_iter().map(|class| EnvironmentFile {
            name: class.name.unwrap_or_else(|| stem.to_owned()),
            class_name: class.class,
            file_path: path.clone(),
            description: class.about,
        }));
    }
    found.sort_by(|one, two| (&one.name, &one.file_path).cmp(&(&two.name, &two.file_path)));
    Ok(found)
}

#[derive(Debug, Default, PartialEq)]
struct FoundClass {
    class: String,
    name: Option<String>,
    about: String,
}

/// The classes of a text, in one pass over its lines. Class statements over several lines are put together first.
fn classes(text: &str) -> Vec<FoundClass> {
    let mut found: Vec<FoundClass> = Vec::new();
    let mut lines = text.lines();
    // Whether lines belong to a class that counts, and how far its body is indented.
    let (mut is_inside, mut indent, mut wants_about) = (false, None, false);
    while let Some(line) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        if !line.starts_with([' ', '\t', ')', '#']) {
            is_inside = false;
        }
        if let Some(rest) = line.strip_prefix("class ") {
            let mut head = rest.to_owned();
            while head.matches('(').count() > head.matches(')').count() {
                let Some(more) = lines.next() else { break };
                head.push_str(more.trim());
            }
            if let Some(class) = class_of(&head) {
                found.push(FoundClass { class, ..FoundClass::default() });
                (is_inside, indent, wants_about) = (true, None, true);
            }
            continue;
        }
        let Some(current) = found.last_mut().filter(|_| is_inside) else { continue };
        let width = line.len() - line.trim_start().len();
        let own = *indent.get_or_insert(width);
        let said = line.trim();
        if std::mem::take(&mut wants_about)
            && let Some(about) = docstring(said)
        {
            let first = match about.trim() {
                "" => lines.next().unwrap_or_default().trim(),
                first => first,
            };
            current.about = first.trim_end_matches(['"', '\'']).trim().to_owned();
        } else if width == own && current.name.is_none() {
            current.name = name_of(said);
        }
    }
    found
}

/// The name of a class, if one of its bases is an environment.
fn class_of(head: &str) -> Option<String> {
    let (name, bases) = head.split_once('(')?;
    let bases = bases.rsplit_once(')').map_or(bases, |(bases, _)| bases);
    let is_env = |base: &str| {
        let base = base.split('[').next().unwrap_or(base);
        base.trim().rsplit('.').next().is_some_and(|last| last.ends_with("BaseEnv"))
    };
    let name = name.trim();
    (bases.split(',').any(is_env) && !name.ends_with("BaseEnv")).then(|| name.to_owned())
}

fn docstring(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(['r', 'R']);
    line.strip_prefix("\"\"\"").or_else(|| line.strip_prefix("'''"))
}

/// `name = "x"`, also with a type.
fn name_of(line: &str) -> Option<String> {
    let rest = line.strip_prefix("name")?;
    if !rest.starts_with([' ', ':', '=']) {
        return None;
    }
    let value = rest.split_once('=')?.1.trim();
    let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    let end = value[1..].find(quote)?;
    Some(value[1..=end].to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn classes_are_found_by_their_base_and_told_by_their_name() {
        let text = r#"
from x import BaseEnv

class Config(BaseEnvConfig):
    name = "no"

class Sums(
    hermes.HermesAgentBaseEnv,
):
    """
    Adds numbers.
    And more.
    """
    # a note
    name: Optional[str] = "sums"
    env_config_cls = Config

    def setup(self):
        name = "inner"

class Other(BaseEnv[int], Mixin):
    '''One line.'''
    def f(self):
        pass

name = "module"
class OwnBaseEnv(BaseEnv):
    pass
"#;
        let found = classes(text);
        let plain = |class: &str, name: Option<&str>, about: &str| FoundClass {
            class: class.to_owned(),
            name: name.map(str::to_owned),
            about: about.to_owned(),
        };
        assert_eq!(
            found,
            [plain("Sums", Some("sums"), "Adds numbers."), plain("Other", None, "One line.")]
        );
    }

    #[test]
    fn a_folder_lists_what_is_no_private_file() {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("b.py", "class B(BaseEnv):\n    pass\n"),
            ("_a.py", "class A(BaseEnv):\n    pass\n"),
            ("c.txt", "class C(BaseEnv):\n    pass\n"),
        ] {
            let path = folder.path().join(name);
            std::io::Write::write_all(&mut std::fs::File::create(path).unwrap(), text.as_bytes())
                .unwrap();
        }
        let found = environments_in(folder.path()).unwrap();
        assert_eq!(
            found
                .iter()
                .map(|one| (one.name.as_str(), one.class_name.as_str()))
                .collect::<Vec<_>>(),
            [("b", "B")]
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(class [A-Z(]{0,6}BaseEnv[):\n]{0,3}|name ?= ?[\"'äx]{0,4}|[ \n\"'()]{0,5}|\"\"\"|.){0,60}") {
            classes(&text);
        }
    }
}

//! Files with commands that a tool runs by name: makefiles, justfiles, the scripts of a package.
//!
//! They are only looked into when their text is known, because a command wrote them. Then the tool is
//! a way to run that text, and what it would run is judged.

use std::collections::{HashMap, HashSet};

use super::facts::HOLE;
use crate::shell::escapes;

/// How many recipes are followed.
const MAX_RECIPES: usize = 64;

/// The names under which a tool looks for its file, best first; empty for tools that have none.
pub(super) fn file_names(tool: &str) -> &'static [&'static str] {
    match tool {
        "make" | "gmake" | "bmake" => &["GNUmakefile", "makefile", "Makefile"],
        "just" => &["justfile", "Justfile", ".justfile"],
        "task" => &["Taskfile.yml", "Taskfile.yaml", "taskfile.yml"],
        "npm" | "pnpm" | "yarn" | "bun" => &["package.json"],
        "composer" => &["composer.json"],
        "direnv" => &[".envrc"],
        "tox" => &["tox.ini"],
        "ansible-playbook" => &["playbook.yml", "site.yml"],
        "pre-commit" => &[".pre-commit-config.yaml"],
        _ => &[],
    }
}

/// The shell texts that a tool runs from its file when it is given these words.
pub(super) fn commands(tool: &str, text: &str, words: &[&str]) -> Vec<String> {
    match tool {
        "make" | "gmake" | "bmake" => rules(text, words, MAKE),
        "just" => rules(text, words, JUST),
        "npm" | "pnpm" | "yarn" | "bun" | "composer" => scripts(text, words),
        "direnv" => vec![text.to_owned()],
        "ansible-playbook" => {
            let lost = ["state: absent", "state=absent", "state: stopped"];
            let mut commands = listed(text);
            if lost.iter().any(|state| text.contains(state)) {
                commands.push("ansible all -a state=absent".to_owned());
            }
            commands
        }
        _ => listed(text),
    }
}

/// Programs that a tool runs without being told, with their languages.
pub(super) fn code_files(tool: &str) -> &'static [(&'static str, &'static str)] {
    match tool {
        "pytest" | "py.test" => &[("conftest.py", "python"), ("tests/conftest.py", "python")],
        "pip" | "uv" | "poetry" => &[("setup.py", "python")],
        "nox" => &[("noxfile.py", "python")],
        "invoke" | "inv" => &[("tasks.py", "python")],
        "fab" => &[("fabfile.py", "python")],
        "scons" => &[("SConstruct", "python")],
        "cargo" => &[("build.rs", "rust"), ("src/main.rs", "rust"), ("src/lib.rs", "rust")],
        "go" => &[("main.go", "go")],
        "rake" => &[("Rakefile", "ruby")],
        "bundle" | "pod" => &[("Gemfile", "ruby"), ("Podfile", "ruby")],
        "vagrant" => &[("Vagrantfile", "ruby")],
        "jest" | "vite" | "webpack" | "next" | "eslint" | "rollup" | "npx" => &[
            ("jest.config.js", "node"),
            ("vite.config.js", "node"),
            ("vite.config.ts", "node"),
            ("webpack.config.js", "node"),
            ("next.config.js", "node"),
            ("eslint.config.js", "node"),
            (".eslintrc.js", "node"),
            ("rollup.config.js", "node"),
        ],
        "gradle" | "gradlew" => &[("build.gradle", "groovy"), ("settings.gradle", "groovy")],
        "gulp" => &[("gulpfile.js", "node")],
        _ => &[],
    }
}

/// How a file of rules is written.
#[derive(Clone, Copy)]
struct RuleStyle {
    /// What a line of a recipe begins with.
    indent: &'static [char],
    /// What stands around the name of a variable.
    open: &'static [&'static str],
}

const MAKE: RuleStyle = RuleStyle { indent: &['\t'], open: &["$(", "${"] };
const JUST: RuleStyle = RuleStyle { indent: &['\t', ' '], open: &["{{"] };

#[derive(Default)]
struct RecipeRule<'t> {
    needs: Vec<&'t str>,
    lines: Vec<&'t str>,
}

/// The recipes of the wanted targets and of all they need; without a wish those of the first.
fn rules(text: &str, words: &[&str], style: RuleStyle) -> Vec<String> {
    let mut variables: HashMap<&str, &str> = HashMap::new();
    let mut order: Vec<&str> = Vec::new();
    let mut rules: HashMap<&str, RecipeRule<'_>> = HashMap::new();
    let mut at: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line.starts_with(style.indent) {
            for target in &at {
                rules.entry(target).or_default().lines.push(line.trim());
            }
        } else if let Some((name, value)) = assignment(line) {
            variables.insert(name, value);
        } else if let Some((targets, needs)) =
            line.split_once(':').filter(|_| !line.starts_with('#'))
        {
            // Targets of just have parameters behind their names.
            at = targets.split_whitespace().collect();
            if style.open == JUST.open {
                at.truncate(1);
            }
            let (needs, own) = needs.split_once(';').unwrap_or((needs, ""));
            for target in &at {
                let target = target.trim_start_matches('@');
                order.push(target);
                let rule = rules.entry(target).or_default();
                rule.needs.extend(needs.split_whitespace());
                rule.lines.extend(Some(own.trim()).filter(|own| !own.is_empty()));
            }
        }
    }
    // What stands outside of recipes runs as soon as the file is read.
    let immediate = text.lines().filter(|line| !line.starts_with(style.indent));
    let mut commands: Vec<String> = immediate
        .filter_map(|line| line.split_once("$(shell ").map(|(_, rest)| rest))
        .map(|rest| {
            spelled_out(rest.trim_end().strip_suffix(')').unwrap_or(rest), &variables, style)
        })
        .take(MAX_RECIPES)
        .collect();
    let given = words.iter().filter(|word| !word.starts_with('-') && !word.contains('='));
    let mut wanted: Vec<&str> = given.copied().filter(|word| rules.contains_key(word)).collect();
    if wanted.is_empty() {
        wanted.extend(order.iter().find(|target| !target.starts_with('.')));
    }
    let mut seen: HashSet<&str> = HashSet::new();
    while let Some(target) = wanted.pop() {
        if !seen.insert(target) || seen.len() > MAX_RECIPES {
            continue;
        }
        let Some(rule) = rules.get(target) else { continue };
        wanted.extend(&rule.needs);
        let recipe: Vec<String> =
            rule.lines.iter().map(|line| spelled_out(line, &variables, style)).collect();
        commands.push(recipe.join("\n"));
    }
    commands
}

/// `NAME = value` and its kin.
fn assignment(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once('=')?;
    let name = name.trim_end_matches([':', '?', '+', '!', ' ']);
    let name = name.strip_prefix("export ").unwrap_or(name).trim();
    let is_name = |char: char| char.is_ascii_alphanumeric() || "_-.".contains(char);
    let value = value.trim().trim_matches(['"', '\'']);
    (!name.is_empty() && name.chars().all(is_name)).then_some((name, value))
}

/// A line with the values of its variables, without the signs that are for the tool.
fn spelled_out(line: &str, variables: &HashMap<&str, &str>, style: RuleStyle) -> String {
    let mut rest = line.trim_start_matches(['@', '-', '+', ' ']);
    let mut text = String::new();
    while !rest.is_empty() {
        let open = style.open.iter().find(|open| rest.starts_with(**open));
        if let Some(open) = open {
            let inside = &rest[open.len()..];
            let end = inside.find([')', '}']).unwrap_or(inside.len());
            let name = inside[..end].trim();
            match (name.strip_prefix("shell "), variables.get(name), name) {
                (Some(command), ..) => text.push_str(&format!("$({command})")),
                (_, Some(value), _) => text.push_str(value),
                (_, _, "RM") => text.push_str("rm -f"),
                (_, _, "MAKE") => text.push_str("make"),
                (_, _, "HOME") => text.push('~'),
                _ => text.push(HOLE),
            }
            let closing = if *open == "{{" { 2 } else { 1 };
            rest = inside.get(end + closing..).unwrap_or_default();
        } else if let Some(behind) = rest.strip_prefix("$$").filter(|_| style.open == MAKE.open) {
            text.push('$');
            rest = behind;
        } else {
            let char = rest.chars().next().unwrap_or(' ');
            text.push(char);
            rest = &rest[char.len_utf8()..];
        }
    }
    text
}

/// The scripts of a package that a word of its manager runs, with those before and after it.
fn scripts(text: &str, words: &[&str]) -> Vec<String> {
    const INSTALL: &[&str] = &["install", "i", "ci", "add", "link", "rebuild"];
    let all = members(text, "scripts");
    let mut words = words.iter().filter(|word| !word.starts_with('-'));
    let first = words.next().copied().unwrap_or("install");
    let run = match first {
        "run" | "run-script" | "rum" | "exec" => words.next().copied().unwrap_or_default(),
        first => first,
    };
    let is_run = |name: &str| {
        let bare = name.strip_prefix("pre").or_else(|| name.strip_prefix("post"));
        name == run
            || bare == Some(run)
            || INSTALL.contains(&run)
                && (matches!(name, "install" | "prepare" | "prepublish") || bare == Some("install"))
            || name.contains("-cmd") && bare.is_some()
    };
    all.into_iter().filter(|(name, _)| is_run(name)).map(|(_, command)| command).collect()
}

/// The texts of an object in JSON, with their names. Whatever else stands there is passed over.
fn members(text: &str, object: &str) -> Vec<(String, String)> {
    let Some(at) = text.find(&format!("\"{object}\"")) else { return Vec::new() };
    let mut strings: Vec<String> = Vec::new();
    let mut rest = &text[at + object.len() + 2..];
    let mut depth = 0_i32;
    while let Some(found) = rest.find(['"', '{', '}']) {
        let sign = rest.as_bytes()[found];
        rest = &rest[found + 1..];
        match sign {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {
                let end = closing_quote(rest);
                strings.push(escapes::decode(&rest[..end]).into_owned());
                rest = rest.get(end + 1..).unwrap_or_default();
            }
        }
        if depth <= 0 || strings.len() > 2 * MAX_RECIPES {
            break;
        }
    }
    strings.chunks_exact(2).map(|pair| (pair[0].clone(), pair[1].clone())).collect()
}

fn closing_quote(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'"' if !escaped => return at,
            b'\\' => escaped = !escaped,
            _ => escaped = false,
        }
    }
    text.len()
}

/// Lines of YAML and INI files that are commands: `- rm x`, `shell: rm x`, `commands = rm x`.
fn listed(text: &str) -> Vec<String> {
    const KEYS: &[&str] = &["shell:", "command:", "cmd:", "entry:", "commands =", "raw:"];
    let entries = |line: &str| {
        let entry = line.split_once("entry: ").filter(|(before, _)| !before.trim().is_empty());
        entry.map(|(_, rest)| {
            rest.split(", ").next().unwrap_or(rest).trim_end_matches(['}', ']']).to_owned()
        })
    };
    let inline = |line: &str| {
        let item = line.trim();
        let is_list = item.starts_with("cmds:") || item.starts_with("commands:");
        let texts = item.split(['"', '\'']).skip(1).step_by(2).map(str::to_owned);
        if is_list { texts.collect() } else { Vec::new() }
    };
    let command = |line: &str| {
        let item = line.trim().trim_start_matches("- ");
        let value = KEYS.iter().find_map(|key| item.strip_prefix(key));
        let is_item = line.trim_start().starts_with("- ") && !item.contains(": ");
        let text = value.or(is_item.then_some(item))?;
        Some(text.trim().trim_matches(['"', '\'']).to_owned())
    };
    let all = text
        .lines()
        .flat_map(|line| command(line).into_iter().chain(inline(line)).chain(entries(line)));
    all.filter(|text| !text.is_empty()).take(MAX_RECIPES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_brings_what_it_needs_and_nothing_else() {
        let text = "DIR := data\n.PHONY: all\nall: a\n\t@echo all\na:\n\trm -rf $(DIR) $$HOME\nb:\n\tfalse\n";
        assert_eq!(commands("make", text, &[]), ["echo all", "rm -rf data $HOME"]);
        assert_eq!(commands("make", text, &["b"]), ["false"]);
        assert_eq!(commands("make", "x: ; rm y\n", &["-s", "x", "A=1"]), ["rm y"]);
        assert_eq!(
            commands("just", "d := 'v'\nwipe now: b\n    rm {{d}}\nb:\n  ls\n", &[]),
            ["rm v", "ls"]
        );
    }

    #[test]
    fn a_package_runs_its_script_with_those_around_it() {
        let text = r#"{"name":"x","scripts":{"pretest":"a","test":"b \"c\"","postinstall":"d"},"x":{"y":"z"}}"#;
        assert_eq!(commands("npm", text, &["test"]), ["a", "b \"c\""]);
        assert_eq!(commands("npm", text, &["run", "--silent", "test"]), ["a", "b \"c\""]);
        assert_eq!(commands("yarn", text, &[]), ["d"]);
        assert!(commands("npm", text, &["run", "z"]).is_empty());
        assert!(commands("npm", "{\"scripts\": [", &["test"]).is_empty());
    }

    #[test]
    fn lists_of_commands_are_read_line_by_line() {
        let text = "tasks:\n  x:\n    cmds:\n      - rm -rf v\n      - cmd: ls\n";
        assert_eq!(commands("task", text, &["x"]), ["rm -rf v", "ls"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC{0,200}", tool in "make|just|npm|task") {
            let _ = commands(&tool, &text, &["x", "run"]);
        }
    }
}

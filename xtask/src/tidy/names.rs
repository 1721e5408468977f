//! What is known in one place only: tool names and the home folder.
//!
//! A tool is known by its own file. Code elsewhere that compares names would have to be found and changed with every new
//! tool, so what a tool is it declares, and others ask the declaration. The home is found by `hermes-store`; whoever
//! derives it again misses profiles and relative paths.

use super::Findings;
use super::tokens::{Kind, Token, inside, without_tests};
use super::tree::Tree;

/// Where tools and the product's tables of them live.
const TOOLS: &str = "crates/hermes-tools/";

/// Words that are the name of a tool and of something else: where they may stand, and as what.
const OTHER_MEANINGS: &[(&str, &str, &str)] = &[
    (
        "execute_code",
        "crates/hermes-approval/src/gate/",
        "the key of a yes that people's files hold",
    ),
    ("discord", "crates/hermes-agent/src/system_prompt/", "a platform"),
    ("discord", "crates/hermes-gateway/src/", "a platform"),
    ("discord", "crates/hermes-guard/", "a program and a service"),
    ("memory", "crates/hermes-agent/src/system_prompt/", "a part of the prompt"),
    ("memory", "crates/hermes-exec/src/cloud/", "a field of a vendor's wire"),
    ("memory", "crates/hermes-guard/", "an option of other people's programs"),
    ("memory", "crates/hermes-host/src/conversation/", "a section of the settings"),
    ("memory", "crates/hermes-plugins/src/discover/", "a folder of plugins"),
    ("memory", "crates/hermes-tui/src/slash/", "a slash command"),
    ("memory", "crates/hermes/src/commands/memory/", "one of the two files of notes"),
    ("patch", "crates/hermes-guard/", "a program"),
    ("patch", "crates/hermes-skills/src/manage/", "an act on a skill"),
    ("todo", "crates/hermes-guard/src/redact/", "a word that stands in for a value"),
    ("write_file", "crates/hermes-skills/src/manage/", "an act on a skill"),
    ("terminal", "crates/hermes-exec/", "a section of the settings"),
    ("terminal", "crates/hermes-guard/", "a section of the settings"),
    ("terminal", "crates/hermes-plugins/src/shell_hooks/sample.rs", "an example to try hooks with"),
    ("terminal", "crates/hermes-tui/src/repl/preferences.rs", "where the chat is shown"),
    ("terminal", "crates/hermes-host/src/diagnosis/mod.rs", "a row of the report"),
    ("x_search", "crates/hermes-media/src/x_search.rs", "a tool that xAI's model is given"),
];

/// Who may spell out the home's folder or variable, and why.
const HOME_SPELLERS: &[(&str, &str)] = &[
    ("crates/hermes-store/", "finds the home"),
    ("crates/hermes-guard/", "recognises it in commands and texts of others"),
    ("crates/hermes-exec/src/sync/mod.rs", "names the home inside containers, which is never ours"),
];

pub(super) fn tools_are_known_by_their_files(tree: &Tree, findings: &mut Findings) {
    let names: Vec<String> = hermes_tool::linked_tools()
        .iter()
        .map(|(_, tool)| tool.name().as_ref().to_owned())
        .collect();
    check_tool_names(tree, &names, findings);
}

fn check_tool_names(tree: &Tree, names: &[String], findings: &mut Findings) {
    for (path, token, text) in texts(tree).filter(|(path, ..)| !path.starts_with(TOOLS)) {
        let accepted = |name: &str| {
            OTHER_MEANINGS.iter().any(|(word, place, _)| *word == name && path.starts_with(place))
        };
        if names.contains(&text) && !accepted(&text) {
            let what =
                format!("the tool `{text}` is known by name; let it declare what is asked here");
            findings.breach(format!("{path}:{}", token.line), what);
        }
    }
}

pub(super) fn the_home_is_found_once(tree: &Tree, findings: &mut Findings) {
    for (path, token, text) in texts(tree) {
        let spelt = text.split('/').any(|part| part == ".hermes") || text == "HERMES_HOME";
        if spelt && HOME_SPELLERS.iter().all(|(home, _)| !path.starts_with(home)) {
            let what = format!("`{text}` derives the home again; take `Home` as it was resolved");
            findings.breach(format!("{path}:{}", token.line), what);
        }
    }
}

/// Every text in the code of libraries and the program, without attributes, comments and tests.
fn texts(tree: &Tree) -> impl Iterator<Item = (&str, Token, String)> {
    let sources = tree.ending_in(".rs").filter(|(path, _)| {
        path.starts_with("crates/")
            && path.contains("/src/")
            && !path.contains("/tests/")
            && !path.ends_with("tests.rs")
            && !path.contains("/test_")
            && !path.starts_with("crates/hermes-testkit/")
    });
    sources.flat_map(|(path, file)| {
        let tokens = without_attributes(&without_tests(&file.tokens));
        tokens.into_iter().filter_map(move |token| match &token.kind {
            Kind::Literal(text) => {
                let inner = text.strip_prefix('"')?.strip_suffix('"')?.to_owned();
                Some((path, token, inner))
            }
            _ => None,
        })
    })
}

fn without_attributes(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let bang = usize::from(tokens.get(at + 1).is_some_and(|token| token.is_mark('!')));
        let opens = tokens.get(at + 1 + bang).is_some_and(|token| token.kind == Kind::Open);
        if tokens[at].is_mark('#') && opens {
            at += bang + inside(&tokens[at + 1 + bang..]).len() + 3;
        } else {
            kept.push(tokens[at].clone());
            at += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::breaches;
    use super::*;

    #[test]
    fn a_tool_named_elsewhere_is_reported() {
        let source = "#[doc = \"read_file\"] fn f(x: &str) { x == \"read_file\"; } \
            #[cfg(test)] mod tests { const A: &str = \"read_file\"; }";
        let tree = Tree::of(&[
            ("crates/a/src/lib.rs", source),
            ("crates/hermes-tools/src/file/read_file.rs", "const A: &str = \"read_file\";"),
        ]);
        let mut findings = Findings::default();
        check_tool_names(&tree, &["read_file".to_owned()], &mut findings);
        assert_eq!(findings.breaches.len(), 1, "{:?}", findings.breaches);
    }

    #[test]
    fn a_word_with_another_meaning_may_stand_where_it_has_it() {
        let source = "const A: &str = \"patch\";";
        let tree =
            Tree::of(&[("crates/hermes-guard/src/a.rs", source), ("crates/b/src/a.rs", source)]);
        let mut findings = Findings::default();
        check_tool_names(&tree, &["patch".to_owned()], &mut findings);
        assert_eq!(findings.breaches.len(), 1, "{:?}", findings.breaches);
        assert!(findings.breaches[0].starts_with("crates/b/src/a.rs:1"));
    }

    #[test]
    fn the_home_may_be_spelt_by_its_owner_only() {
        let source =
            "fn f() { var(\"HERMES_HOME\"); join(\".hermes\"); say(\"set HERMES_HOME\"); }";
        let files = [("crates/hermes-store/src/a.rs", source), ("crates/b/src/a.rs", source)];
        assert_eq!(breaches(the_home_is_found_once, &files).len(), 2);
    }
}

//! The tidy test: rules of the house that neither the compiler nor a linter can hold.
//!
//! Each rule is one function with a name, looks at the whole [`Tree`] and reports every breach with
//! the place and what to do about it. All rules run before anything is said, so one run shows all
//! there is to mend. To add a rule, write a function and put it into [`RULES`].

mod declared_settings;
mod dependencies;
mod doc_comments;
mod essays;
mod forbidden;
mod links;
mod manifest;
mod modules;
mod names;
mod papers;
mod promises;
mod sizes;
mod tokens;
mod tree;
mod type_names;

use std::io::Write;
use std::path::Path;

use crate::Passed;
use tree::Tree;

/// A rule: what it is about, and the function that looks.
type Rule = (&'static str, fn(&Tree, &mut Findings));

const RULES: &[Rule] = &[
    ("files are small", sizes::files_are_small),
    ("the program is thin", sizes::the_program_is_thin),
    ("crates begin with an essay", essays::crates_begin_with_an_essay),
    ("long modules begin with an essay", essays::long_modules_begin_with_an_essay),
    ("doc comments say more than names", doc_comments::say_more_than_names),
    ("the home is found once", names::the_home_is_found_once),
    ("settings are read", declared_settings::are_read),
    ("settings are declared", declared_settings::are_declared),
    ("keys that are named exist", declared_settings::named_keys_exist),
    ("tools are known by their files", names::tools_are_known_by_their_files),
    ("modules form no circles", modules::form_no_circles),
    ("public type names are used once", type_names::are_used_once),
    ("dependencies point one way", dependencies::point_one_way),
    ("unsafe code has one home", forbidden::unsafe_code_has_one_home),
    ("processes start in one place", forbidden::processes_start_in_one_place),
    ("nothing is left unfinished", forbidden::nothing_is_left_unfinished),
    ("no test is switched off", forbidden::no_test_is_switched_off),
    ("no paths of one machine", forbidden::no_paths_of_one_machine),
    ("links lead somewhere", links::lead_somewhere),
    ("promised tests exist", promises::named_tests_exist),
    ("the changelog is open", papers::changelog_is_open),
    ("licences are there", papers::licences_are_there),
    ("crates say what they are", papers::crates_say_what_they_are),
];

/// What one rule found.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// Breaches: the place, and what to do.
    breaches: Vec<String>,
    /// Numbers worth showing, breach or not.
    notes: Vec<String>,
}

impl Findings {
    fn breach(&mut self, place: impl std::fmt::Display, what_to_do: impl std::fmt::Display) {
        self.breaches.push(format!("{place}: {what_to_do}"));
    }

    fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }
}

/// Checks every rule and says what came of it.
pub(crate) fn run(root: &Path, out: &mut impl Write) -> anyhow::Result<Passed> {
    let tree = Tree::read(root)?;
    let mut breaches = 0;
    for (name, rule) in RULES {
        let mut findings = Findings::default();
        rule(&tree, &mut findings);
        let mark = if findings.breaches.is_empty() { "ok  " } else { "FAIL" };
        writeln!(out, "{mark}  {name}")?;
        for line in findings.notes.iter().chain(&findings.breaches) {
            writeln!(out, "      {line}")?;
        }
        breaches += findings.breaches.len();
    }
    if breaches == 0 {
        return Ok(Passed::Yes);
    }
    writeln!(out, "{breaches} to mend")?;
    Ok(Passed::No)
}

/// What a rule reports about a tree made up for a test.
#[cfg(test)]
fn breaches(rule: fn(&Tree, &mut Findings), files: &[(&str, &str)]) -> Vec<String> {
    let mut findings = Findings::default();
    rule(&Tree::of(files), &mut findings);
    findings.breaches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_breaches_are_said_in_one_run() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("src")).unwrap();
        let source = "fn f() { unsafe { todo!() } }";
        let options = hermes_store::atomic::WriteOptions::KEEP;
        let file = root.path().join("src/bad.rs");
        hermes_store::atomic::write(&file, source.as_bytes(), options).unwrap();
        let mut out = Vec::new();
        assert_eq!(run(root.path(), &mut out).unwrap(), Passed::No);
        let said = String::from_utf8(out).unwrap();
        assert!(said.contains("FAIL  unsafe code has one home\n      src/bad.rs:1: "), "{said}");
        assert!(said.contains("FAIL  nothing is left unfinished"), "{said}");
        assert!(said.contains("ok    links lead somewhere"), "{said}");
        assert!(said.ends_with("to mend\n"), "{said}");
    }
}

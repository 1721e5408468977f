//! Every verb of the program, found by walking the command line as it describes itself: what lists or shows has
//! `--json`, and a name that names nothing ends the same way everywhere. A new verb is covered the day it is added.

use clap::Command;

use crate::support::Sandbox;

/// Verbs that print no list although their name or help sounds like one, and why.
const NO_LIST: &[(&str, &str)] = &[
    ("sessions browse", "a conversation: it opens a list to pick from with the arrow keys"),
    ("local serve", "a server"),
];

/// Names of verbs that tell what there is.
const TELLING: &[&str] = &[
    "list",
    "show",
    "status",
    "stats",
    "search",
    "browse",
    "view",
    "pending",
    "keys",
    "providers",
    "distributions",
    "runs",
    "inspect",
    "check",
    "insights",
    "doctor",
    "suggestions",
    "blueprint",
];

/// All verbs with the words that lead to them.
fn verbs() -> Vec<(String, Command)> {
    fn walk(words: &str, command: &Command, all: &mut Vec<(String, Command)>) {
        for below in command.get_subcommands().filter(|one| one.get_name() != "help") {
            let words = format!("{words} {}", below.get_name()).trim().to_owned();
            walk(&words, below, all);
            all.push((words, below.clone()));
        }
    }
    let mut all = Vec::new();
    walk("", &hermes_cli::command(), &mut all);
    all
}

fn has_json(command: &Command) -> bool {
    command.get_arguments().any(|argument| {
        let aliases = argument.get_visible_aliases().unwrap_or_default();
        argument.get_long() == Some("json") || aliases.contains(&"json")
    })
}

fn is_group(command: &Command) -> bool {
    command.is_subcommand_required_set() || command.is_arg_required_else_help_set()
}

fn tells(words: &str, command: &Command) -> bool {
    let name = command.get_name();
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let is_named_so = TELLING.contains(&name) || name.starts_with("list-");
    let lists = about.starts_with("List ") && !is_group(command);
    (is_named_so || lists) && NO_LIST.iter().all(|(known, _)| *known != words)
}

#[test]
fn whatever_lists_or_shows_speaks_json() {
    let verbs = verbs();
    let telling: Vec<&str> = verbs
        .iter()
        .filter(|(words, verb)| tells(words, verb))
        .map(|(words, _)| &**words)
        .collect();
    // The walk has found what everybody knows to be there.
    for known in ["tools list", "skills tap list", "curator list-archived", "cron suggestions"] {
        assert!(telling.contains(&known), "{telling:?}");
    }
    assert!(telling.len() > 40, "{telling:?}");
    let without: Vec<&str> = verbs
        .iter()
        .filter(|(words, verb)| tells(words, verb) && !has_json(verb))
        .map(|(words, _)| &**words)
        .collect();
    assert!(without.is_empty(), "these have no --json: {without:?}");
}

#[test]
fn lists_of_a_fresh_home_are_json() {
    let sandbox = Sandbox::new();
    for (words, verb) in verbs() {
        let needs_words = verb.get_positionals().any(clap::Arg::is_required_set);
        let is_list = verb.get_name() == "list" || verb.get_name().starts_with("list-");
        if !is_list || needs_words || !tells(&words, &verb) {
            continue;
        }
        let run = sandbox.run(words.split(' ').chain(["--json"])).exits(0);
        let listed = run.json();
        assert!(listed.is_array() || listed.is_object(), "{words}: {listed}");
    }
}

/// What a verb is called with so that its only fault is a name that names nothing. `-` is where the name stands;
/// without an entry here, it is the last word.
const CALLS: &[(&str, &[&str])] = &[
    ("sessions rename", &["-", "title"]),
    ("sessions delete", &["-", "--yes"]),
    ("checkpoints restore", &["-", "--yes"]),
    ("memory replace", &["-", "new"]),
    ("batch show", &["-", "task"]),
    ("batch export", &["-", "--out", "out.jsonl"]),
    ("pairing approve", &["-", "code"]),
    ("pairing revoke", &["-", "user"]),
    ("skills config", &["--enable", "-"]),
    ("cron suggestions accept", &["99"]),
    ("cron suggestions dismiss", &["99"]),
    ("tools list", &["--toolset", "-"]),
    ("tools schema", &["--toolsets", "-"]),
    ("toolsets resolve", &["-"]),
    ("toolsets distributions", &["--sample", "-"]),
    ("batch distributions", &["-"]),
    ("hooks approve", &["-"]),
    ("cron runs", &["-"]),
    ("cron blueprint", &["-"]),
    ("skills check", &["-"]),
    ("skills update", &["-"]),
    ("skills audit", &["-"]),
    ("sessions archive", &["-"]),
    ("curator rollback", &["-"]),
    ("man", &["-"]),
    ("profile rename", &["-", "another"]),
    ("profile delete", &["-", "--yes"]),
    ("profile show", &["-"]),
    ("send", &["--to", "-", "words"]),
];

/// Verbs with a word that names nothing which is there already, and what it is instead.
const NO_NAME: &[(&str, &str)] = &[
    ("config set", "a setting of a newer version may be set; it warns"),
    ("config unset", "what is not set is not set afterwards either"),
    ("approvals add", "a new rule"),
    ("approvals test", "a command"),
    ("batch run", "a file"),
    ("batch check", "a file"),
    ("batch compress", "a file or folder"),
    ("batch import", "a folder"),
    ("profile create", "a new profile"),
    ("profile import", "a file"),
    ("import", "a file"),
    ("batch worker", "a new run"),
    ("sessions search", "words"),
    ("memory add", "a new note"),
    ("skills search", "words"),
    ("skills publish", "a folder"),
    ("skills snapshot export", "a file"),
    ("skills snapshot import", "a file"),
    ("skills tap add", "a repository elsewhere"),
    ("skills new", "a new skill"),
    ("skills lint", "a folder"),
    ("skills scan", "a folder"),
    ("skills approval", "on or off"),
    ("bundles create", "a new bundle; skills of it may come later"),
    ("cron create", "a schedule"),
    ("mcp add", "a new server"),
    ("webhook subscribe", "a new route"),
    ("webhook remove", "tried after the route of that name was made"),
    ("fallback add", "a model, which its provider knows"),
    ("model set", "a model, which its provider knows"),
    ("skills install", "a skill elsewhere: a registry is asked"),
    ("skills inspect", "a skill elsewhere: a registry is asked"),
    ("local use", "needs an engine, which this build may not have"),
];

#[test]
fn a_name_that_names_nothing_ends_with_the_same_code_everywhere() {
    let sandbox = Sandbox::new();
    let (mut tried, mut wrong) = (0, Vec::new());
    for (words, verb) in verbs() {
        let takes_name = verb.get_positionals().any(clap::Arg::is_required_set);
        let call = CALLS.iter().find(|(known, _)| *known == words).map(|(_, call)| *call);
        let is_excused = NO_NAME.iter().any(|(known, _)| *known == words);
        if is_group(&verb) || is_excused || (call.is_none() && !takes_name) {
            continue;
        }
        let call = call.unwrap_or(&["-"]);
        let call = call.iter().map(|word| if *word == "-" { "no-such-thing" } else { word });
        let run = sandbox.run(words.split(' ').chain(call));
        tried += 1;
        if run.code != Some(2) {
            wrong.push(format!("{words}: {:?} {}", run.code, run.err));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried > 60, "{tried}");
}

#[test]
fn every_excuse_is_about_a_verb_that_is_there() {
    let verbs = verbs();
    let excused = NO_LIST.iter().chain(NO_NAME).map(|(words, _)| *words);
    for words in excused.chain(CALLS.iter().map(|(words, _)| *words)) {
        assert!(verbs.iter().any(|(known, _)| known == words), "{words}");
    }
}

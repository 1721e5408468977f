use hermes_llm::model::Effort;
use hermes_protocol::{ChoiceScope, CompactRequest, GoalRequest, ModelChoice, StopTarget};

use super::*;
use crate::display::fit::columns;
use crate::display::{Colour, Style, Verbosity};
use crate::input::key_help::pairs;
use crate::input::{EditStyle, KeyMap};

fn action(line: &str) -> Result<SlashAction, String> {
    match read(line) {
        ParsedLine::Command(command, rest) => (command.read)(rest),
        ParsedLine::Mistaken(mistake) => Err(mistake),
        ParsedLine::Text => Err("text".to_owned()),
    }
}

fn name(line: &str) -> &'static str {
    match read(line) {
        ParsedLine::Command(command, _) => command.name,
        _ => "",
    }
}

#[test]
fn names_aliases_and_unique_beginnings_are_understood() {
    assert_eq!(name("/help"), "help");
    assert_eq!(name("  /EXIT "), "quit");
    assert_eq!(name("/hist"), "history");
    assert_eq!(name("/fork x"), "branch");
}

#[test]
fn q_is_queue_and_not_quit() {
    assert_eq!(action("/q later"), Ok(SlashAction::Queue("later".into())));
}

#[test]
fn beginnings_of_several_and_unknown_names_are_explained() {
    let several = action("/re").unwrap_err();
    assert!(several.contains("/retry") && several.contains("/resume"), "{several}");
    let unknown = action("/modle").unwrap_err();
    assert!(unknown.contains("Did you mean /model?"), "{unknown}");
    assert!(action("/xyzzy").unwrap_err().contains("/help"));
}

#[test]
fn paths_and_slashes_are_text() {
    for text in ["/usr/bin/ls is what?", "/", "// comment", "/tmp/x", "hello /help", "/3 things"] {
        assert!(matches!(read(text), ParsedLine::Text), "{text}");
    }
}

#[test]
fn arguments_are_read() {
    let choice = ModelChoice {
        model: "gpt-x".into(),
        provider: Some("openai".into()),
        reach: ChoiceScope::Global,
    };
    for (line, expected) in [
        ("/undo 3", SlashAction::Undo(3)),
        ("/undo", SlashAction::Undo(1)),
        ("/quit --delete", SlashAction::Quit { delete: true }),
        ("/compress here 4", SlashAction::Compress(CompactRequest::KeepLast(4))),
        ("/compact --preview", SlashAction::Compress(CompactRequest::Preview)),
        (
            "/compress the parser",
            SlashAction::Compress(CompactRequest::All(Some("the parser".into()))),
        ),
        ("/model gpt-x --provider openai --global", SlashAction::Model(Some(choice))),
        ("/model", SlashAction::Model(None)),
        ("/busy steer", SlashAction::Busy(Some(BusyMode::Steer))),
        ("/reasoning high", SlashAction::Reasoning(ReasoningChange::Effort(Effort::High))),
        ("/reasoning hide", SlashAction::Reasoning(ReasoningChange::Hide)),
        ("/verbose new", SlashAction::Verbose(Some(Verbosity::New))),
        ("/tools", SlashAction::PickTool),
        ("/tools list", SlashAction::CommandLine(vec!["tools".into(), "list".into()])),
        (
            "/config get 'a b'",
            SlashAction::CommandLine(vec!["config".into(), "get".into(), "a b".into()]),
        ),
        ("/title My talk", SlashAction::Title(Some("My talk".into()))),
        ("/stop", SlashAction::Stop(None)),
        ("/stop all", SlashAction::Stop(Some(StopTarget::All))),
        ("/stop bg2", SlashAction::Stop(Some(StopTarget::One("bg2".into())))),
        ("/btw and this", SlashAction::Background("and this".into())),
        ("/goal", SlashAction::Goal(GoalRequest::Show)),
        ("/goal ship it", SlashAction::Goal(GoalRequest::Set("ship it".into()))),
        ("/goal pause", SlashAction::Goal(GoalRequest::Pause)),
        ("/subgoal notes", SlashAction::Goal(GoalRequest::AddStep("notes".into()))),
        ("/insights 7d", SlashAction::CommandLine(vec!["insights".into(), "7".into()])),
        (
            "/memory approve 1a",
            SlashAction::CommandLine(["memory", "approve", "1a"].map(str::to_owned).to_vec()),
        ),
    ] {
        assert_eq!(action(line), Ok(expected), "{line}");
    }
}

#[test]
fn wrong_arguments_are_explained() {
    for (line, part) in [
        ("/undo 0", "`0` is no number"),
        ("/undo x", "`x` is no number"),
        ("/busy now", "none of: interrupt, queue, steer"),
        ("/steer", "what you want to say"),
        ("/status now", "takes nothing"),
        ("/model --provider openai", "A model has to be named"),
        ("/model a b", "One model at a time"),
        ("/config get 'a", "quote"),
        ("/quit now", "--delete"),
    ] {
        let said = action(line).unwrap_err();
        assert!(said.contains(part), "{line}: {said}");
    }
}

#[test]
fn no_name_means_two_commands() {
    let mut names: Vec<&str> = COMMANDS
        .iter()
        .flat_map(|command| std::iter::once(command.name).chain(command.aliases.iter().copied()))
        .collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn the_names_of_all_commands_fit_a_page() {
    let rows = names(&[], &[], &Style::new(Colour::Off, 80));
    assert!(rows.iter().all(|row| columns(row) <= 80));
    assert!(rows.len() <= 23, "{} rows", rows.len());
    for command in COMMANDS {
        assert!(
            rows.iter().any(|row| row.contains(&format!("/{}", command.name))),
            "{}",
            command.name
        );
    }
    insta::assert_snapshot!(rows.join("\n"));
    assert!(help_on("plan", &Style::new(Colour::Off, 80))[0].contains("/plan [TEXT|accept|off]"));
}

#[test]
fn the_list_of_commands_at_80_columns() {
    let keys = pairs(&KeyMap::default(), EditStyle::Shell);
    let rows = help(&[], &keys, &Style::new(Colour::Off, 80));
    assert!(rows.iter().all(|row| columns(row) <= 80));
    insta::assert_snapshot!(rows.join("\n"));
}

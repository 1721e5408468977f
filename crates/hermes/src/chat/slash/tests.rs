use hermes_llm::model::Effort;

use super::*;
use crate::chat::conversation::{Compress, GoalOrder, ModelChoice, Reach, Stopped};
use crate::chat::display::fit::columns;
use crate::chat::display::{Colour, Style, Verbosity};

fn action(line: &str) -> Result<Action, String> {
    match read(line) {
        Line::Command(command, rest) => (command.read)(rest),
        Line::Mistaken(mistake) => Err(mistake),
        Line::Text => Err("text".to_owned()),
    }
}

fn name(line: &str) -> &'static str {
    match read(line) {
        Line::Command(command, _) => command.name,
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
    assert_eq!(action("/q later"), Ok(Action::Queue("later".into())));
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
        assert!(matches!(read(text), Line::Text), "{text}");
    }
}

#[test]
fn arguments_are_read() {
    let choice = ModelChoice {
        model: "gpt-x".into(),
        provider: Some("openai".into()),
        reach: Reach::Global,
    };
    for (line, expected) in [
        ("/undo 3", Action::Undo(3)),
        ("/undo", Action::Undo(1)),
        ("/quit --delete", Action::Quit { delete: true }),
        ("/compress here 4", Action::Compress(Compress::KeepLast(4))),
        ("/compact --preview", Action::Compress(Compress::Preview)),
        ("/compress the parser", Action::Compress(Compress::All(Some("the parser".into())))),
        ("/model gpt-x --provider openai --global", Action::Model(Some(choice))),
        ("/model", Action::Model(None)),
        ("/busy steer", Action::Busy(Some(BusyMode::Steer))),
        ("/reasoning high", Action::Reasoning(ReasoningChange::Effort(Effort::High))),
        ("/reasoning hide", Action::Reasoning(ReasoningChange::Hide)),
        ("/verbose new", Action::Verbose(Some(Verbosity::New))),
        ("/tools", Action::CommandLine(vec!["tools".into(), "list".into()])),
        (
            "/config get 'a b'",
            Action::CommandLine(vec!["config".into(), "get".into(), "a b".into()]),
        ),
        ("/title My talk", Action::Title(Some("My talk".into()))),
        ("/stop", Action::Stop(None)),
        ("/stop all", Action::Stop(Some(Stopped::All))),
        ("/stop bg2", Action::Stop(Some(Stopped::One("bg2".into())))),
        ("/btw and this", Action::Background("and this".into())),
        ("/goal", Action::Goal(GoalOrder::Show)),
        ("/goal ship it", Action::Goal(GoalOrder::Set("ship it".into()))),
        ("/goal pause", Action::Goal(GoalOrder::Pause)),
        ("/subgoal notes", Action::Goal(GoalOrder::AddStep("notes".into()))),
        ("/insights 7d", Action::CommandLine(vec!["insights".into(), "7".into()])),
        (
            "/memory approve 1a",
            Action::CommandLine(["memory", "approve", "1a"].map(str::to_owned).to_vec()),
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
fn the_list_of_commands_at_80_columns() {
    let rows = help(&[], &Style::new(Colour::Off, 80));
    assert!(rows.iter().all(|row| columns(row) <= 80));
    insta::assert_snapshot!(rows.join("\n"));
}

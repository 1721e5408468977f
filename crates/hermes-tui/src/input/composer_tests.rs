use super::super::complete::CommandWords;
use super::*;
use crate::display::Colour;

fn editor() -> Composer {
    let command = |name: &'static str| CommandWords {
        name: name.into(),
        words: &[],
        help: "about it".into(),
        takes: "".into(),
        aliases: &[],
    };
    let commands = vec![command("model"), command("moa"), command("help")];
    let completer = Completer { commands, folder: "/".into(), home: None };
    Composer::new(History::default(), completer)
}

fn key(code: KeyCode) -> KeyEvent {
    KeyEvent::new(code, KeyModifiers::NONE)
}

fn control(letter: char) -> KeyEvent {
    KeyEvent::new(KeyCode::Char(letter), KeyModifiers::CONTROL)
}

fn type_in(editor: &mut Composer, text: &str) {
    for letter in text.chars() {
        editor.on_key(key(KeyCode::Char(letter)));
    }
}

fn sent(editor: &mut Composer) -> String {
    match editor.on_key(key(KeyCode::Enter)) {
        ComposerEvent::Sent { text, .. } => text,
        other => panic!("{other:?}"),
    }
}

fn drawn(editor: &Composer) -> Vec<String> {
    let prompt = InputPrompt { text: "❯ ", ink: Ink::PLAIN, hints: HintMode::On };
    editor.frame(prompt, 20, &Style::new(Colour::Off, 40)).rows
}

#[test]
fn enter_sends_and_alt_enter_does_not() {
    let mut editor = editor();
    type_in(&mut editor, "one");
    editor.on_key(KeyEvent::new(KeyCode::Enter, KeyModifiers::ALT));
    type_in(&mut editor, "two");
    editor.on_key(control('j'));
    type_in(&mut editor, "three\\");
    assert_eq!(editor.on_key(key(KeyCode::Enter)), ComposerEvent::Changed);
    assert_eq!(sent(&mut editor), "one\ntwo\nthree\n");
    assert_eq!(editor.text(), "");
}

#[test]
fn a_long_paste_is_a_placeholder_until_it_is_sent_and_goes_with_one_backspace() {
    let mut editor = editor();
    let pasted = "x\n".repeat(5_000);
    type_in(&mut editor, "see ");
    editor.on_paste(&pasted);
    assert_eq!(drawn(&editor), ["❯ see [pasted #1: 5000 lines]"]);
    editor.on_key(key(KeyCode::Backspace));
    assert_eq!(editor.text(), "see ");
    editor.on_paste(&pasted);
    assert_eq!(sent(&mut editor), format!("see {}", pasted.trim_end()));
}

#[test]
fn tab_completes_commands_and_goes_through_them() {
    let mut editor = editor();
    type_in(&mut editor, "/m");
    editor.on_key(key(KeyCode::Tab));
    assert_eq!(drawn(&editor), ["❯ /mo", "  /model  about it", "  /moa    about it"]);
    editor.on_key(key(KeyCode::Tab));
    editor.on_key(key(KeyCode::Tab));
    assert_eq!(drawn(&editor), ["❯ /moa ", "  /model  about it", "› /moa    about it"]);
    editor.on_key(key(KeyCode::BackTab));
    assert_eq!(editor.text(), "/model ");
    assert_eq!(editor.on_key(key(KeyCode::Esc)), ComposerEvent::Changed);
    assert_eq!(drawn(&editor), ["❯ /model "]);
    assert_eq!(editor.on_key(key(KeyCode::Esc)), ComposerEvent::Escaped);
}

#[test]
fn the_only_candidate_is_taken_at_once() {
    let mut editor = editor();
    type_in(&mut editor, "/he");
    editor.on_key(key(KeyCode::Tab));
    assert_eq!(drawn(&editor), ["❯ /help "]);
}

#[test]
fn history_is_walked_hinted_and_searched() {
    let mut editor = editor();
    for line in ["cargo test", "ls"] {
        type_in(&mut editor, line);
        sent(&mut editor);
    }
    type_in(&mut editor, "ca");
    assert_eq!(drawn(&editor), ["❯ cargo test"]);
    editor.on_key(key(KeyCode::Right));
    assert_eq!(editor.text(), "cargo test");
    editor.on_key(control('u'));
    editor.on_key(key(KeyCode::Up));
    assert_eq!(editor.text(), "ls");
    editor.on_key(key(KeyCode::Down));
    assert_eq!(editor.text(), "");
    editor.on_key(control('r'));
    type_in(&mut editor, "go");
    assert_eq!(drawn(&editor), ["(search: go) cargo test"]);
    assert_eq!(sent(&mut editor), "cargo test");
}

#[test]
fn a_search_given_up_leaves_the_line_as_it_was() {
    let mut editor = editor();
    type_in(&mut editor, "old");
    sent(&mut editor);
    type_in(&mut editor, "draft");
    editor.on_key(control('r'));
    type_in(&mut editor, "o");
    assert_eq!(editor.on_key(control('c')), ComposerEvent::Changed);
    assert_eq!(editor.text(), "draft");
}

#[test]
fn what_is_cut_comes_back() {
    let mut editor = editor();
    type_in(&mut editor, "one two");
    editor.on_key(control('w'));
    editor.on_key(control('a'));
    editor.on_key(control('y'));
    assert_eq!(editor.text(), "twoone ");
}

#[test]
fn keys_with_a_meaning_elsewhere_are_passed_on() {
    let mut editor = editor();
    assert_eq!(editor.on_key(control('d')), ComposerEvent::Ended);
    assert_eq!(editor.on_key(control('c')), ComposerEvent::Interrupted);
    assert_eq!(editor.on_key(control('z')), ComposerEvent::Suspended);
    assert_eq!(editor.on_key(control('l')), ComposerEvent::Cleared);
    type_in(&mut editor, "x");
    editor.on_key(control('a'));
    assert_eq!(editor.on_key(control('d')), ComposerEvent::Changed);
    assert_eq!(editor.text(), "");
}

//! Every kind of row, on terminals of three sizes with a dark and a light background, as pictures in text.
//!
//! A picture has two lines for a row of the screen: the row itself behind `│`, and below it, behind `·`, a letter for
//! every character that looks special. What the letters stand for comes after the rows, once for each background; where the two differ in more
//! than that, both are drawn. To add a kind of row, add a scene.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hermes_protocol::{AgentEvent, NoticeLevel, TurnEnd, TurnStatus};
use hermes_tool::OutputTail;
use serde_json::{Value, json};

use super::*;
use crate::display::Theme;
use crate::display::status_line::USUAL_FORMAT;
use crate::test_session::Step;

const SIZES: [Size; 3] = [
    Size { columns: 80, rows: 24 },
    Size { columns: 120, rows: 40 },
    Size { columns: 200, rows: 50 },
];

/// What happens, and when the picture is taken.
struct Scene {
    name: &'static str,
    script: Script,
    /// What is typed; see [`press`].
    keys: &'static [&'static str],
    /// What the screen shows before the next is typed, and before the picture is taken.
    until: &'static [&'static str],
}

const SCENES: &[Scene] = &[
    Scene { name: "calls", script: calls, keys: &["mend it⏎"], until: &["All is well."] },
    Scene { name: "failed_calls", script: failures, keys: &["try⏎"], until: &["I gave up."] },
    Scene { name: "running", script: running, keys: &["build⏎"], until: &["compiling b"] },
    Scene { name: "diff", script: diff, keys: &["change it⏎"], until: &["Changed."] },
    Scene { name: "code", script: code, keys: &["code?⏎"], until: &["After the code."] },
    Scene { name: "answer", script: answer, keys: &["explain⏎"], until: &["The last words."] },
    Scene { name: "table", script: table, keys: &["a table⏎"], until: &["After the table."] },
    Scene { name: "thoughts", script: thoughts, keys: &["think⏎"], until: &["Thought."] },
    Scene { name: "approval", script: approval, keys: &["clean⏎"], until: &["[t]ell it"] },
    Scene { name: "question", script: question, keys: &["choose⏎"], until: &["Your answer"] },
    Scene { name: "menu", script: nothing, keys: &["/"], until: &["more"] },
    Scene { name: "menu_filtered", script: nothing, keys: &["/mod"], until: &["› /model"] },
    Scene {
        name: "picker",
        script: nothing,
        keys: &["/model⏎", "l"],
        until: &["Models (3)", "of 3)"],
    },
    Scene {
        name: "picker_of_themes", script: nothing, keys: &["/theme⏎"], until: &["Themes (4)"]
    },
    Scene {
        name: "plan",
        script: plan,
        keys: &["⇤", "how?⏎"],
        until: &["The agent looks and plans", "Carry it out"],
    },
    Scene { name: "yolo", script: nothing, keys: &["/yolo⏎"], until: &["· yolo"] },
    Scene { name: "error", script: error, keys: &["ask⏎"], until: &["the key is wrong"] },
    Scene { name: "notices", script: notices, keys: &["go⏎"], until: &["Went on."] },
    Scene {
        name: "typing", script: nothing, keys: &["two lines⇧and 二行目"], until: &["二行目"]
    },
    Scene {
        name: "queue",
        script: waits,
        keys: &["first⏎", "/queue then⏎"],
        until: &["❯ first", "next: then"],
    },
    Scene {
        name: "own_output",
        script: nothing,
        keys: &["!make all⏎"],
        until: &["+ output of make all"],
    },
    Scene {
        name: "pager",
        script: calls,
        keys: &["mend it⏎", "⌃o"],
        until: &["All is well.", "#6 terminal"],
    },
    Scene { name: "keys", script: nothing, keys: &["?"], until: &["q closes"] },
    Scene {
        name: "help", script: nothing, keys: &["/help⏎"], until: &["The beginning of a name"]
    },
    Scene {
        name: "context",
        script: nothing,
        keys: &["hi⏎", "/context⏎"],
        until: &["❯ hi\n\n❯", "free"],
    },
];

fn told(text: &str) -> Vec<Step> {
    vec![
        Step::Tell(AgentEvent::Text(text.into())),
        Step::Tell(AgentEvent::Said { text: text.into() }),
    ]
}

fn finished(tool: &str, args: &Value, output: &Value) -> Step {
    Step::Tell(AgentEvent::ToolFinished {
        id: "1".into(),
        tool: tool.into(),
        args: args.clone(),
        failed: output.get("error").is_some(),
        output: output.to_string(),
        took: Duration::from_millis(1_500),
    })
}

fn nothing(_: &str) -> Vec<Step> {
    Vec::new()
}

fn waits(_: &str) -> Vec<Step> {
    vec![Step::Wait(PATIENCE * 2)]
}

fn calls(_: &str) -> Vec<Step> {
    let tests: String = (1..=40).map(|number| format!("test case_{number} ... ok\n")).collect();
    let mut steps = vec![
        finished("read_file", &json!({"path": "src/parse.rs"}), &json!({"content": "…"})),
        finished("read_file", &json!({"path": "src/lib.rs"}), &json!({"content": "…"})),
        finished("search_files", &json!({"pattern": "parse", "path": "src"}), &json!({})),
        finished("patch", &json!({"path": "src/parse.rs"}), &json!({"diff": DIFF})),
        finished(
            "write_file",
            &json!({"path": "notes.md", "content": "# Notes\n\n- 一\n"}),
            &json!({}),
        ),
        finished(
            "terminal",
            &json!({"command": "cargo test"}),
            &json!({"output": tests, "exit_code": 0}),
        ),
    ];
    steps.extend(told("All is well."));
    steps
}

fn failures(_: &str) -> Vec<Step> {
    let child = |event: AgentEvent| {
        Step::Tell(AgentEvent::Child { task: 2, goal: "look".into(), event: Box::new(event) })
    };
    let missing =
        finished("read_file", &json!({"path": "gone.rs"}), &json!({"error": "no such file"}));
    let Step::Tell(of_child) = missing.clone() else { return Vec::new() };
    let failed = json!({"output": "error: it does not compile\n", "exit_code": 101});
    let mut steps = vec![
        missing,
        child(of_child),
        finished("terminal", &json!({"command": "cargo build --release"}), &failed),
    ];
    steps.extend(told("I gave up."));
    steps
}

fn running(_: &str) -> Vec<Step> {
    let tail = OutputTail { lines: vec!["compiling a".into(), "compiling b".into()], total: 12 };
    let args = json!({"command": "make"});
    vec![
        Step::Tell(AgentEvent::ToolStarted { id: "1".into(), tool: "terminal".into(), args }),
        Step::Tell(AgentEvent::ToolOutput { id: "1".into(), tail }),
        Step::Wait(PATIENCE * 2),
    ]
}

const DIFF: &str = "--- a/src/parse.rs\n+++ b/src/parse.rs\n@@ -9,3 +9,4 @@\n fn parse() {\n-    old();\n\
    +    new();\n+    newer();\n }\n";

fn diff(_: &str) -> Vec<Step> {
    let long = format!("--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-{0}\n+{0}!\n", "word ".repeat(24));
    let mut steps = vec![
        finished("patch", &json!({"path": "src/parse.rs"}), &json!({"diff": DIFF})),
        finished("patch", &json!({"path": "a.txt"}), &json!({"diff": long})),
    ];
    steps.extend(told("Changed."));
    steps
}

fn code(_: &str) -> Vec<Step> {
    told(
        "Run `make` first:\n\n```rust\n/// Adds.\nfn add(a: u32) -> u32 {\n    let text = \"one\"; // two\n    a + 1_000\n}\n\
         ```\n\n```sh\ngrep -rn \"a row that goes on and on until it is much wider than eighty columns\" src | sort | uniq -c\n\
         ```\nAfter the code.\n",
    )
}

fn answer(_: &str) -> Vec<Step> {
    told(
        "# A heading\n## A smaller one\nSome **bold**, *italic*, ~~struck~~ and `code` words with [a link](https://example.org/docs) \
         in a paragraph that is long enough to be broken at eighty columns.\n\n- one\n  - below\n1. first\n2. second\n\n- [x] done\n- [ ] open\n\n\
         > quoted\n\nWith a note[^1] and $x^2 \\le \\alpha$.\n\n[^1]: The note.\n\n---\nThe last words.\n",
    )
}

fn table(_: &str) -> Vec<Step> {
    told(
        "| file | lines | about |\n|---|--:|:-:|\n| 解析.rs | 120 | parses |\n| a.rs | 7 | a cell that says a lot more than the others, \
         so that it has to be broken into several rows |\n\nAfter the table.\n",
    )
}

fn thoughts(_: &str) -> Vec<Step> {
    let mut steps = vec![Step::Tell(AgentEvent::Reasoning(
        "The person wants a thought.\nHere is one that goes on for a while, so that it does not fit eighty columns.".into(),
    ))];
    steps.extend(told("Thought."));
    steps
}

fn approval(_: &str) -> Vec<Step> {
    vec![Step::Approve("rm -r build && \\\n  ls", PATIENCE * 2)]
}

fn question(_: &str) -> Vec<Step> {
    vec![Step::Clarify("Which colour shall the door have?", &["red", "blue like the sea"])]
}

fn plan(_: &str) -> Vec<Step> {
    told("1. Read the parser.\n2. Mend it.\n")
}

fn error(_: &str) -> Vec<Step> {
    let why = "The provider refused: the key is wrong.\n`hermes setup` stores another.";
    vec![Step::End(TurnEnd { outcome: TurnStatus::Failed(why.into()), ..TurnEnd::default() })]
}

fn notices(_: &str) -> Vec<Step> {
    let notice = |level, text: &str| Step::Tell(AgentEvent::Notice { level, text: text.into() });
    let mut steps = vec![
        notice(NoticeLevel::Info, "The history was compressed."),
        notice(NoticeLevel::Warning, "Rate limit; waiting 3 s."),
    ];
    steps.extend(told("Went on."));
    steps
}

/// Types: `⏎` is Enter, `⇧` Alt-Enter, `⇤` Shift-Tab, `⌃` and a letter Ctrl with it.
fn press(play: &Play, keys: &str) {
    let mut letters = keys.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '⏎' => play.key(KeyCode::Enter, KeyModifiers::NONE),
            '⇧' => play.key(KeyCode::Enter, KeyModifiers::ALT),
            '⇤' => play.key(KeyCode::BackTab, KeyModifiers::SHIFT),
            '⌃' => play.control(letters.next().unwrap()),
            letter => play.key(KeyCode::Char(letter), KeyModifiers::NONE),
        }
    }
}

/// The rows with their letters, and what those stand for.
struct Picture {
    rows: String,
    legend: String,
}

async fn picture(scene: &Scene, size: Size, theme: Theme) -> Picture {
    let settings =
        ChatSettings { status_line: Some(USUAL_FORMAT.to_owned()), ..ChatSettings::default() };
    let style = Style::new(Colour::On, size.columns).with_theme(theme);
    let play = Play::styled(scene.script, settings, size, style);
    for (keys, until) in scene.keys.iter().zip(scene.until) {
        press(&play, keys);
        play.until(until, |text| text.contains(until) && is_settled(scene, text)).await;
    }
    let mut looks: Vec<String> = Vec::new();
    let mut rows = String::new();
    for row in play.screen.drawn() {
        let text: String = row.iter().map(|cell| cell.text.as_str()).collect();
        let mut letters = String::new();
        for cell in &row {
            let letter = match cell.look.is_empty() {
                true => ' ',
                false => {
                    let known = looks.iter().position(|look| *look == cell.look);
                    let at = known.unwrap_or_else(|| {
                        looks.push(cell.look.clone());
                        looks.len() - 1
                    });
                    char::from(b'a' + u8::try_from(at).unwrap())
                }
            };
            letters.push(letter);
            if cell.is_wide {
                letters.push(letter);
            }
        }
        let steady = steady(text.trim_end());
        let _ = writeln!(rows, "│{steady}");
        if steady == FACE {
            continue;
        }
        if !letters.trim_end().is_empty() {
            let _ = writeln!(rows, "·{}", letters.trim_end());
        }
    }
    let rows = rows.trim_end_matches(['│', '\n']).to_owned();
    let mut legend = String::new();
    for (at, look) in looks.iter().enumerate() {
        let _ = writeln!(legend, "  {} {look}", char::from(b'a' + u8::try_from(at).unwrap()));
    }
    Picture { rows, legend }
}

/// Scenes at whose end something else stands in the place of an empty prompt.
const WITHOUT_PROMPT: [&str; 10] = [
    "approval",
    "question",
    "menu",
    "menu_filtered",
    "picker",
    "picker_of_themes",
    "plan",
    "typing",
    "pager",
    "keys",
];

/// Whether nothing moves any more: turns that end are over, and rows that were printed have the rows of the moment below
/// them that belong to them.
fn is_settled(scene: &Scene, text: &str) -> bool {
    let goes_on = matches!(scene.name, "running" | "queue" | "approval" | "question");
    let has_prompt = text.lines().rev().nth(1).is_some_and(|row| row.trim_end() == "❯");
    (goes_on || !text.contains(SPINNERS)) && (has_prompt || WITHOUT_PROMPT.contains(&scene.name))
}

const SPINNERS: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/// What stands for a face that makes something up while the model thinks.
const FACE: &str = "⠋ (a face) does something… (0.0s)";

/// Without what depends on the time that went by: the turning sign, its face and verb, seconds.
fn steady(row: &str) -> String {
    if !row.contains(SPINNERS) {
        return row.to_owned();
    }
    let row = row.replace(SPINNERS, "⠋");
    if row.starts_with("⠋ (") {
        return FACE.to_owned();
    }
    match row.rsplit_once('(') {
        Some((before, _)) if row.ends_with("s)") => format!("{before}(0.0s)"),
        _ => row,
    }
}

#[tokio::test]
async fn every_kind_of_row_on_every_kind_of_terminal() {
    let mut changed = Vec::new();
    for scene in SCENES {
        let mut text = String::new();
        for size in SIZES {
            let dark = picture(scene, size, Theme::Dark).await;
            let light = picture(scene, size, Theme::Light).await;
            let _ = writeln!(text, "{} × {}\n\n{}\n", size.columns, size.rows, dark.rows);
            match dark.rows == light.rows {
                true if dark.legend == light.legend => {
                    let _ = writeln!(text, "dark and light\n{}", dark.legend);
                }
                true => {
                    let _ = writeln!(text, "dark\n{}\nlight\n{}", dark.legend, light.legend);
                }
                false => {
                    let _ = writeln!(
                        text,
                        "dark\n{}\n{}\n\nlight\n{}",
                        dark.legend, light.rows, light.legend
                    );
                }
            }
        }
        let same = catch_unwind(AssertUnwindSafe(|| {
            insta::with_settings!({omit_expression => true, prepend_module_to_snapshot => false}, {
                insta::assert_snapshot!(scene.name, text);
            });
        }));
        changed.extend(same.is_err().then_some(scene.name));
    }
    assert!(changed.is_empty(), "these look different: {changed:?}");
}

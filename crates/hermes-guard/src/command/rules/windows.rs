//! Deleting with the shells of Windows.

use super::super::call::{Arg, ProgramCall};
use super::super::category::Category;
use super::{DangerRule, RuleCheck};

const WINDOWS: Category = Category::asks(
    "Windows deletes",
    "A Windows shell would delete files, or run a program that is hidden in an encoded argument.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: WINDOWS,
        programs: &["cmd"],
        check: RuleCheck::Call(|call| {
            let switch = call.args.iter().position(|arg| {
                let text = arg.text.to_ascii_lowercase();
                text.starts_with("/c")
                    || text.starts_with("/k")
                    || text.starts_with("//c")
                    || text.starts_with("//k")
            });
            let Some(at) = switch else { return false };
            let glued = call.args[at].text.trim_start_matches('/')[1..].to_owned();
            let mut text = glued;
            for arg in &call.args[at + 1..] {
                text.push(' ');
                text.push_str(&arg.text);
            }
            has_verb(&text, &["del", "erase", "rd", "rmdir", "format"])
        }),
        catches: &[
            "cmd /c del /q x",
            "cmd.exe /K rd /s /q x",
            "cmd /c \"cd x && rmdir /s y\"",
            "cmd //c erase x",
            "cmd /c del.exe x",
        ],
        passes: &["cmd /c dir", "cmd /c echo del", "cmd /c type c:\\del-logs\\x"],
    },
    DangerRule {
        category: WINDOWS,
        programs: &["powershell"],
        check: RuleCheck::Call(deletes),
        catches: &[
            "powershell -Command Remove-Item x",
            "pwsh -c 'ls; ri x -r'",
            "powershell -EncodedCommand ZQ==",
            "pwsh -enc ZQ==",
            "powershell -NoProfile -e ZQ==",
            "powershell \"Get-ChildItem | Remove-Item\"",
            "pwsh -c 'rm x'",
            "powershell del x",
        ],
        passes: &[
            "powershell -File c:\\del-logs\\x.ps1",
            "pwsh -c 'echo del'",
            "powershell -Command Get-Item x",
            "pwsh -ExecutionPolicy Bypass -File x.ps1",
        ],
    },
    DangerRule {
        category: WINDOWS,
        programs: &["rd", "rmdir", "del", "erase"],
        check: RuleCheck::Call(|call| {
            call.args.iter().any(|arg| {
                arg.text.eq_ignore_ascii_case("/s") || arg.text.eq_ignore_ascii_case("/q")
            })
        }),
        catches: &["rd /s /q build", "del /s x"],
        passes: &["rmdir x", "rmdir /tmp/x"],
    },
];

/// Whether one of these stands where a command begins.
fn has_verb(text: &str, verbs: &[&str]) -> bool {
    text.split(['&', '|', ';', '{', '(', '\n']).any(|part| {
        let word = part.trim_start_matches([' ', '\t', '"', '\'', '@']).split_whitespace().next();
        let word = word.unwrap_or_default().trim_end_matches(['"', '\'']).to_ascii_lowercase();
        let word = word.strip_suffix(".exe").unwrap_or(&word);
        verbs.contains(&word)
    })
}

fn deletes(call: &ProgramCall<'_>) -> bool {
    const VERBS: &[&str] = &[
        "remove-item",
        "ri",
        "del",
        "erase",
        "rd",
        "rmdir",
        "rm",
        "clear-content",
        "format-volume",
        "clear-disk",
    ];
    let mut args = call.args.iter();
    while let Some(arg) = args.next() {
        let text = arg.text.to_ascii_lowercase();
        let Some(name) = text.strip_prefix(['-', '/']) else {
            return has_verb(&joined(arg, args.as_slice()), VERBS);
        };
        if name == "e"
            || name == "ec"
            || (name.starts_with("en") && "encodedcommand".starts_with(name))
        {
            return true;
        }
        if !name.is_empty() && "command".starts_with(name) {
            return args
                .next()
                .is_some_and(|first| has_verb(&joined(first, args.as_slice()), VERBS));
        }
        if !name.is_empty() && "file".starts_with(name) {
            return false;
        }
        if takes_value(name) {
            args.next();
        }
    }
    false
}

fn takes_value(name: &str) -> bool {
    [
        "executionpolicy",
        "ep",
        "ex",
        "windowstyle",
        "workingdirectory",
        "wd",
        "configurationname",
        "outputformat",
        "inputformat",
    ]
    .iter()
    .any(|full| !name.is_empty() && full.starts_with(name))
}

fn joined(first: &Arg<'_>, rest: &[Arg<'_>]) -> String {
    let words: Vec<&str> = std::iter::once(first).chain(rest).map(Arg::as_str).collect();
    words.join(" ")
}

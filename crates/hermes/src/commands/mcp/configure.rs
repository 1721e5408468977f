//! `hermes mcp configure`: which of a server's tools are offered.

use hermes_store::config_edit::Edit;
use hermes_tui::line_prompt::{answer, is_interactive};
use serde_json::Value;

use super::args::Configure;
use super::{entries, probe};
use crate::exit::{Exit, UsageError, nearest};
use crate::host::Host;
use crate::ui::{Ui, count};

/// What is to be offered.
#[derive(Debug, PartialEq, Eq)]
enum Choice {
    All,
    Only(Vec<String>),
    AllBut(Vec<String>),
}

pub(super) fn run(args: &Configure, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    host.require_sound_config()?;
    let settings = entries::usable(host, &args.name, ui)?;
    let choice = if args.all {
        Choice::All
    } else if !args.include.is_empty() {
        Choice::Only(args.include.clone())
    } else if !args.exclude.is_empty() {
        Choice::AllBut(args.exclude.clone())
    } else if is_interactive() {
        let tools = names(host, &args.name, ui)?;
        for (at, tool) in tools.iter().enumerate() {
            let mark = if settings.tools.allows(tool) { "x" } else { " " };
            ui.note(format_args!("{:>3}. [{mark}] {tool}", at + 1))?;
        }
        match ask(&tools)? {
            Some(choice) => choice,
            None => return Ok(Exit::Done),
        }
    } else {
        return Err(
            UsageError::new("say which tools: --include A,B, --exclude A,B or --all").into()
        );
    };
    let edits = edits(&args.name, &choice)?;
    entries::edit(host, &edits, ui)?;
    ui.line(match &choice {
        Choice::All => format!("{} offers all its tools", args.name),
        Choice::Only(names) => format!("{} offers {}", args.name, count(names.len(), "tool")),
        Choice::AllBut(names) => format!("{} offers all but {}", args.name, names.join(", ")),
    })?;
    Ok(Exit::Done)
}

fn names(host: &Host, server: &str, ui: &mut Ui) -> anyhow::Result<Vec<String>> {
    Ok(probe::probe(host, server, ui)?.tools.into_iter().map(|(name, _)| name).collect())
}

/// Asks until the answer makes sense; Enter leaves everything as it is.
fn ask(tools: &[String]) -> anyhow::Result<Option<Choice>> {
    let mut question = "Which? Numbers or names (1,3-5), all, or Enter to leave it: ".to_owned();
    loop {
        let Some(typed) = answer(&question).filter(|typed| !typed.is_empty()) else {
            return Ok(None);
        };
        match read(&typed, tools) {
            Ok(choice) => return Ok(Some(choice)),
            Err(problem) => question = format!("{problem}. Which? "),
        }
    }
}

fn read(typed: &str, tools: &[String]) -> Result<Choice, String> {
    if typed.eq_ignore_ascii_case("all") {
        return Ok(Choice::All);
    }
    let mut chosen = Vec::new();
    for word in typed.split([',', ' ']).filter(|word| !word.is_empty()) {
        for tool in of_word(word, tools)? {
            if !chosen.contains(tool) {
                chosen.push(tool.clone());
            }
        }
    }
    Ok(if chosen.len() == tools.len() { Choice::All } else { Choice::Only(chosen) })
}

/// The tools of a number, a range of numbers, or a name.
fn of_word<'t>(word: &str, tools: &'t [String]) -> Result<&'t [String], String> {
    if let Some(at) = tools.iter().position(|tool| tool.eq_ignore_ascii_case(word)) {
        return Ok(&tools[at..=at]);
    }
    let number = |text: &str| text.parse::<usize>().ok().filter(|n| (1..=tools.len()).contains(n));
    let range = match word.split_once('-') {
        Some((from, to)) => number(from).zip(number(to)),
        None => number(word).map(|n| (n, n)),
    };
    match range {
        Some((from, to)) if from <= to => Ok(&tools[from - 1..to]),
        _ => {
            let near = nearest(word, tools.iter().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            Err(format!("{word} is none of them{hint}"))
        }
    }
}

fn edits(server: &str, choice: &Choice) -> anyhow::Result<Vec<Edit>> {
    let at = |key: &str| entries::path(server, &["tools", key]);
    let list = |names: &[String]| Value::from(names.to_vec());
    Ok(match choice {
        Choice::All => vec![Edit::Unset(at("include")?), Edit::Unset(at("exclude")?)],
        Choice::Only(names) => {
            vec![Edit::Set(at("include")?, list(names)), Edit::Unset(at("exclude")?)]
        }
        Choice::AllBut(names) => {
            vec![Edit::Set(at("exclude")?, list(names)), Edit::Unset(at("include")?)]
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> Vec<String> {
        ["read", "write", "Delete", "list"].map(str::to_owned).to_vec()
    }

    fn only(names: &[&str]) -> Choice {
        Choice::Only(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn numbers_ranges_and_names_are_understood() {
        assert_eq!(read("1, 3-4", &tools()), Ok(only(&["read", "Delete", "list"])));
        assert_eq!(read("delete 1 1", &tools()), Ok(only(&["Delete", "read"])));
        assert_eq!(read("ALL", &tools()), Ok(Choice::All));
        assert_eq!(read("1-4", &tools()), Ok(Choice::All));
    }

    #[test]
    fn what_is_none_of_them_is_said() {
        for typed in ["5", "0", "3-1", "wrte"] {
            assert!(read(typed, &tools()).is_err(), "{typed}");
        }
        assert!(read("wrte", &tools()).unwrap_err().contains("did you mean write?"));
    }
}

//! Reading what follows the name of a command.

use std::path::PathBuf;

use hermes_protocol::{
    ChoiceScope, CompactRequest, GoalRequest, ModelChoice, ReviewTarget, StopTarget,
};

use super::action::{BusyMode, EFFORTS, PlanRequest, ReasoningChange, SlashAction};
use crate::display::Verbosity;

type Read = Result<SlashAction, String>;

/// A text, if there is one.
pub(super) fn optional(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

/// A text that has to be there.
pub(super) fn required(text: &str, what: &str) -> Result<String, String> {
    optional(text).ok_or_else(|| format!("It takes {what}."))
}

/// Nothing may follow.
pub(super) fn nothing(text: &str, action: SlashAction) -> Read {
    match text {
        "" => Ok(action),
        more => Err(format!("It takes nothing, but `{more}` follows.")),
    }
}

/// A number that counts from one.
pub(super) fn count(text: &str) -> Result<usize, String> {
    match text {
        "" => Ok(1),
        text => text
            .parse()
            .ok()
            .filter(|count| *count > 0)
            .ok_or_else(|| format!("`{text}` is no number of one or more.")),
    }
}

/// One of a few words.
fn one_of<T: Copy>(text: &str, known: &[(&str, T)]) -> Result<T, String> {
    known.iter().find(|(name, _)| *name == text).map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        format!("`{text}` is none of: {}.", names.join(", "))
    })
}

pub(super) fn quit(text: &str) -> Read {
    match text {
        "" => Ok(SlashAction::Quit { delete: false }),
        "--delete" => Ok(SlashAction::Quit { delete: true }),
        other => Err(format!("It takes --delete or nothing, not `{other}`.")),
    }
}

pub(super) fn save(text: &str) -> Read {
    Ok(SlashAction::Save(optional(text).map(PathBuf::from)))
}

pub(super) fn compress(text: &str) -> Read {
    let how = match text.split_once(' ').unwrap_or((text, "")) {
        ("--preview", "") => CompactRequest::Preview,
        ("here", number) => CompactRequest::KeepLast(count(number.trim())?),
        _ => CompactRequest::All(optional(text)),
    };
    Ok(SlashAction::Compress(how))
}

pub(super) fn model(text: &str) -> Read {
    let (mut name, mut provider, mut reach) = (None, None, ChoiceScope::Session);
    let mut words = text.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "--global" => reach = ChoiceScope::Global,
            "--provider" => {
                let next = words.next();
                provider = Some(next.ok_or("--provider takes the name of a provider.")?.to_owned());
            }
            flag if flag.starts_with('-') => {
                return Err(format!("It takes --provider and --global, not `{flag}`."));
            }
            word if name.is_none() => name = Some(word.to_owned()),
            word => return Err(format!("One model at a time; `{word}` is too much.")),
        }
    }
    match (name, provider) {
        (Some(model), provider) => {
            Ok(SlashAction::Model(Some(ModelChoice { model, provider, reach })))
        }
        (None, None) if reach == ChoiceScope::Session => Ok(SlashAction::Model(None)),
        (None, _) => Err("A model has to be named too: /model NAME --provider PROVIDER.".into()),
    }
}

pub(super) fn plan(text: &str) -> Read {
    Ok(SlashAction::Plan(match text {
        "" | "on" => PlanRequest::Begin,
        "accept" | "go" => PlanRequest::Accept,
        "off" => PlanRequest::Leave,
        text => PlanRequest::About(text.to_owned()),
    }))
}

pub(super) fn review(text: &str) -> Read {
    let mut words = text.split_whitespace();
    let what = match (words.next(), words.next()) {
        (None, _) => ReviewTarget::WorkingTree,
        (Some("staged"), None) => ReviewTarget::Staged,
        (Some("branch"), base) => ReviewTarget::Branch(base.map(str::to_owned)),
        (Some("commit"), Some(commit)) => ReviewTarget::Commit(commit.to_owned()),
        (Some("commit"), None) => return Err("Which commit? /review commit HEAD, for one.".into()),
        (Some(commit), None) => ReviewTarget::Commit(commit.to_owned()),
        (Some(_), Some(more)) => {
            return Err(format!("One change at a time; `{more}` is too much."));
        }
    };
    match words.next() {
        Some(more) => Err(format!("One change at a time; `{more}` is too much.")),
        None => Ok(SlashAction::Review(what)),
    }
}

pub(super) fn export(text: &str) -> Read {
    Ok(SlashAction::Export(optional(text).map(PathBuf::from)))
}

pub(super) fn busy(text: &str) -> Read {
    match text {
        "" => Ok(SlashAction::Busy(None)),
        text => one_of(text, &BusyMode::ALL).map(|mode| SlashAction::Busy(Some(mode))),
    }
}

pub(super) fn reasoning(text: &str) -> Read {
    Ok(SlashAction::Reasoning(match text {
        "" => ReasoningChange::None,
        "show" => ReasoningChange::Show,
        "hide" => ReasoningChange::Hide,
        level => ReasoningChange::Effort(one_of(level, &EFFORTS)?),
    }))
}

pub(super) fn verbose(text: &str) -> Read {
    const LEVELS: [Verbosity; 4] =
        [Verbosity::Off, Verbosity::New, Verbosity::All, Verbosity::Verbose];
    match text {
        "" => Ok(SlashAction::Verbose(None)),
        text => one_of(text, &LEVELS.map(|level| (level.name(), level)))
            .map(|l| SlashAction::Verbose(Some(l))),
    }
}

/// A command of the command line: `first`, then what follows, or `usual` if nothing does.
pub(super) fn command_line(first: &str, usual: &[&str], text: &str) -> Read {
    let mut words = vec![first.to_owned()];
    match text {
        "" => words.extend(usual.iter().map(|word| (*word).to_owned())),
        text => words.extend(shlex::split(text).ok_or("A quote is not closed.")?),
    }
    Ok(SlashAction::CommandLine(words))
}

pub(super) fn rollback(text: &str) -> Read {
    match text {
        "" => Ok(SlashAction::PickCheckpoint),
        hash => command_line("checkpoints", &[], &format!("restore {hash} --yes")),
    }
}

pub(super) fn stop(text: &str) -> Read {
    Ok(SlashAction::Stop(match text {
        "" => None,
        "all" => Some(StopTarget::All),
        id => Some(StopTarget::One(id.to_owned())),
    }))
}

pub(super) fn goal(text: &str) -> Read {
    Ok(SlashAction::Goal(match text {
        "" | "status" => GoalRequest::Show,
        "pause" => GoalRequest::Pause,
        "resume" => GoalRequest::Resume,
        "clear" => GoalRequest::Clear,
        text => GoalRequest::Set(text.to_owned()),
    }))
}

pub(super) fn subgoal(text: &str) -> Read {
    required(text, "what has to be reached on the way")
        .map(|step| SlashAction::Goal(GoalRequest::AddStep(step)))
}

/// The days before today, as the command line takes them.
pub(super) fn insights(text: &str) -> Read {
    let days = match text {
        "" => return command_line("insights", &[], ""),
        days => days.trim_end_matches(['d', 'D']),
    };
    count(days)?;
    command_line("insights", &[], days)
}

//! The `hooks` section of the settings.
//!
//! One list per event, each entry with a `command` and perhaps a `matcher` and a `timeout`; see the
//! module above for an example. What cannot be used is left out or replaced by its default, and
//! named in a [`PluginSettingProblem`] with its place; one bad entry never costs the others, and nothing is ever
//! dropped in silence. Whether a command may run is not decided here, nor is it looked for: settings
//! may be read, listed and checked on a machine that has none of the programs.

use std::time::Duration;

use hermes_runtime::hooks::HookEvent;
use hermes_tool::Vars;
use hermes_tool::settings::scalar::as_f64;
use hermes_tool::settings::{Entries, KeyInfo, Kind, RawSetting, Seconds, SettingValue, Settings};
use serde_json::Value;

use super::ShellHook;
use super::matcher::Matcher;
use super::words::Words;
use crate::context_spill::OUTPUT_SPILL_KEY;
use crate::problem::PluginSettingProblem;

/// Time limit of a hook that names none, or none that can be used.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(60);
/// Shortest time limit; below it the default holds.
pub const MIN_TIMEOUT: Duration = Duration::from_secs(1);
/// Longest time limit.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(300);

/// Names this alike count as a likely slip of the fingers.
const CLOSE_ENOUGH: f64 = 0.7;

/// The hooks in the settings.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadConfig {
    /// Those that can be used, in the order they are written.
    pub hooks: Vec<ShellHook>,
    /// What was left out or changed.
    pub problems: Vec<PluginSettingProblem>,
}

/// What is written about hooks.
#[derive(Settings)]
struct HookKeys {
    /// Commands to run on events.
    hooks: RawSetting<HookTable>,
}

/// Lists of hooks by event. The events are spelt out, so that a misspelt one is noticed.
struct HookTable;

impl SettingValue for HookTable {
    const KIND: Kind = Kind::Map;

    fn from_config(_: &Value) -> Option<Self> {
        Some(Self)
    }

    fn to_config(&self) -> String {
        String::new()
    }

    fn keys_below(path: &str) -> Vec<KeyInfo> {
        let of_event = |(at, event): (usize, &HookEvent)| {
            let path = format!("{path}.{event}");
            let below = Entries::<HookSection>::keys_below(&path).into_iter();
            let event = KeyInfo {
                path,
                kind: Kind::List,
                default: String::new(),
                about: "Commands for this event",
                variable: None,
                hidden: false,
            };
            // What stands in a list is the same for all, and said once.
            let below = below.map(move |key| if at == 0 { key } else { key.hidden() });
            std::iter::once(event).chain(below).collect::<Vec<_>>()
        };
        HookEvent::ALL.iter().enumerate().flat_map(of_event).collect()
    }
}

/// One hook as it is written.
#[derive(Settings)]
#[settings(manual, about = "One command for the event")]
struct HookSection {
    /// What is run: a program with its arguments, no shell.
    command: RawSetting<String>,
    /// Only for tools whose names this regular expression matches.
    matcher: RawSetting<String>,
    /// How long it may take, in seconds; from 1 to 300, 60 if unset.
    timeout: RawSetting<Seconds>,
}

/// Reads `hooks` of a configuration; without it there are none.
#[must_use]
pub fn read_config(config: &Value) -> ReadConfig {
    let mut read = ReadConfig::default();
    match &HookKeys::read(config, &Vars::default()).hooks.0 {
        Value::Null => {}
        Value::Object(events) => {
            for (name, entries) in events.iter().filter(|(name, _)| *name != OUTPUT_SPILL_KEY) {
                read.event(name, entries);
            }
        }
        other => read.problem(
            "hooks",
            format!("must map events to lists of hooks, not be {}; ignored", kind(other)),
        ),
    }
    read
}

impl ReadConfig {
    fn problem(&mut self, place: impl Into<String>, message: impl Into<String>) {
        self.problems.push(PluginSettingProblem::new(place, message));
    }

    fn event(&mut self, name: &str, entries: &Value) {
        let place = format!("hooks.{name}");
        let Some(event) = HookEvent::from_name(name) else {
            let hint = closest(name).map(|near| format!("; did you mean {near}?"));
            return self.problem(
                place,
                format!(
                    "there is no such event, its hooks are skipped{}",
                    hint.unwrap_or_default()
                ),
            );
        };
        match entries {
            Value::Null => {}
            Value::Array(entries) => {
                for (index, entry) in entries.iter().enumerate() {
                    self.entry(event, &format!("{place}[{index}]"), entry);
                }
            }
            other => self
                .problem(place, format!("must be a list of hooks, not {}; skipped", kind(other))),
        }
    }

    fn entry(&mut self, event: HookEvent, place: &str, entry: &Value) {
        let Value::Object(fields) = entry else {
            let message = format!("must have a `command`, but is {}; skipped", kind(entry));
            return self.problem(place, message);
        };
        let written = HookSection::read(entry, &Vars::default());
        let command = match command(&written.command.0) {
            Ok(command) => command,
            Err(why) => return self.problem(format!("{place}.command"), format!("{why}; skipped")),
        };
        let Ok(matcher) = self.matcher(event, place, &written.matcher.0) else { return };
        let timeout = self.timeout(place, &written.timeout.0);
        if let Some(operator) =
            Words::split(command, None).ok().as_ref().and_then(Words::shell_operator)
        {
            let message = format!(
                "`{operator}` is handed to the program as it is, because no shell runs the command; \
                 if one should, write sh -c '…'"
            );
            self.problem(format!("{place}.command"), message);
        }
        let known = HookSection::keys();
        for key in fields.keys() {
            if known.iter().all(|known| known.path != *key) {
                self.problem(format!("{place}.{key}"), "hooks have no such setting; ignored");
            }
        }
        self.hooks.push(ShellHook { event, command: command.to_owned(), matcher, timeout });
    }

    /// `Err` when the entry cannot be used: leaving the matcher out would run the hook for tools it
    /// was not written for.
    fn matcher(
        &mut self,
        event: HookEvent,
        place: &str,
        value: &Value,
    ) -> Result<Option<Matcher>, ()> {
        let place = format!("{place}.matcher");
        let text = match value {
            Value::Null => return Ok(None),
            _ if !event.is_about_a_tool() => {
                self.problem(place, format!("{event} is not about a tool; ignored"));
                return Ok(None);
            }
            Value::String(text) => text.trim(),
            other => {
                self.problem(place, format!("must be text, not {}; hook skipped", kind(other)));
                return Err(());
            }
        };
        if text.is_empty() {
            return Ok(None);
        }
        let matcher = Matcher::new(text);
        if matcher.is_literal() {
            let message = format!(
                "{text:?} is no regular expression; it matches only a tool of exactly that name"
            );
            self.problem(place, message);
        }
        Ok(Some(matcher))
    }

    fn timeout(&mut self, place: &str, value: &Value) -> Duration {
        if value.is_null() {
            return DEFAULT_TIMEOUT;
        }
        let seconds = as_f64(value);
        let place = format!("{place}.timeout");
        let usable = seconds.filter(|seconds| *seconds >= MIN_TIMEOUT.as_secs_f64());
        let Some(seconds) = usable else {
            let message = format!(
                "must be a number of seconds from {} to {}; {} is used",
                MIN_TIMEOUT.as_secs(),
                MAX_TIMEOUT.as_secs(),
                DEFAULT_TIMEOUT.as_secs()
            );
            self.problem(place, message);
            return DEFAULT_TIMEOUT;
        };
        // Too large for a duration is also larger than the longest.
        let timeout = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        if timeout > MAX_TIMEOUT {
            let message = format!("no hook may take longer than {} seconds", MAX_TIMEOUT.as_secs());
            self.problem(place, message);
        }
        timeout.min(MAX_TIMEOUT)
    }
}

fn command(written: &Value) -> Result<&str, String> {
    match written {
        Value::Null => Err("is missing".to_owned()),
        Value::String(text) => match Words::split(text, None) {
            Ok(_) => Ok(text.trim()),
            Err(why) => Err(why.to_string()),
        },
        other => Err(format!("must be text, not {}", kind(other))),
    }
}

/// The known key most like this one.
fn closest(name: &str) -> Option<&'static str> {
    let wanted = name.trim().to_lowercase().replace(['-', ' '], "_");
    let events = HookEvent::ALL.iter().map(|event| event.name());
    let (likeness, near) = events
        .chain([OUTPUT_SPILL_KEY])
        .map(|known| (strsim::normalized_damerau_levenshtein(&wanted, known), known))
        .max_by(|(one, _), (two, _)| one.total_cmp(two))?;
    (likeness >= CLOSE_ENOUGH).then_some(near)
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "empty",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn one(entry: &Value) -> (Option<ShellHook>, Vec<String>) {
        let read = read_config(&json!({"hooks": {"pre_tool_call": [entry]}}));
        assert!(read.hooks.len() <= 1);
        (
            read.hooks.into_iter().next(),
            read.problems.iter().map(PluginSettingProblem::to_string).collect(),
        )
    }

    #[test]
    fn reads_hooks_in_order() {
        let read = read_config(&json!({"hooks": {
            "post_tool_call": [{"command": " fmt.sh ", "matcher": " write_file ", "timeout": 5}],
            "output_spill": {"enabled": false},
            "pre_tool_call": [{"command": "a"}, {"command": "b", "matcher": " "}],
        }}));
        assert_eq!(read.problems, []);
        let [fmt, a, b] = &read.hooks[..] else { panic!("{:?}", read.hooks) };
        assert_eq!(fmt.command, "fmt.sh");
        assert_eq!(fmt.matcher.as_ref().unwrap().source(), "write_file");
        assert_eq!(fmt.timeout, Duration::from_secs(5));
        assert_eq!((a.event, a.timeout), (HookEvent::PreToolCall, DEFAULT_TIMEOUT));
        assert_eq!((b.command.as_str(), &b.matcher), ("b", &None));
    }

    #[test]
    fn a_missing_section_has_no_hooks_and_no_problems() {
        assert_eq!(read_config(&Value::Null), ReadConfig::default());
        assert_eq!(read_config(&json!({"hooks": {"pre_verify": null}})), ReadConfig::default());
        assert_eq!(read_config(&json!({"hooks": "x"})).problems.len(), 1);
    }

    #[test]
    fn an_unknown_event_is_skipped_with_a_hint() {
        let read = read_config(&json!({"hooks": {
            "pre_tool_calls": [{"command": "a"}],
            "output-spil": {},
            "zebra": [],
            "post_tool_call": [{"command": "b"}],
        }}));
        assert_eq!(read.hooks.len(), 1);
        let messages: Vec<_> = read.problems.iter().map(PluginSettingProblem::to_string).collect();
        assert!(messages[0].starts_with("hooks.pre_tool_calls: "), "{messages:?}");
        assert!(messages[0].ends_with("did you mean pre_tool_call?"), "{messages:?}");
        assert!(messages[1].ends_with("did you mean output_spill?"), "{messages:?}");
        assert!(!messages[2].contains("did you mean"), "{messages:?}");
    }

    #[test]
    fn malformed_entries_are_skipped_and_their_neighbours_kept() {
        let read = read_config(&json!({"hooks": {
            "pre_tool_call": [
                "run.sh", {}, {"command": 5}, {"command": "  "}, {"command": "x 'y"},
                {"command": "ok", "matcher": ["terminal"]}, {"command": "good"},
            ],
            "post_tool_call": {"command": "not in a list"},
        }}));
        assert_eq!(read.hooks, [ShellHook::new(HookEvent::PreToolCall, "good")]);
        assert_eq!(read.problems.len(), 7);
        let places: Vec<_> = read.problems.iter().map(|problem| problem.place.as_str()).collect();
        assert_eq!(places[0], "hooks.pre_tool_call[0]");
        assert_eq!(places[4], "hooks.pre_tool_call[4].command");
        assert_eq!(places[5], "hooks.pre_tool_call[5].matcher");
        assert_eq!(places[6], "hooks.post_tool_call");
    }

    #[test]
    fn time_limits_stay_within_bounds() {
        for (given, seconds, problems) in [
            (json!(1), 1.0, 0),
            (json!(2.5), 2.5, 0),
            (json!("30"), 30.0, 0),
            (json!(300), 300.0, 0),
            (json!(301), 300.0, 1),
            (json!(1e300), 300.0, 1),
            (json!(0), 60.0, 1),
            (json!(0.9), 60.0, 1),
            (json!(-5), 60.0, 1),
            (json!("soon"), 60.0, 1),
            (json!("inf"), 60.0, 1),
            (json!(true), 60.0, 1),
            (json!(null), 60.0, 0),
        ] {
            let (hook, said) = one(&json!({"command": "a", "timeout": given}));
            assert_eq!(hook.unwrap().timeout, Duration::from_secs_f64(seconds), "{given}");
            assert_eq!(said.len(), problems, "{given}: {said:?}");
        }
    }

    #[test]
    fn a_matcher_away_from_tools_is_ignored_with_a_word() {
        let read =
            read_config(&json!({"hooks": {"pre_llm_call": [{"command": "a", "matcher": "x"}]}}));
        assert_eq!(read.hooks[0].matcher, None);
        assert_eq!(read.problems[0].place, "hooks.pre_llm_call[0].matcher");
    }

    #[test]
    fn doubtful_settings_are_pointed_out_and_kept() {
        let (hook, said) = one(&json!({"command": "a | b", "matcher": "x(", "tiemout": 3}));
        let hook = hook.unwrap();
        assert_eq!(hook.command, "a | b");
        assert!(hook.matcher.unwrap().matches("x("));
        assert_eq!(said.len(), 3, "{said:?}");
    }
}

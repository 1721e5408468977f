//! Ready-made jobs with a few things left open.
//!
//! A blueprint is a schedule and a prompt with slots in braces. [`fill`] puts values in; what is unknown, wrong or
//! missing is said with the name of the slot.

use std::fmt;

use crate::error::CronError;
use crate::store::JobDraft;

/// Longest text somebody puts into a slot, in characters.
const SLOT_CHARS: usize = 500;

/// What may be put into a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SlotKind {
    /// `HH:MM`; the schedule gets `{minute} {hour}`.
    Time,
    /// `everyday`, `weekdays`, `weekends`, or a day.
    Weekdays,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Any text.
    Text,
}

/// Something a blueprint leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlueprintSlot {
    /// By which it is given: `name=value`.
    pub name: &'static str,
    /// What may be put in.
    pub kind: SlotKind,
    /// What counts if nothing is; without it something must be.
    pub default: Option<&'static str>,
}

impl fmt::Display for BlueprintSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.default.unwrap_or("…"))
    }
}

/// A ready-made job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobBlueprint {
    /// By which it is asked for.
    pub name: &'static str,
    /// A line for lists: what the job would do for whom.
    pub about: &'static str,
    /// When it runs; `{time}` and `{days}` are slots.
    pub schedule: &'static str,
    /// What the agent is asked.
    pub prompt: &'static str,
    /// What it leaves open.
    pub slots: &'static [BlueprintSlot],
}

const fn time(default: &'static str) -> BlueprintSlot {
    BlueprintSlot { name: "time", kind: SlotKind::Time, default: Some(default) }
}

const fn days(default: &'static str) -> BlueprintSlot {
    BlueprintSlot { name: "days", kind: SlotKind::Weekdays, default: Some(default) }
}

const fn text(name: &'static str, default: Option<&'static str>) -> BlueprintSlot {
    BlueprintSlot { name, kind: SlotKind::Text, default }
}

const LENGTHS: SlotKind = SlotKind::OneOf(&["short", "medium", "long"]);
const LENGTH: BlueprintSlot =
    BlueprintSlot { name: "length", kind: LENGTHS, default: Some("short") };

/// All ready-made jobs.
pub const BLUEPRINTS: &[JobBlueprint] = &[
    JobBlueprint {
        name: "morning-brief",
        about: "What the day brings",
        schedule: "{time} * * *",
        prompt: "Give me a {length} overview of the day: weather, appointments and open tasks you can find, and one thing \
                 worth beginning with. Topics I care about: {topics}.",
        slots: &[time("08:00"), LENGTH, text("topics", Some("whatever is at hand"))],
    },
    JobBlueprint {
        name: "important-mail",
        about: "Mail that cannot wait",
        schedule: "*/30 * * * *",
        prompt: "Look through mail that arrived since the last look. Tell me only of messages that need me today: who \
                 writes, what they want, by when. Otherwise stay silent.",
        slots: &[],
    },
    JobBlueprint {
        name: "weekly-review",
        about: "A look back at the week",
        schedule: "{time} * * {days}",
        prompt: "Look back at the week: what was finished, what is stuck and why, what should come first next week. Ask \
                 nothing; use what past sessions and files show.",
        slots: &[time("18:00"), days("sunday")],
    },
    JobBlueprint {
        name: "workday-start",
        about: "A plan for the working day",
        schedule: "{time} * * 1-5",
        prompt: "Plan my working day: open reviews, failing checks and deadlines you can find, in the order I should take \
                 them. Project: {project}.",
        slots: &[time("09:00"), text("project", Some("the current one"))],
    },
    JobBlueprint {
        name: "custom-reminder",
        about: "Remind me of something",
        schedule: "{time} * * {days}",
        prompt: "Remind me, in one friendly sentence: {reminder}",
        slots: &[time("14:00"), days("everyday"), text("reminder", None)],
    },
    JobBlueprint {
        name: "evening-winddown",
        about: "The end of the day",
        schedule: "{time} * * *",
        prompt: "Help me close the day: what got done, what can wait until tomorrow, and one calm thought to end with.",
        slots: &[time("21:00")],
    },
    JobBlueprint {
        name: "news-digest",
        about: "News on a subject",
        schedule: "{time} * * {days}",
        prompt: "Collect what is new about {topic} since yesterday. A {length} digest with a link for each item; leave out \
                 what I was told before.",
        slots: &[time("18:00"), days("weekdays"), text("topic", None), LENGTH],
    },
    JobBlueprint {
        name: "bill-renewal-watch",
        about: "Payments and renewals ahead",
        schedule: "{time} * * *",
        prompt: "Look for bills, renewals and trials that end within a week, in mail and files you can read. List amount, \
                 date and how to cancel; stay silent if there are none.",
        slots: &[time("10:00")],
    },
    JobBlueprint {
        name: "habit-checkin",
        about: "How a habit is going",
        schedule: "{time} * * *",
        prompt: "Ask me in one line how it went today with: {habit}. Mention the streak if you know it.",
        slots: &[time("20:00"), text("habit", None)],
    },
    JobBlueprint {
        name: "hydration-move",
        about: "Drink and move during work",
        schedule: "0 9-17/1 * * 1-5",
        prompt: "One short line: time to drink some water and to stand up for a minute. Vary the words.",
        slots: &[],
    },
    JobBlueprint {
        name: "meal-plan",
        about: "Meals for the week",
        schedule: "{time} * * {days}",
        prompt: "Plan the dinners of the coming week with a list of what to buy. Mind: {diet}.",
        slots: &[time("17:00"), days("sunday"), text("diet", Some("nothing in particular"))],
    },
    JobBlueprint {
        name: "learn-daily",
        about: "A little lesson",
        schedule: "{time} * * {days}",
        prompt: "Teach me one small thing about {subject}, building on earlier lessons, with one question at the end.",
        slots: &[time("08:30"), days("weekdays"), text("subject", None)],
    },
    JobBlueprint {
        name: "gratitude-journal",
        about: "Something to be glad about",
        schedule: "{time} * * *",
        prompt: "Invite me in one line to write down something I am glad about today.",
        slots: &[time("21:30")],
    },
    JobBlueprint {
        name: "on-this-day",
        about: "What happened on this date",
        schedule: "{time} * * *",
        prompt: "Tell me of one event that happened on this date in history, in three sentences, and why it still matters.",
        slots: &[time("07:30")],
    },
];

/// The job of a blueprint with these values, each `slot=value`.
///
/// # Errors
/// When there is no such blueprint or slot, or a value is wrong or missing.
pub fn fill(name: &str, values: &[String]) -> Result<JobDraft, CronError> {
    let bad = |text: String| CronError::BadJob(text);
    let Some(blueprint) = BLUEPRINTS.iter().find(|known| known.name == name) else {
        let names: Vec<&str> = BLUEPRINTS.iter().map(|known| known.name).collect();
        return Err(bad(format!(
            "no ready-made job is called `{name}`; there are {}",
            names.join(", ")
        )));
    };
    let mut given = Vec::new();
    for value in values {
        let slot = value.split_once('=').map(|(slot, value)| (slot.trim(), value.trim()));
        let known = |slot: &str| blueprint.slots.iter().any(|known| known.name == slot);
        match slot {
            Some((slot, value)) if known(slot) => given.push((slot, value)),
            _ => {
                let slots: Vec<String> = blueprint.slots.iter().map(ToString::to_string).collect();
                let there = if slots.is_empty() { "none".to_owned() } else { slots.join(" ") };
                return Err(bad(format!("`{value}` is no slot of {name}; it has {there}")));
            }
        }
    }
    let (mut schedule, mut prompt) = (blueprint.schedule.to_owned(), blueprint.prompt.to_owned());
    for slot in blueprint.slots {
        let value =
            given.iter().rev().find(|(name, _)| *name == slot.name).map(|(_, value)| *value);
        let Some(value) = value.or(slot.default).filter(|value| !value.is_empty()) else {
            return Err(bad(format!("{name} needs `{}=…`", slot.name)));
        };
        let value = slot.kind.read(value).ok_or_else(|| {
            bad(format!("`{value}` cannot be `{}` of {name}: {}", slot.name, slot.kind.hint()))
        })?;
        let place = format!("{{{}}}", slot.name);
        schedule = schedule.replace(&place, &value);
        prompt = prompt.replace(&place, &value);
    }
    Ok(JobDraft {
        schedule: Some(schedule),
        prompt: Some(prompt),
        name: Some(blueprint.name.to_owned()),
        ..JobDraft::default()
    })
}

impl SlotKind {
    fn read(self, value: &str) -> Option<String> {
        match self {
            Self::Time => {
                let (hour, minute) = value.split_once(':')?;
                let number = |text: &str, most: u8| {
                    let is_plain = matches!(text.len(), 1..=2)
                        && text.bytes().all(|byte| byte.is_ascii_digit());
                    text.parse::<u8>().ok().filter(|number| is_plain && *number <= most)
                };
                Some(format!("{} {}", number(minute, 59)?, number(hour, 23)?))
            }
            Self::Weekdays => Some(
                match value.to_ascii_lowercase().as_str() {
                    "everyday" | "daily" => "*",
                    "weekdays" => "1-5",
                    "weekends" => "0,6",
                    "sunday" => "0",
                    "monday" => "1",
                    "tuesday" => "2",
                    "wednesday" => "3",
                    "thursday" => "4",
                    "friday" => "5",
                    "saturday" => "6",
                    _ => return None,
                }
                .to_owned(),
            ),
            Self::OneOf(words) => words
                .iter()
                .find(|word| word.eq_ignore_ascii_case(value))
                .map(|word| (*word).to_owned()),
            Self::Text => (value.chars().count() <= SLOT_CHARS).then(|| value.to_owned()),
        }
    }

    fn hint(self) -> String {
        match self {
            Self::Time => "a time such as 08:00".to_owned(),
            Self::Weekdays => "everyday, weekdays, weekends, or a day such as monday".to_owned(),
            Self::OneOf(words) => words.join(", "),
            Self::Text => format!("at most {SLOT_CHARS} characters"),
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use jiff::tz::TimeZone;

    use super::*;
    use crate::schedule::Schedule;

    fn filled(name: &str, values: &[&str]) -> Result<JobDraft, String> {
        let values: Vec<String> = values.iter().map(|value| (*value).to_owned()).collect();
        fill(name, &values).map_err(|problem| problem.to_string())
    }

    #[test]
    fn every_blueprint_becomes_a_job() {
        for blueprint in BLUEPRINTS {
            let missing = blueprint.slots.iter().filter(|slot| slot.default.is_none());
            let values: Vec<String> = missing.map(|slot| format!("{}=x", slot.name)).collect();
            let draft = fill(blueprint.name, &values).unwrap();
            let schedule = draft.schedule.unwrap();
            Schedule::parse(&schedule, Timestamp::now(), &TimeZone::UTC).unwrap();
            let prompt = draft.prompt.unwrap();
            assert!(!prompt.contains('{') && !schedule.contains('{'), "{prompt}");
            crate::store::check_prompt(&prompt).unwrap();
        }
    }

    #[test]
    fn times_and_days_reach_the_schedule() {
        let draft = filled("weekly-review", &["time=07:05", "days=weekends"]).unwrap();
        assert_eq!(draft.schedule.as_deref(), Some("5 7 * * 0,6"));
        assert_eq!(filled("weekly-review", &[]).unwrap().schedule.as_deref(), Some("0 18 * * 0"));
    }

    #[test]
    fn mistakes_name_the_slot() {
        for (values, slot) in [
            (&["time=25:00"][..], "time"),
            (&["time=8"], "time"),
            (&["days=noon"], "days"),
            (&["colour=red"], "colour"),
            (&["time"], "time"),
            (&[], "reminder"),
            (&["reminder="], "reminder"),
        ] {
            let problem = filled("custom-reminder", values).unwrap_err();
            assert!(problem.contains(slot), "{values:?}: {problem}");
        }
        assert!(filled("nothing", &[]).unwrap_err().contains("morning-brief"));
    }
}

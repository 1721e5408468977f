//! A job as `jobs.json` has it. Other programs read and write the same file, so fields that are not ours stay, and what they
//! leave open (`null`) is as good as absent: a job that cannot be read would never run again.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::schedule::{Schedule, ScheduleRecord, moment};

/// Longest name made from a prompt.
pub const JOB_NAME_CHARS: usize = 50;

/// How a job stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the words are those of the file")]
pub enum JobState {
    #[default]
    Scheduled,
    Paused,
    Completed,
    Error,
    /// A word of another program.
    #[serde(other)]
    Unknown,
}

impl JobState {
    /// The word in the file.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Scheduled => "scheduled",
            Self::Paused => "paused",
            Self::Completed => "completed",
            Self::Error => "error",
            Self::Unknown => "unknown",
        }
    }
}

/// How often a job runs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RepeatCount {
    /// So often in all; without end if it is not said.
    pub times: Option<u64>,
    /// So often until now.
    pub completed: u64,
    /// What other programs keep here.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The chat a job was made in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct JobOrigin {
    /// Such as `telegram`.
    pub platform: String,
    /// The chat there.
    pub chat_id: String,
    /// The topic or thread within the chat, where the platform has such.
    pub thread_id: Option<String>,
    /// What other programs keep here.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Something to be done at set times.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Job {
    /// Twelve hexadecimal digits.
    pub id: String,
    /// What people call it.
    #[serde(deserialize_with = "open_is_absent")]
    pub name: String,
    /// What the agent is asked.
    #[serde(deserialize_with = "open_is_absent")]
    pub prompt: String,
    /// Skills that are loaded for it.
    #[serde(deserialize_with = "names")]
    pub skills: Vec<String>,
    /// When it runs.
    pub schedule: ScheduleRecord,
    /// The same for people.
    #[serde(deserialize_with = "open_is_absent")]
    pub schedule_display: String,
    /// How often.
    #[serde(deserialize_with = "open_is_absent")]
    pub repeat: RepeatCount,
    /// Whether it runs at all.
    pub enabled: bool,
    /// How it stands.
    #[serde(deserialize_with = "open_is_absent")]
    pub state: JobState,
    /// When it was made.
    pub created_at: Option<String>,
    /// When it runs next.
    pub next_run_at: Option<String>,
    /// When it last ran.
    pub last_run_at: Option<String>,
    /// `ok` or `error`.
    pub last_status: Option<String>,
    /// Why it failed.
    pub last_error: Option<String>,
    /// Why what it said did not reach somebody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_delivery_error: Option<String>,
    /// Who hears of it.
    #[serde(deserialize_with = "open_is_absent")]
    pub deliver: String,
    /// The chat it was made in.
    pub origin: Option<JobOrigin>,
    /// The model, if not the configured one.
    pub model: Option<String>,
    /// Who serves it.
    pub provider: Option<String>,
    /// Where it is served.
    pub base_url: Option<String>,
    /// A program of the home's `scripts` whose output goes before the prompt.
    pub script: Option<String>,
    /// Whether that output is all, and no agent is asked.
    #[serde(deserialize_with = "open_is_absent")]
    pub no_agent: bool,
    /// Jobs whose last output goes before the prompt.
    #[serde(deserialize_with = "names")]
    pub context_from: Vec<String>,
    /// The toolsets it has, if not those of scheduled jobs.
    pub enabled_toolsets: Option<Vec<String>>,
    /// The folder it works in.
    pub workdir: Option<String>,
    /// What other programs keep here.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// A field that another program leaves open has its default.
fn open_is_absent<'a, D, T>(from: D) -> Result<T, D::Error>
where
    D: Deserializer<'a>,
    T: Deserialize<'a> + Default,
{
    Ok(Option::deserialize(from)?.unwrap_or_default())
}

/// One name, several, or none.
fn names<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Names {
        One(String),
        Several(Vec<String>),
    }
    Ok(match Option::deserialize(from)? {
        None => Vec::new(),
        Some(Names::One(name)) => vec![name],
        Some(Names::Several(names)) => names,
    })
}

impl Job {
    /// When it is due, as a moment; never if it does not run or the time cannot be read.
    #[must_use]
    pub fn due(&self, zone: &TimeZone) -> Option<Timestamp> {
        let runs = self.enabled && matches!(self.state, JobState::Scheduled | JobState::Error);
        runs.then(|| moment(self.next_run_at.as_deref()?, zone)).flatten()
    }

    /// What its schedule says, if that can be understood.
    #[must_use]
    pub fn when(&self, zone: &TimeZone) -> Option<Schedule> {
        self.schedule.schedule(zone)
    }

    /// Whether the run that begins now is the last.
    #[must_use]
    pub fn is_last_run(&self, zone: &TimeZone) -> bool {
        let is_once = self.when(zone).is_none_or(|schedule| schedule.is_once());
        is_once || self.repeat.times.is_some_and(|times| self.repeat.completed + 1 >= times)
    }

    /// The skills it names, also in the older form with a single one.
    #[must_use]
    pub fn named_skills(&self) -> Vec<&str> {
        let single = self.other.get("skill").and_then(Value::as_str);
        self.skills
            .iter()
            .map(String::as_str)
            .chain(single)
            .filter(|name| !name.is_empty())
            .collect()
    }

    /// A name made of what is asked.
    #[must_use]
    pub fn name_from(text: &str) -> String {
        let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("job").trim();
        line.chars().take(JOB_NAME_CHARS).collect::<String>().trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_of_others_stay_and_their_words_are_no_error() {
        let written = json!({"id": "a", "state": "sleeping", "theirs": [1], "repeat": {"times": null, "extra": 2},
            "schedule": {"kind": "interval", "minutes": 5, "hint": "x"}, "origin": {"platform": "t", "chat_id": "1", "user": "u"}});
        let job: Job = serde_json::from_value(written).unwrap();
        assert_eq!(job.state, JobState::Unknown);
        let again = serde_json::to_value(&job).unwrap();
        assert_eq!((&again["theirs"], &again["repeat"]["extra"]), (&json!([1]), &json!(2)));
        assert_eq!(
            (&again["schedule"]["hint"], &again["origin"]["user"]),
            (&json!("x"), &json!("u"))
        );
    }

    /// The whole record as the Python program writes it. It was once passed over because of one `null`, and with it every job
    /// of a home that moved here.
    #[test]
    fn a_job_of_the_python_program_is_a_job() {
        let written = json!({"id": "87e8a89055c4", "name": "morning", "prompt": "say hello", "skills": [], "skill": null,
            "model": null, "provider": null, "provider_snapshot": "custom", "model_snapshot": "scripted", "base_url": null,
            "script": null, "no_agent": false, "context_from": null,
            "schedule": {"kind": "cron", "expr": "0 9 * * *", "display": "0 9 * * *"}, "schedule_display": "0 9 * * *",
            "repeat": {"times": null, "completed": 0}, "enabled": true, "state": "scheduled", "paused_at": null,
            "paused_reason": null, "created_at": "2026-11-18T20:08:59.327189+00:00",
            "next_run_at": "2026-11-19T09:00:00+00:00", "last_run_at": null, "last_status": null, "last_error": null,
            "last_delivery_error": null, "deliver": "local", "origin": null, "enabled_toolsets": null, "workdir": null});
        let job: Job = serde_json::from_value(written.clone()).unwrap();
        assert!(job.context_from.is_empty() && job.due(&TimeZone::UTC).is_some());
        assert_eq!(serde_json::to_value(&job).unwrap()["model_snapshot"], "scripted");
        for open in [
            "name",
            "prompt",
            "skills",
            "repeat",
            "deliver",
            "schedule_display",
            "no_agent",
            "state",
        ] {
            let mut written = written.clone();
            written[open] = Value::Null;
            serde_json::from_value::<Job>(written).unwrap_or_else(|why| panic!("{open}: {why}"));
        }
        let mut single = written;
        single["context_from"] = json!("ee4c7c40250f");
        assert_eq!(serde_json::from_value::<Job>(single).unwrap().context_from, ["ee4c7c40250f"]);
    }

    #[test]
    fn names_are_the_first_line_and_not_long() {
        assert_eq!(Job::name_from("\n  Check the mail \nand more"), "Check the mail");
        assert_eq!(Job::name_from(&"é".repeat(80)).chars().count(), JOB_NAME_CHARS);
        assert_eq!(Job::name_from(""), "job");
    }

    #[test]
    fn only_jobs_that_run_are_due() {
        let mut job = Job {
            enabled: true,
            next_run_at: Some("2026-01-01T00:00:00Z".into()),
            ..Job::default()
        };
        assert!(job.due(&TimeZone::UTC).is_some());
        job.state = JobState::Paused;
        assert_eq!(job.due(&TimeZone::UTC), None);
        job = Job { enabled: false, state: JobState::Scheduled, ..job };
        assert_eq!(job.due(&TimeZone::UTC), None);
    }
}

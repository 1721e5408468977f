//! What a rollout is worth, and who says so.
//!
//! | written | who |
//! |---|---|
//! | `verify` | the check of the row: 1 if it passed, else 0 |
//! | `cmd:PROGRAM` | a program that reads the record on stdin and prints the reward |
//! | `http:URL` | a server that is sent the record and answers with it |
//! | `py:FILE` | the class of a Python environment |
//!
//! A reward is a number, or an object `{"reward": 0.5, "parts": {…}, "info": …}`. Everything else is trouble: an exit code
//! that is not zero, an answer that is none, a check that did not run, a number that is none. Trouble is never a reward.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hermes_llm::http::{Proxies, client};
use hermes_process::{Command, OutputMode};
use hermes_tool::Vars;
use serde_json::Value;

use crate::door::{RolloutTools, SOCKET_VARIABLE, ToolDoor};
use crate::python::PythonEnv;

/// Until there is a connection.
const CONNECT: Duration = Duration::from_secs(30);
/// What is shown of a program's complaint.
const SHOWN: usize = 500;
/// Variables of ours that a reward program gets.
const VARIABLES: [&str; 8] =
    ["HOME", "PATH", "LANG", "LC_ALL", "TMPDIR", "USER", "VIRTUAL_ENV", "PYTHONPATH"];

/// What a rollout is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Reward {
    /// The number that is trained on.
    pub reward: f64,
    /// What it is made of, for people.
    pub parts: Option<Value>,
    /// Anything else that was said about it.
    pub info: Option<Value>,
}

impl Reward {
    /// Reads what a source answered.
    ///
    /// # Errors
    /// If there is no finite number in it.
    pub fn of(answer: &Value) -> Result<Self, RewardError> {
        let reward = answer
            .as_f64()
            .or_else(|| answer["reward"].as_f64())
            .filter(|reward| reward.is_finite());
        let Some(reward) = reward else {
            let shown: String = answer.to_string().chars().take(SHOWN).collect();
            return Err(RewardError(format!(
                "{shown} is no reward; it is a number or {{\"reward\": 0.5, \"parts\": {{…}}, \"info\": …}}"
            )));
        };
        let field = |name: &str| answer.get(name).filter(|value| !value.is_null()).cloned();
        Ok(Self { reward, parts: field("parts"), info: field("info") })
    }
}

/// A reward could not be had. That says nothing about the rollout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no reward: {0}")]
pub struct RewardError(pub String);

/// What a source is asked about.
pub struct RewardRequest<'a> {
    /// The record of the rollout.
    pub record: &'a Value,
    /// The row or item it began with.
    pub item: &'a Value,
    /// Whether the row's check passed, if it has one that ran.
    pub passed: Option<bool>,
    /// Tools in the rollout's sandbox.
    pub tools: Arc<dyn RolloutTools>,
}

/// Who says what rollouts are worth.
#[derive(Clone)]
pub enum RewardSource {
    /// The check of the row.
    Verify,
    /// A program, run by a shell.
    Command {
        /// Its command line.
        line: String,
        /// How long it may take.
        limit: Duration,
    },
    /// A server.
    Http {
        /// Where records are posted.
        url: String,
        /// The way there.
        http: reqwest::Client,
        /// How long an answer may take.
        limit: Duration,
    },
    /// A Python environment.
    Python(Arc<PythonEnv>),
}

impl RewardSource {
    /// The source of a word, unless it is a Python environment: that has to be started, see [`Self::python_file`].
    ///
    /// # Errors
    /// If the word is none.
    pub fn of_word(word: &str, limit: Duration, vars: &Vars) -> Result<Self, String> {
        if word == "verify" {
            return Ok(Self::Verify);
        }
        if let Some(line) = word.strip_prefix("cmd:").filter(|line| !line.trim().is_empty()) {
            return Ok(Self::Command { line: line.to_owned(), limit });
        }
        // `http:URL`, or the address alone.
        let url =
            word.strip_prefix("http:").filter(|rest| rest.starts_with("http")).unwrap_or(word);
        if url.starts_with("http://") || url.starts_with("https://") {
            let proxies = Proxies::from_vars(&|name| vars.get(name).map(str::to_owned));
            let http = client(url, CONNECT, &proxies).map_err(|error| format!("{url}: {error}"))?;
            return Ok(Self::Http { url: url.to_owned(), http, limit });
        }
        Err(format!("`{word}` is no source of rewards: verify, cmd:PROGRAM, http:URL or py:FILE"))
    }

    /// The file of a Python environment, if the word names one.
    #[must_use]
    pub fn python_file(word: &str) -> Option<PathBuf> {
        word.strip_prefix("py:").filter(|file| !file.is_empty()).map(PathBuf::from)
    }

    /// What a rollout is worth.
    ///
    /// # Errors
    /// If that cannot be found out, for any reason.
    pub async fn judge(&self, asked: RewardRequest<'_>) -> Result<Reward, RewardError> {
        match self {
            Self::Verify => match asked.passed {
                Some(passed) => {
                    Ok(Reward { reward: f64::from(u8::from(passed)), parts: None, info: None })
                }
                None => Err(RewardError(
                    "the row has no check that ran; give it `verify`, or choose another --reward"
                        .to_owned(),
                )),
            },
            Self::Command { line, limit } => by_program(line, *limit, asked).await,
            Self::Http { url, http, limit } => by_server(url, http, *limit, asked.record).await,
            Self::Python(env) => {
                let answer =
                    env.reward(asked.item, asked.record, asked.tools).await.map_err(RewardError)?;
                Reward::of(&answer)
            }
        }
    }
}

async fn by_program(
    line: &str,
    limit: Duration,
    asked: RewardRequest<'_>,
) -> Result<Reward, RewardError> {
    let trouble = |why: &dyn std::fmt::Display| RewardError(format!("`{line}`: {why}"));
    let door = ToolDoor::open(asked.tools).map_err(|error| trouble(&error))?;
    let mut record = asked.record.to_string();
    record.push('\n');
    let ran = Command::new("/bin/sh")
        .args(["-c", line])
        .env_inherit(VARIABLES)
        .env(SOCKET_VARIABLE, door.path())
        .stdin_bytes(record)
        .output(OutputMode::Separate)
        .deadline(limit)
        .run()
        .await
        .map_err(|error| trouble(&error))?;
    let (said, complaint) = (ran.stdout.text(), ran.stderr.text());
    if !ran.success() {
        let complaint: String = complaint.trim().chars().take(SHOWN).collect();
        return Err(trouble(&format_args!("ended with {:?} {complaint}", ran.end)));
    }
    // Programs may say more before; the last line counts.
    let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let answer: Value = serde_json::from_str(last.trim())
        .map_err(|_| trouble(&format_args!("its last line is no JSON: {last:.200}")))?;
    Reward::of(&answer)
}

async fn by_server(
    url: &str,
    http: &reqwest::Client,
    limit: Duration,
    record: &Value,
) -> Result<Reward, RewardError> {
    let trouble = |why: &dyn std::fmt::Display| RewardError(format!("{url}: {why}"));
    let answer =
        http.post(url).timeout(limit).json(record).send().await.map_err(|error| trouble(&error))?;
    let status = answer.status();
    let text = answer.text().await.map_err(|error| trouble(&error))?;
    if !status.is_success() {
        return Err(trouble(&format_args!("answered {status}")));
    }
    let answer: Value =
        serde_json::from_str(&text).map_err(|_| trouble(&"the answer is no JSON"))?;
    Reward::of(&answer)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::door::tests::Echo;

    async fn judged(word: &str, passed: Option<bool>) -> Result<Reward, RewardError> {
        let source =
            RewardSource::of_word(word, Duration::from_secs(20), &Vars::default()).unwrap();
        let (record, item) = (json!({"id": "a", "api_calls": 3}), json!({}));
        source
            .judge(RewardRequest { record: &record, item: &item, passed, tools: Arc::new(Echo) })
            .await
    }

    #[test]
    fn a_reward_is_a_number_or_an_object_with_one() {
        assert_eq!(Reward::of(&json!(2)).unwrap().reward, 2.0);
        let whole =
            Reward::of(&json!({"reward": 0.5, "parts": {"style": 0.5}, "info": null})).unwrap();
        assert_eq!(
            (whole.reward, whole.parts, whole.info),
            (0.5, Some(json!({"style": 0.5})), None)
        );
        for wrong in [json!("1"), json!(null), json!({"score": 1}), json!(true), json!([1])] {
            assert!(Reward::of(&wrong).is_err(), "{wrong}");
        }
    }

    #[tokio::test]
    async fn a_check_is_worth_one_or_nothing_and_no_check_is_no_zero() {
        assert_eq!(judged("verify", Some(true)).await.unwrap().reward, 1.0);
        assert_eq!(judged("verify", Some(false)).await.unwrap().reward, 0.0);
        assert!(judged("verify", None).await.is_err());
    }

    #[tokio::test]
    async fn a_program_reads_the_record_and_its_last_line_counts() {
        let reward =
            judged("cmd:echo looking; grep -o '\"api_calls\":[0-9]*' | tr -dc 0-9", None).await;
        assert_eq!(reward.unwrap().reward, 3.0);
    }

    #[tokio::test]
    async fn a_program_that_fails_is_trouble_and_never_zero() {
        let failed = judged("cmd:echo 0; echo broken >&2; exit 3", None).await.unwrap_err();
        assert!(failed.0.contains("broken"), "{failed}");
        assert!(judged("cmd:echo nan", None).await.is_err());
        assert!(judged("cmd:true", None).await.is_err());
    }

    #[test]
    fn words_that_name_no_source_are_refused() {
        for word in ["", "cmd:", "ftp://x", "py", "verify "] {
            assert!(
                RewardSource::of_word(word, Duration::ZERO, &Vars::default()).is_err(),
                "{word}"
            );
        }
        assert_eq!(RewardSource::python_file("py:env.py"), Some(PathBuf::from("env.py")));
    }
}

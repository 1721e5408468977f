//! The trajectory API of Atropos: where environments leave scored groups and trainers fetch them.
//!
//! The server keeps everything in memory. One that was started again knows neither its trainer nor us, and would even
//! take groups nobody ever fetches; so it is asked for our number right before each post. A post that broke off may have
//! been taken or not, and is never repeated: a group too few is a loss, a group twice is a lie.

use std::io::Write as _;
use std::time::Duration;

use hermes_llm::http::{Proxies, client};
use hermes_tool::Vars;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Until there is a connection.
const CONNECT: Duration = Duration::from_secs(10);
/// How long a call may take.
const CALL: Duration = Duration::from_secs(60);
/// Bodies above this are packed.
const PACKED_ABOVE: usize = 64 << 10;

/// Why the API could not be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// Nothing was sent: nobody listens there.
    #[error("the trajectory API at {url} cannot be reached: {why}")]
    Unreachable {
        /// Its address.
        url: String,
        /// The system's words.
        why: String,
    },
    /// It broke off in the middle; what was sent may have arrived.
    #[error("the trajectory API at {url} broke off: {why}")]
    BrokeOff {
        /// Its address.
        url: String,
        /// What is known.
        why: String,
    },
    /// It answered, and not as it should.
    #[error("the trajectory API answered {status} to {call}: {said}")]
    Answered {
        /// The status.
        status: u16,
        /// What was asked.
        call: &'static str,
        /// The beginning of what it said.
        said: String,
    },
}

/// What an environment says of itself.
#[derive(Clone, Debug, Serialize)]
pub struct EnvRegistration {
    /// Longest sequence it gives.
    pub max_token_length: u32,
    /// What it would like to be called.
    pub desired_name: String,
    /// Its share among environments.
    pub weight: f64,
    /// Sequences in a group.
    pub group_size: u32,
}

/// What the API knows about an environment it has taken.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct EnvRegistered {
    /// Its number there.
    pub env_id: u64,
    /// What it is called there.
    #[serde(default)]
    pub wandb_name: String,
    /// The trainer's step at that moment.
    #[serde(default)]
    pub starting_step: i64,
    /// The trainer's last step; none or less than one is no end.
    #[serde(default)]
    pub num_steps: i64,
}

/// How far the trainer is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct TrainerStatus {
    /// How many batches it has trained on so far.
    #[serde(default)]
    pub current_step: i64,
    /// Groups that wait for it.
    #[serde(default)]
    pub queue_size: i64,
}

/// A group of rollouts of one item, as trainers take it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoredGroup {
    /// The sequences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tokens: Vec<Vec<u32>>,
    /// What is learnt of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<Vec<i64>>,
    /// The rewards.
    pub scores: Vec<f64>,
    /// How likely each token was when it was written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inference_logprobs: Vec<Vec<f64>>,
    /// The conversations.
    pub messages: Vec<Vec<Value>>,
    /// About single sequences: which rollout it is, how often it was cut.
    pub overrides: Vec<Value>,
    /// About the group: its id.
    pub group_overrides: Value,
    /// Who made it, as the API counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub env_id: Option<u64>,
}

impl ScoredGroup {
    /// Whether nothing can be learnt from it: every rollout was worth the same.
    #[must_use]
    pub fn is_alike(&self) -> bool {
        self.scores
            .windows(2)
            .all(|two| matches!(two, [one, other] if (one - other).abs() < f64::EPSILON))
    }
}

/// How a post ended that was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PostEnd {
    /// It waits for the trainer.
    Received,
    /// It waits for others, because it has another size than was said.
    Buffered,
}

/// A client of the API.
#[derive(Clone, Debug)]
pub struct TrajectoryApi {
    url: String,
    http: reqwest::Client,
}

impl TrajectoryApi {
    /// The API at this address.
    ///
    /// # Errors
    /// If no client can be made for it.
    pub fn new(url: &str, vars: &Vars) -> Result<Self, TrajectoryError> {
        let url = url.trim_end_matches('/').to_owned();
        let proxies = Proxies::from_vars(&|name| vars.get(name).map(str::to_owned));
        let http = client(&url, CONNECT, &proxies).map_err(|error| {
            TrajectoryError::Unreachable { url: url.clone(), why: error.to_string() }
        })?;
        Ok(Self { url, http })
    }

    /// Says who we are; none as long as no trainer has begun.
    ///
    /// # Errors
    /// If it cannot be reached, or refuses.
    pub async fn register(
        &self,
        who: &EnvRegistration,
    ) -> Result<Option<EnvRegistered>, TrajectoryError> {
        let answer =
            self.send("register-env", self.http.post(self.at("register-env")).json(who)).await?;
        if answer["status"] != "success" {
            return Ok(None);
        }
        let known = serde_json::from_value(answer.clone());
        known.map(Some).map_err(|_| TrajectoryError::Answered {
            status: 200,
            call: "register-env",
            said: brief(&answer.to_string()),
        })
    }

    /// How far the trainer is and how many of our groups wait; none if the API does not know us (any more).
    ///
    /// # Errors
    /// If it cannot be reached.
    pub async fn status(&self, env: u64) -> Result<Option<TrainerStatus>, TrajectoryError> {
        let request = self.http.get(self.at("status-env")).json(&json!({"env_id": env}));
        match self.send("status-env", request).await {
            Ok(answer) => Ok(serde_json::from_value(answer).ok()),
            // It looks the number up in a list it has no longer.
            Err(TrajectoryError::Answered { status: 400.., .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sequences in a batch of the trainer; none before it has registered.
    ///
    /// # Errors
    /// If it cannot be reached.
    pub async fn batch_size(&self) -> Result<Option<u64>, TrajectoryError> {
        let answer = self.send("info", self.http.get(self.at("info"))).await?;
        Ok(answer["batch_size"]
            .as_i64()
            .and_then(|size| u64::try_from(size).ok())
            .filter(|size| *size > 0))
    }

    /// Leaves a group.
    ///
    /// # Errors
    /// [`TrajectoryError::Unreachable`] if nothing was sent; anything else may mean that it was taken.
    pub async fn post(&self, group: &ScoredGroup) -> Result<PostEnd, TrajectoryError> {
        let body = serde_json::to_vec(group).unwrap_or_default();
        let mut request =
            self.http.post(self.at("scored_data")).header("content-type", "application/json");
        request = match packed(&body) {
            Some(packed) => request.header("content-encoding", "gzip").body(packed),
            None => request.body(body),
        };
        let answer = self.send("scored_data", request).await?;
        Ok(if answer["status"] == "buffered" { PostEnd::Buffered } else { PostEnd::Received })
    }

    /// Says that we are gone. Whoever is not there any more need not be told.
    pub async fn disconnect(&self, env: u64) {
        let request = self.http.post(self.at("disconnect-env")).json(&json!({"env_id": env}));
        if let Err(error) = self.send("disconnect-env", request).await {
            tracing::debug!(%error, "the trajectory API was not told that we are gone");
        }
    }

    fn at(&self, call: &str) -> String {
        format!("{}/{call}", self.url)
    }

    async fn send(
        &self,
        call: &'static str,
        request: reqwest::RequestBuilder,
    ) -> Result<Value, TrajectoryError> {
        let broke = |error: reqwest::Error| {
            let (url, why) = (self.url.clone(), error.to_string());
            match error.is_connect() {
                true => TrajectoryError::Unreachable { url, why },
                false => TrajectoryError::BrokeOff { url, why },
            }
        };
        let answer = request.timeout(CALL).send().await.map_err(broke)?;
        let status = answer.status().as_u16();
        let text = answer.text().await.map_err(broke)?;
        let read = serde_json::from_str(&text).ok().filter(|_| status < 300);
        read.ok_or_else(|| TrajectoryError::Answered { status, call, said: brief(&text) })
    }
}

fn brief(text: &str) -> String {
    text.chars().take(300).collect()
}

fn packed(body: &[u8]) -> Option<Vec<u8>> {
    if body.len() <= PACKED_ABOVE {
        return None;
    }
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packer.write_all(body).ok()?;
    packer.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_whose_rollouts_are_worth_the_same_teaches_nothing() {
        let group =
            |scores: &[f64]| ScoredGroup { scores: scores.to_vec(), ..ScoredGroup::default() };
        assert!(group(&[0.5, 0.5, 0.5]).is_alike() && group(&[1.0]).is_alike());
        assert!(!group(&[0.0, 0.0, 1.0]).is_alike());
    }

    #[test]
    fn long_bodies_are_packed() {
        assert_eq!(packed(b"short"), None);
        let long = vec![b'7'; PACKED_ABOVE + 1];
        let mut plain = Vec::new();
        let packed = packed(&long).unwrap();
        std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(&packed[..]), &mut plain)
            .unwrap();
        assert_eq!(plain, long);
    }

    #[tokio::test]
    async fn nobody_there_is_told_from_somebody_who_broke_off() {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", free.local_addr().unwrap());
        drop(free);
        let api = TrajectoryApi::new(&address, &Vars::default()).unwrap();
        let failed = api.post(&ScoredGroup::default()).await.unwrap_err();
        assert!(matches!(failed, TrajectoryError::Unreachable { .. }), "{failed}");
        let rude = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", rude.local_addr().unwrap());
        let hangs_up = std::thread::spawn(move || {
            let (mut stream, _) = rude.accept().unwrap();
            // The request has arrived; no answer is given.
            let _ = std::io::Read::read(&mut stream, &mut [0; 4096]).unwrap();
        });
        let api = TrajectoryApi::new(&address, &Vars::default()).unwrap();
        let failed = api.post(&ScoredGroup::default()).await.unwrap_err();
        assert!(matches!(failed, TrajectoryError::BrokeOff { .. }), "{failed}");
        hangs_up.join().unwrap();
    }
}

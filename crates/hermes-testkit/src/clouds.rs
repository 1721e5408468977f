//! Doubles of the clouds in which commands can run.
//!
//! They are programs in Python, beside this crate in `clouds/`: that of Modal is made of the vendor's own package, and all
//! are held to what the vendors' own libraries accept. Commands really run in them, in folders of this machine.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// Where the doubles are.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../hermes-testkit/clouds");

/// The vendors whose wire is played; each is held to what its own library accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DoubledCloud {
    /// Daytona, over REST.
    Daytona,
    /// Vercel Sandbox, over REST with lines of JSON.
    Vercel,
    /// Modal, over gRPC.
    Modal,
}

impl DoubledCloud {
    /// Its name as a backend.
    #[must_use]
    pub const fn backend(self) -> &'static str {
        match self {
            Self::Daytona => "daytona",
            Self::Vercel => "vercel_sandbox",
            Self::Modal => "modal",
        }
    }

    const fn file(self) -> &'static str {
        match self {
            Self::Daytona => "double_daytona.py",
            Self::Vercel => "double_vercel.py",
            Self::Modal => "double_modal.py",
        }
    }
}

/// A double that runs, with every sandbox in it gone when this is dropped, or when whoever started it is killed.
pub struct CloudDouble {
    cloud: DoubledCloud,
    url: String,
    child: Child,
    line: Mutex<(Option<ChildStdin>, BufReader<ChildStdout>)>,
}

impl CloudDouble {
    /// Starts one with the Python of the part `clouds`, whose folder is given. Further words are the seconds until a
    /// sandbox is ready and, for Modal, `older`.
    ///
    /// # Panics
    ///
    /// If it does not start.
    #[must_use]
    pub fn start(cloud: DoubledCloud, part: &str, words: &[&str]) -> Self {
        #[expect(clippy::disallowed_methods, reason = "nothing depends on another crate here")]
        let mut command = Command::new(format!("{part}/python/bin/python"));
        command.arg(format!("{FOLDER}/{}", cloud.file())).args(words);
        // What it leaves beside its files is for the next one.
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap_or_else(|error| {
                panic!("{part}: {error}; run scripts/test-parts/all start")
            });
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let mut output = BufReader::new(output.unwrap_or_else(|| panic!("it has no output")));
        let mut first = String::new();
        output.read_line(&mut first).unwrap_or_else(|error| panic!("{error}"));
        let first: Value =
            serde_json::from_str(&first).unwrap_or_else(|_| panic!("no double of {cloud:?}"));
        let url = first["url"].as_str().unwrap_or_default().to_owned();
        Self { cloud, url, child, line: Mutex::new((input, output)) }
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The variables by which it is found, and let in.
    #[must_use]
    pub fn variables(&self) -> Vec<(String, String)> {
        let pairs: &[(&str, &str)] = match self.cloud {
            DoubledCloud::Daytona => {
                &[("DAYTONA_API_KEY", "good-key"), ("DAYTONA_API_URL", &self.url)]
            }
            DoubledCloud::Vercel => &[
                ("VERCEL_TOKEN", "good-key"),
                ("VERCEL_TEAM_ID", "team"),
                ("VERCEL_PROJECT_ID", "prj"),
                ("VERCEL_API_URL", &self.url),
            ],
            DoubledCloud::Modal => &[
                ("MODAL_TOKEN_ID", "ak-good"),
                ("MODAL_TOKEN_SECRET", "good-key"),
                ("MODAL_SERVER_URL", &self.url),
            ],
        };
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    /// Gives it an order (`boxes.py` lists them) and returns what it answers.
    ///
    /// # Panics
    ///
    /// If it is gone.
    #[must_use]
    pub fn obey(&self, order: &str) -> Value {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let (input, output) = &mut *line;
        let told = input.as_mut().map(|input| input.write_all(format!("{order}\n").as_bytes()));
        let mut answer = String::new();
        let heard = output.read_line(&mut answer);
        assert!(matches!((told, &heard), (Some(Ok(())), Ok(1..))), "the double is gone");
        serde_json::from_str(&answer).unwrap_or_default()
    }

    /// The sandboxes that run, or are about to.
    #[must_use]
    pub fn running(&self) -> Vec<String> {
        let listed = self.obey("list");
        let boxes = listed.as_array().into_iter().flatten();
        let alive = boxes.filter(|one| !matches!(one["state"].as_str(), Some("stopped" | "gone")));
        alive.map(|one| one["id"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// What it was asked so far.
    #[must_use]
    pub fn asked(&self) -> Vec<String> {
        let log = self.obey("log");
        let lines = log.as_array().into_iter().flatten();
        lines.map(|line| line.as_str().unwrap_or_default().to_owned()).collect()
    }
}

impl Drop for CloudDouble {
    fn drop(&mut self) {
        self.line.lock().unwrap_or_else(PoisonError::into_inner).0 = None;
        let _ = self.child.wait();
    }
}

//! Who hears of a run beside the file in `cron/output`.
//!
//! A job names its targets in one text: `local` (the file is enough), `origin` (the chat it was made in), `all`, or a
//! platform with a place on it; commas separate several. Only what some [`DeliveryTarget`] answers for is accepted, when
//! a job is made as well as when it runs.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::error::CronError;
use crate::job::JobOrigin;

/// How long one delivery may take.
const DELIVERY_TIME: Duration = Duration::from_secs(60);

/// What the acts of a [`DeliveryTarget`] give; the error says in words why one did not work.
pub type DeliveryFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, String>> + Send + 'a>>;

/// A platform that can be written to.
pub trait DeliveryTarget: Send + Sync {
    /// Its name in targets, in lower case.
    fn platform(&self) -> &str;

    /// The chat that is meant where none is named, if one is set up.
    fn home_chat(&self) -> Option<String>;

    /// Whether what stands behind the platform's name can be a place there.
    ///
    /// # Errors
    /// Why not, in words.
    fn check(&self, place: &str) -> Result<(), String>;

    /// Writes the text to a place, in as many messages as it takes; gives the platform's id of the last.
    fn deliver<'a>(&'a self, place: &'a str, text: &'a str) -> DeliveryFuture<'a, String>;

    /// Puts a reaction on a message, or takes ours away.
    fn react<'a>(
        &'a self,
        _place: &'a str,
        _message: &'a str,
        _emoji: Option<&'a str>,
    ) -> DeliveryFuture<'a, ()> {
        Box::pin(std::future::ready(Err("messages cannot be reacted to there".to_owned())))
    }

    /// Places that people know by a name: the place, and the name.
    fn channels(&self) -> DeliveryFuture<'_, Vec<(String, String)>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}

/// One place a text goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    /// The file only.
    Local,
    /// A place on a platform.
    Chat {
        /// In lower case.
        platform: String,
        /// As the platform writes it.
        place: String,
    },
}

impl fmt::Display for Destination {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local => f.write_str("local"),
            Self::Chat { platform, place } => write!(f, "{platform}:{place}"),
        }
    }
}

/// All platforms that can be written to.
#[derive(Clone, Default)]
pub struct Deliveries {
    targets: Vec<Arc<dyn DeliveryTarget>>,
}

impl Deliveries {
    /// These platforms.
    #[must_use]
    pub fn new(targets: Vec<Arc<dyn DeliveryTarget>>) -> Self {
        Self { targets }
    }

    /// The places a text of targets means, each once.
    ///
    /// # Errors
    /// When one of them is none.
    pub fn destinations(
        &self,
        targets: &str,
        origin: Option<&JobOrigin>,
    ) -> Result<Vec<Destination>, CronError> {
        let mut all = Vec::new();
        for target in targets.split(',').map(str::trim).filter(|target| !target.is_empty()) {
            for found in self.one(target, origin)? {
                if !all.contains(&found) {
                    all.push(found);
                }
            }
        }
        if all.is_empty() {
            all.push(Destination::Local);
        }
        Ok(all)
    }

    fn one(&self, target: &str, origin: Option<&JobOrigin>) -> Result<Vec<Destination>, CronError> {
        let (platform, place) = target.split_once(':').unwrap_or((target, ""));
        let platform = platform.to_ascii_lowercase();
        let homes = self.targets.iter().filter_map(|target| {
            let place = target.home_chat()?;
            Some(Destination::Chat { platform: target.platform().to_owned(), place })
        });
        match (platform.as_str(), place) {
            ("local", "") => return Ok(vec![Destination::Local]),
            ("all", "") => return Ok(homes.collect()),
            ("origin", "") => {
                let chat =
                    origin.filter(|origin| self.target(&origin.platform).is_some()).map(|origin| {
                        let thread = origin.thread_id.as_ref().map(|thread| format!(":{thread}"));
                        let place = format!("{}{}", origin.chat_id, thread.unwrap_or_default());
                        Destination::Chat { platform: origin.platform.clone(), place }
                    });
                return Ok(chat.into_iter().chain(homes).take(1).collect());
            }
            _ => {}
        }
        let bad = |why: String| {
            CronError::BadJob(format!("nothing can be delivered to `{target}`: {why}"))
        };
        let Some(known) = self.target(&platform) else {
            let names: Vec<&str> = self.targets.iter().map(|target| target.platform()).collect();
            let others = if names.is_empty() {
                String::new()
            } else {
                format!(", `all`, {}", names.join(", "))
            };
            return Err(bad(format!(
                "no platform `{platform}` is set up; there is `local`, `origin`{others}"
            )));
        };
        let place = match place {
            "" => known.home_chat().ok_or_else(|| bad("it has no home chat; name one".into()))?,
            place => place.to_owned(),
        };
        known.check(&place).map_err(bad)?;
        Ok(vec![Destination::Chat { platform, place }])
    }

    /// Everything that can be written to, by name.
    #[must_use]
    pub fn targets(&self) -> &[Arc<dyn DeliveryTarget>] {
        &self.targets
    }

    /// What answers for a platform.
    #[must_use]
    pub fn target(&self, platform: &str) -> Option<&Arc<dyn DeliveryTarget>> {
        self.targets.iter().find(|target| target.platform() == platform)
    }

    /// Writes a text to a place on a platform; the id of its last message.
    ///
    /// # Errors
    /// Why it is not there, in words.
    pub async fn send(&self, platform: &str, place: &str, text: &str) -> Result<String, String> {
        let target = self.target(platform).ok_or("it is not set up any more")?;
        match tokio::time::timeout(DELIVERY_TIME, target.deliver(place, text)).await {
            Ok(sent) => sent,
            Err(_) => Err(format!("no answer within {}s", DELIVERY_TIME.as_secs())),
        }
    }

    /// Writes a text to all places; what did not work, in words.
    pub async fn deliver(&self, destinations: &[Destination], text: &str) -> Vec<String> {
        let mut problems = Vec::new();
        for destination in destinations {
            let Destination::Chat { platform, place } = destination else { continue };
            if let Err(problem) = self.send(platform, place, text).await {
                problems.push(format!("{platform}: {problem}"));
            }
        }
        problems
    }
}

impl fmt::Debug for Deliveries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.targets.iter().map(|target| target.platform())).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Default)]
    struct Board(Mutex<Vec<String>>);

    impl DeliveryTarget for Board {
        fn platform(&self) -> &str {
            "board"
        }

        fn home_chat(&self) -> Option<String> {
            Some("main".into())
        }

        fn check(&self, place: &str) -> Result<(), String> {
            if place.contains(' ') { Err("places have no blanks".into()) } else { Ok(()) }
        }

        fn deliver<'a>(&'a self, place: &'a str, text: &'a str) -> DeliveryFuture<'a, String> {
            self.0.lock().unwrap().push(format!("{place}: {text}"));
            Box::pin(std::future::ready(if place == "!gone:server" {
                Err("gone".into())
            } else {
                Ok("1".into())
            }))
        }
    }

    fn chat(place: &str) -> Destination {
        Destination::Chat { platform: "board".into(), place: place.into() }
    }

    #[test]
    fn targets_are_read_once_each_and_places_keep_their_colons() {
        let deliveries = Deliveries::new(vec![Arc::new(Board::default())]);
        let read =
            |text: &str| deliveries.destinations(text, None).map_err(|problem| problem.to_string());
        assert_eq!(
            read("local, Board:!Room:server ,board,ALL").unwrap(),
            [Destination::Local, chat("!Room:server"), chat("main")]
        );
        assert_eq!(read("").unwrap(), [Destination::Local]);
        assert_eq!(read("origin").unwrap(), [chat("main")], "the home chat stands in");
        assert!(read("nosuch:1").unwrap_err().contains("board"));
        assert!(read("board:a b").unwrap_err().contains("no blanks"));
        assert!(Deliveries::default().destinations("nosuch:1", None).is_err());
        assert_eq!(
            Deliveries::default().destinations("origin", None).unwrap(),
            [Destination::Local]
        );
        let origin = JobOrigin {
            platform: "board".into(),
            chat_id: "7".into(),
            thread_id: Some("2".into()),
            ..JobOrigin::default()
        };
        assert_eq!(deliveries.destinations("origin", Some(&origin)).unwrap(), [chat("7:2")]);
    }

    #[tokio::test]
    async fn what_did_not_arrive_is_said_and_the_rest_arrives() {
        let board = Arc::new(Board::default());
        let deliveries = Deliveries::new(vec![board.clone()]);
        let problems = deliveries
            .deliver(&[chat("!gone:server"), Destination::Local, chat("x")], "hello")
            .await;
        assert_eq!(problems, ["board: gone"]);
        assert_eq!(*board.0.lock().unwrap(), ["!gone:server: hello", "x: hello"]);
    }
}

//! fal's queue: a job is handed in, looked after, and fetched when it is done.

use std::time::Duration;

use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::service::{Service, ServiceError, ServiceReply};

/// Where it is.
pub(crate) const BASE: &str = "https://queue.fal.run";
/// Most bytes of an answer, which may hold a picture.
const MAX_ANSWER: usize = 80 << 20;
/// How often the queue is asked: soon at first, then not so often.
const PAUSES: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(300),
    Duration::from_millis(600),
    Duration::from_secs(1),
];

/// The queue, with the key of whoever is charged.
pub(crate) struct FalQueue {
    service: Service,
    key: String,
}

impl FalQueue {
    pub(crate) fn new(service: Service, key: String) -> Self {
        Self { service, key }
    }

    /// Runs a job of a model to its end, for at most so long.
    pub(crate) async fn run(
        &self,
        model: &str,
        body: &Value,
        time: Duration,
        cancel: &CancellationToken,
    ) -> Result<ServiceReply, ServiceError> {
        let service = || self.service.name().to_owned();
        tokio::select! {
            () = cancel.cancelled() => Err(ServiceError::Cancelled { service: service() }),
            done = tokio::time::timeout(time, self.done(model, body, cancel)) => done
                .unwrap_or_else(|_| Err(ServiceError::Timeout { service: service(), after: time })),
        }
    }

    async fn done(
        &self,
        model: &str,
        body: &Value,
        cancel: &CancellationToken,
    ) -> Result<ServiceReply, ServiceError> {
        let path = format!("/{}", model.trim_matches('/'));
        let call = self.service.post(&path)?.secret("authorization", "Key ", &self.key);
        let queued = call.header("x-idempotency-key", &once()).json(body).send(cancel).await?;
        let ticket = queued.json()?;
        let status = self.place(&queued, &ticket["status_url"])?;
        let result = self.place(&queued, &ticket["response_url"])?;
        let mut pauses = PAUSES.into_iter();
        loop {
            let now = self.look(&status, cancel).await?.json()?;
            match now["status"].as_str() {
                Some("COMPLETED") => return self.look(&result, cancel).await,
                Some("IN_QUEUE" | "IN_PROGRESS") => {}
                other => {
                    let words = format!("the job is {}", other.unwrap_or("in no known state"));
                    let service = self.service.name().to_owned();
                    return Err(ServiceError::Failed { service, words });
                }
            }
            tokio::time::sleep(pauses.next().unwrap_or(PAUSES[3])).await;
        }
    }

    /// The path of an address that the queue named. The key goes nowhere else than to the queue itself.
    fn place(&self, reply: &ServiceReply, address: &Value) -> Result<String, ServiceError> {
        let address = address.as_str().unwrap_or_default();
        let path = address.strip_prefix(self.service.base()).filter(|path| path.starts_with('/'));
        path.map(str::to_owned).ok_or_else(|| reply.unreadable("a job that lies elsewhere"))
    }

    async fn look(
        &self,
        path: &str,
        cancel: &CancellationToken,
    ) -> Result<ServiceReply, ServiceError> {
        let call = self.service.get(path)?.secret("authorization", "Key ", &self.key);
        call.bytes(MAX_ANSWER).send(cancel).await
    }
}

/// A name for one request, so that a repeated one is not charged twice.
fn once() -> String {
    let mut bytes = [0_u8; 16];
    // Without randomness two requests might share a name; there is no harm in that worth failing for.
    let _ = SystemRandom::new().fill(&mut bytes);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

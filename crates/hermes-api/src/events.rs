//! Events over one connection, told by a plain async function.

use std::convert::Infallible;
use std::time::Duration;

use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{FutureExt as _, StreamExt as _};
use serde_json::Value;
use tokio::sync::mpsc;

/// A sign of life on a silent stream, so that nothing in between gives up on it.
const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// Where a stream's events go. They wait for the reader, one at a time.
pub(crate) struct EventWriter(mpsc::Sender<Event>);

/// The reader is gone.
pub(crate) struct ReaderGone;

impl EventWriter {
    /// Data without a name.
    pub(crate) async fn data(&self, value: &Value) -> Result<(), ReaderGone> {
        self.send(Event::default().data(value.to_string())).await
    }

    /// Data under a name.
    pub(crate) async fn named(&self, name: &str, value: &Value) -> Result<(), ReaderGone> {
        self.send(Event::default().event(name).data(value.to_string())).await
    }

    /// Any event.
    pub(crate) async fn send(&self, event: Event) -> Result<(), ReaderGone> {
        self.0.send(event).await.map_err(|_| ReaderGone)
    }
}

/// An answer of events. What tells them is part of the answer: when the client goes away the server drops it in the
/// middle of whatever it waits for, and with it all that it holds.
pub(crate) fn stream<F>(tell: impl FnOnce(EventWriter) -> F) -> Response
where
    F: Future<Output = Result<(), ReaderGone>> + Send + 'static,
{
    let (sender, receiver) = mpsc::channel(1);
    let told = futures_util::stream::unfold(receiver, |mut receiver| async move {
        let event: Event = receiver.recv().await?;
        Some((Ok::<_, Infallible>(event), receiver))
    });
    let telling = tell(EventWriter(sender)).into_stream().filter_map(|_| async { None });
    let both = futures_util::stream::select(told, telling);
    let alive = KeepAlive::new().interval(SIGN_OF_LIFE).text("keepalive");
    Sse::new(both).keep_alive(alive).into_response()
}

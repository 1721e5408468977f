//! Time and cancellation.

use std::time::Instant;

use hermes_llm::http::Timeouts;
use hermes_llm::{ErrorClass, Model, WireApi};
use hermes_testkit::{SeenOutcome, Step};
use tokio_util::sync::CancellationToken;

use crate::support::{BOTH, Pair, millis, request};

fn impatient() -> Timeouts {
    Timeouts { stream_retries: 2, ..Timeouts::default() }
}

/// Cancels once the client has heard something, or at the first request.
async fn cancelled(wire: WireApi, step: Step) {
    let pair = Pair::with(wire, [step], impatient());
    let cancel = CancellationToken::new();
    let (request, mut ignore) = (request(), |_| {});
    let asking = pair.client.answer(&request, &mut ignore, &cancel);
    let cancelling = async {
        while pair.server.requests().is_empty() {
            tokio::time::sleep(millis(5)).await;
        }
        tokio::time::sleep(millis(100)).await;
        cancel.cancel();
        Instant::now()
    };
    let (outcome, cancelled_at) = tokio::join!(asking, cancelling);
    assert!(cancelled_at.elapsed() < millis(300), "{:?}", cancelled_at.elapsed());
    assert_eq!(outcome.map_err(|error| error.class), Err(ErrorClass::Cancelled));
    pair.server.wait_until(|log| log[0].outcome == SeenOutcome::HungUp);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_ends_a_call_that_waits_for_the_first_byte() {
    for wire in BOTH {
        cancelled(wire, Step::held()).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_ends_a_stream_in_the_middle() {
    for wire in BOTH {
        cancelled(wire, Step::text("abcdefgh").chunk(1).hold_after(4)).await;
    }
}

#[tokio::test]
async fn what_had_arrived_goes_with_the_cancellation() {
    let mut pair =
        Pair::with(WireApi::Chat, [Step::text("abcdefgh").chunk(1).hold_after(4)], impatient());
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let heard = &mut pair.heard;
    let mut listen = |delta| {
        heard.push(delta);
        if heard.len() == 3 {
            stop.cancel();
        }
    };
    let error = pair.client.answer(&request(), &mut listen, &cancel).await.unwrap_err();
    assert_eq!(error.partial.unwrap().content, pair.shown());
    assert_eq!(pair.shown(), "abc");
}

#[tokio::test]
async fn a_server_that_falls_silent_is_left() {
    for wire in BOTH {
        let timeouts = Timeouts { read: Some(millis(150)), ..impatient() };
        let mut pair = Pair::with(wire, [Step::text("abc").chunk(1).hold_after(2)], timeouts);
        let error = pair.ask().await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Timeout);
        assert!(error.message.contains("no byte"), "{}", error.message);
        assert_eq!(pair.server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_stream_that_only_pings_is_stale_and_in_the_end_given_up() {
    let pings: Vec<String> = (0..200).map(|_| "{\"type\": \"ping\"}".to_owned()).collect();
    let step = Step::raw_events(pings).chunk_delay(millis(20));
    let timeouts = Timeouts { local_stale: millis(150), stale_giveup: 2, ..impatient() };
    let mut pair = Pair::with(WireApi::Messages, [step.times(2)], timeouts);
    for round in 1..=2 {
        assert!(!pair.client.has_given_up(), "round {round}");
        let error = pair.ask().await.unwrap_err();
        assert_eq!(error.class, ErrorClass::Timeout);
        assert!(error.message.contains("said nothing"), "{}", error.message);
    }
    assert!(pair.client.has_given_up());
}

#[tokio::test]
async fn slow_but_steady_is_not_stale() {
    let step = Step::text("abcdefgh").chunk(1).chunk_delay(millis(40));
    let timeouts = Timeouts { local_stale: millis(400), ..impatient() };
    let mut pair = Pair::with(WireApi::Chat, [step], timeouts);
    assert_eq!(pair.ask().await.unwrap().content, "abcdefgh");
}

#[tokio::test]
async fn a_call_has_an_end_even_if_it_goes_on_and_on() {
    let step = Step::text("x".repeat(500)).chunk(1).chunk_delay(millis(10));
    let mut pair = Pair::with(WireApi::Chat, [step], Timeouts { call: millis(200), ..impatient() });
    let error = pair.ask().await.unwrap_err();
    assert_eq!(error.class, ErrorClass::Timeout);
    assert!(error.message.contains("did not finish"), "{}", error.message);
    assert!(!error.partial.unwrap().content.is_empty());
}

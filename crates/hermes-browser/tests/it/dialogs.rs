//! Dialogs and windows.

use std::time::Duration;

use hermes_browser::{BrowserError, BrowserOptions, ClosedBy, DialogChannel, DialogPolicy};

use crate::scene::{Scene, quick};

#[tokio::test]
async fn a_dialog_waits_for_its_answer_and_the_page_for_the_dialog() {
    let scene = Scene::new().await;
    scene.open("dialogs.html").await;
    let dialog = scene.click("button \"Prompt\"").await.unwrap().dialog.unwrap();
    assert_eq!((dialog.kind.as_str(), dialog.message.as_str()), ("prompt", "Your name?"));
    assert_eq!((dialog.id.as_str(), dialog.default_prompt.as_str()), ("d-1", "nobody"));
    let waiting = scene.browser.evaluate("1").await.unwrap_err();
    assert!(matches!(waiting, BrowserError::Dialog(_)), "{waiting}");
    let closed = scene.browser.answer_dialog(None, true, Some("Ada")).await.unwrap();
    assert_eq!(closed.closed_by, Some(ClosedBy::Agent));
    assert_eq!(scene.said().await, "prompted Ada");
    scene.click("button \"Confirm\"").await.unwrap();
    scene.browser.answer_dialog(Some("d-2"), false, None).await.unwrap();
    assert_eq!(scene.said().await, "confirmed false");
    assert_eq!(scene.browser.dialogs().1.len(), 2);
    assert!(scene.browser.answer_dialog(None, true, None).await.is_err());
}

#[tokio::test]
async fn policies_answer_by_themselves_and_nobody_waits_for_ever() {
    for (policy, said) in [
        (DialogPolicy::AutoAccept, "confirmed true"),
        (DialogPolicy::AutoDismiss, "confirmed false"),
    ] {
        let scene = Scene::with(BrowserOptions { dialog_policy: policy, ..quick() }).await;
        scene.open("dialogs.html").await;
        scene.click("button \"Confirm\"").await.unwrap();
        assert_eq!(scene.said().await, said);
        assert_eq!(scene.browser.dialogs().1[0].closed_by, Some(ClosedBy::AutoPolicy));
    }
    let short = BrowserOptions { dialog_timeout: Duration::from_millis(100), ..quick() };
    let scene = Scene::with(short).await;
    scene.open("dialogs.html").await;
    assert!(scene.click("button \"Confirm\"").await.unwrap().dialog.is_some());
    loop {
        match scene.browser.evaluate("document.getElementById('out').textContent").await {
            Ok(said) if said.result == "confirmed false" => break,
            Ok(_) | Err(BrowserError::Dialog(_)) => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(scene.browser.dialogs().1[0].closed_by, Some(ClosedBy::Watchdog));
}

#[tokio::test]
async fn leaving_a_page_leaves_its_dialogs() {
    let scene = Scene::new().await;
    scene.open("dialogs.html").await;
    scene.click("button \"Alert\"").await.unwrap();
    assert_eq!(scene.open("small.html").await, "Small");
    assert!(scene.browser.dialogs().0.is_empty());
    scene.value("onbeforeunload = (event) => { event.preventDefault(); return 'stay' }").await;
    scene.click("button \"Press\"").await.unwrap();
    assert_eq!(scene.open("").await, "Start");
}

#[tokio::test]
async fn a_window_that_a_page_opens_comes_to_the_front() {
    let scene = Scene::new().await;
    scene.open("dialogs.html").await;
    scene.click("button \"Window\"").await.unwrap();
    let deadline = std::time::Instant::now() + Duration::from_secs(20);
    while scene.browser.page_state().await.unwrap().title != "Inner" {
        assert!(std::time::Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
    assert!(scene.full().await.contains("button \"Press\""));
    scene.value("window.close()").await;
    while !scene.browser.page_state().await.is_ok_and(|page| page.title == "Dialogs") {
        assert!(std::time::Instant::now() < deadline);
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn where_native_dialogs_are_dismissed_pages_ask_for_them() {
    let channel = BrowserOptions { dialog_channel: DialogChannel::Requested, ..quick() };
    let scene = Scene::with(channel).await;
    scene.open("dialogs.html").await;
    let dialog = scene.click("button \"Prompt\"").await.unwrap().dialog.unwrap();
    assert_eq!((dialog.kind.as_str(), dialog.message.as_str()), ("prompt", "Your name?"));
    assert_eq!((dialog.id.as_str(), dialog.default_prompt.as_str()), ("d-1", "nobody"));
    // No window of the browser is open that it could close by itself.
    let native = scene.browser.evaluate("1").await.unwrap_err();
    assert!(matches!(native, BrowserError::Dialog(_)), "{native}");
    let closed = scene.browser.answer_dialog(None, true, Some("Ada")).await.unwrap();
    assert_eq!(closed.closed_by, Some(ClosedBy::Agent));
    assert_eq!(scene.said().await, "prompted Ada");
    scene.click("button \"Confirm\"").await.unwrap();
    scene.browser.answer_dialog(None, false, None).await.unwrap();
    assert_eq!(scene.said().await, "confirmed false");
    scene.click("button \"Prompt\"").await.unwrap();
    scene.browser.answer_dialog(None, false, None).await.unwrap();
    assert_eq!(scene.said().await, "prompted null");
    // Whoever leaves the page leaves its dialogs.
    scene.click("button \"Alert\"").await.unwrap();
    assert_eq!(scene.open("small.html").await, "Small");
    assert!(scene.browser.dialogs().0.is_empty());
    assert_eq!(scene.browser.dialogs().1.len(), 4);
}

#[tokio::test]
async fn dialogs_that_pages_ask_for_obey_the_policies_too() {
    for (policy, timeout, said, by) in [
        (DialogPolicy::AutoAccept, 300_000, "confirmed true", ClosedBy::AutoPolicy),
        (DialogPolicy::AutoDismiss, 300_000, "confirmed false", ClosedBy::AutoPolicy),
        (DialogPolicy::MustRespond, 100, "confirmed false", ClosedBy::Watchdog),
    ] {
        let options = BrowserOptions {
            dialog_channel: DialogChannel::Requested,
            dialog_policy: policy,
            dialog_timeout: Duration::from_millis(timeout),
            ..quick()
        };
        let scene = Scene::with(options).await;
        scene.open("dialogs.html").await;
        scene.click("button \"Confirm\"").await.unwrap();
        loop {
            match scene.browser.evaluate("document.getElementById('out').textContent").await {
                Ok(now) if now.result == said => break,
                Ok(_) | Err(BrowserError::Dialog(_)) => tokio::task::yield_now().await,
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(scene.browser.dialogs().1[0].closed_by, Some(by));
    }
}

//! Pages that mean harm, and a browser that dies.

use std::time::{Duration, Instant};

use hermes_browser::{BrowserError, BrowserOptions, Detail, DialogPolicy, RawTarget};

use crate::scene::{Scene, quick};

#[tokio::test]
async fn a_page_that_never_answers_is_given_up_and_the_next_one_opens() {
    let limit = Duration::from_secs(2);
    let scene = Scene::with(BrowserOptions { first_open: limit, open: limit, ..quick() }).await;
    let error = scene.browser.navigate(&scene.url("never")).await.unwrap_err();
    assert!(matches!(error, BrowserError::SlowPage { .. }), "{error}");
    assert_eq!(scene.open("small.html").await, "Small");
}

#[tokio::test]
async fn a_page_with_a_picture_that_never_comes_is_shown_without_it() {
    let scene = Scene::new().await;
    let begun = Instant::now();
    assert_eq!(scene.open("stuck.html").await, "Stuck");
    assert!(scene.full().await.contains("link \"Away\""));
    assert!(begun.elapsed() < Duration::from_secs(15));
}

#[tokio::test]
async fn dialogs_without_end_close_the_page() {
    for policy in [DialogPolicy::AutoDismiss, DialogPolicy::MustRespond] {
        let scene = Scene::with(BrowserOptions { dialog_policy: policy, ..quick() }).await;
        scene.open("hostile.html").await;
        let alerts = scene.reference("button \"Alerts\"").await;
        let clicked = scene.browser.click(&alerts).await;
        if policy == DialogPolicy::MustRespond {
            assert!(clicked.unwrap().dialog.is_some());
            let error = loop {
                match scene.browser.answer_dialog(None, false, None).await {
                    Ok(_) => {}
                    // The next one is not open yet.
                    Err(BrowserError::Element(_)) => match scene.browser.evaluate("1").await {
                        Err(error @ BrowserError::DialogStorm(_)) => break error,
                        Err(BrowserError::Dialog(_)) => {}
                        other => panic!("{other:?}"),
                    },
                    Err(error) => panic!("{error}"),
                }
            };
            assert!(error.to_string().contains("closed"), "{error}");
        } else {
            assert!(matches!(clicked, Err(BrowserError::DialogStorm(_))), "{clicked:?}");
        }
        assert_eq!(scene.open("small.html").await, "Small");
    }
}

#[tokio::test]
async fn a_page_that_keeps_its_process_busy_is_left_behind() {
    let short = BrowserOptions { command_timeout: Duration::from_secs(2), ..quick() };
    let scene = Scene::with(short).await;
    scene.open("hostile.html").await;
    let busy = scene.reference("button \"Busy\"").await;
    let _ = scene.browser.click(&busy).await;
    // The page begins in its own time.
    let error = loop {
        if let Err(error) = scene.browser.snapshot(Detail::Full).await {
            break error;
        }
    };
    assert!(matches!(error, BrowserError::Unresponsive(_)), "{error}");
    assert_eq!(scene.open("small.html").await, "Small");
    assert!(scene.full().await.contains("button \"Press\""));
}

#[tokio::test]
async fn an_endless_script_is_stopped_and_the_page_lives_on() {
    let short = BrowserOptions { command_timeout: Duration::from_secs(2), ..quick() };
    let scene = Scene::with(short).await;
    scene.open("small.html").await;
    assert!(scene.browser.evaluate("for (;;);").await.is_err());
    assert_eq!(scene.value("document.title").await, "Small");
}

#[tokio::test]
async fn what_a_page_does_to_its_own_objects_does_not_reach_us() {
    let scene = Scene::new().await;
    scene.open("hostile.html").await;
    scene.click("button \"Fake\"").await.unwrap();
    assert_eq!(scene.said().await, "reached");
}

#[tokio::test]
async fn a_hundred_thousand_elements_are_a_long_text() {
    let scene =
        Scene::with(BrowserOptions { command_timeout: Duration::from_secs(50), ..quick() }).await;
    scene.open("huge.html").await;
    let snapshot = scene.browser.snapshot(Detail::Compact).await.unwrap();
    assert_eq!(snapshot.elements, 33_334);
    assert!(snapshot.text.contains("link \"link 33332\""));
}

#[tokio::test]
async fn a_crashed_page_says_so_and_the_next_one_opens() {
    let scene = Scene::new().await;
    scene.open("small.html").await;
    let short = Duration::from_millis(200);
    let nothing = serde_json::json!({});
    let crash = scene.browser.raw("Page.crash", &nothing, &RawTarget::Front, short).await;
    assert!(crash.is_err(), "nobody is left to answer");
    let error = scene.browser.evaluate("1").await.unwrap_err();
    assert!(matches!(error, BrowserError::Crashed), "{error}");
    assert_eq!(scene.open("login.html").await, "Sign in");
}

#[tokio::test]
async fn a_browser_that_is_killed_is_noticed_at_once() {
    let scene = Scene::new().await;
    scene.open("small.html").await;
    let pid = i32::try_from(scene.browser.process_id().unwrap()).unwrap();
    let waiting = scene.browser.evaluate("new Promise(() => {})");
    let kill = async {
        tokio::time::sleep(Duration::from_millis(50)).await;
        kill(pid).await;
    };
    let (error, ()) = tokio::join!(waiting, kill);
    assert!(matches!(error, Err(BrowserError::Gone(_))), "{error:?}");
    assert!(!scene.browser.is_alive());
    let again = scene.browser.navigate(&scene.url("small.html")).await.unwrap_err();
    assert!(matches!(again, BrowserError::Gone(_)), "{again}");
}

async fn kill(pid: i32) {
    let done = hermes_process::Command::new("/bin/kill").args(["-9", &pid.to_string()]).run().await;
    assert_eq!(done.unwrap().end, hermes_process::End::Exited(0));
}

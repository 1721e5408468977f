//! Long use: memory stays what it was.

use hermes_browser::Detail;

use crate::scene::Scene;

/// Our own memory, in kilobytes.
fn resident() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

#[tokio::test]
async fn a_thousand_pages_leave_nothing_behind() {
    let scene = Scene::new().await;
    for _ in 0..20 {
        scene.open("small.html").await;
        scene.browser.snapshot(Detail::Compact).await.unwrap();
    }
    let before = resident();
    for _ in 0..1000 {
        scene.open("small.html").await;
        scene.browser.snapshot(Detail::Compact).await.unwrap();
    }
    let grown = resident() - before;
    // The server in this process remembers every request; that is part of it.
    assert!(grown < 20 * 1024, "{grown} kB more");
}

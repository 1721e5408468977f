//! Frames of the same process and of another.

use crate::scene::{Scene, reference_in};

#[tokio::test]
async fn frames_are_shown_and_used_whatever_their_process() {
    let scene = Scene::new().await;
    scene.open("frames.html").await;
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    let full = loop {
        let full = scene.full().await;
        if full.matches("button \"Press\"").count() == 2 {
            break full;
        }
        assert!(std::time::Instant::now() < deadline, "{full}");
    };
    let expected = r#"- heading "Frames" [level=1, ref=e1]
- Iframe "Near" [ref=e2]
  - paragraph
    - text "Inside"
  - textbox "Field" [ref=e3]
  - button "Press" [ref=e4]
- Iframe "Far" [ref=e5]
  - paragraph
    - text "Inside"
  - textbox "Field" [ref=e6]
  - button "Press" [ref=e7]"#;
    assert_eq!(full, expected);
    let tree = scene.browser.frame_tree().await.unwrap();
    assert_eq!(tree.children.len(), 2);
    assert_eq!(tree.children.iter().filter(|frame| frame.is_oopif).count(), 1);
    let files = |_: &str| Err("no files".to_owned());
    for (field, button, text) in [("e3", "e4", "near"), ("e6", "e7", "far")] {
        scene.browser.type_text(field, text, files).await.unwrap();
        scene.browser.click(button).await.unwrap();
        let full = scene.full().await;
        assert!(full.contains(&format!("Pressed with {text}")), "{full}");
        assert_eq!(reference_in(&full, "button \"Press\""), "e4");
    }
}

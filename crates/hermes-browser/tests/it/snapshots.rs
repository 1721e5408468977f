//! Pages as text.

use hermes_browser::Detail;

use crate::scene::{Scene, reference_in};

#[tokio::test]
async fn a_login_form_is_written_as_promised() {
    let scene = Scene::new().await;
    assert_eq!(scene.open("login.html").await, "Sign in");
    let snapshot = scene.browser.snapshot(Detail::Compact).await.unwrap();
    let expected = r#"- heading "Sign in" [level=1, ref=e1]
- form
  - textbox "E-mail" [required, ref=e2]
  - textbox "Password" [ref=e3]
  - checkbox "Keep me signed in" [checked=true, ref=e4]
  - button "Sign in" [ref=e5]
  - link "Forgot password?" [ref=e6]"#;
    assert_eq!(snapshot.text, expected);
    assert_eq!(snapshot.elements, 6);
}

#[tokio::test]
async fn every_kind_of_element_is_written_once_and_in_order() {
    let scene = Scene::new().await;
    scene.open("elements.html").await;
    let full = scene.full().await;
    let expected = r#"- navigation "Main" [ref=e1]
  - list
    - listitem
      - link "Home" [ref=e2]
    - listitem
      - link "Shop" [ref=e3]
- main
  - heading "Elements of a page" [level=1, ref=e4]
  - heading "Form" [level=2, ref=e5]
  - form
    - textbox "Name" [ref=e6]: Ada
    - textbox "Secret" [ref=e7]: ••••
    - searchbox "Search" [ref=e8]
    - textbox "Day" [ref=e9]: 2024-05-31
    - spinbutton "Amount" [ref=e10]: 3
    - slider "Volume" [ref=e11]: 4
    - combobox "Colour" [expanded=false, ref=e12]: Green
      - option "Red" [ref=e13]
      - option "Green" [selected, ref=e14]
    - textbox "Notes" [ref=e15]: two lines
    - group "Size"
      - radio "Small" [checked=true, ref=e16]
      - radio "Large" [checked=false, ref=e17]
    - checkbox "Cannot" [checked=false, disabled, ref=e18]
    - paragraph
      - text "The name is already taken."
    - button "Save" [ref=e19]
    - button "Delete" [disabled, ref=e20]
  - heading "Others" [level=2, ref=e21]
  - button "More" [expanded=false, ref=e22]
  - generic "Card to click" [clickable, ref=e23]
  - generic "Focus me" [focusable, ref=e24]
  - generic "Draft" [editable, ref=e25]
  - button "Menu" [expanded=false, ref=e26]
  - table "Prices"
    - row
      - columnheader "Thing" [ref=e27]
      - columnheader "Price" [ref=e28]
    - row
      - cell "Tea" [ref=e29]
      - cell "3 €" [ref=e30]
  - list
    - listitem
      - text "First point"
    - listitem
      - text "Second point"
  - paragraph
    - text "A long paragraph that explains nothing which is needed to use this page, and goes on and on so that nobody would miss it if it were left out of a short view of the page, as it is."
  - img "A red square"
  - img "inline"
  - button "Rate it" [ref=e31]
  - textbox "Stars" [ref=e32]
  - alert
    - text "Only two left"
- button "Far below" [ref=e33]
- button "Underneath" [ref=e34]
- text "Cookie notice""#;
    assert_eq!(full, expected);
    let compact = scene.compact().await;
    for kept in ["The name is already taken.", "Only two left", "radio \"Large\""] {
        assert!(compact.contains(kept), "{kept} in\n{compact}");
    }
    for left_out in ["long paragraph", "img", "First point"] {
        assert!(!compact.contains(left_out), "{left_out} in\n{compact}");
    }
}

#[tokio::test]
async fn references_stay_while_the_document_does_and_are_dropped_with_it() {
    let scene = Scene::new().await;
    scene.open("elements.html").await;
    let before = scene.reference("button \"Save\"").await;
    scene
        .value("document.querySelector('main').insertAdjacentHTML('afterbegin', '<button>New</button>')")
        .await;
    let after = scene.full().await;
    assert_eq!(reference_in(&after, "button \"Save\""), before);
    assert_eq!(reference_in(&after, "button \"New\""), "e35");
    scene.value("[...document.querySelectorAll('button')].find((one) => one.textContent === 'New').remove()").await;
    let gone = scene.browser.click("e35").await.unwrap_err().to_string();
    assert!(gone.contains("new snapshot"), "{gone}");
    scene.open("small.html").await;
    let stale = scene.browser.click(&before).await.unwrap_err().to_string();
    assert!(stale.contains(&format!("@{before}")) && stale.contains("new snapshot"), "{stale}");
    assert!(scene.full().await.contains("heading \"Small\" [level=1, ref=e1]"));
}

#[tokio::test]
async fn an_empty_page_says_so() {
    let scene = Scene::new().await;
    scene.open("empty.html").await;
    assert_eq!(scene.full().await, "(empty page)");
}

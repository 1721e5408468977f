//! Clicking, typing and everything else a person does.

use hermes_browser::{Navigated, ScrollDirection};
use serde_json::json;

use crate::scene::Scene;

#[tokio::test]
async fn clicks_reach_what_a_person_would_click() {
    let scene = Scene::new().await;
    scene.open("elements.html").await;
    for (line, said) in [
        ("button \"Save\"", "saved Ada"),
        ("generic \"Card to click\"", "card"),
        ("button \"Menu\"", "menu"),
        ("radio \"Large\"", "large"),
        ("option \"Red\"", "colour r"),
        ("button \"Rate it\"", "rated "),
        ("button \"Far below\"", "low"),
    ] {
        scene.click(line).await.unwrap();
        assert_eq!(scene.said().await, said, "{line}");
    }
    assert!(scene.full().await.contains("radio \"Large\" [checked=true"));
    let covered = scene.click("button \"Underneath\"").await.unwrap_err().to_string();
    assert!(covered.contains("covered by <div id=\"cover\"> \"Cookie notice\""), "{covered}");
    let disabled = scene.click("button \"Delete\"").await.unwrap_err().to_string();
    assert!(disabled.contains("disabled"), "{disabled}");
}

#[tokio::test]
async fn text_goes_into_fields_of_every_kind() {
    let scene = Scene::new().await;
    scene.open("elements.html").await;
    for (line, text) in [
        ("textbox \"Name\"", "Grace"),
        ("textbox \"Day\"", "2025-01-02"),
        ("spinbutton \"Amount\"", "7"),
        ("slider \"Volume\"", "9"),
        ("textbox \"Notes\"", "one line"),
    ] {
        scene.type_into(line, text).await;
        let full = scene.full().await;
        let now = full.lines().find(|one| one.contains(line)).unwrap();
        assert!(now.ends_with(&format!(": {text}")), "{now}");
    }
    scene.type_into("combobox \"Colour\"", "Red").await;
    assert_eq!(scene.said().await, "colour r");
    scene.type_into("generic \"Draft\"", "Final").await;
    assert_eq!(scene.value("document.getElementById('editor').textContent").await, "Final");
    scene.type_into("textbox \"Stars\"", "5").await;
    scene.click("button \"Rate it\"").await.unwrap();
    assert_eq!(scene.said().await, "rated 5");
    scene.type_into("textbox \"Name\"", "").await;
    assert_eq!(scene.value("document.getElementById('name').value").await, "");
    let files = |_: &str| Err("no files".to_owned());
    let list = scene.reference("combobox \"Colour\"").await;
    let refused = scene.browser.type_text(&list, "Blue", files).await.unwrap_err().to_string();
    assert!(refused.contains("\"Red\", \"Green\""), "{refused}");
    let button = scene.reference("button \"Save\"").await;
    assert!(scene.browser.type_text(&button, "x", files).await.is_err());
}

#[tokio::test]
async fn keys_scrolling_and_going_back_work() {
    let scene = Scene::new().await;
    assert!(scene.browser.back().await.is_err(), "there is nothing before the first page");
    scene.open("login.html").await;
    scene.type_into("textbox \"E-mail\"", "ada@example.org").await;
    scene.browser.press("Tab").await.unwrap();
    scene.browser.press("s").await.unwrap();
    scene.browser.press("Shift+e").await.unwrap();
    assert_eq!(scene.value("document.getElementById('pw').value").await, "sE");
    scene.browser.press("Control+a").await.unwrap();
    scene.browser.press("Backspace").await.unwrap();
    assert_eq!(scene.value("document.getElementById('pw').value").await, "");
    scene.browser.press("Enter").await.unwrap();
    assert_eq!(scene.browser.page_state().await.unwrap().title, "Welcome");
    let back = scene.browser.back().await.unwrap();
    assert_eq!(back.title, "Sign in");
    scene.open("elements.html").await;
    scene.browser.scroll(ScrollDirection::Down).await.unwrap();
    scene.until("scrollY === 500").await;
    scene.browser.scroll(ScrollDirection::Up).await.unwrap();
    scene.until("scrollY === 0").await;
    assert!(scene.browser.press("NoSuchKey").await.is_err());
}

#[tokio::test]
async fn a_click_on_a_link_waits_for_the_page_behind_it() {
    let scene = Scene::new().await;
    scene.open("").await;
    scene.click("link \"Log in\"").await.unwrap();
    assert_eq!(scene.browser.page_state().await.unwrap().title, "Sign in");
    assert!(scene.full().await.contains("heading \"Sign in\""));
    match scene.browser.navigate(&scene.url("here")).await.unwrap() {
        Navigated::Page(page) => assert_eq!(page.url, scene.url("welcome")),
        Navigated::Download => panic!("a page"),
    }
}

#[tokio::test]
async fn scripts_give_values_and_describe_what_is_none() {
    let scene = Scene::new().await;
    scene.open("elements.html").await;
    for (script, result, kind) in [
        ("1 + 1", json!(2), "number"),
        ("'a' + 'b'", json!("ab"), "string"),
        ("({a: [1, null]})", json!({"a": [1, null]}), "object"),
        ("Promise.resolve([1])", json!([1]), "object"),
        ("null", json!(null), "null"),
        ("undefined", json!(null), "undefined"),
        ("1 / 0", json!("Infinity"), "number"),
    ] {
        let value = scene.browser.evaluate(script).await.unwrap();
        assert_eq!(value.result, result, "{script}");
        assert!(value.kind == kind || kind == "object", "{script}: {}", value.kind);
    }
    let node = scene.browser.evaluate("document.body").await.unwrap();
    assert!(node.result.as_str().unwrap().contains("outerHTML"), "{node:?}");
    let chain = scene.browser.evaluate("window").await.unwrap();
    assert!(chain.result.as_str().is_some(), "{chain:?}");
    let failed = scene.browser.evaluate("nobody.there").await.unwrap_err().to_string();
    assert!(failed.contains("nobody is not defined"), "{failed}");
}

#[tokio::test]
async fn the_console_is_kept_until_it_is_cleared() {
    let scene = Scene::new().await;
    scene.open("elements.html").await;
    scene.value("console.log('one', 2, {three: 3}); console.error('bad'); setTimeout(() => { throw new Error('late') }, 0)").await;
    scene.value("new Promise((done) => setTimeout(done, 20))").await;
    let (messages, errors) = scene.browser.console(true);
    let texts: Vec<(&str, &str)> =
        messages.iter().map(|one| (one.kind.as_str(), one.text.as_str())).collect();
    assert_eq!(texts, [("log", "one 2 {three: 3}"), ("error", "bad")]);
    assert!(errors[0].message.contains("late"), "{errors:?}");
    assert_eq!(scene.browser.console(false), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn pictures_are_listed_and_made() {
    let scene = Scene::new().await;
    scene.open("elements.html").await;
    let images = scene.browser.images().await.unwrap();
    assert_eq!(images.len(), 1);
    assert_eq!((images[0].alt.as_str(), images[0].width), ("A red square", 20));
    scene.full().await;
    let plain = scene.browser.screenshot(false).await.unwrap();
    let labelled = scene.browser.screenshot(true).await.unwrap();
    assert!(plain.png.starts_with(b"\x89PNG") && labelled.png != plain.png);
    assert!(labelled.annotations.iter().any(|one| one.reference == "@e19" && one.name == "Save"));
    assert_eq!(scene.value("!!document.getElementById('__hermes_labels')").await, "false");
}

#[tokio::test]
async fn files_are_given_and_taken() {
    let scene = Scene::new().await;
    scene.open("upload.html").await;
    let file = scene.folder.path().join("note.txt");
    std::io::Write::write_all(&mut std::fs::File::create(&file).unwrap(), b"words").unwrap();
    let reference = scene.reference("button \"").await;
    let given = |_: &str| Ok(file.clone());
    scene.browser.type_text(&reference, "note.txt", given).await.unwrap();
    scene.until("document.getElementById('out').textContent === 'note.txt: words'").await;
    let led = scene.browser.navigate(&scene.url("file.bin")).await.unwrap();
    assert_eq!(led, Navigated::Download);
    let news = scene.browser.download_news(std::time::Duration::from_secs(10)).await;
    assert_eq!((news[0].name.as_str(), news[0].state.as_str()), ("report.bin", "completed"));
    let path = news[0].path.clone().unwrap();
    assert_eq!(std::fs::read_to_string(path).unwrap(), "contents of the file");
    assert!(scene.browser.download_news(std::time::Duration::ZERO).await.is_empty());
}

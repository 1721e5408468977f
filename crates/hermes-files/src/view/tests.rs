use std::io::Cursor;

use proptest::prelude::*;

use super::*;

fn shown(name: &str, content: impl AsRef<[u8]>) -> FileView {
    show(Path::new(name), &mut Cursor::new(content.as_ref()), &WindowRequest::lines(1, 2)).unwrap()
}

#[test]
fn text_is_shown_through_a_window() {
    let FileView::Text(window) = shown("a.rs", "one\ntwo\nthree\n") else { panic!() };
    assert_eq!((window.content.as_str(), window.truncated), ("1|one\n2|two", true));
}

#[test]
fn documents_are_shown_as_their_text_with_the_size_of_the_file() {
    let notebook = r#"{"cells":[{"cell_type":"code","source":"x = 1\ny = 2"}]}"#;
    let FileView::Document(window) = shown("a.ipynb", notebook) else { panic!() };
    assert_eq!(window.content, "1|# ── Code cell 1 ──\n2|x = 1");
    assert_eq!((window.total_lines, window.file_size), (3, notebook.len() as u64));
    assert!(window.truncated && window.hint.unwrap().contains("offset=3"));
}

#[test]
fn documents_that_cannot_be_read_are_handled_by_what_they_are() {
    assert!(matches!(shown("a.ipynb", "{broken\n"), FileView::Text(_)));
    assert!(matches!(shown("a.pdf", "not a pdf\n"), FileView::Text(_)));
    assert_eq!(shown("a.pdf", [0; 99]), FileView::Binary(BinaryReason::NulBytes));
    for name in ["docx", "xlsx"] {
        let reason = BinaryReason::Extension(name.to_owned());
        assert_eq!(shown(&format!("a.{name}"), "broken"), FileView::Binary(reason));
    }
}

#[test]
fn pictures_are_shown_as_they_are() {
    let FileView::Image { format, part, file_size } = shown("x.jpg", b"GIF89a") else { panic!() };
    assert_eq!((format, file_size), (ImageFormat::Gif, 6));
    assert!(part["image_url"]["url"].as_str().unwrap().starts_with("data:image/gif;base64,"));
}

proptest! {
    #[test]
    fn nothing_panics_whatever_the_file(
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        name in prop::sample::select(vec!["a", "a.pdf", "a.docx", "a.xlsx", "a.ipynb", "a.png", "a.dat"]),
    ) {
        shown(name, bytes);
    }
}

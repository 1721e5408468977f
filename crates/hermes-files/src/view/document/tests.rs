use std::io::Cursor;

use proptest::prelude::*;

use super::fixtures::{word, workbook, zipped};
use super::*;

fn text_of(kind: DocumentKind, bytes: impl AsRef<[u8]>) -> Option<String> {
    extract(kind, &mut Cursor::new(bytes)).unwrap()
}

#[test]
fn kinds_come_from_names_in_any_case() {
    let kind = |name: &str| DocumentKind::of(Path::new(name));
    assert_eq!(kind("a/B.IPYNB"), Some(DocumentKind::Notebook));
    assert_eq!(kind("x.docx"), Some(DocumentKind::Word));
    assert_eq!(kind("x.xlsx"), Some(DocumentKind::Sheet));
    assert_eq!(kind("x.Pdf"), Some(DocumentKind::Pdf));
    assert_eq!((kind("x.doc"), kind(".pdf"), kind("pdf")), (None, None, None));
}

#[test]
fn notebooks_show_cells_with_their_own_counters_and_no_outputs() {
    let notebook = r##"{"cells":[
        {"cell_type":"markdown","source":["# Title\n","text"]},
        {"cell_type":"code","source":"print(1)\n","outputs":[{"text":"SECRET"}]},
        {"cell_type":"raw","source":"raw"},
        {"cell_type":"code","source":[]},
        {"cell_type":"unknown","source":"x"},
        {"cell_type":"markdown","source":5},
        {"cell_type":"markdown","source":"end"}
    ],"nbformat":4}"##;
    assert_eq!(
        text_of(DocumentKind::Notebook, notebook).unwrap(),
        "# ── Markdown cell 1 ──\n# Title\ntext\n\n# ── Code cell 1 ──\nprint(1)\n\n\
         # ── Raw cell ──\nraw\n\n# ── Code cell 2 ──\n\n# ── Markdown cell 2 ──\nend\n"
    );
}

#[test]
fn notebooks_of_the_old_layout_are_read() {
    let notebook = r#"{"worksheets":[{"cells":[{"cell_type":"code","input":["a\n","b"]},
        {"cell_type":"heading","level":1,"source":"H"}]}],"nbformat":3}"#;
    let text = text_of(DocumentKind::Notebook, notebook).unwrap();
    assert_eq!(text, "# ── Code cell 1 ──\na\nb\n\n# ── Markdown cell 1 ──\nH\n");
}

#[test]
fn notebooks_without_a_readable_cell_are_plain_text() {
    for bad in ["", "{", "[]", r#"{"cells":[]}"#, r#"{"cells":[{"cell_type":"code"}]}"#, "{}"] {
        assert_eq!(text_of(DocumentKind::Notebook, bad), None, "{bad}");
    }
}

#[test]
fn word_paragraphs_are_lines_in_document_order() {
    let body = "<w:p><w:pPr><w:tabs><w:tab w:val=\"left\"/></w:tabs></w:pPr>\
        <w:r><w:t>one &amp; </w:t></w:r><w:r><w:t>two&#8364;</w:t></w:r></w:p>\
        <w:p/>\
        <w:tbl><w:tr><w:tc><w:p><w:r><w:t>cell</w:t></w:r></w:p></w:tc></w:tr></w:tbl>\
        <w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:cr/><w:t>d</w:t></w:r></w:p>\
        <w:p><w:r><w:delText>gone</w:delText><w:instrText>PAGE</w:instrText></w:r></w:p>";
    let text = text_of(DocumentKind::Word, word(body)).unwrap();
    assert_eq!(text, "one & two€\n\ncell\na\tb\nc\nd\n\n");
}

#[test]
fn word_text_boxes_and_moves_appear_once() {
    let body = "<w:p><w:r><w:t>outer </w:t><mc:AlternateContent><mc:Choice><w:p><w:r><w:t>box\
        </w:t></w:r></w:p></mc:Choice><mc:Fallback><w:p><w:r><w:t>box</w:t></w:r></w:p>\
        </mc:Fallback></mc:AlternateContent><w:t>text</w:t></w:r>\
        <w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom></w:p>";
    assert_eq!(text_of(DocumentKind::Word, word(body)).unwrap(), "box\nouter text\n");
}

#[test]
fn sheets_show_visible_cells_of_every_type() {
    let strings =
        "<si><t>shared</t></si><si><r><t>ri</t></r><r><t>ch</t></r><rPh><t>x</t></rPh></si>";
    let rows = r#"<row r="1"><c r="A1" t="s"><v>0</v></c><c r="C1" t="s"><v>1</v></c></row>
        <row r="3"><c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#DIV/0!</v></c>
        <c><v>1.5</v></c><c t="str"><f>A1</f><v>a&lt;b</v></c>
        <c t="inlineStr"><is><t>in&#10;line</t></is></c></row>
        <row r="4"><c r="A4"/></row><row r="9"/>"#;
    let sheets = [("One &amp; only", "visible", rows), ("H", "hidden", rows), ("E", "visible", "")];
    assert_eq!(
        text_of(DocumentKind::Sheet, workbook(strings, &sheets)).unwrap(),
        "# ── Sheet: One & only ──\nshared\t\trich\n\nTRUE\tFALSE\t#DIV/0!\t1.5\ta<b\tin\\nline\n\
         # ── Sheet: E ──\n(empty)\n"
    );
}

#[test]
fn sheets_are_cut_at_rows_and_columns() {
    let row =
        |n: usize, column: &str| format!("<row r=\"{n}\"><c r=\"{column}{n}\"><v>x</v></c></row>");
    let rows = [row(1, "IV"), row(2, "IW"), row(5000, "A"), row(5001, "A")].concat();
    let text = text_of(DocumentKind::Sheet, workbook("", &[("S", "visible", &rows)])).unwrap();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[1].matches('\t').count(), 255);
    assert_eq!(lines[2], "", "column 257 is not shown");
    assert_eq!((lines[5000], lines.len()), ("x", 5002));
    assert!(lines[5001].contains("5000 rows"));
    let far = row(1_000_000_000, "ZZZZZZ");
    let text = text_of(DocumentKind::Sheet, workbook("", &[("S", "visible", &far)])).unwrap();
    assert!(text.starts_with("# ── Sheet: S ──\n(empty)\n"), "{text}");
}

#[test]
fn damaged_office_files_give_nothing() {
    for kind in [DocumentKind::Word, DocumentKind::Sheet] {
        for bad in [&b""[..], b"PK\x03\x04", b"plain text", &zipped(&[("other.xml", "<a/>")])] {
            assert_eq!(text_of(kind, bad), None);
        }
    }
    assert_eq!(text_of(DocumentKind::Word, word("<w:p><w:r></w:p>")), None);
    assert_eq!(text_of(DocumentKind::Word, word("<w:p>&bomb;</w:p>")), None);
    let mut whole = word("<w:p><w:r><w:t>text</w:t></w:r></w:p>");
    whole.truncate(whole.len() - 30);
    assert_eq!(text_of(DocumentKind::Word, whole), None);
    let unknown = workbook("", &[("S", "visible", r#"<row><c t="s"><v>7</v></c></row>"#)]);
    assert_eq!(text_of(DocumentKind::Sheet, unknown), None);
}

#[test]
fn a_zip_bomb_is_not_unpacked() {
    let blank = format!("<w:p>{}</w:p>", " ".repeat(2 * 1024 * 1024));
    let bomb = word(&blank);
    assert!(bomb.len() < 4_000);
    assert_eq!(text_of(DocumentKind::Word, bomb), None);
}

#[test]
fn a_small_sheet_that_stands_for_much_text_is_cut() {
    let strings = format!("<si><t>{}</t></si>", "lorem ipsum ".repeat(2_000));
    let cells = r#"<c t="s"><v>0</v></c>"#.repeat(20);
    let rows = format!("<row>{cells}</row>").repeat(200);
    let text =
        text_of(DocumentKind::Sheet, workbook(&strings, &[("S", "visible", &rows)])).unwrap();
    assert!(text.len() < 33 * 1024 * 1024, "{}", text.len());
    assert!(text.trim_end().ends_with("it is too long ──"));
}

#[test]
fn documents_above_the_cap_are_not_loaded() {
    let file = tempfile::tempfile().unwrap();
    file.set_len(MAX_DOCUMENT_BYTES + 1).unwrap();
    assert_eq!(extract(DocumentKind::Word, &mut &file).unwrap(), None);
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        use DocumentKind::{Notebook, Pdf, Sheet, Word};
        for kind in [Notebook, Word, Sheet, Pdf] {
            text_of(kind, &bytes);
        }
        text_of(Pdf, [b"%PDF-1.4\n", &bytes[..]].concat());
    }

    #[test]
    fn damaged_documents_never_panic(at in 0..2_000_usize, byte in any::<u8>()) {
        let mut bytes = word("<w:p><w:r><w:t>text</w:t></w:r></w:p>");
        let place = at % bytes.len();
        bytes[place] = byte;
        text_of(DocumentKind::Word, &bytes);
        let mut bytes = workbook("<si><t>a</t></si>",
            &[("S", "visible", r#"<row r="1"><c r="B1" t="s"><v>0</v></c></row>"#)]);
        let place = at % bytes.len();
        bytes[place] = byte;
        text_of(DocumentKind::Sheet, &bytes);
    }
}

use std::io::Write;

use proptest::prelude::*;

use super::*;

/// A file of numbered objects, the first one the root of the document.
fn pdf(objects: &[&str]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    for (index, object) in objects.iter().enumerate() {
        write!(file, "{} 0 obj\n{object}\nendobj\n", index + 1).unwrap();
    }
    file.extend(b"trailer <</Root 1 0 R>>\n%%EOF\n");
    file
}

fn stream(dict: &str, data: &str) -> String {
    format!("<<{dict}/Length {}>>\nstream\n{data}\nendstream", data.len())
}

const ROOT: &str = "<</Type/Catalog/Pages 2 0 R>>";
const HELVETICA: &str = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>";

/// One page with this content and Helvetica as `F1`.
fn page(content: &str) -> Vec<u8> {
    pdf(&[
        ROOT,
        "<</Type/Pages/Count 1/Kids[3 0 R]/Resources<</Font<</F1 4 0 R>>>>>>",
        "<</Type/Page/Parent 2 0 R/Contents 5 0 R>>",
        HELVETICA,
        &stream("", content),
    ])
}

fn lines(bytes: &[u8]) -> Vec<String> {
    text(bytes).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn pages_have_headlines_and_lines() {
    let shown = lines(&page("BT /F1 12 Tf 72 700 Td (Hello World) Tj 0 -14 Td (caf\\351) Tj ET"));
    assert_eq!(shown, ["# ── Page 1 ──", "Hello World", "café", ""]);
}

#[test]
fn pages_come_in_the_order_of_the_tree() {
    let file = pdf(&[
        ROOT,
        "<</Type/Pages/Kids[7 0 R 3 0 R]/Resources<</Font<</F1 4 0 R>>>>>>",
        "<</Type/Page/Contents 5 0 R>>",
        HELVETICA,
        &stream("", "BT /F1 9 Tf (last) Tj ET"),
        &stream("", "BT /F1 9 Tf (first) Tj ET"),
        "<</Type/Pages/Kids[8 0 R 9 0 R 7 0 R]>>",
        "<</Type/Page/Contents[6 0 R]>>",
        "<</Type/Page>>",
    ]);
    let expected = [
        "# ── Page 1 ──",
        "first",
        "",
        "# ── Page 2 ──",
        "(no text on this page; it may be a picture)",
        "",
        "# ── Page 3 ──",
        "last",
        "",
    ];
    assert_eq!(lines(&file), expected);
}

#[test]
fn positions_make_spaces_and_lines() {
    let content = "BT /F1 10 Tf 14 TL 1 0 0 1 50 500 Tm [(wo) -20 (rd) -600 (gap)] TJ T* (next) Tj \
        (quote) ' 1 0 0 1 200 472 Tm (far) Tj 1 0 0 1 50 400 Tm (x) Tj 4 Ts (2) Tj ET";
    assert_eq!(lines(&page(content))[1..5], ["word gap", "next", "quote far", "x2"]);
}

#[test]
fn rotated_and_scaled_text_is_read_along_its_baseline() {
    let content =
        "q 0 2 -2 0 300 100 cm BT /F1 10 Tf (up) Tj 30 0 Td (wards) Tj 0 -12 Td (two) Tj ET Q";
    assert_eq!(lines(&page(content))[1..3], ["up wards", "two"]);
}

#[test]
fn codes_are_read_through_to_unicode_tables_and_glyph_names() {
    let file = pdf(&[
        ROOT,
        "<</Type/Pages/Kids[3 0 R]/Resources<</Font<</A 4 0 R/B 6 0 R/C 9 0 R>>>>>>",
        "<</Type/Page/Contents 5 0 R>>",
        "<</Type/Font/Subtype/Type0/Encoding/Identity-H/ToUnicode 7 0 R/DescendantFonts[8 0 R]>>",
        &stream(
            "",
            "BT /A 10 Tf <00010002> Tj 0 -20 Td /B 10 Tf (\\001\\002x) Tj \
            0 -20 Td /C 10 Tf <4F60597D> Tj ET",
        ),
        "<</Type/Font/Subtype/Type1/Encoding<</Differences[1/ffi/Euro]>>>>",
        &stream("", "2 beginbfchar <0001> <0416> <0002> <d83dde00> endbfchar"),
        "<</Type/Font/Subtype/CIDFontType2/DW 1000/W[1[600 700] 5 9 500]>>",
        "<</Type/Font/Subtype/Type0/Encoding/UniGB-UCS2-H>>",
    ]);
    assert_eq!(lines(&file)[1..4], ["Ж😀", "ffi€x", "你好"]);
}

#[test]
fn packed_objects_and_content_are_found() {
    let pack = |data: &str| {
        let mut packer =
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(data.as_bytes()).unwrap();
        packer.finish().unwrap()
    };
    let members = [
        ROOT,
        "<</Type/Pages/Kids[3 0 R]/Resources<</Font<</F1 4 0 R>>>>>>",
        "<</Type/Page/Contents 9 0 R>>",
        HELVETICA,
    ];
    let (mut index, mut body) = (String::new(), String::new());
    for (number, member) in (1..).zip(members) {
        index += &format!("{number} {} ", body.len());
        body += member;
        body += " ";
    }
    let mut file = b"%PDF-1.5\n".to_vec();
    let objects = pack(&format!("{index}{body}"));
    let content = pack("BT /F1 10 Tf (packed) Tj ET");
    write!(
        file,
        "8 0 obj <</Type/ObjStm/N 4/First {}/Filter/FlateDecode/Length {}>> stream\r\n",
        index.len(),
        objects.len()
    )
    .unwrap();
    file.extend(objects);
    // The length may stand elsewhere, even behind.
    file.extend(b"\nendstream endobj\n9 0 obj <</Filter[/FlateDecode]/Length 10 0 R>>stream\n");
    file.extend(content);
    file.extend(b"\nendstream endobj 10 0 obj 99 endobj");
    assert_eq!(lines(&file)[1], "packed");
}

#[test]
fn a_later_definition_of_an_object_wins() {
    let mut file = page("BT /F1 10 Tf (old) Tj ET");
    let newer = stream("", "BT /F1 10 Tf (new) Tj ET");
    write!(file, "5 0 obj {newer} endobj").unwrap();
    assert_eq!(lines(&file)[1], "new");
}

#[test]
fn drawings_inside_pages_are_read_and_pictures_skipped() {
    let file = pdf(&[
        ROOT,
        "<</Type/Pages/Kids[3 0 R]/Resources<</XObject<</X 4 0 R/I 5 0 R>>>>>>",
        "<</Type/Page/Contents 6 0 R>>",
        &stream(
            "/Subtype/Form/Matrix[1 0 0 1 5 5]/Resources<</Font<</F1 7 0 R>>>>",
            "BT /F1 10 Tf (inside) Tj ET",
        ),
        &stream("/Subtype/Image", "BT (noise) Tj"),
        &stream("", "/I Do BI /W 1 ID (\u{1} EIx EI /X Do"),
        HELVETICA,
    ]);
    assert_eq!(lines(&file), ["# ── Page 1 ──", "inside", ""]);
}

#[test]
fn pages_of_a_file_cut_short_are_found() {
    let file = pdf(&[
        "<</Type/Page/Contents 3 0 R/Resources<</Font<</F1 2 0 R>>>>>>",
        HELVETICA,
        &stream("", "BT /F1 9 Tf (\\256ne) Tj 0 -20 Td (di\\013erent) Tj ET"),
    ]);
    let mut standard = String::from_utf8(file).unwrap();
    standard = standard.replace("/Encoding/WinAnsiEncoding", "");
    assert_eq!(lines(standard.as_bytes())[1..3], ["fine", "different"]);
}

#[test]
fn a_drawing_that_draws_itself_ends() {
    let twice = "/X Do /X Do /X Do /X Do";
    let file = pdf(&[
        ROOT,
        "<</Type/Pages/Kids[3 0 R]/Resources<</XObject<</X 4 0 R>>>>>>",
        "<</Type/Page/Contents 5 0 R>>",
        &stream("/Subtype/Form", twice),
        &stream("", twice),
    ]);
    assert!(text(&file).is_some());
}

#[test]
fn circles_of_references_and_pages_end() {
    let circle = pdf(&[ROOT, "2 0 R"]);
    assert_eq!(text(&circle), None);
    let tree = pdf(&[ROOT, "<</Type/Pages/Kids[2 0 R 2 0 R <</Kids[2 0 R]>>]>>"]);
    assert_eq!(text(&tree), None);
}

#[test]
fn other_files_and_encrypted_ones_give_nothing() {
    assert_eq!(text(b"hello"), None);
    assert_eq!(text(b"%PDF-1.4\n"), None);
    let mut file = page("BT /F1 10 Tf (x) Tj ET");
    file.extend(b"trailer <</Root 1 0 R/Encrypt 9 0 R>>");
    assert_eq!(text(&file), None);
}

#[test]
fn a_stream_that_unpacks_without_end_stops() {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(&vec![b' '; 1024 * 1024]).unwrap();
    let bomb = packer.finish().unwrap();
    let mut file = page("BT /F1 9 Tf (x) Tj");
    writeln!(file, "5 0 obj <</Filter/FlateDecode/Length {}>>stream", bomb.len()).unwrap();
    file.extend(bomb);
    file.extend(b"\nendstream endobj");
    let shown = text_within(&file, 1000 * 1024).unwrap();
    assert!(shown.contains("(no text on this page; it may be a picture)"), "{shown}");
}

proptest! {
    #[test]
    fn any_content_is_survived(content in "[\\[\\]()<>/A-Za-z0-9 '\"*.\\-]{0,200}") {
        text(&page(&format!("BT /F1 12 Tf {content}")));
    }

    #[test]
    fn damage_is_survived(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut file = page("q BT /F1 12 Tf 1 0 0 1 5 5 Tm [(a) 3 (b)] TJ ET Q /X Do");
        let place = at.index(file.len());
        file[place] = byte;
        text(&file);
    }
}

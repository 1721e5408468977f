use std::io::Cursor;

use super::*;

fn plain(name: &str, content: &[u8]) -> PlainKind {
    classify_plain(Path::new(name), &mut Cursor::new(content)).unwrap()
}

fn binary(name: &str, content: &[u8]) -> BinaryReason {
    match plain(name, content) {
        PlainKind::Binary(reason) => reason,
        other => panic!("{name} is {other:?}"),
    }
}

#[test]
fn the_extension_decides_whatever_its_case_and_content() {
    for name in ["a.zip", "a.MP4", "x.tar.gz", "lib.so", "bun.lockb", "m.blend", "t.docx"] {
        let extension = name.rsplit('.').next().unwrap().to_ascii_lowercase();
        assert_eq!(binary(name, b"text"), BinaryReason::Extension(extension));
    }
}

#[test]
fn every_extension_of_the_list_that_is_not_ambiguous_is_refused() {
    let list = "mp4 mov avi mkv webm wmv flv m4v mpeg mpg mp3 wav ogg flac aac m4a wma aiff opus \
        zip tar gz bz2 7z rar xz tgz iso exe dll so dylib bin obj msi deb rpm doc docx xls xlsx \
        ppt pptx odt ods odp ttf otf woff woff2 eot pyc pyo class jar war ear node wasm rlib \
        sqlite sqlite3 mdb psd sketch fig xd blend 3ds swf fla lockb png jpg jpeg gif bmp ico \
        webp tiff tif";
    for extension in list.split_whitespace() {
        let kind = plain(&format!("file.{extension}"), b"plain text\n");
        assert!(matches!(kind, PlainKind::Binary(_)), "{extension}: {kind:?}");
    }
}

#[test]
fn ambiguous_extensions_are_decided_by_content() {
    for extension in
        ["dat", "data", "idx", "max", "app", "ai", "eps", "db", "z", "a", "o", "lib", "pdf", "svg"]
    {
        let name = format!("file.{extension}");
        assert_eq!(plain(&name, b"1 2 3\n"), PlainKind::Text, "{extension}");
        assert_eq!(binary(&name, &[0; 64]), BinaryReason::NulBytes, "{extension}");
    }
}

#[test]
fn pictures_are_recognised_by_content() {
    let gif = b"GIF89a\x01\0\x01\0\0\0\0\0\0\0\0\0";
    assert_eq!(plain("a.png", gif), PlainKind::Image(ImageFormat::Gif));
    assert_eq!(plain("download", gif), PlainKind::Image(ImageFormat::Gif));
    assert_eq!(binary("a.png", b"no"), BinaryReason::ImageExtension("png".into()));
    assert_eq!(binary("a.ico", b"\0\0\x01\0"), BinaryReason::ImageExtension("ico".into()));
    assert_eq!(plain("a.txt", b"GIF89a is a format\n"), PlainKind::Text);
}

#[test]
fn a_name_that_only_looks_like_an_extension_says_nothing() {
    assert_eq!(plain(".zip", b"text"), PlainKind::Text);
    assert_eq!(plain("zip", b"text"), PlainKind::Text);
}

#[test]
fn text_of_all_sorts_is_text() {
    for content in [
        &b""[..],
        b"x",
        b"\xEF\xBB\xBFbom\n",
        "żółć 😀\n".as_bytes(),
        b"caf\xE9 in latin-1\n",
        b"tab\tand\r\nreturn\n",
        b"a stray \0 in a text of some length",
        b"\x1b[31mred\x1b[0m and a bell \x07\n",
    ] {
        assert_eq!(plain("file", content), PlainKind::Text, "{content:?}");
    }
    let latin: Vec<u8> = b"gr\xFC\xDFe aus k\xF6ln \n".repeat(50);
    assert_eq!(plain("file", &latin), PlainKind::Text);
    let cyrillic_1251 = b"\xEF\xF0\xE8\xE2\xE5\xF2".repeat(5);
    assert_eq!(plain("file", &cyrillic_1251), PlainKind::Text, "fewer than 32 bytes");
}

#[test]
fn control_characters_nuls_and_undecodable_bytes_are_binary() {
    assert_eq!(binary("f", b"\x01\x02abc"), BinaryReason::ControlCharacters);
    assert_eq!(plain("f", b"\x01\x02\x03abcdefg"), PlainKind::Text, "30 % is not more than 30 %");
    assert_eq!(
        binary("f", &[b"\0\0\0\0\0\0\0\0".as_slice(), &[b'a'; 99]].concat()),
        BinaryReason::NulBytes
    );
    assert_eq!(plain("f", &[b"\0\0\0\0\0\0\0".as_slice(), &[b'a'; 99]].concat()), PlainKind::Text);
    assert_eq!(binary("f", &[0xFF; 32]), BinaryReason::Undecodable);
    assert_eq!(plain("f", &[0xFF; 31]), PlainKind::Text);
}

#[test]
fn only_the_first_thousand_characters_count_for_controls() {
    let mut late = vec![b'a'; 1_000];
    late.extend([1; 5_000]);
    assert_eq!(plain("f", &late), PlainKind::Text);
}

#[test]
fn binary_data_in_the_middle_or_at_the_end_is_found() {
    let size = 100_000;
    for at in [0, size / 2 - 2_000, size - 6_000] {
        let mut content = vec![b'a'; size];
        content[at..at + 5_000].fill(0xFF);
        assert_eq!(binary("f", &content), BinaryReason::Undecodable, "at {at}");
    }
}

#[test]
fn multibyte_text_cut_by_the_samples_stays_text() {
    for shift in 0..4 {
        let content = ["x".repeat(shift), "€ä😀".repeat(20_000)].concat();
        assert_eq!(plain("f", content.as_bytes()), PlainKind::Text);
    }
}

#[test]
fn wide_text_needs_its_byte_order_mark() {
    let words = "hello wide world 😀\n".repeat(3_000);
    let le: Vec<u8> = words.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let be: Vec<u8> = words.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let quad: Vec<u8> = words.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    assert_eq!(plain("f", &[b"\xFF\xFE".as_slice(), &le].concat()), PlainKind::Text);
    assert_eq!(plain("f", &[b"\xFE\xFF".as_slice(), &be].concat()), PlainKind::Text);
    assert_eq!(plain("f", &[b"\xFF\xFE\0\0".as_slice(), &quad].concat()), PlainKind::Text);
    assert_eq!(binary("f", &le), BinaryReason::NulBytes);
}

#[test]
fn noise_that_begins_like_a_mark_is_binary() {
    let mut state = 1_u32;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    });
    let content: Vec<u8> = b"\xFF\xFE".iter().copied().chain(noise.take(20_000)).collect();
    assert_eq!(binary("f", &content), BinaryReason::Undecodable);
}

#[test]
fn documents_are_named_before_anything_else() {
    let mut empty = Cursor::new(b"");
    let kind = classify(Path::new("Report.PDF"), &mut empty).unwrap();
    assert_eq!(kind, ContentKind::Document(DocumentKind::Pdf));
    let kind = classify(Path::new("notes.md"), &mut empty).unwrap();
    assert_eq!(kind, ContentKind::Plain(PlainKind::Text));
}

#[test]
fn refusals_name_the_extension_and_the_tool_to_use() {
    let path = Path::new("a/b.zip");
    let text = BinaryReason::Extension("zip".into()).message(path);
    assert!(text.contains("a/b.zip") && text.contains(".zip") && text.contains("terminal"));
    let text = BinaryReason::ImageExtension("ico".into()).message(path);
    assert!(text.contains(".ico") && text.contains("vision"));
    assert!(BinaryReason::NulBytes.message(path).contains("terminal"));
}

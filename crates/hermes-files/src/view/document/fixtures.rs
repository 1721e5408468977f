//! Small documents made for tests.

use std::io::{Cursor, Write};

use zip::write::{SimpleFileOptions, ZipWriter};

/// A zip archive with these parts.
pub(super) fn zipped(parts: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        writer.start_file(*name, SimpleFileOptions::default()).unwrap();
        writer.write_all(content.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// A Word document with this body.
pub(super) fn word(body: &str) -> Vec<u8> {
    let xml = format!(
        "<?xml version=\"1.0\"?><w:document xmlns:w=\"w\" xmlns:mc=\"mc\"><w:body>{body}\
         </w:body></w:document>"
    );
    zipped(&[("word/document.xml", &xml)])
}

/// A workbook: each sheet with its name, state and the XML of its rows.
pub(super) fn workbook(strings: &str, sheets: &[(&str, &str, &str)]) -> Vec<u8> {
    let mut list = String::new();
    let mut relations = String::new();
    let mut parts = Vec::new();
    for (index, (name, state, rows)) in sheets.iter().enumerate() {
        list += &format!(r#"<sheet name="{name}" sheetId="1" state="{state}" r:id="r{index}"/>"#);
        // Both forms of a target occur.
        let target = if index % 2 == 0 { "worksheets" } else { "/xl/worksheets" };
        relations += &format!(r#"<Relationship Id="r{index}" Target="{target}/s{index}.xml"/>"#);
        let sheet = format!("<worksheet><sheetData>{rows}</sheetData></worksheet>");
        parts.push((format!("xl/worksheets/s{index}.xml"), sheet));
    }
    parts.push((
        "xl/workbook.xml".into(),
        format!("<workbook xmlns:r=\"r\"><sheets>{list}</sheets></workbook>"),
    ));
    parts.push((
        "xl/_rels/workbook.xml.rels".into(),
        format!("<Relationships>{relations}</Relationships>"),
    ));
    if !strings.is_empty() {
        parts.push(("xl/sharedStrings.xml".into(), format!("<sst>{strings}</sst>")));
    }
    let parts: Vec<_> = parts.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    zipped(&parts)
}

//! The text of PDF files, page by page.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::error::ExtractError;
use crate::page::Extract;

/// The text of a file, with a rule between pages.
///
/// # Errors
/// It cannot be read, or its pages are pictures.
pub(crate) fn pdf(bytes: &[u8]) -> Result<Extract, ExtractError> {
    // The reader trusts the file in places; what it meets there must not end the program.
    let read =
        catch_unwind(AssertUnwindSafe(|| pdf_extract::extract_text_from_mem_by_pages(bytes)));
    let pages = match read {
        Ok(Ok(pages)) => pages,
        Ok(Err(error)) => return Err(ExtractError::BrokenPdf(error.to_string())),
        Err(_) => return Err(ExtractError::BrokenPdf("it is damaged".to_owned())),
    };
    let texts: Vec<String> = pages.iter().map(|page| tidy(page)).collect();
    if texts.iter().all(String::is_empty) {
        return Err(ExtractError::ScannedPdf { pages: pages.len() });
    }
    let title = texts.iter().find_map(|text| text.lines().next()).unwrap_or_default();
    let title = title.chars().take(200).collect();
    let many = texts.len() > 1;
    let pages = texts.into_iter().enumerate().filter(|(_, text)| !text.is_empty());
    let pages: Vec<String> = pages
        .map(|(at, text)| if many { format!("## Page {}\n\n{text}", at + 1) } else { text })
        .collect();
    Ok(Extract { title, markdown: pages.join("\n\n") })
}

/// Lines without blanks at their ends, at most one empty line in a row.
fn tidy(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut empty = true;
    for line in page.lines().map(str::trim_end) {
        if line.trim().is_empty() {
            empty = true;
            continue;
        }
        if !text.is_empty() {
            text.push_str(if empty { "\n\n" } else { "\n" });
        }
        text.push_str(line.trim_start());
        empty = false;
    }
    text
}

//! How much of a page is shown; the rest goes to a file.

use hermes_store::atomic::{self, WriteOptions};
use hermes_store::home::{Home, ensure_private_dir};
use hermes_tool::thousands;
use sha2::{Digest as _, Sha256};

/// The most that is stored of a page.
const MOST_STORED: usize = 2_000_000;
/// Letters of the host in the name of a file.
const SLUG: usize = 60;

/// The text within a budget: all of it, or its beginning and end with a note where the rest is.
pub(super) fn fitted(text: &str, limit: usize, url: &str, home: Option<&Home>) -> String {
    let total = text.chars().count();
    if total <= limit {
        return text.to_owned();
    }
    let head = head_of(text, limit * 3 / 4);
    let tail = tail_of(text, limit - limit * 3 / 4);
    let shown = head.chars().count() + tail.chars().count();
    let first_omitted = head.matches('\n').count() + 1;
    let rest = match home.map(|home| stored(text, url, home)) {
        Some(Ok(path)) => format!(
            "The whole text is in {path}; go on with read_file(path=\"{path}\", offset={first_omitted})"
        ),
        Some(Err(error)) => format!("The whole text could not be stored: {error}"),
        None => "The whole text was not stored: there is no state folder".to_owned(),
    };
    format!(
        "{head}\n\n[… {} characters left out …]\n\n{tail}\n\n---\n[Shown: {} of {} characters. {rest}]",
        thousands(total - shown),
        thousands(shown),
        thousands(total),
    )
}

/// The beginning, up to the last line end if that is in the second half.
fn head_of(text: &str, chars: usize) -> &str {
    let end = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let head = &text[..end];
    match head.rfind('\n') {
        Some(line) if line >= end / 2 => &head[..line],
        _ => head,
    }
}

/// The end, from the first line end on if that is in the first half.
fn tail_of(text: &str, chars: usize) -> &str {
    let start = text.char_indices().rev().nth(chars.saturating_sub(1)).map_or(0, |(at, _)| at);
    let tail = &text[start..];
    match tail.find('\n') {
        Some(line) if line <= tail.len() / 2 => &tail[line + 1..],
        _ => tail,
    }
}

pub(super) fn stored(text: &str, url: &str, home: &Home) -> Result<String, atomic::AtomicError> {
    let folder = home.root().join("cache").join("web");
    ensure_private_dir(&folder)?;
    let hash = Sha256::digest(url.as_bytes());
    let hash: String = hash.iter().take(5).map(|byte| format!("{byte:02x}")).collect();
    let path = folder.join(format!("{}-{hash}.md", slug(url)));
    let end = text.char_indices().nth(MOST_STORED).map_or(text.len(), |(at, _)| at);
    atomic::write(&path, &text.as_bytes()[..end], WriteOptions::default())?;
    Ok(path.display().to_string())
}

/// The host of an address as part of a file name.
fn slug(url: &str) -> String {
    let url = hermes_web::Url::parse(url).ok();
    let host = url.as_ref().and_then(hermes_web::Url::host_str).unwrap_or_default();
    let slug: String = host
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() || letter == '.' {
                letter.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .take(SLUG)
        .collect();
    if slug.trim_matches(['.', '-']).is_empty() { "page".to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_whole() {
        assert_eq!(fitted("ä\n", 2, "https://x/", None), "ä\n");
    }

    #[test]
    fn long_texts_show_both_ends_and_say_where_the_rest_is() {
        let home = tempfile::tempdir().unwrap();
        let home = Home::at(home.path());
        let text: String = (1..=1_000).map(|number| format!("line {number}\n")).collect();
        let got = fitted(&text, 2_000, "https://www.Site.example/a?b", Some(&home));
        let (head, rest) = got.split_once("\n\n[… ").unwrap();
        assert!(head.starts_with("line 1\n") && head.len() <= 1_500 && !head.ends_with('\n'));
        let last: usize = head.lines().last().unwrap()[5..].parse().unwrap();
        assert!(rest.contains("line 1000\n"), "{rest}");
        assert!(rest.contains(&format!("of {} characters", thousands(text.len()))), "{rest}");
        let offset = rest.split("offset=").nth(1).unwrap().split(')').next().unwrap();
        assert!(rest.contains("cache/web/www.site.example-"), "{rest}");
        let path = rest.split("is in ").nth(1).unwrap().split(';').next().unwrap();
        let stored = std::fs::read_to_string(path).unwrap();
        assert_eq!(stored, text);
        let offset: usize = offset.parse().unwrap();
        assert_eq!(stored.lines().nth(offset - 1).unwrap(), format!("line {last}"));
    }

    #[test]
    fn a_file_is_named_for_the_host_and_nothing_else() {
        for (url, name) in [
            ("https://www.Site.example:8080/a", "www.site.example"),
            ("https://ada:s3cret@site.example/", "site.example"),
            ("https://s3cret@site.example/@x", "site.example"),
            ("http://[::1]/", "---1-"),
            ("not an address", "page"),
        ] {
            assert_eq!(slug(url), name, "{url}");
        }
    }

    #[test]
    fn one_long_line_is_cut_by_characters() {
        let text = "ü".repeat(5_000);
        let got = fitted(&text, 2_000, "https://x/", None);
        assert!(
            got.starts_with(&"ü".repeat(1_500))
                && got.contains(&format!("\n{}\n", "ü".repeat(500)))
        );
        assert!(got.contains("[… 3,000 characters left out …]"), "{got}");
    }
}

//! The answer of a search as JSON, for a model or for a script.
//!
//! Always there: `total_count` and the list of the mode (`matches`, `files` or `counts`, even if
//! empty; `matches_text` with `matches_format` instead of `matches` when there are many rows).
//! There only when it has something to say: `total_is_lower_bound`, `truncated` together with
//! `next_offset`, `limit_reason` (`search_timeout`, `result_size` or `cancelled`), `warning`,
//! `_omitted`. Secrets must be masked in the reply before it comes here.

use serde_json::{Map, Value, json};

use super::{ContentReply, FileReply, FoundContent, MatchRow, SearchEnding, SearchError, Total};

/// From this many rows on, a text grouped by file is shorter and easier to read than a list.
const TEXT_FROM: usize = 5;

/// Tells the reader how `matches_text` is laid out.
const TEXT_FORMAT: &str =
    "each path on its own line, below it `  <line>: <content>`; `  <line>- <content>` is context";

/// How rows are laid out in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchStyle {
    /// A list while there are few rows, else one text: for models.
    Compact,
    /// Always a list: for scripts.
    List,
}

/// The JSON fields of a content search.
pub fn render_content(reply: &ContentReply, style: MatchStyle) -> Map<String, Value> {
    let mut fields = Map::new();
    put_total(&mut fields, reply.total);
    match &reply.found {
        FoundContent::Rows(rows) if style == MatchStyle::Compact && rows.len() >= TEXT_FROM => {
            fields.insert("matches_format".into(), TEXT_FORMAT.into());
            fields.insert("matches_text".into(), grouped(rows).into());
        }
        FoundContent::Rows(rows) => {
            fields.insert("matches".into(), rows.iter().map(row).collect());
        }
        FoundContent::Files(files) => {
            fields.insert("files".into(), files.as_slice().into());
        }
        FoundContent::Counts(counts) => {
            let counts: Map<_, _> =
                counts.iter().map(|(path, count)| (path.clone(), (*count).into())).collect();
            fields.insert("counts".into(), counts.into());
        }
    }
    put_rest(&mut fields, reply.next_offset, reply.ending, reply.omitted, &reply.warnings);
    if reply.cut_by_size && !fields.contains_key("limit_reason") {
        fields.insert("limit_reason".into(), "result_size".into());
    }
    fields
}

/// The JSON fields of a file search.
pub fn render_files(reply: &FileReply) -> Map<String, Value> {
    let mut fields = Map::new();
    put_total(&mut fields, reply.total);
    fields.insert("files".into(), reply.files.as_slice().into());
    put_rest(&mut fields, reply.next_offset, reply.ending, reply.omitted, &reply.warnings);
    fields
}

/// The JSON fields of a search that could not be made.
pub fn render_error(error: &SearchError) -> Map<String, Value> {
    let mut fields = Map::new();
    fields.insert("error".into(), error.to_string().into());
    if let SearchError::Missing { similar, .. } = error
        && !similar.is_empty()
    {
        fields.insert("similar_files".into(), similar.as_slice().into());
    }
    fields
}

fn row(row: &MatchRow) -> Value {
    let mut value = json!({ "path": row.path, "line": row.line, "content": row.text });
    if row.is_context {
        value["is_context"] = true.into();
    }
    value
}

fn grouped(rows: &[MatchRow]) -> String {
    let mut text = String::new();
    let mut current = None;
    for row in rows {
        if current != Some(&row.path) {
            push_line(&mut text, &row.path);
            current = Some(&row.path);
        }
        let mark = if row.is_context { '-' } else { ':' };
        push_line(&mut text, format!("  {}{mark} {}", row.line, row.text).trim_end());
    }
    text
}

fn push_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}

fn put_total(fields: &mut Map<String, Value>, total: Total) {
    fields.insert("total_count".into(), total.count().into());
    if matches!(total, Total::AtLeast(_)) {
        fields.insert("total_is_lower_bound".into(), true.into());
    }
}

fn put_rest(
    fields: &mut Map<String, Value>,
    next_offset: Option<usize>,
    ending: SearchEnding,
    omitted: usize,
    warnings: &[String],
) {
    if let Some(next) = next_offset {
        fields.insert("truncated".into(), true.into());
        fields.insert("next_offset".into(), next.into());
    }
    let reason = match ending {
        SearchEnding::Complete => None,
        SearchEnding::TimedOut => Some("search_timeout"),
        SearchEnding::Cancelled => Some("cancelled"),
    };
    if let Some(reason) = reason {
        fields.insert("limit_reason".into(), reason.into());
    }
    if !warnings.is_empty() {
        fields.insert("warning".into(), warnings.join(" ").into());
    }
    if omitted > 0 {
        fields.insert("_omitted".into(), omitted.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(count: u64) -> Vec<MatchRow> {
        (1..=count)
            .map(|line| MatchRow {
                path: if line < 4 { "./a b.txt".into() } else { "./c.txt".into() },
                line,
                text: format!("text {line}  "),
                is_context: line == 2,
            })
            .collect()
    }

    fn reply(found: FoundContent) -> ContentReply {
        ContentReply {
            found,
            total: Total::Exact(9),
            omitted: 0,
            next_offset: None,
            cut_by_size: false,
            ending: SearchEnding::Complete,
            warnings: Vec::new(),
        }
    }

    #[test]
    fn lists_a_few_rows() {
        let fields = render_content(&reply(FoundContent::Rows(rows(2))), MatchStyle::Compact);
        let expected = json!({
            "total_count": 9,
            "matches": [
                {"path": "./a b.txt", "line": 1, "content": "text 1  "},
                {"path": "./a b.txt", "line": 2, "content": "text 2  ", "is_context": true},
            ],
        });
        assert_eq!(Value::from(fields), expected);
    }

    #[test]
    fn groups_many_rows_by_file_and_trims_them() {
        let fields = render_content(&reply(FoundContent::Rows(rows(5))), MatchStyle::Compact);
        assert!(fields["matches_format"].is_string() && !fields.contains_key("matches"));
        assert_eq!(
            fields["matches_text"],
            "./a b.txt\n  1: text 1\n  2- text 2\n  3: text 3\n./c.txt\n  4: text 4\n  5: text 5"
        );
    }

    #[test]
    fn scripts_always_get_the_list() {
        let fields = render_content(&reply(FoundContent::Rows(rows(9))), MatchStyle::List);
        assert_eq!(fields["matches"].as_array().map(Vec::len), Some(9));
        assert!(!fields.contains_key("matches_text"));
    }

    #[test]
    fn gives_counts_as_an_object_in_path_order() {
        let counts = vec![("./b".to_owned(), 2), ("./a".to_owned(), 1)];
        let fields = render_content(&reply(FoundContent::Counts(counts)), MatchStyle::Compact);
        assert_eq!(fields["counts"].to_string(), r#"{"./b":2,"./a":1}"#);
    }

    #[test]
    fn says_what_is_missing_and_why() {
        let cut = ContentReply {
            total: Total::AtLeast(10_000),
            omitted: 3,
            next_offset: Some(50),
            ending: SearchEnding::TimedOut,
            warnings: vec!["One.".into(), "Two.".into()],
            ..reply(FoundContent::Files(vec!["./a".into()]))
        };
        let expected = json!({
            "total_count": 10_000,
            "total_is_lower_bound": true,
            "files": ["./a"],
            "truncated": true,
            "next_offset": 50,
            "limit_reason": "search_timeout",
            "warning": "One. Two.",
            "_omitted": 3,
        });
        assert_eq!(Value::from(render_content(&cut, MatchStyle::Compact)), expected);
        let full = ContentReply { cut_by_size: true, ..reply(FoundContent::Rows(rows(1))) };
        let fields = render_content(&full, MatchStyle::Compact);
        assert_eq!(fields["limit_reason"], "result_size");
    }

    #[test]
    fn names_similar_paths_beside_the_error() {
        let similar = vec!["src".to_owned()];
        let fields = render_error(&SearchError::Missing { path: "scr".into(), similar });
        assert_eq!(
            Value::from(fields),
            json!({"error": "Path not found: scr. Did you mean: src?", "similar_files": ["src"]})
        );
    }
}

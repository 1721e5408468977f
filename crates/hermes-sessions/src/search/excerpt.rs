//! The words around a hit.

use rusqlite::{Connection, ToSql, params_from_iter};

use super::super::fts::{TRIGRAMS, WORDS};
use super::query::{Plan, Query};

/// Before and after what was looked for.
const MARKS: (&str, &str) = (">>>", "<<<");
/// Words of an excerpt made by the index of words; the other index counts characters.
const WORDS_SHOWN: usize = 32;
const CHARACTERS_SHOWN: usize = 64;
/// Characters on each side of a hit in an excerpt of our own.
const SIDE: usize = 60;

/// Excerpts of messages by the index that found them; none for those it cannot show.
pub(super) fn by_index(
    connection: &Connection,
    query: &Query,
    messages: &[i64],
) -> rusqlite::Result<Vec<(i64, String)>> {
    // The index would look up every word with such a beginning for each message again.
    if query.has_prefixes() {
        return Ok(Vec::new());
    }
    let (table, size) = match query.plan() {
        Plan::Words => (WORDS, WORDS_SHOWN),
        Plan::Trigrams => (TRIGRAMS, CHARACTERS_SHOWN),
        Plan::Nothing | Plan::Substrings => return Ok(Vec::new()),
    };
    let expression = query.expression();
    let marks = vec!["?"; messages.len()].join(", ");
    let (before, after) = MARKS;
    let statement = format!(
        "SELECT rowid, snippet({table}, 0, '{before}', '{after}', '…', {size}) FROM {table} \
         WHERE {table} MATCH ? AND rowid IN ({marks})"
    );
    let mut values: Vec<&dyn ToSql> = vec![&expression];
    values.extend(messages.iter().map(|id| id as &dyn ToSql));
    let rows = connection
        .prepare_cached(&statement)?
        .query_map(params_from_iter(values), |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<Vec<(i64, String)>>>()?;
    let is_shown = |text: &str| text.contains(before) && !text.starts_with('\0');
    Ok(rows
        .into_iter()
        .filter(|(_, text)| is_shown(text))
        .map(|(id, text)| (id, text.trim().to_owned()))
        .collect())
}

/// An excerpt of a text around the first of some terms.
pub(super) fn around(text: &str, terms: &[&str]) -> String {
    // Byte for byte as long as the text, so that places in one are places in the other.
    let folded = text.to_ascii_lowercase();
    let place = |term: &&str| folded.find(&term.to_ascii_lowercase()).map(|at| (at, term.len()));
    let (at, length) = terms.iter().filter_map(place).min().unwrap_or((0, 0));
    let (before, rest) = text.split_at_checked(at).unwrap_or(("", text));
    let (hit, after) = rest.split_at_checked(length).unwrap_or(("", rest));
    let start = before.char_indices().rev().nth(SIDE - 1).map_or(0, |(index, _)| index);
    let end = after.char_indices().nth(SIDE).map_or(after.len(), |(index, _)| index);
    let before = before.get(start..).unwrap_or_default();
    let shown_after = after.get(..end).unwrap_or_default();
    let hit = match hit.is_empty() {
        true => String::new(),
        false => format!("{}{hit}{}", MARKS.0, MARKS.1),
    };
    let dots = |is_cut: bool| if is_cut { "…" } else { "" };
    let text = format!("{}{before}{hit}{shown_after}{}", dots(start > 0), dots(end < after.len()));
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hit_is_marked_with_its_surroundings() {
        assert_eq!(
            around("Das ist Tokyo (東京) heute", &["東京"]),
            "Das ist Tokyo (>>>東京<<<) heute"
        );
        let long = "あ".repeat(200) + "東京" + &"い".repeat(200);
        let cut = around(&long, &["大阪", "東京"]);
        assert!(cut.starts_with('…') && cut.ends_with('…') && cut.contains(">>>東京<<<"), "{cut}");
        assert_eq!(cut.chars().count(), 2 + 6 + 2 + 2 * SIDE);
        assert_eq!(around("İstanbul RUST", &["rust"]), "İstanbul >>>RUST<<<");
        assert_eq!(around("nothing", &["x"]), "nothing");
    }
}

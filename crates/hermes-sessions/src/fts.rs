//! The two full-text indexes over messages.
//!
//! `messages_fts` knows words, `messages_fts_trigram` knows every three characters in a row, for
//! scripts that put no spaces between words. Triggers keep both true to `messages`.
//!
//! A new file keeps no second copy of the text: the indexes read it through views when they have to
//! show it (*external content*). The trigram index only takes in messages that hold such a script
//! (or parts whose text only shows when decoded), because nothing else is ever looked up in it; that
//! is what makes it small. A file in which the indexes hold their own text is left as it is, with
//! triggers of that kind; both kinds answer the same questions.

use rusqlite::Connection;

use super::tables::Existing;

/// Where a file keeps the text of its indexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IndexKind {
    /// Nowhere: it is read from the messages.
    External,
    /// In the indexes themselves.
    Inline,
}

struct Index {
    table: &'static str,
    view: &'static str,
    tokenizer: &'static str,
    /// Whether a message is taken in, for `{row}`; only where the text is external.
    only: Option<&'static str>,
}

const INDEXES: [Index; 2] = [
    Index { table: WORDS, view: "messages_fts_text", tokenizer: "unicode61", only: None },
    Index {
        table: TRIGRAMS,
        view: "messages_fts_trigram_text",
        tokenizer: "trigram",
        only: Some(HOLDS_SCRIPT_WITHOUT_SPACES),
    },
];

/// The index of words.
pub(super) const WORDS: &str = "messages_fts";
/// The index of three characters in a row.
pub(super) const TRIGRAMS: &str = "messages_fts_trigram";

/// What is indexed of a message.
const TEXT: &str = "coalesce({row}content, '') || ' ' || coalesce({row}tool_name, '') || ' ' || \
                    coalesce({row}tool_calls, '')";

/// Patterns stop at a zero byte, with which parts begin: those are always taken in.
const HOLDS_SCRIPT_WITHOUT_SPACES: &str = "(coalesce({row}content, '') GLOB '{script}' \
     OR coalesce({row}tool_calls, '') GLOB '{script}' \
     OR (length({row}content) = 0 AND {row}content <> ''))";

/// Covers [`is_unspaced`].
const SCRIPT: &str = "*[\u{1100}-\u{11ff}\u{2e80}-\u{a4cf}\u{a960}-\u{a97f}\u{ac00}-\u{d7ff}\
                      \u{f900}-\u{faff}\u{ff66}-\u{ffdc}\u{20000}-\u{3ffff}]*";

/// Whether a character is of a script that puts no spaces between words: Chinese, Japanese, Korean.
#[must_use]
pub(super) fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}'
        | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}' | '\u{3041}'..='\u{a4cf}'
        | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ffdc}' | '\u{20000}'..='\u{3ffff}')
}

fn about(row: &str, template: &str) -> String {
    template.replace("{script}", SCRIPT).replace("{row}", row)
}

impl Index {
    fn kind(&self, existing: &Existing) -> Option<IndexKind> {
        let definition = existing.definitions.get(self.table)?;
        Some(match definition.contains("content=") {
            true => IndexKind::External,
            false => IndexKind::Inline,
        })
    }

    fn trigger(&self, event: &str) -> String {
        format!("{}_{event}", self.table)
    }

    fn has_triggers(&self, existing: &Existing) -> bool {
        ["insert", "delete", "update"].iter().all(|event| existing.has(&self.trigger(event)))
    }

    fn create_table(&self) -> String {
        let (table, view, tokenizer) = (self.table, self.view, self.tokenizer);
        let text = about("", TEXT);
        let only = self.only.map(|only| format!(" WHERE {}", about("", only))).unwrap_or_default();
        format!(
            "CREATE VIEW IF NOT EXISTS {view} AS SELECT id, {text} AS content FROM messages{only};
             CREATE VIRTUAL TABLE {table} USING fts5(content, content='{view}', \
             content_rowid='id', tokenize='{tokenizer}');"
        )
    }

    fn create_triggers(&self, kind: IndexKind) -> String {
        let table = self.table;
        let (new, old) = (about("new.", TEXT), about("old.", TEXT));
        let insert = format!("INSERT INTO {table}(rowid, content) VALUES (new.id, {new});");
        let condition = |row: &str| match (kind, self.only) {
            (IndexKind::External, Some(only)) => about(row, only),
            _ => "1".to_owned(),
        };
        let (takes_new, took_old) = (condition("new."), condition("old."));
        let delete = match kind {
            IndexKind::External => format!(
                "INSERT INTO {table}({table}, rowid, content) SELECT 'delete', old.id, {old} \
                 WHERE {took_old};"
            ),
            IndexKind::Inline => format!("DELETE FROM {table} WHERE rowid = old.id;"),
        };
        let insert_again =
            format!("INSERT INTO {table}(rowid, content) SELECT new.id, {new} WHERE {takes_new};");
        let (on_insert, on_delete, on_update) =
            (self.trigger("insert"), self.trigger("delete"), self.trigger("update"));
        // Setting a message aside changes no text and so no index.
        format!(
            "CREATE TRIGGER IF NOT EXISTS {on_insert} AFTER INSERT ON messages WHEN {takes_new}
             BEGIN {insert} END;
             CREATE TRIGGER IF NOT EXISTS {on_delete} AFTER DELETE ON messages
             BEGIN {delete} END;
             CREATE TRIGGER IF NOT EXISTS {on_update}
             AFTER UPDATE OF content, tool_name, tool_calls ON messages
             BEGIN {delete} {insert_again} END;"
        )
    }

    fn fill(&self, connection: &Connection, kind: IndexKind) -> rusqlite::Result<()> {
        let table = self.table;
        connection.execute_batch(&match kind {
            IndexKind::External => format!("INSERT INTO {table}({table}) VALUES ('rebuild')"),
            IndexKind::Inline => {
                let text = about("", TEXT);
                format!(
                    "DELETE FROM {table};
                     INSERT INTO {table}(rowid, content) SELECT id, {text} FROM messages"
                )
            }
        })
    }
}

/// Whether both indexes and all their triggers are there.
pub(super) fn is_complete(existing: &Existing) -> bool {
    INDEXES.iter().all(|index| existing.has(index.table) && index.has_triggers(existing))
}

/// Makes what is missing, and fills it from the messages that are there.
pub(super) fn complete(connection: &Connection, existing: &Existing) -> rusqlite::Result<()> {
    for index in &INDEXES {
        let kind = index.kind(existing).unwrap_or(IndexKind::External);
        if existing.has(index.table) && index.has_triggers(existing) {
            continue;
        }
        if !existing.has(index.table) {
            connection.execute_batch(&index.create_table())?;
        }
        connection.execute_batch(&index.create_triggers(kind))?;
        index.fill(connection, kind)?;
    }
    Ok(())
}

/// Makes what is missing beside the file, for a reader that must not change it. Filling takes a look at
/// every message, so only who searches does this.
pub(super) fn stand_in(connection: &Connection) -> rusqlite::Result<()> {
    for index in &INDEXES {
        let Index { table, tokenizer, only, .. } = index;
        let is_there = connection
            .prepare_cached(
                "SELECT 1 FROM main.sqlite_master WHERE name = ?1 \
                 UNION ALL SELECT 1 FROM temp.sqlite_master WHERE name = ?1",
            )?
            .exists([table])?;
        if is_there {
            continue;
        }
        let text = about("", TEXT);
        let only = only.map(|only| format!(" WHERE {}", about("", only))).unwrap_or_default();
        connection.execute_batch(&format!(
            "CREATE VIRTUAL TABLE temp.{table} USING fts5(content, tokenize='{tokenizer}');
             INSERT INTO temp.{table}(rowid, content) SELECT id, {text} FROM messages{only}"
        ))?;
    }
    Ok(())
}

/// Whether the index of three characters in a row is of the file or beside it, in SQLite's words.
pub(super) fn trigrams_are_in(connection: &Connection) -> rusqlite::Result<&'static str> {
    let stands_in = connection
        .prepare_cached("SELECT 1 FROM temp.sqlite_master WHERE name = ?1")?
        .exists([TRIGRAMS])?;
    Ok(if stands_in { "temp" } else { "main" })
}

/// What kind the index of words is.
pub(super) fn kind(connection: &Connection) -> rusqlite::Result<Option<IndexKind>> {
    let existing = Existing::read(connection)?;
    Ok(INDEXES.first().and_then(|index| index.kind(&existing)))
}

/// Makes both indexes anew from the messages.
pub(super) fn rebuild(connection: &Connection) -> rusqlite::Result<()> {
    let existing = Existing::read(connection)?;
    for index in &INDEXES {
        index.fill(connection, index.kind(&existing).unwrap_or(IndexKind::External))?;
    }
    Ok(())
}

/// Merges what many small writes left behind.
pub(super) fn optimize(connection: &Connection) -> rusqlite::Result<()> {
    for index in &INDEXES {
        let table = index.table;
        connection.execute_batch(&format!("INSERT INTO {table}({table}) VALUES ('optimize')"))?;
    }
    Ok(())
}

/// Whether both indexes are sound; the first complaint if not.
pub(super) fn check(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let existing = Existing::read(connection)?;
    for index in &INDEXES {
        let table = index.table;
        // With a one, the text is compared as well.
        let depth = match index.kind(&existing) {
            Some(IndexKind::External) => 1,
            Some(IndexKind::Inline) => 0,
            None => return Ok(Some(format!("{table} is missing"))),
        };
        let check =
            format!("INSERT INTO {table}({table}, rank) VALUES ('integrity-check', {depth})");
        if let Err(problem) = connection.execute_batch(&check) {
            return Ok(Some(format!("{table}: {problem}")));
        }
    }
    Ok(None)
}

/// Removes tables, views and triggers of both indexes, which can be made again.
pub(super) fn drop_all(connection: &Connection) -> rusqlite::Result<()> {
    for index in &INDEXES {
        for event in ["insert", "delete", "update"] {
            let trigger = index.trigger(event);
            connection.execute_batch(&format!("DROP TRIGGER IF EXISTS {trigger}"))?;
        }
        let (table, view) = (index.table, index.view);
        connection
            .execute_batch(&format!("DROP TABLE IF EXISTS {table}; DROP VIEW IF EXISTS {view}"))?;
    }
    Ok(())
}

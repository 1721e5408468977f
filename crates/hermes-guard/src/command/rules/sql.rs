//! SQL that is really sent to a database.

use super::super::call::{ProgramCall, Taint};
use super::super::category::Category;
use super::{DangerRule, RuleCheck};

const DROP: Category =
    Category::asks("SQL DROP", "A table, a column or a whole database would be deleted.");
const DELETE: Category =
    Category::asks("SQL DELETE without WHERE", "All rows of a table would be deleted.");
const UPDATE: Category =
    Category::asks("SQL UPDATE without WHERE", "All rows of a table would be changed.");
const ADMINISTER: Category = Category::asks(
    "SQL administration",
    "Rights, settings, logs or connections of a database would be changed for everybody.",
);
const TRUNCATE: Category = Category::asks("SQL TRUNCATE", "A table would be emptied.");

const CLIENTS: &[&str] = &[
    "psql",
    "mysql",
    "sqlite3",
    "sqlite",
    "sqlcmd",
    "clickhouse-client",
    "clickhouse",
    "duckdb",
    "cockroach",
    "bq",
    "snowsql",
    "mycli",
    "pgcli",
    "litecli",
    "usql",
    "mssql-cli",
    "isql",
    "sqlplus",
    "cqlsh",
    "presto",
    "trino",
    "impala-shell",
    "beeline",
    "hive",
    "spark-sql",
    "spanner-cli",
    "supabase",
    "turso",
    "wrangler",
    "osqueryi",
    "pscale",
    "libsql",
    "rqlite",
    "influx",
    "db2",
    "mysqlsh",
    "sqlcl",
    "vsql",
    "nzsql",
    "exaplus",
    "hdbsql",
    "tsql",
    "fbsql",
    "monetdb",
    "questdb",
    "kdb",
    "ysqlsh",
    "databricks",
    "athena",
    "sqlite-utils",
    "dolt",
];

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: DROP,
        programs: CLIENTS,
        check: RuleCheck::Call(|call| sends(call, Verdict::Drop)),
        catches: &[
            "psql -c 'DROP TABLE users'",
            "mysql -e \"drop database x\"",
            "echo 'DROP TABLE a;' | sqlite3 x.db",
            "psql <<E\nDROP SCHEMA public CASCADE;\nE",
            "sqlite3 x.db 'ALTER TABLE a DROP COLUMN b'",
            "psql -c 'DROP/**/TABLE a'",
            "psql --command='DROP TABLE a'",
            "docker exec db psql -U x -c 'drop table a'",
            "snow sql -q 'drop table x'",
            "somedb --query='DROP TABLE x'",
            "heroku pg:psql -c 'drop table x'",
        ],
        passes: &[
            "git commit -m 'drop table users'",
            "psql -f drop_table.sql",
            "grep 'DROP TABLE' x.sql",
            "psql -c 'select 1'",
            "psql -c \"select 'drop table x'\"",
            "echo 'DROP TABLE a'",
            "psql -c 'select 1 -- drop table x'",
        ],
    },
    DangerRule {
        category: DELETE,
        programs: CLIENTS,
        check: RuleCheck::Call(|call| sends(call, Verdict::Delete)),
        catches: &[
            "psql -c 'DELETE FROM users'",
            "mysql -e 'delete from a; select 1'",
            "sqlite3 x 'DELETE /* x */ FROM a'",
            "psql -c 'delete from a where 1=1'",
            "psql -c 'delete from a where id is not null'",
            "mysql -e 'delete from a where id > 0'",
            "mysql -e 'delete u from users u join x on x.id = u.id'",
        ],
        passes: &[
            "psql -c 'DELETE FROM users WHERE id=1'",
            "mysql -e 'delete from a\nwhere b=1'",
            "psql -c 'delete from a where b is null and c > 0'",
        ],
    },
    DangerRule {
        category: UPDATE,
        programs: CLIENTS,
        check: RuleCheck::Call(|call| sends(call, Verdict::Update)),
        catches: &["psql -c \"UPDATE users SET admin = true\"", "mysql -e 'update a set b=1'"],
        passes: &["psql -c 'update a set b=1 where c=2'", "psql -c 'select 1 for update'"],
    },
    DangerRule {
        category: ADMINISTER,
        programs: CLIENTS,
        check: RuleCheck::Call(|call| sends(call, Verdict::Administer) || runs_strange_file(call)),
        catches: &[
            "psql -c 'REVOKE ALL ON SCHEMA public FROM app'",
            "psql -c 'ALTER TABLE users DISABLE ROW LEVEL SECURITY'",
            "psql -c 'select pg_terminate_backend(pid) from pg_stat_activity'",
            "mysql -e 'PURGE BINARY LOGS BEFORE NOW()'",
            "mysql -e 'SET GLOBAL read_only = 1'",
            "clickhouse-client -q 'ALTER TABLE events DELETE WHERE 1'",
            "psql -c 'ALTER SYSTEM SET fsync = off'",
            "psql -f wipe_all.sql",
            "sqlite3 app.db '.restore empty.db'",
        ],
        passes: &[
            "psql -c 'select 1; select 2'",
            "psql -c 'alter table a add column b int'",
            "psql -c 'alter table a alter column b set not null'",
            "mysql -e 'show processlist'",
            "psql -c 'set search_path = x; select 1'",
            "psql -c 'vacuum analyze a'",
            "psql -f schema.sql",
            "sqlite3 app.db .dump",
            "mysql -e 'flush tables'",
        ],
    },
    DangerRule {
        category: TRUNCATE,
        programs: CLIENTS,
        check: RuleCheck::Call(|call| sends(call, Verdict::Truncate)),
        catches: &["psql -c 'TRUNCATE TABLE users'", "mysql x -e 'truncate logs'"],
        passes: &[
            "psql -c 'select truncate(1.5, 1)'",
            "truncate -s 0 x",
            "psql -c 'select date_trunc(1)'",
        ],
    },
];

#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Administer,
    Drop,
    Delete,
    Truncate,
    Update,
}

/// Statements that some program nobody has listed is told to run, by the option before them and by how they
/// begin.
pub(crate) fn statements<'c>(call: &ProgramCall<'c>) -> Vec<&'c str> {
    const OPTIONS: &[&str] = &[
        "-q",
        "-Q",
        "-c",
        "-e",
        "-s",
        "--query",
        "--sql",
        "--command",
        "--execute",
        "--statement",
        "--exec",
        "--eval",
    ];
    const BEGINNINGS: &[&str] =
        &["drop ", "truncate ", "delete ", "update ", "alter ", "grant ", "revoke ", "shutdown"];
    if !call.args.iter().any(|arg| arg.text.contains(' ')) || CLIENTS.contains(&call.name) {
        return Vec::new();
    }
    let args = call.args;
    let given = args.iter().enumerate().filter_map(|(at, arg)| {
        let text: &'c str = arg.text.as_ref();
        let before = at.checked_sub(1).map_or("", |at| args[at].as_str());
        match text.split_once('=') {
            Some((option, value)) if OPTIONS.contains(&option) => Some(value),
            _ if OPTIONS.contains(&before) => Some(text),
            _ => None,
        }
    });
    given
        .filter(|text| {
            let begin = text.trim_start();
            BEGINNINGS.iter().any(|verb| {
                begin.get(..verb.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(verb))
            })
        })
        .take(4)
        .collect()
}

fn sends(call: &ProgramCall<'_>, verdict: Verdict) -> bool {
    let input = call.stdin.text.as_deref();
    if verdict == Verdict::Drop && input.is_none() && call.stdin.taint.has(Taint::STATEMENTS) {
        return true;
    }
    let given = call.args.iter().map(|arg| value(&arg.text));
    given
        .chain(input)
        .any(|text| says(text, verdict) || verdict == Verdict::Administer && has_phrase(text))
}

/// Phrases of statements that change more than rows: names, replication, the server's files, code in texts.
fn has_phrase(text: &str) -> bool {
    const PHRASES: &[&str] = &[
        "rename table ",
        " rename to ",
        "session_replication_role",
        "writable_schema",
        "load data infile",
        "load data local infile",
        "stop replica",
        "stop slave",
        "change master to",
        "change replication",
        "create or replace table",
        "alter login ",
        "dbcc shrink",
        "backup database",
        "restore database",
        "system stop ",
        "system drop ",
        "then delete",
        "reindex database",
        "reindex system",
        "vacuum into ",
        "execute 'drop",
        "execute 'truncate",
        "execute 'delete",
        "drop measurement",
        "drop series",
        "drop partition",
        "where id=id",
        "where id = id",
        "attach '/etc",
        "attach database '/etc",
        "into dumpfile",
        "utl_http",
        "dblink(",
        "pg_ls_dir",
        "sp_configure",
        "openrowset",
    ];
    if text.len() < 10 || text.len() > 16 * 1024 {
        return false;
    }
    let lower = text.to_ascii_lowercase();
    // A file of the server, elsewhere than among temporary ones.
    let copies = lower.starts_with("copy ")
        && lower
            .split('\'')
            .skip(1)
            .step_by(2)
            .any(|path| path.starts_with('/') && !path.starts_with("/tmp/"));
    copies || PHRASES.iter().any(|phrase| lower.contains(phrase))
}

/// A file of statements that says by its name what it is for, or a command of the client that replaces
/// everything.
fn runs_strange_file(call: &ProgramCall<'_>) -> bool {
    let says = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or(file).to_ascii_lowercase();
        let Some(stem) = name.strip_suffix(".sql").or_else(|| name.strip_suffix(".lua")) else {
            return false;
        };
        stem.split(['-', '_', '.'])
            .any(|word| matches!(word, "wipe" | "nuke" | "purge" | "destroy"))
            || stem.replace('-', "_").contains("drop_all")
    };
    call.args.iter().any(|arg| {
        says(value(&arg.text)) || {
            let text = arg.as_str();
            let written = [".output ", ".once ", ".backup ", ".save "]
                .iter()
                .find_map(|command| text.strip_prefix(command));
            text.starts_with(".restore ")
                || text.to_ascii_lowercase().contains("language c")
                || written
                    .is_some_and(|path| super::super::paths::is_sensitive(&call.path(path.trim())))
        }
    })
}

/// What follows the `=` of a long option, or the whole argument.
fn value(text: &str) -> &str {
    match text.starts_with("--").then(|| text.split_once('=')).flatten() {
        Some((_, value)) => value,
        None => text,
    }
}

fn says(text: &str, verdict: Verdict) -> bool {
    let mut statement: Vec<SqlWord> = Vec::new();
    let mut words = Words { rest: text };
    loop {
        match words.next() {
            Some(SqlWord::End) | None if statement_says(&statement, verdict) => return true,
            None => return false,
            Some(SqlWord::End) => statement.clear(),
            Some(word) if statement.len() < MAX_STATEMENT => statement.push(word),
            Some(_) => {}
        }
    }
}

/// Words of a statement that are looked at.
const MAX_STATEMENT: usize = 512;

fn statement_says(words: &[SqlWord], verdict: Verdict) -> bool {
    use SqlWord as W;
    let condition = words.iter().position(|word| *word == W::Where).map(|at| &words[at + 1..]);
    let chooses = condition.is_some_and(|condition| !holds_for_all(condition));
    match verdict {
        Verdict::Drop => {
            words
                .windows(2)
                .any(|two| matches!(two, [W::Drop, W::Table | W::Database | W::Schema | W::Column]))
                || words.first() == Some(&W::Drop) && words.len() > 1
                || words.first() == Some(&W::Alter)
                    && words.get(1) == Some(&W::Table)
                    && words.contains(&W::Drop)
        }
        Verdict::Administer => {
            let begins = matches!(
                words.first(),
                Some(
                    W::Grant
                        | W::Revoke
                        | W::Reset
                        | W::Purge
                        | W::Kill
                        | W::Reassign
                        | W::Shutdown
                )
            ) && words.len() > 1
                || words == [W::Shutdown];
            begins
                || matches!(words, [W::Set, W::Global, ..])
                || matches!(words, [W::Alter, W::System | W::Database, ..])
                || words.first() == Some(&W::Alter)
                    && (words.contains(&W::Disable) || words.contains(&W::Delete))
                || words.contains(&W::Terminate)
        }
        Verdict::Delete => {
            (words.windows(2).any(|two| matches!(two, [W::Delete, W::From]))
                || words.first() == Some(&W::Delete) && words.contains(&W::From))
                && !chooses
        }
        Verdict::Update => words.first() == Some(&W::Update) && words.contains(&W::Set) && !chooses,
        Verdict::Truncate => {
            let first = words.iter().position(|word| *word == W::Truncate);
            first == Some(0) && words.len() > 1 && words[1] != W::Bracket
        }
    }
}

/// `1=1`, `true`, `id IS NOT NULL`, `id > 0`: a condition that every row meets.
fn holds_for_all(condition: &[SqlWord]) -> bool {
    use SqlWord as W;
    match condition {
        [W::Always, ..] => true,
        [W::Other, W::Is, W::Not, W::Null, rest @ ..]
        | [W::Other, W::Greater, W::Zero, rest @ ..] => !rest.contains(&W::And),
        [W::Not, W::Never, ..] => true,
        _ => condition.windows(2).any(|two| matches!(two, [W::Or, W::Always])),
    }
}

/// What matters in SQL.
#[derive(Clone, Copy, Debug, PartialEq)]
enum SqlWord {
    Drop,
    Table,
    Database,
    Schema,
    Column,
    Delete,
    From,
    Where,
    Truncate,
    Update,
    Set,
    Alter,
    Disable,
    Global,
    Grant,
    Kill,
    Purge,
    Reassign,
    Reset,
    Revoke,
    Shutdown,
    System,
    /// A function that ends somebody's work or reads the server's files.
    Terminate,
    /// A condition that always holds.
    Always,
    Never,
    Is,
    Not,
    Null,
    And,
    Or,
    Greater,
    Zero,
    Bracket,
    Other,
    End,
}

/// Words outside comments and strings.
struct Words<'t> {
    rest: &'t str,
}

impl Iterator for Words<'_> {
    type Item = SqlWord;

    fn next(&mut self) -> Option<SqlWord> {
        loop {
            let first = *self.rest.as_bytes().first()?;
            if let Some(comment) = self.rest.strip_prefix("--") {
                self.rest = comment.find('\n').map_or("", |end| &comment[end..]);
                continue;
            }
            if let Some(comment) = self.rest.strip_prefix("/*") {
                self.rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
                continue;
            }
            let is_word =
                |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
            if is_word(&first) {
                let end = self.rest.as_bytes().iter().position(|byte| !is_word(byte));
                let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
                self.rest = rest;
                return Some(keyword(word));
            }
            let behind = &self.rest[1..];
            self.rest = behind;
            match first {
                b'\'' => {
                    self.rest = behind.find('\'').map_or("", |end| &behind[end + 1..]);
                    return Some(SqlWord::Other);
                }
                b';' => return Some(SqlWord::End),
                b'(' => return Some(SqlWord::Bracket),
                b'>' => {
                    self.rest = behind.strip_prefix('=').unwrap_or(behind);
                    return Some(SqlWord::Greater);
                }
                _ => {}
            }
        }
    }
}

fn keyword(word: &str) -> SqlWord {
    const KEYWORDS: &[(&str, SqlWord)] = &[
        ("drop", SqlWord::Drop),
        ("table", SqlWord::Table),
        ("database", SqlWord::Database),
        ("schema", SqlWord::Schema),
        ("column", SqlWord::Column),
        ("delete", SqlWord::Delete),
        ("from", SqlWord::From),
        ("where", SqlWord::Where),
        ("truncate", SqlWord::Truncate),
        ("keyspace", SqlWord::Database),
        ("owned", SqlWord::Database),
        ("user", SqlWord::Database),
        ("view", SqlWord::Database),
        ("materialized", SqlWord::Database),
        ("function", SqlWord::Database),
        ("procedure", SqlWord::Database),
        ("trigger", SqlWord::Database),
        ("sequence", SqlWord::Database),
        ("extension", SqlWord::Database),
        ("policy", SqlWord::Database),
        ("publication", SqlWord::Database),
        ("true", SqlWord::Always),
        ("1", SqlWord::Always),
        ("false", SqlWord::Never),
        ("is", SqlWord::Is),
        ("not", SqlWord::Not),
        ("null", SqlWord::Null),
        ("and", SqlWord::And),
        ("or", SqlWord::Or),
        ("0", SqlWord::Zero),
        ("role", SqlWord::Database),
        ("tablespace", SqlWord::Database),
        ("update", SqlWord::Update),
        ("set", SqlWord::Set),
        ("alter", SqlWord::Alter),
        ("disable", SqlWord::Disable),
        ("global", SqlWord::Global),
        ("grant", SqlWord::Grant),
        ("kill", SqlWord::Kill),
        ("purge", SqlWord::Purge),
        ("reassign", SqlWord::Reassign),
        ("reset", SqlWord::Reset),
        ("revoke", SqlWord::Revoke),
        ("shutdown", SqlWord::Shutdown),
        ("system", SqlWord::System),
        ("pg_terminate_backend", SqlWord::Terminate),
        ("pg_cancel_backend", SqlWord::Terminate),
        ("pg_drop_replication_slot", SqlWord::Terminate),
        ("lo_unlink", SqlWord::Terminate),
        ("pg_shadow", SqlWord::Terminate),
        ("pg_authid", SqlWord::Terminate),
        ("authentication_string", SqlWord::Terminate),
        ("pg_read_file", SqlWord::Terminate),
        ("pg_ls_dir", SqlWord::Terminate),
        ("lo_import", SqlWord::Terminate),
        ("load_file", SqlWord::Terminate),
        ("writefile", SqlWord::Terminate),
        ("plpythonu", SqlWord::Terminate),
        ("plpython3u", SqlWord::Terminate),
        ("plperlu", SqlWord::Terminate),
        ("load_extension", SqlWord::Terminate),
        ("xp_cmdshell", SqlWord::Terminate),
        ("dbms_scheduler", SqlWord::Terminate),
    ];
    KEYWORDS
        .iter()
        .find(|(keyword, _)| word.eq_ignore_ascii_case(keyword))
        .map_or(SqlWord::Other, |(_, found)| *found)
}

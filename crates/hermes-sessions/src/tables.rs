//! The tables, told once: what they are made of, and what of them a file has.
//!
//! The shape is that of version 22.

use std::collections::{HashMap, HashSet};

use rusqlite::Connection;

/// The version a new file states.
pub const VERSION: i64 = 22;
/// The oldest version that can be read.
pub const OLDEST_VERSION: i64 = 11;

pub(super) struct Table {
    pub(super) name: &'static str,
    /// Name and declaration.
    pub(super) columns: &'static [(&'static str, &'static str)],
    pub(super) constraint: &'static str,
}

pub(super) const TABLES: &[Table] = &[
    Table { name: "schema_version", columns: &[("version", "INTEGER NOT NULL")], constraint: "" },
    Table {
        name: "sessions",
        columns: &[
            ("id", "TEXT PRIMARY KEY"),
            ("source", "TEXT NOT NULL"),
            ("user_id", "TEXT"),
            ("session_key", "TEXT"),
            ("chat_id", "TEXT"),
            ("chat_type", "TEXT"),
            ("thread_id", "TEXT"),
            ("display_name", "TEXT"),
            ("origin_json", "TEXT"),
            ("expiry_finalized", "INTEGER DEFAULT 0"),
            ("model", "TEXT"),
            ("model_config", "TEXT"),
            ("system_prompt", "TEXT"),
            ("parent_session_id", "TEXT"),
            ("started_at", "REAL NOT NULL"),
            ("ended_at", "REAL"),
            ("end_reason", "TEXT"),
            ("message_count", "INTEGER DEFAULT 0"),
            ("tool_call_count", "INTEGER DEFAULT 0"),
            ("input_tokens", "INTEGER DEFAULT 0"),
            ("output_tokens", "INTEGER DEFAULT 0"),
            ("cache_read_tokens", "INTEGER DEFAULT 0"),
            ("cache_write_tokens", "INTEGER DEFAULT 0"),
            ("reasoning_tokens", "INTEGER DEFAULT 0"),
            ("cwd", "TEXT"),
            ("git_branch", "TEXT"),
            ("git_repo_root", "TEXT"),
            ("billing_provider", "TEXT"),
            ("billing_base_url", "TEXT"),
            ("billing_mode", "TEXT"),
            ("estimated_cost_usd", "REAL"),
            ("actual_cost_usd", "REAL"),
            ("cost_status", "TEXT"),
            ("cost_source", "TEXT"),
            ("pricing_version", "TEXT"),
            ("title", "TEXT"),
            ("api_call_count", "INTEGER DEFAULT 0"),
            ("handoff_state", "TEXT"),
            ("handoff_platform", "TEXT"),
            ("handoff_error", "TEXT"),
            ("compression_failure_cooldown_until", "REAL"),
            ("compression_failure_error", "TEXT"),
            ("compression_fallback_streak", "INTEGER NOT NULL DEFAULT 0"),
            ("profile_name", "TEXT"),
            ("rewind_count", "INTEGER NOT NULL DEFAULT 0"),
            ("archived", "INTEGER NOT NULL DEFAULT 0"),
        ],
        constraint: "FOREIGN KEY (parent_session_id) REFERENCES sessions(id)",
    },
    Table {
        name: "messages",
        columns: &[
            ("id", "INTEGER PRIMARY KEY AUTOINCREMENT"),
            ("session_id", "TEXT NOT NULL REFERENCES sessions(id)"),
            ("role", "TEXT NOT NULL"),
            ("content", "TEXT"),
            ("tool_call_id", "TEXT"),
            ("tool_calls", "TEXT"),
            ("tool_name", "TEXT"),
            ("effect_disposition", "TEXT"),
            ("timestamp", "REAL NOT NULL"),
            ("token_count", "INTEGER"),
            ("finish_reason", "TEXT"),
            ("reasoning", "TEXT"),
            ("reasoning_content", "TEXT"),
            ("reasoning_details", "TEXT"),
            ("codex_reasoning_items", "TEXT"),
            ("codex_message_items", "TEXT"),
            ("platform_message_id", "TEXT"),
            ("observed", "INTEGER DEFAULT 0"),
            ("active", "INTEGER NOT NULL DEFAULT 1"),
            ("compacted", "INTEGER NOT NULL DEFAULT 0"),
            ("api_content", "TEXT"),
        ],
        constraint: "",
    },
    Table {
        name: "session_model_usage",
        columns: &[
            ("session_id", "TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE"),
            ("model", "TEXT NOT NULL"),
            ("billing_provider", "TEXT NOT NULL DEFAULT ''"),
            ("billing_base_url", "TEXT NOT NULL DEFAULT ''"),
            ("billing_mode", "TEXT NOT NULL DEFAULT ''"),
            ("task", "TEXT NOT NULL DEFAULT ''"),
            ("api_call_count", "INTEGER NOT NULL DEFAULT 0"),
            ("input_tokens", "INTEGER NOT NULL DEFAULT 0"),
            ("output_tokens", "INTEGER NOT NULL DEFAULT 0"),
            ("cache_read_tokens", "INTEGER NOT NULL DEFAULT 0"),
            ("cache_write_tokens", "INTEGER NOT NULL DEFAULT 0"),
            ("reasoning_tokens", "INTEGER NOT NULL DEFAULT 0"),
            ("estimated_cost_usd", "REAL NOT NULL DEFAULT 0"),
            ("actual_cost_usd", "REAL NOT NULL DEFAULT 0"),
            ("cost_status", "TEXT"),
            ("cost_source", "TEXT"),
            ("first_seen", "REAL"),
            ("last_seen", "REAL"),
        ],
        constraint: "PRIMARY KEY (session_id, model, billing_provider, billing_base_url, \
                     billing_mode, task)",
    },
    Table {
        name: "state_meta",
        columns: &[("key", "TEXT PRIMARY KEY"), ("value", "TEXT")],
        constraint: "",
    },
    Table {
        name: "gateway_routing",
        columns: &[
            ("scope", "TEXT NOT NULL DEFAULT ''"),
            ("session_key", "TEXT NOT NULL"),
            ("entry_json", "TEXT NOT NULL"),
            ("updated_at", "REAL NOT NULL"),
        ],
        constraint: "PRIMARY KEY (scope, session_key)",
    },
    // Ours, for the gateway: what came in, where platforms were left off, and questions that wait.
    Table {
        name: "gateway_inbox",
        columns: &[
            ("id", "INTEGER PRIMARY KEY AUTOINCREMENT"),
            ("platform", "TEXT NOT NULL"),
            ("chat_id", "TEXT NOT NULL"),
            ("identity", "TEXT NOT NULL"),
            ("event_json", "TEXT NOT NULL"),
            ("state", "TEXT NOT NULL DEFAULT 'new'"),
            ("session_id", "TEXT"),
            ("base_message", "INTEGER"),
            ("attempts", "INTEGER NOT NULL DEFAULT 0"),
            ("received_at", "REAL NOT NULL"),
        ],
        constraint: "UNIQUE (platform, chat_id, identity)",
    },
    Table {
        name: "gateway_marks",
        columns: &[
            ("platform", "TEXT NOT NULL"),
            ("name", "TEXT NOT NULL"),
            ("value", "TEXT NOT NULL"),
        ],
        constraint: "PRIMARY KEY (platform, name)",
    },
    Table {
        name: "delivery_obligations",
        columns: &[
            ("obligation_id", "TEXT PRIMARY KEY"),
            ("session_key", "TEXT NOT NULL"),
            ("platform", "TEXT NOT NULL"),
            ("chat_id", "TEXT NOT NULL"),
            ("thread_id", "TEXT"),
            ("reply_to", "TEXT"),
            ("body", "TEXT NOT NULL"),
            ("parts", "TEXT NOT NULL DEFAULT '[]'"),
            ("state", "TEXT NOT NULL"),
            ("attempts", "INTEGER NOT NULL DEFAULT 0"),
            ("owner", "TEXT NOT NULL DEFAULT ''"),
            ("created_at", "REAL NOT NULL"),
            ("updated_at", "REAL NOT NULL"),
        ],
        constraint: "",
    },
    Table {
        name: "gateway_approvals",
        columns: &[
            ("approval_id", "TEXT PRIMARY KEY"),
            ("session_id", "TEXT NOT NULL"),
            ("platform", "TEXT NOT NULL"),
            ("chat_id", "TEXT NOT NULL"),
            ("thread_id", "TEXT"),
            ("message_id", "TEXT NOT NULL DEFAULT ''"),
            ("state", "TEXT NOT NULL"),
            ("created_at", "REAL NOT NULL"),
        ],
        constraint: "",
    },
    Table {
        name: "compression_locks",
        columns: &[
            ("session_id", "TEXT PRIMARY KEY"),
            ("holder", "TEXT NOT NULL"),
            ("acquired_at", "REAL NOT NULL"),
            ("expires_at", "REAL NOT NULL"),
        ],
        constraint: "",
    },
    Table {
        name: "async_delegations",
        columns: &[
            ("delegation_id", "TEXT PRIMARY KEY"),
            ("origin_session", "TEXT NOT NULL"),
            ("origin_ui_session_id", "TEXT NOT NULL DEFAULT ''"),
            ("parent_session_id", "TEXT"),
            ("state", "TEXT NOT NULL"),
            ("dispatched_at", "REAL NOT NULL"),
            ("completed_at", "REAL"),
            ("updated_at", "REAL NOT NULL"),
            ("event_json", "TEXT"),
            ("result_json", "TEXT"),
            ("delivery_state", "TEXT NOT NULL DEFAULT 'pending'"),
            ("delivery_attempts", "INTEGER NOT NULL DEFAULT 0"),
            ("delivered_at", "REAL"),
            ("owner_pid", "INTEGER"),
            ("owner_started_at", "INTEGER"),
            ("task_json", "TEXT"),
            ("delivery_claim", "TEXT"),
            ("delivery_claimed_at", "REAL"),
        ],
        constraint: "",
    },
];

const MESSAGE_ORDER: &str = "idx_messages_order";

/// What comes after `FROM messages` where a session is walked in order: the index that is made for it,
/// which SQLite would not choose by itself, or nothing in a file that only another program has written.
pub(super) fn in_message_order(connection: &Connection) -> rusqlite::Result<&'static str> {
    let has_index = connection
        .prepare_cached(
            "SELECT 1 FROM main.sqlite_master WHERE type = 'index' AND name = ?1 \
             AND NOT EXISTS (SELECT 1 FROM temp.sqlite_master WHERE name = 'messages')",
        )?
        .exists([MESSAGE_ORDER])?;
    Ok(if has_index { "INDEXED BY idx_messages_order" } else { "" })
}

/// Name, and what comes after `ON`.
pub(super) const INDEXES: &[(&str, &str)] = &[
    ("idx_sessions_source", "sessions(source)"),
    ("idx_sessions_source_id", "sessions(source, id)"),
    ("idx_sessions_parent", "sessions(parent_session_id)"),
    ("idx_sessions_started", "sessions(started_at DESC)"),
    ("idx_sessions_session_key", "sessions(session_key, started_at DESC)"),
    (
        "idx_sessions_gateway_peer",
        "sessions(source, user_id, chat_id, chat_type, thread_id, started_at DESC)",
    ),
    ("idx_sessions_handoff_state", "sessions(handoff_state, started_at)"),
    ("idx_messages_session", "messages(session_id, timestamp)"),
    ("idx_messages_session_active", "messages(session_id, active, timestamp)"),
    ("idx_messages_active_null", "messages(active) WHERE active IS NULL"),
    (
        "idx_messages_platform_msg_id",
        "messages(session_id, platform_message_id) WHERE platform_message_id IS NOT NULL",
    ),
    // Ours: entries end in the row's number, so this one walks a session in order from anywhere.
    (MESSAGE_ORDER, "messages(session_id)"),
    ("idx_gateway_inbox_state", "gateway_inbox(state, id)"),
    ("idx_delivery_obligations_state", "delivery_obligations(state, created_at)"),
    ("idx_compression_locks_expires", "compression_locks(expires_at)"),
    ("idx_session_model_usage_session", "session_model_usage(session_id)"),
    ("idx_session_model_usage_model", "session_model_usage(model)"),
    ("idx_async_delegations_delivery", "async_delegations(delivery_state, completed_at)"),
];

/// Titles are unique; a file that holds twins already does without the index.
pub(super) const UNIQUE_TITLES: (&str, &str) =
    ("idx_sessions_title_unique", "sessions(title) WHERE title IS NOT NULL");

/// What a file has.
pub(super) struct Existing {
    /// Text of the definition by name of the table, index, trigger or view.
    pub(super) definitions: HashMap<String, String>,
    pub(super) columns: HashSet<(String, String)>,
}

impl Existing {
    pub(super) fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let mut statement =
            connection.prepare("SELECT name, coalesce(sql, '') FROM main.sqlite_master")?;
        let definitions = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<HashMap<String, String>>>()?;
        let mut columns = HashSet::new();
        for table in TABLES {
            let mut statement =
                connection.prepare_cached("SELECT name FROM pragma_table_info(?1)")?;
            for name in statement.query_map([table.name], |row| row.get::<_, String>(0))? {
                columns.insert((table.name.to_owned(), name?));
            }
        }
        Ok(Self { definitions, columns })
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.definitions.contains_key(name)
    }

    pub(super) fn has_column(&self, table: &str, column: &str) -> bool {
        self.columns.contains(&(table.to_owned(), column.to_owned()))
    }
}

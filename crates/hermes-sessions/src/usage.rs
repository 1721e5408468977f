//! What sessions cost, added up.

use rusqlite::{Connection, params};
use serde::{Deserialize, Serialize};

use super::database::SessionDatabase;
use super::error::Result;
use super::session::update;
use hermes_store::clock::now;

/// What one or more calls of a model took.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Usage {
    /// The model that was called.
    pub model: String,
    /// Who is paid for it.
    pub billing_provider: Option<String>,
    /// Where it was called.
    pub billing_base_url: Option<String>,
    /// How it is paid for, such as `api_key`.
    pub billing_mode: Option<String>,
    /// What for, if not for the conversation itself: `compression`, `title_generation`.
    pub task: Option<String>,
    /// How many calls.
    pub api_calls: i64,
    /// Tokens read, without those from a cache.
    pub input_tokens: i64,
    /// Tokens written.
    pub output_tokens: i64,
    /// Tokens read from a cache.
    pub cache_read_tokens: i64,
    /// Tokens put into a cache.
    pub cache_write_tokens: i64,
    /// Tokens spent on thinking.
    pub reasoning_tokens: i64,
    /// What it should cost, where prices are known.
    pub estimated_cost_usd: Option<f64>,
    /// What it did cost, where the provider says.
    pub actual_cost_usd: Option<f64>,
    /// How sure the cost is.
    pub cost_status: Option<String>,
    /// Where the prices come from.
    pub cost_source: Option<String>,
}

/// Adds to what a session took, in all and by model.
pub(super) fn add(connection: &Connection, session: &str, usage: &Usage) -> Result<()> {
    let set = "api_call_count = coalesce(api_call_count, 0) + ?2, \
        input_tokens = coalesce(input_tokens, 0) + ?3, \
        output_tokens = coalesce(output_tokens, 0) + ?4, \
        cache_read_tokens = coalesce(cache_read_tokens, 0) + ?5, \
        cache_write_tokens = coalesce(cache_write_tokens, 0) + ?6, \
        reasoning_tokens = coalesce(reasoning_tokens, 0) + ?7, \
        estimated_cost_usd = CASE WHEN ?8 IS NULL THEN estimated_cost_usd \
            ELSE coalesce(estimated_cost_usd, 0) + ?8 END, \
        actual_cost_usd = CASE WHEN ?9 IS NULL THEN actual_cost_usd \
            ELSE coalesce(actual_cost_usd, 0) + ?9 END, \
        billing_provider = coalesce(?10, billing_provider), \
        billing_base_url = coalesce(?11, billing_base_url), \
        billing_mode = coalesce(?12, billing_mode), \
        cost_status = coalesce(?13, cost_status), \
        cost_source = coalesce(?14, cost_source)";
    update(
        connection,
        session,
        set,
        &[
            &usage.api_calls,
            &usage.input_tokens,
            &usage.output_tokens,
            &usage.cache_read_tokens,
            &usage.cache_write_tokens,
            &usage.reasoning_tokens,
            &usage.estimated_cost_usd,
            &usage.actual_cost_usd,
            &usage.billing_provider,
            &usage.billing_base_url,
            &usage.billing_mode,
            &usage.cost_status,
            &usage.cost_source,
        ],
    )?;
    connection
        .prepare_cached(
            "INSERT INTO session_model_usage(session_id, model, billing_provider, \
             billing_base_url, billing_mode, task, api_call_count, input_tokens, \
             output_tokens, cache_read_tokens, cache_write_tokens, reasoning_tokens, \
             estimated_cost_usd, actual_cost_usd, cost_status, cost_source, first_seen, \
             last_seen) VALUES (?1, ?2, coalesce(?3, ''), coalesce(?4, ''), \
             coalesce(?5, ''), coalesce(?6, ''), ?7, ?8, ?9, ?10, ?11, ?12, \
             coalesce(?13, 0), coalesce(?14, 0), ?15, ?16, ?17, ?17) \
             ON CONFLICT DO UPDATE SET \
             api_call_count = api_call_count + excluded.api_call_count, \
             input_tokens = input_tokens + excluded.input_tokens, \
             output_tokens = output_tokens + excluded.output_tokens, \
             cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens, \
             cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens, \
             reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens, \
             estimated_cost_usd = estimated_cost_usd + excluded.estimated_cost_usd, \
             actual_cost_usd = actual_cost_usd + excluded.actual_cost_usd, \
             cost_status = coalesce(excluded.cost_status, cost_status), \
             cost_source = coalesce(excluded.cost_source, cost_source), \
             last_seen = excluded.last_seen",
        )?
        .execute(params![
            session,
            usage.model,
            usage.billing_provider,
            usage.billing_base_url,
            usage.billing_mode,
            usage.task,
            usage.api_calls,
            usage.input_tokens,
            usage.output_tokens,
            usage.cache_read_tokens,
            usage.cache_write_tokens,
            usage.reasoning_tokens,
            usage.estimated_cost_usd,
            usage.actual_cost_usd,
            usage.cost_status,
            usage.cost_source,
            now(),
        ])?;
    Ok(())
}

impl SessionDatabase {
    /// Adds to what a session took, in all and by model.
    pub fn add_usage(&self, session: &str, usage: &Usage) -> Result<()> {
        self.write(|connection| add(connection, session, usage))
    }
}

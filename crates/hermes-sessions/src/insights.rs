//! How sessions were used in the last days, added up.

use rusqlite::Connection;
use serde::Serialize;

use super::database::SessionDatabase;
use super::error::Result;

/// Most tools and models that are named.
const MOST_NAMED: usize = 15;

/// How sessions were used since a time.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Insights {
    /// Sessions in which something was said.
    pub sessions: i64,
    /// Messages of people.
    pub user_messages: i64,
    /// Of people, models and tools together.
    pub messages: i64,
    /// Days on which something was said, in Greenwich's time.
    pub active_days: i64,
    /// What the sessions begun since then took, model by model, most tokens first.
    pub models: Vec<ModelInsight>,
    /// Results of tools, most first: name and number.
    pub tools: Vec<(String, i64)>,
    /// Sessions by where they come from, most first.
    pub sources: Vec<(String, i64)>,
}

/// What one model took.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ModelInsight {
    pub model: String,
    pub calls: i64,
    pub input_tokens: i64,
    pub output_tokens: i64,
    pub cache_read_tokens: i64,
    pub cost_usd: f64,
}

/// What was used on one day.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct DayInsight {
    /// As `2026-01-31`, on the clock of this machine.
    pub day: String,
    pub messages: i64,
    pub tokens: i64,
    pub cost_usd: f64,
}

impl Insights {
    /// What all models took together.
    #[must_use]
    pub fn total(&self) -> ModelInsight {
        let mut total = ModelInsight::default();
        for model in &self.models {
            total.calls += model.calls;
            total.input_tokens += model.input_tokens;
            total.output_tokens += model.output_tokens;
            total.cache_read_tokens += model.cache_read_tokens;
            total.cost_usd += model.cost_usd;
        }
        total
    }
}

fn pairs(
    connection: &Connection,
    select: &str,
    since: f64,
) -> rusqlite::Result<Vec<(String, i64)>> {
    connection
        .prepare(select)?
        .query_map([since], |row| Ok((row.get(0)?, row.get(1)?)))?
        .take(MOST_NAMED)
        .collect()
}

impl SessionDatabase {
    /// How sessions were used since a time, in seconds since 1970.
    pub fn insights(&self, since: f64) -> Result<Insights> {
        self.read(|connection| {
            let mut insights = connection.query_row(
                "SELECT count(DISTINCT session_id), total(role = 'user'), count(*), \
                 count(DISTINCT date(timestamp, 'unixepoch')) FROM messages WHERE timestamp >= ?1",
                [since],
                |row| {
                    Ok(Insights {
                        sessions: row.get(0)?,
                        user_messages: row.get::<_, f64>(1)? as i64,
                        messages: row.get(2)?,
                        active_days: row.get(3)?,
                        ..Insights::default()
                    })
                },
            )?;
            insights.models = connection
                .prepare(
                    "SELECT model, total(api_call_count), total(input_tokens), \
                     total(output_tokens), total(cache_read_tokens), \
                     total(CASE WHEN actual_cost_usd > 0 THEN actual_cost_usd \
                           ELSE estimated_cost_usd END) \
                     FROM session_model_usage WHERE coalesce(last_seen, first_seen, 0) >= ?1 \
                     GROUP BY model ORDER BY 3 + 4 DESC, model",
                )?
                .query_map([since], |row| {
                    let whole = |index| row.get::<_, f64>(index).map(|total| total as i64);
                    Ok(ModelInsight {
                        model: row.get(0)?,
                        calls: whole(1)?,
                        input_tokens: whole(2)?,
                        output_tokens: whole(3)?,
                        cache_read_tokens: whole(4)?,
                        cost_usd: row.get(5)?,
                    })
                })?
                .take(MOST_NAMED)
                .collect::<rusqlite::Result<_>>()?;
            insights.tools = pairs(
                connection,
                "SELECT tool_name, count(*) FROM messages WHERE timestamp >= ?1 \
                 AND role = 'tool' AND coalesce(tool_name, '') <> '' \
                 GROUP BY 1 ORDER BY 2 DESC, 1",
                since,
            )?;
            insights.sources = pairs(
                connection,
                "SELECT s.source, count(*) FROM sessions s WHERE EXISTS (SELECT 1 FROM messages m \
                 WHERE m.session_id = s.id AND m.timestamp >= ?1) GROUP BY 1 ORDER BY 2 DESC, 1",
                since,
            )?;
            Ok(insights)
        })
    }
}

impl SessionDatabase {
    /// What was said and spent day by day, oldest first; days without anything are left out. What a session spent with a
    /// model counts for the day it was last asked.
    pub fn days(&self, since: f64) -> Result<Vec<DayInsight>> {
        self.read(|connection| {
            let days = connection
                .prepare(
                    "SELECT day, total(messages), total(tokens), total(cost) FROM (\
                       SELECT date(timestamp, 'unixepoch', 'localtime') AS day, count(*) AS messages, \
                         0 AS tokens, 0 AS cost FROM messages WHERE timestamp >= ?1 GROUP BY 1 \
                       UNION ALL \
                       SELECT date(coalesce(last_seen, first_seen), 'unixepoch', 'localtime'), 0, \
                         total(input_tokens) + total(output_tokens) + total(cache_read_tokens), \
                         total(CASE WHEN actual_cost_usd > 0 THEN actual_cost_usd \
                           ELSE estimated_cost_usd END) \
                       FROM session_model_usage WHERE coalesce(last_seen, first_seen, 0) >= ?1 \
                       GROUP BY 1) WHERE day IS NOT NULL GROUP BY day ORDER BY day",
                )?
                .query_map([since], |row| {
                    let whole = |index| row.get::<_, f64>(index).map(|total| total as i64);
                    Ok(DayInsight {
                        day: row.get(0)?,
                        messages: whole(1)?,
                        tokens: whole(2)?,
                        cost_usd: row.get(3)?,
                    })
                })?
                .collect::<rusqlite::Result<_>>()?;
            Ok(days)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{say, session, session_of, store};
    use super::super::{NewMessage, Usage};
    use super::*;
    use hermes_store::clock::now;

    #[test]
    fn what_was_said_and_spent_is_added_up() {
        let (_folder, store) = store();
        assert_eq!(store.insights(0.0).unwrap(), Insights::default());
        session(&store, "a");
        session_of(&store, "b", "cron");
        session(&store, "empty");
        say(&store, "a", &["one", "two", "three"]);
        say(&store, "b", &["four"]);
        let result = NewMessage { tool_name: Some("todo".into()), ..NewMessage::new("tool", "{}") };
        store.append("a", &[result]).unwrap();
        for (model, calls) in [("small", 1), ("large", 2)] {
            let usage = Usage {
                model: model.into(),
                api_calls: calls,
                input_tokens: 100 * calls,
                estimated_cost_usd: Some(0.5),
                ..Usage::default()
            };
            store.add_usage("a", &usage).unwrap();
        }
        let insights = store.insights(now() - 60.0).unwrap();
        assert_eq!((insights.sessions, insights.messages, insights.user_messages), (2, 5, 3));
        assert_eq!(insights.tools, [("todo".to_owned(), 1)]);
        assert_eq!(insights.sources, [("cli".to_owned(), 1), ("cron".to_owned(), 1)]);
        assert_eq!(insights.models[0].model, "large");
        let total = insights.total();
        assert_eq!((total.calls, total.input_tokens, total.cost_usd), (3, 300, 1.0));
        assert_eq!(store.insights(now() + 60.0).unwrap(), Insights::default());
        let days = store.days(now() - 60.0).unwrap();
        assert_eq!(days.iter().map(|day| day.messages).sum::<i64>(), 5);
        assert_eq!(days.iter().map(|day| day.tokens).sum::<i64>(), 300);
        assert_eq!(days.iter().map(|day| day.cost_usd).sum::<f64>(), 1.0);
        assert_eq!(store.days(now() + 60.0).unwrap(), []);
    }
}

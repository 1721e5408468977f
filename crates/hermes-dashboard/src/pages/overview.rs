//! The first page: how things stand, and what wants attention.

use axum::Extension;
use axum::extract::State;
use hermes_host::Health;
use hermes_sessions::ListFilter;
use hermes_store::clock::now;
use serde_json::{Value, json};

use super::approvals::kept_changes;
use super::cron::jobs;
use crate::app::App;
use crate::chart;
use crate::problem::PageResult;
use crate::view::Page;
use crate::visitor::Visitor;

/// Sessions and jobs that are shown.
const MOST: usize = 6;
/// Days of the small chart.
const DAYS: u32 = 14;

pub(crate) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
) -> PageResult {
    let (status, findings, jobs, changes) = app
        .look(|host| {
            let bad = |one: &hermes_host::HealthFinding| one.health == Health::Bad;
            let findings: Vec<Value> = host
                .diagnose()
                .iter()
                .filter(|one| bad(one))
                .map(|one| json!({"about": one.about, "text": one.text, "fix": one.fix}))
                .collect();
            let mut jobs = jobs(host).unwrap_or_default();
            jobs.retain(|job| !job["next"].is_null());
            jobs.sort_by(|a, b| {
                a["next"].as_f64().unwrap_or(0.0).total_cmp(&b["next"].as_f64().unwrap_or(0.0))
            });
            jobs.truncate(MOST);
            (hermes_homes::status(host), findings, jobs, kept_changes(host).len())
        })
        .await?;
    let since = now() - f64::from(DAYS) * chart::DAY;
    let filter = ListFilter { limit: Some(MOST), ..ListFilter::default() };
    let (sessions, days, insights) = app
        .read(move |database| {
            Ok((database.list(&filter)?, database.days(since)?, database.insights(since)?))
        })
        .await?;
    let bars = chart::bars(&chart::by_day(&days, DAYS, |day| day.tokens as f64));
    let total = insights.total();
    let data = json!({
        "status": status, "findings": findings, "jobs": jobs, "sessions": sessions,
        "waiting": app.questions.count() + changes, "at_work": app.rooms.at_work(),
        "bars": bars, "days": DAYS,
        "tokens": total.input_tokens + total.output_tokens + total.cache_read_tokens,
        "cost": total.cost_usd, "said": insights.user_messages,
    });
    Ok(Page { template: "page_overview", title: "Overview", here: "/", data }.show(&visitor))
}

//! What was used, and what it cost.

use axum::Extension;
use axum::extract::{Query, State};
use hermes_store::clock::now;
use serde::Deserialize;
use serde_json::json;

use crate::app::App;
use crate::chart;
use crate::problem::PageResult;
use crate::view::Page;
use crate::visitor::Visitor;

/// Over how many days.
#[derive(Deserialize)]
pub(crate) struct Wanted {
    days: Option<u32>,
}

pub(crate) async fn show(
    State(app): State<App>,
    Extension(visitor): Extension<Visitor>,
    Query(wanted): Query<Wanted>,
) -> PageResult {
    let count = wanted.days.unwrap_or(30).clamp(1, 365);
    let since = now() - f64::from(count) * chart::DAY;
    let (days, insights) =
        app.read(move |database| Ok((database.days(since)?, database.insights(since)?))).await?;
    let data = json!({
        "count": count, "total": insights.total(), "usage": insights,
        "tokens": chart::bars(&chart::by_day(&days, count, |day| day.tokens as f64)),
        "cost": chart::bars(&chart::by_day(&days, count, |day| day.cost_usd)),
        "messages": chart::bars(&chart::by_day(&days, count, |day| day.messages as f64)),
    });
    Ok(Page { template: "page_usage", title: "Usage", here: "/usage", data }.show(&visitor))
}

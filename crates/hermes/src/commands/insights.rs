//! `hermes insights`: how sessions were used in the last days.

use hermes_protocol::text::{amount, dollars};
use hermes_sessions::{Insights, SessionDatabase};
use hermes_store::clock::now;
use owo_colors::OwoColorize;
use serde_json::json;

use crate::args::InsightsArgs;
use crate::exit::Exit;
use crate::host::Host;
use crate::ui::{Cell, Table, Ui, count};

const DAY: f64 = 86_400.0;

/// Adds up what the sessions of the last days took.
pub(crate) fn run(args: &InsightsArgs, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let store = SessionDatabase::read_only(host.home().state_db());
    let insights = store.insights(now() - f64::from(args.days) * DAY)?;
    if args.json {
        let total = insights.total();
        ui.json(&json!({"days": args.days, "usage": insights, "total": total}))?;
        return Ok(Exit::Done);
    }
    let days = count(args.days as usize, "day");
    if insights.messages == 0 {
        ui.line(format_args!("Nothing was said in the last {days}."))?;
        return Ok(Exit::Done);
    }
    ui.line(format_args!(
        "{} {} on {} of the last {days}, {} ({} of yours)",
        "Sessions:".bold(),
        insights.sessions,
        insights.active_days,
        count(usize::try_from(insights.messages).unwrap_or(0), "message"),
        insights.user_messages,
    ))?;
    let sources: Vec<String> =
        insights.sources.iter().map(|(name, number)| format!("{name} {number}")).collect();
    ui.line(format_args!("{} {}", "From:".bold(), sources.join(", ")))?;
    models(&insights, ui)?;
    tools(&insights, ui)?;
    Ok(Exit::Done)
}

fn models(insights: &Insights, ui: &mut Ui) -> anyhow::Result<()> {
    if insights.models.is_empty() {
        return Ok(());
    }
    let whole = |number: i64| amount(u64::try_from(number).unwrap_or(0));
    let mut table = Table::new(["model", "calls", "tokens in", "from cache", "out", "cost"])
        .right(&[1, 2, 3, 4, 5]);
    let mut total = insights.total();
    total.model = "together".to_owned();
    let rows = insights.models.iter().chain((insights.models.len() > 1).then_some(&total));
    for model in rows {
        let cost = if model.cost_usd > 0.0 { dollars(model.cost_usd) } else { "–".to_owned() };
        table.row([
            Cell::from(model.model.clone()),
            Cell::from(model.calls.to_string()),
            Cell::from(whole(model.input_tokens)),
            Cell::from(whole(model.cache_read_tokens)),
            Cell::from(whole(model.output_tokens)),
            Cell::from(cost),
        ]);
    }
    ui.line("")?;
    Ok(ui.table(&table)?)
}

fn tools(insights: &Insights, ui: &mut Ui) -> anyhow::Result<()> {
    if insights.tools.is_empty() {
        return Ok(());
    }
    let mut table = Table::new(["tool", "calls"]).right(&[1]);
    for (tool, number) in &insights.tools {
        table.row([Cell::from(tool.clone()), Cell::from(number.to_string())]);
    }
    ui.line("")?;
    Ok(ui.table(&table)?)
}

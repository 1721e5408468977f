//! `hermes approvals test`: the verdict on one command.

use hermes_approval::{
    Approvals, Audience, CommandRequest, ConcernSource, Forecast, GrantScope, Outlook, Purpose,
};
use hermes_guard::command::{CommandFinding, Severity};
use owo_colors::{OwoColorize, Style};
use serde_json::{Value, json};

use super::settings;
use crate::args::{ApprovalsTest, TestAudience};
use crate::exit::Exit;
use crate::host::Host;
use crate::ui::{Cell, Table, Ui};

pub(super) fn run(args: &ApprovalsTest, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    let settings = settings(host, ui)?;
    // Nothing is asked and nothing written, so settings are all that is needed.
    let approvals = Approvals::builder(settings).build();
    let request = CommandRequest {
        audience: audience(args.audience),
        purpose: Purpose::ByHand,
        host: host.host_facts(),
        ..CommandRequest::new(args.command.clone().unwrap_or_default())
    };
    let forecast = approvals.foresee(&request);
    if args.json {
        ui.json(&as_json(&request, &forecast))?;
    } else {
        show(args, &forecast, ui)?;
    }
    Ok(match forecast.outlook {
        Outlook::Runs(_) | Outlook::Asks { .. } => Exit::Done,
        Outlook::Refused(_) => Exit::Blocked,
    })
}

fn audience(audience: TestAudience) -> Audience {
    match audience {
        TestAudience::Terminal => Audience::Terminal,
        TestAudience::Chat => Audience::Gateway,
        TestAudience::Cron => Audience::Cron,
        TestAudience::Nobody => Audience::Nobody,
    }
}

pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Dangerous => "dangerous",
        Severity::Floor => "floor",
    }
}

fn as_json(request: &CommandRequest, forecast: &Forecast) -> Value {
    let (verdict, by, rule, widest, message) = match &forecast.outlook {
        Outlook::Runs(grant) => ("runs", Some(grant.by.name()), grant.by.rule(), None, None),
        Outlook::Refused(refusal) => {
            let reason = refusal.reason();
            ("refused", Some(reason.name()), reason.rule(), None, Some(refusal.message()))
        }
        Outlook::Asks { widest, .. } => ("asks", None, None, Some(widest.name()), None),
    };
    let findings: Vec<Value> = forecast.analysis.findings.iter().map(finding_json).collect();
    json!({
        "command": request.command,
        "verdict": verdict,
        "by": by,
        "rule": rule,
        "widest": widest,
        "message": message,
        "dangerous": forecast.analysis.is_dangerous(),
        "floor": forecast.analysis.is_floor(),
        "findings": findings,
    })
}

fn finding_json(finding: &CommandFinding) -> Value {
    json!({
        "category": finding.category,
        "words": finding.words,
        "severity": severity(finding.severity),
        "why": finding.why,
    })
}

fn show(args: &ApprovalsTest, forecast: &Forecast, ui: &mut Ui) -> anyhow::Result<()> {
    match &forecast.outlook {
        Outlook::Runs(grant) => {
            let rule = grant.by.rule().map(|rule| format!(" `{rule}`")).unwrap_or_default();
            ui.line(format_args!("{}: {}{rule}", "runs".green().bold(), grant.by.name()))?;
        }
        Outlook::Refused(refusal) => {
            let reason = refusal.reason();
            let rule = reason.rule().map(|rule| format!(" `{rule}`")).unwrap_or_default();
            ui.line(format_args!("{}: {}{rule}", "refused".red().bold(), reason.name()))?;
        }
        Outlook::Asks { widest, .. } => {
            let offered: Vec<&str> = [GrantScope::Once, GrantScope::Session, GrantScope::Always]
                .into_iter()
                .filter(|scope| scope <= widest)
                .map(GrantScope::name)
                .collect();
            let offered = offered.join(", ");
            ui.line(format_args!("{}: a yes can be for {offered}", "asks".yellow().bold()))?;
        }
    }
    if !forecast.analysis.findings.is_empty() {
        let mut table = Table::new(["category", "severity", "words"]).wrapped();
        for finding in &forecast.analysis.findings {
            let style = match finding.severity {
                Severity::Dangerous => Style::new().yellow(),
                Severity::Floor => Style::new().red(),
            };
            table.row([
                finding.category.into(),
                Cell::styled(severity(finding.severity), style),
                finding.words.as_str().into(),
            ]);
        }
        ui.table(&table)?;
    }
    if args.why { explain(forecast, ui) } else { Ok(()) }
}

fn explain(forecast: &Forecast, ui: &mut Ui) -> anyhow::Result<()> {
    for finding in &forecast.analysis.findings {
        ui.prose(&format!("{}: {}", finding.category, finding.why))?;
    }
    match &forecast.outlook {
        Outlook::Refused(refusal) => ui.prose(&format!("A model would read: {refusal}"))?,
        Outlook::Asks { concerns, .. } => {
            for concern in concerns {
                ui.prose(&match concern.source {
                    ConcernSource::AskRule => concern.why.clone(),
                    ConcernSource::OwnRules => "A yes to this counts once, every time.".to_owned(),
                    _ => format!(
                        "To allow every such command: hermes approvals add --allow \"{}\"",
                        concern.key
                    ),
                })?;
            }
        }
        Outlook::Runs(_) => {}
    }
    Ok(())
}

//! The dialogue itself.

use std::time::Instant;

use hermes_mcp::client::elicitation::{
    Field, FieldChoice, FieldKind, Form, FormReply, PageConsent, PageRequest,
};
use hermes_protocol::text::shown;
use serde_json::{Map, Value};

use super::{EchoMode, LEAD, LinePrompter, LineQuestion};

/// What a person types to say no, or to leave without a word.
const DECLINE: &str = "/decline";
const CANCEL: &str = "/cancel";

/// Has a form filled in.
pub(crate) async fn fill(lines: &dyn LinePrompter, form: Form) -> FormReply {
    let until = Instant::now() + form.timeout;
    let mut entered = Map::new();
    let mut statement = heading(&form);
    loop {
        for field in &form.fields {
            match ask(lines, field, &mut entered, std::mem::take(&mut statement), until).await {
                Asked::Answered => {}
                Asked::Ended(reply) => return reply,
            }
        }
        let mut rows = std::mem::take(&mut statement);
        rows.extend(summary(&form, &entered));
        match confirm(lines, rows, &form.server, until).await {
            Confirmed::Yes => return FormReply::Accepted(entered),
            Confirmed::Edit => {}
            Confirmed::Ended(reply) => return reply,
        }
    }
}

/// Asks whether the person wants to go to a page.
pub(crate) async fn visit(lines: &dyn LinePrompter, visit: PageRequest) -> PageConsent {
    let mut statement =
        vec![format!("{LEAD}{} would like you to visit a page:", shown(&visit.server))];
    statement.extend(indented(&visit.message));
    statement.push(format!("  {}", shown(visit.url.as_str())));
    statement.push(format!("  The page belongs to {}.", shown(&visit.host)));
    let asked = LineQuestion {
        statement,
        prompt: "Open it yourself and say yes, or decline? [y]es, [N]o: ".to_owned(),
        echo: EchoMode::Seen,
        until: Instant::now() + visit.timeout,
    };
    match lines.line(asked).await.as_deref().map(str::trim) {
        Some("y" | "Y" | "yes") => PageConsent::Given,
        Some(_) => PageConsent::Declined,
        None => PageConsent::Cancelled,
    }
}

enum Asked {
    Answered,
    Ended(FormReply),
}

/// Asks for one field until the answer fits.
async fn ask(
    lines: &dyn LinePrompter,
    field: &Field,
    entered: &mut Map<String, Value>,
    mut statement: Vec<String>,
    until: Instant,
) -> Asked {
    statement.extend(description(field));
    loop {
        let usual = entered.get(&field.name).or(field.default.as_ref());
        let typed = lines.line(LineQuestion {
            statement: std::mem::take(&mut statement),
            prompt: prompt(field, usual),
            echo: if field.is_secret() { EchoMode::Unseen } else { EchoMode::Seen },
            until,
        });
        let Some(typed) = typed.await else { return Asked::Ended(FormReply::Cancelled) };
        match typed.trim() {
            DECLINE => return Asked::Ended(FormReply::Declined),
            CANCEL => return Asked::Ended(FormReply::Cancelled),
            "" if usual.is_some() || !field.is_required => return Asked::Answered,
            "" => statement = vec!["  This one is needed.".to_owned()],
            _ => match field.parse(&typed) {
                Ok(value) => {
                    entered.insert(field.name.clone(), value);
                    return Asked::Answered;
                }
                Err(problem) => statement = vec![format!("  {}", shown(&problem))],
            },
        }
    }
}

enum Confirmed {
    Yes,
    Edit,
    Ended(FormReply),
}

async fn confirm(
    lines: &dyn LinePrompter,
    mut statement: Vec<String>,
    server: &str,
    until: Instant,
) -> Confirmed {
    loop {
        let typed = lines.line(LineQuestion {
            statement: std::mem::take(&mut statement),
            prompt: format!("Send this to {}? [y]es, [e]dit, [d]ecline: ", shown(server)),
            echo: EchoMode::Seen,
            until,
        });
        let Some(typed) = typed.await else { return Confirmed::Ended(FormReply::Cancelled) };
        match typed.trim().to_lowercase().as_str() {
            "y" | "yes" => return Confirmed::Yes,
            "e" | "edit" => return Confirmed::Edit,
            "d" | "decline" | "n" | "no" | DECLINE => return Confirmed::Ended(FormReply::Declined),
            CANCEL => return Confirmed::Ended(FormReply::Cancelled),
            _ => {}
        }
    }
}

fn heading(form: &Form) -> Vec<String> {
    let mut rows = vec![format!("{LEAD}{} asks:", shown(&form.server))];
    rows.extend(indented(&form.message));
    if !form.fields.is_empty() {
        let hint = format!("Enter takes what is in brackets; {DECLINE} says no, {CANCEL} leaves.");
        rows.push(format!("  ({hint})"));
    }
    rows
}

fn indented(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().map(|line| format!("  {}", shown(line)))
}

fn description(field: &Field) -> Vec<String> {
    let mut rows: Vec<String> =
        field.description.as_deref().map(|text| indented(text).collect()).unwrap_or_default();
    if let FieldKind::One(choices) | FieldKind::Many { choices, .. } = &field.kind {
        rows.extend(choices.iter().enumerate().map(|(at, choice)| {
            let FieldChoice { value, title } = choice;
            let value = if value == title { String::new() } else { format!(" ({value})") };
            format!("    {}. {}{}", at + 1, shown(title), shown(&value))
        }));
    }
    rows
}

fn prompt(field: &Field, usual: Option<&Value>) -> String {
    let needed = if field.is_required { "" } else { ", optional" };
    let usual = usual.map(|value| format!(" [{}]", shown(&field.show(value)))).unwrap_or_default();
    format!("{} ({}{needed}){usual}: ", shown(field.label()), field.hint())
}

fn summary(form: &Form, entered: &Map<String, Value>) -> Vec<String> {
    form.fields
        .iter()
        .filter_map(|field| {
            let value = entered.get(&field.name).or(field.default.as_ref())?;
            Some(format!("  {}: {}", shown(field.label()), shown(&field.show(value))))
        })
        .collect()
}

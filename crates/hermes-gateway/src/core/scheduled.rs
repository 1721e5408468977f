//! `/cron`, `/blueprint` and `/suggestions`: what `hermes cron` does, from a chat of the owner.

use std::sync::Arc;

use clap::Parser;
use hermes_cron::JobOrigin;
use hermes_cron::verbs::{CronContext, CronVerb, run};
use hermes_skills::report::{ReportPart, ReportTable, VerbReport, VerbStatus};
use tokio_util::sync::CancellationToken;

use super::{Gateway, target_of};
use crate::adapter::ChatSource;
use crate::link::Link;

/// The words behind `/cron`.
#[derive(Debug, Parser)]
#[command(name = "/cron", no_binary_name = true, disable_help_subcommand = true)]
struct CronWords {
    #[command(subcommand)]
    verb: CronVerb,
}

impl Gateway {
    /// Does what the words say about jobs; `first` is the verb of commands that are one.
    pub(super) fn schedule(
        self: &Arc<Self>,
        link: &Arc<Link>,
        source: &ChatSource,
        first: &str,
        rest: &str,
    ) -> impl Future<Output = String> + Send + use<> {
        let (gateway, link, source) = (Arc::clone(self), Arc::clone(link), source.clone());
        let verb = verb_of(first, rest);
        async move {
            let verb = match verb {
                Ok(verb) => verb,
                Err(problem) => return problem,
            };
            let place = gateway.host.cron_place(CancellationToken::new(), Arc::new(|_| ()));
            let place = match place {
                Ok(place) => CronContext { origin: Some(origin_of(&source)), ..place },
                Err(error) => return error.to_string(),
            };
            match &verb {
                // It takes as long as the job does.
                CronVerb::Run { job, .. } => {
                    let begun = format!("I run `{job}` now.");
                    let is_told = place.store.find(job).is_ok_and(|job| job.deliver != "local");
                    tokio::spawn(async move {
                        let report = run(&place, &verb).await;
                        // What it said went where it belongs; what went wrong on the way is for whoever asked.
                        let is_fine = |report: &VerbReport| {
                            report.status == VerbStatus::Done && report.warnings.is_empty()
                        };
                        if !(is_told && report.as_ref().is_ok_and(is_fine)) {
                            let said = said(report);
                            let _ = link.say(&target_of(&source), &said, Vec::new()).await;
                        }
                    });
                    begun
                }
                _ => said(run(&place, &verb).await),
            }
        }
    }
}

fn said(report: Result<VerbReport, hermes_cron::CronError>) -> String {
    report.map_or_else(|error| error.to_string(), |report| in_markdown(&report))
}

/// The verb that words mean, or what is wrong with them.
fn verb_of(first: &str, rest: &str) -> Result<CronVerb, String> {
    // Telephones write quotes as books do.
    let plain = rest.replace(['“', '”', '„'], "\"").replace(['‘', '’'], "'");
    let mut words: Vec<String> =
        [first].into_iter().filter(|word| !word.is_empty()).map(str::to_owned).collect();
    words.extend(shlex::split(&plain).ok_or("A quote is not closed.")?);
    if words.is_empty() {
        words.push("list".to_owned());
    }
    let verb = CronWords::try_parse_from(words).map_err(|error| {
        let text = error.to_string();
        format!("```\n{}\n```", text.trim_start_matches("error: ").trim_end())
    })?;
    match verb.verb {
        CronVerb::Daemon | CronVerb::Tick { .. } => {
            Err("The gateway is the clock of the jobs already.".to_owned())
        }
        verb => Ok(verb),
    }
}

fn origin_of(source: &ChatSource) -> JobOrigin {
    JobOrigin {
        platform: source.platform.clone(),
        chat_id: source.chat_id.clone(),
        thread_id: source.thread_id.clone(),
        ..JobOrigin::default()
    }
}

/// A report as an answer in a chat.
fn in_markdown(report: &VerbReport) -> String {
    let part = |part: &ReportPart| match part {
        ReportPart::Text(text) => text.trim_end().replace('\n', "  \n"),
        ReportPart::Diff(text) => format!("```diff\n{text}\n```"),
        ReportPart::Table(table) => rows(table),
        ReportPart::Json(value) => format!("```json\n{value:#}\n```"),
    };
    let lines = report.notes.iter().chain(&report.warnings).cloned();
    let all: Vec<String> = report.parts.iter().map(part).chain(lines).collect();
    match all.is_empty() {
        true => "Done.".to_owned(),
        false => all.join("\n\n"),
    }
}

fn rows(table: &ReportTable) -> String {
    let cell = |text: &str| text.replace('\n', " ").replace('|', "\\|").replace('*', "\\*");
    let row = |cells: Vec<String>| format!("| {} |", cells.join(" | "));
    let mut lines = vec![row(table.head.iter().map(|title| cell(title)).collect())];
    lines.push(row(table.head.iter().map(|_| "---".to_owned()).collect()));
    lines.extend(table.rows.iter().map(|cells| row(cells.iter().map(|text| cell(text)).collect())));
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_telephone_are_read_like_those_of_a_shell() {
        let verb = verb_of("", "create “0 9 * * *” ‘say hello’ --name daily").unwrap();
        let CronVerb::Create { schedule, prompt, .. } = verb else { panic!("{verb:?}") };
        assert_eq!((schedule.as_str(), prompt.as_deref()), ("0 9 * * *", Some("say hello")));
        assert!(matches!(verb_of("", "").unwrap(), CronVerb::List { .. }));
        assert!(matches!(
            verb_of("blueprint", "").unwrap(),
            CronVerb::JobBlueprint { name: None, .. }
        ));
        for (words, why) in [
            ("daemon", "clock"),
            ("create \"x", "quote"),
            ("nosuch", "nosuch"),
            ("create", "SCHEDULE"),
        ] {
            assert!(verb_of("", words).unwrap_err().contains(why), "{words}");
        }
    }

    #[test]
    fn a_table_is_one_of_markdown() {
        let mut table = ReportTable::new(["name", "next"]);
        table.row(["a|b *c*".to_owned(), "now".to_owned()]);
        let report = VerbReport::table(table).warned(["nobody ticks"]);
        assert_eq!(
            in_markdown(&report),
            "| name | next |\n| --- | --- |\n| a\\|b \\*c\\* | now |\n\nnobody ticks"
        );
    }
}

//! `hermes sessions export`.

use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::Context;
use hermes_guard::redact::{RedactMode, redact};
use hermes_sessions::{Archived, Export, Format, ListFilter, Only, SessionDatabase};
use hermes_store::atomic;

use super::args::{self, ExportFormat, ExportOnly};
use crate::exit::Exit;
use crate::ui::{Ui, count};

pub(super) fn run(
    store: &SessionDatabase,
    args: &args::Export,
    ui: &mut Ui,
) -> anyhow::Result<Exit> {
    let ids = match &args.session_id {
        Some(wanted) => vec![store.find(wanted)?.id],
        None => {
            let filter = ListFilter {
                source: args.source.clone(),
                archived: Archived::Include,
                ..ListFilter::default()
            };
            store.list(&filter)?.into_iter().map(|session| session.id).collect()
        }
    };
    let hide = |text: &str| redact(text, RedactMode::Full).into_owned();
    let how = Export {
        format: match args.format {
            ExportFormat::Jsonl => Format::Jsonl,
            ExportFormat::Md => Format::Markdown,
            ExportFormat::Html => Format::Html,
        },
        only: match args.only {
            Some(ExportOnly::UserPrompts) => Only::UserPrompts,
            None => Only::Everything,
        },
        redact: if args.redact { Some(&hide) } else { None },
    };
    if args.out == "-" {
        let mut out = BufWriter::new(std::io::stdout().lock());
        store.export(&ids, &how, &mut out)??;
        out.flush()?;
        return Ok(Exit::Done);
    }
    let mut text = Vec::new();
    store.export(&ids, &how, &mut text)??;
    atomic::write(Path::new(&args.out), &text, atomic::WriteOptions::KEEP)
        .with_context(|| format!("export to {}", args.out))?;
    ui.note(format_args!("{} exported to {}", count(ids.len(), "session"), args.out))?;
    Ok(Exit::Done)
}

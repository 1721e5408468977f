//! `hermes doctor`: is this installation all right, and what would mend it?
//!
//! The looking is the host's ([`Host::diagnose`]); here it is shown. Only what is bad makes the command fail.

use hermes_host::Health;
use owo_colors::OwoColorize;

use crate::args::DoctorArgs;
use crate::exit::Exit;
use crate::host::Host;
use crate::ui::Ui;
use crate::workers::block_on;

/// Columns before the text of a finding: its mark and what it is about.
const INDENT: usize = 11;

/// Checks everything and prints a report; fails if something is broken.
pub(crate) fn run(args: &DoctorArgs, host: &Host, ui: &mut Ui) -> anyhow::Result<Exit> {
    if args.fix {
        for line in host.mend() {
            ui.note(format_args!("mended: {line}"))?;
        }
    }
    let mut report = host.diagnose();
    if !args.offline {
        report.extend(block_on(host.diagnose_services()));
    }
    let exit = match report.iter().any(|finding| finding.health == Health::Bad) {
        true => Exit::Failed,
        false => Exit::Done,
    };
    if args.json {
        ui.json(&report)?;
        return Ok(exit);
    }
    for finding in &report {
        let mark = match finding.health {
            Health::Good => "✓".green().to_string(),
            Health::Note => "!".yellow().to_string(),
            Health::Bad => "✗".red().to_string(),
        };
        // What spans lines (an excerpt of a file) stays in its column.
        let text = finding.text.replace('\n', &format!("\n{:INDENT$}", ""));
        ui.line(format_args!("{mark} {:<8} {text}", finding.about))?;
        if let Some(fix) = &finding.fix {
            ui.line(format_args!("{:INDENT$}→ {fix}", ""))?;
        }
    }
    Ok(exit)
}

//! What the commands in a skill's text say.
//!
//! They run in the skill's folder on this machine, wherever other commands run, past the gate of every command.

use std::time::Duration;

use hermes_approval::Purpose;
use hermes_process::{CaptureLimit, End};
use hermes_skills::SkillStore;
use hermes_skills::lookup::LocatedSkill;
use hermes_skills::preprocess::{self, InlineOutcome, MAX_OUTPUT_CHARS};
use hermes_skills::view::OpenedSkill;
use hermes_tool::ToolContext;

use crate::terminal::context::TerminalContext;

/// How long each command in a skill's text may take; nothing if they are not run.
#[must_use]
pub fn limit_of_commands(store: &SkillStore<'_>, skill: &LocatedSkill) -> Option<Duration> {
    store.runs_commands_of(skill).then(|| store.settings().shell_limit())
}

/// Runs the commands in a skill's text, on behalf of a call, and puts what they say in their places.
pub async fn put_in_outputs(opened: &mut OpenedSkill, limit: Duration, cx: &ToolContext) {
    let commands = preprocess::commands(&opened.content);
    let mut outputs = Vec::with_capacity(commands.len());
    for one in &commands {
        let outcome = match one.command.is_empty() {
            true => InlineOutcome::Done { stdout: String::new(), stderr: String::new() },
            false => {
                run(&one.command, opened, limit, cx).await.unwrap_or_else(InlineOutcome::Failed)
            }
        };
        outputs.push(preprocess::rendered(&one.command, &outcome));
    }
    opened.content = preprocess::put_in(&opened.content, &commands, &outputs);
}

async fn run(
    text: &str,
    opened: &OpenedSkill,
    limit: Duration,
    cx: &ToolContext,
) -> Result<InlineOutcome, String> {
    let terminal = TerminalContext::of(cx).map_err(|problem| problem.to_string())?;
    let root = opened.located.root();
    let mut request = terminal.host_request();
    request.command = text.to_owned();
    request.purpose = Purpose::Foreground;
    request.host.cwd = Some(root.display().to_string());
    let line = terminal.approvals().admit(request).await.map_err(|refusal| refusal.to_string())?;
    let environments = &terminal.environments;
    let command = environments.command_here(terminal.task(), terminal.conversation(), &line);
    let command = command
        .map_err(|problem| problem.to_string())?
        .cwd(root)
        .capture(CaptureLimit::chars(2 * MAX_OUTPUT_CHARS))
        .deadline(limit)
        .cancel(terminal.cancellation());
    let done = command.run().await.map_err(|problem| problem.to_string())?;
    let said = |captured: String| terminal.redacted(&captured, text);
    Ok(match done.end {
        End::TimedOut => InlineOutcome::TimedOut { seconds: limit.as_secs() },
        End::Cancelled => InlineOutcome::Failed("it was stopped".to_owned()),
        End::Exited(_) | End::Signalled(_) => InlineOutcome::Done {
            stdout: said(done.stdout.text()),
            stderr: said(done.stderr.text()),
        },
    })
}

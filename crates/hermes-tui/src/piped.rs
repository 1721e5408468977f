//! A conversation without a terminal: a message a line in, answers on stdout, all else on stderr.

use std::collections::VecDeque;
use std::io::{BufRead, Write};
use std::sync::Arc;
use std::time::Instant;

use hermes_protocol::AgentEvent;
use hermes_protocol::{ChatSession, TurnStatus, UserInput};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::channel::{ChatEvent, ChatReceiver, UserAnswer};
use super::display::{Colour, DisplayOptions, Style, ToolLines, Transcript, notices};
use super::settings::ChatSettings;
use super::slash::{self, ParsedLine, SlashAction};
use crate::ChatExit;

/// Where nothing is broken into rows.
const WIDE: usize = 4_096;

/// Where a plain conversation goes.
pub(crate) struct Streams<O, E> {
    pub(crate) out: O,
    pub(crate) err: E,
}

/// Takes a message from each line until there are no more.
pub(crate) async fn run<O: Write, E: Write>(
    conversation: Arc<dyn ChatSession>,
    mut receiver: ChatReceiver,
    (tool_lines, settings): (ToolLines, ChatSettings),
    input: impl BufRead + Send + 'static,
    mut streams: Streams<O, E>,
) -> anyhow::Result<ChatExit> {
    let mut lines = lines_of(input)?;
    let mut exit = ChatExit::Done;
    let shown = DisplayOptions { reasoning: false, ..settings.shown };
    let mut injected = VecDeque::new();
    while let Some(line) = match injected.pop_front() {
        Some(words) => Some(Ok(words)),
        None => lines.recv().await,
    } {
        let line = line?;
        if let Some((name, args)) = slash::of_plugin(&line, &conversation.plugin_commands()) {
            match conversation.run_plugin_command(name, args).await {
                Ok(said) => {
                    if let Some(said) = said {
                        writeln!(streams.out, "{said}")?;
                    }
                }
                Err(problem) => {
                    writeln!(streams.err, "! {}", hermes_protocol::text::error_chain(&*problem))?;
                    exit = ChatExit::Failed;
                }
            }
            continue;
        }
        match slash::read(&line) {
            _ if line.trim().is_empty() => continue,
            _ if slash::calls_skill(&line, &conversation.skill_commands()) => {}
            ParsedLine::Text => {}
            ParsedLine::Command(command, rest) => match (command.read)(rest) {
                Ok(SlashAction::Quit { delete: false }) => break,
                _ => {
                    let name = command.name;
                    writeln!(streams.err, "! /{name} needs a terminal; it was left out")?;
                    continue;
                }
            },
            ParsedLine::Mistaken(mistake) => {
                writeln!(streams.err, "! {mistake}")?;
                continue;
            }
        }
        let transcript = Transcript::new(shown, tool_lines.clone(), Instant::now());
        let turn = Arc::clone(&conversation);
        let mut turn = tokio::spawn(async move { turn.turn(UserInput::from(line)).await });
        let mut teller = Teller { transcript, streams: &mut streams, injected: &mut injected };
        let end = loop {
            tokio::select! {
                biased;
                Some(told) = receiver.recv() => teller.tell(told)?,
                end = &mut turn => break end?,
            }
        };
        while let Ok(told) = receiver.try_recv() {
            teller.tell(told)?;
        }
        teller.end()?;
        exit = match end.outcome {
            TurnStatus::Done => ChatExit::Done,
            TurnStatus::Interrupted => ChatExit::Interrupted,
            TurnStatus::Partial(why) | TurnStatus::Failed(why) => {
                writeln!(streams.err, "! {why}")?;
                ChatExit::Failed
            }
        };
    }
    Ok(exit)
}

struct Teller<'a, O, E> {
    transcript: Transcript,
    streams: &'a mut Streams<O, E>,
    /// What plugins want said next.
    injected: &'a mut VecDeque<String>,
}

impl<O: Write, E: Write> Teller<'_, O, E> {
    /// Tells what was held back to be told together.
    fn end(&mut self) -> std::io::Result<()> {
        let (rows, _) = self.transcript.end(Instant::now(), &Style::new(Colour::Off, WIDE));
        for row in rows.iter().filter(|row| !row.is_empty()) {
            writeln!(self.streams.err, "{row}")?;
        }
        Ok(())
    }

    fn tell(&mut self, told: ChatEvent) -> std::io::Result<()> {
        let style = Style::new(Colour::Off, WIDE);
        match told {
            // There is nobody to ask.
            ChatEvent::Question(question) => drop(question.answer.send(UserAnswer::Refused)),
            ChatEvent::Notification(news) => {
                for row in notices::notice(news.level, &news.title, &style) {
                    writeln!(self.streams.err, "{row}")?;
                }
            }
            ChatEvent::InjectedInput(words) => self.injected.push_back(words),
            ChatEvent::Event(AgentEvent::Said { text }) if !text.trim().is_empty() => {
                writeln!(self.streams.out, "{}", text.trim())?;
                self.streams.out.flush()?;
            }
            ChatEvent::Event(
                AgentEvent::Text(_) | AgentEvent::Reasoning(_) | AgentEvent::Said { .. },
            ) => {}
            ChatEvent::Event(AgentEvent::Notice { level, text }) => {
                for row in notices::notice(level, &text, &style) {
                    writeln!(self.streams.err, "{row}")?;
                }
            }
            ChatEvent::Event(event) => {
                let rows = self.transcript.on_event(&event, Instant::now(), &style);
                for row in rows.iter().filter(|row| !row.is_empty()) {
                    writeln!(self.streams.err, "{row}")?;
                }
            }
        }
        Ok(())
    }
}

/// Reads on a thread of its own: a pipe may be silent for long.
fn lines_of(
    input: impl BufRead + Send + 'static,
) -> std::io::Result<UnboundedReceiver<std::io::Result<String>>> {
    let (sender, lines) = unbounded_channel();
    std::thread::Builder::new().name("lines".to_owned()).spawn(move || {
        for line in input.lines() {
            if sender.send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;
    use crate::channel::ChatSender;
    use crate::test_session::{ScriptedSession, Step};
    use hermes_protocol::TurnEnd;

    fn script(text: &str) -> Vec<Step> {
        match text {
            "fail" => {
                let outcome = TurnStatus::Failed("no network".into());
                vec![Step::End(TurnEnd { outcome, ..TurnEnd::default() })]
            }
            "ask" => vec![Step::Clarify("which?", &["a"])],
            _ => {
                let args = json!({"command": "ls"});
                vec![
                    Step::Tell(AgentEvent::ToolFinished {
                        id: "1".into(),
                        tool: "terminal".into(),
                        args,
                        output: "{}".into(),
                        failed: false,
                        took: Duration::from_millis(100),
                    }),
                    Step::Tell(AgentEvent::Text("**an".into())),
                    Step::Tell(AgentEvent::Said { text: "**answer**".into() }),
                ]
            }
        }
    }

    async fn talked(lines: &'static str) -> (ChatExit, String, String, Vec<String>) {
        let (sender, receiver) = ChatSender::pair();
        let agent = Arc::new(ScriptedSession::new(&sender, script));
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let streams = Streams { out: &mut out, err: &mut err };
        let how = (crate::test_looks::tool_lines(&[]), ChatSettings::default());
        let conversation = Arc::clone(&agent) as Arc<dyn ChatSession>;
        let exit = run(conversation, receiver, how, lines.as_bytes(), streams).await.unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (exit, text(out), text(err), agent.log())
    }

    #[tokio::test]
    async fn answers_go_to_stdout_and_everything_else_to_stderr() {
        let (exit, out, err, log) = talked("one\n\n/status\ntwo\n").await;
        assert_eq!(exit, ChatExit::Done);
        assert_eq!(out, "**answer**\n**answer**\n");
        let tool = "┊ ⚡ $         ls  0.1s\n";
        assert_eq!(err, format!("{tool}! /status needs a terminal; it was left out\n{tool}"));
        assert_eq!(log, ["turn one", "turn two"]);
    }

    #[tokio::test]
    async fn a_failure_is_told_and_quit_ends_it() {
        let (exit, out, err, log) = talked("fail\n/quit\nnever").await;
        assert_eq!((exit, out.as_str(), err.as_str()), (ChatExit::Failed, "", "! no network\n"));
        assert_eq!(log, ["turn fail"]);
    }

    #[tokio::test]
    async fn nobody_is_asked() {
        assert_eq!(talked("ask\n").await.1, "heard None\n");
    }
}

//! The analysis of many commands, for programs that want nothing else of Hermes.
//!
//! One JSON string a line in, one JSON object a line out, in order; an array of strings is judged as commands of
//! one session, each after the others. A line that is neither gets an object with `error`, so that lines can be counted. What is ready is written out whenever
//! there is nothing left to read, so a program can wait for each answer, and one that sends
//! everything at once is served in large pieces.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use hermes_approval::HostFacts;
use hermes_guard::command::{Analysis, CommandContext, EarlierCommands, Severity, analyse};
use serde::{Deserialize, Serialize};

/// Bytes read and written at once.
const BUFFER: usize = 64 * 1024;
/// Longest line, in bytes.
const MAX_LINE: u64 = 4 * 1024 * 1024;

#[derive(Serialize)]
#[serde(untagged)]
enum Reply<'a> {
    Analysed { dangerous: bool, floor: bool, findings: Vec<Found<'a>> },
    Bad { error: String },
}

/// What a line asks about.
#[derive(Deserialize)]
#[serde(untagged)]
enum Question {
    Command(String),
    Session(Vec<String>),
}

impl Question {
    /// Everything that is found, in the order of the commands.
    fn answer(&self, around: &CommandContext<'_>) -> Analysis {
        let commands = match self {
            Self::Command(command) => return analyse(command, around),
            Self::Session(commands) => commands,
        };
        let mut earlier = EarlierCommands::default();
        let mut all = Analysis::default();
        let mut cwd = around.cwd.map(str::to_owned);
        for command in commands {
            let here = CommandContext { cwd: cwd.as_deref(), ..*around };
            let found = analyse(command, &here.after(Some(&earlier)));
            earlier.take_in(found.left);
            all.findings.extend(found.findings);
            // Where nobody knows, the place before is as good as any.
            cwd = found.cwd.or(cwd);
        }
        all
    }
}

#[derive(Serialize)]
struct Found<'a> {
    category: &'a str,
    words: &'a str,
    severity: &'a str,
    why: &'a str,
}

/// Answers every line of `input` on `output`, for commands that would run where these facts hold.
///
/// # Errors
/// If one of the two breaks.
pub fn analyse_lines(input: impl Read, output: impl Write, facts: &HostFacts) -> io::Result<()> {
    let input = BufReader::with_capacity(BUFFER, input);
    let output = BufWriter::with_capacity(BUFFER, output);
    answer_all(input, output, &facts.command_context())
}

fn answer_all(
    mut input: BufReader<impl Read>,
    mut output: impl Write,
    around: &CommandContext<'_>,
) -> io::Result<()> {
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if line.len() as u64 == MAX_LINE && !line.ends_with(b"\n") {
            input.skip_until(b'\n')?;
            write_reply(&mut output, &bad(format!("longer than {MAX_LINE} bytes")))?;
        } else {
            match serde_json::from_slice::<Question>(&line) {
                Ok(question) => write_analysis(&mut output, &question.answer(around))?,
                Err(problem) => write_reply(&mut output, &bad(unreadable(&problem)))?,
            }
        }
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
    output.flush()?;
    Ok(())
}

/// What is wrong with a line; where it is no JSON at all, its reader knows the place.
fn unreadable(problem: &serde_json::Error) -> String {
    const WANTED: &str = "not a JSON string, nor an array of them";
    if problem.is_data() { WANTED.to_owned() } else { format!("{WANTED}: {problem}") }
}

fn bad(error: String) -> Reply<'static> {
    Reply::Bad { error }
}

fn write_analysis(output: &mut impl Write, analysis: &Analysis) -> io::Result<()> {
    let found = analysis.findings.iter().map(|finding| Found {
        category: finding.category,
        words: &finding.words,
        severity: match finding.severity {
            Severity::Dangerous => "dangerous",
            Severity::Floor => "floor",
        },
        why: finding.why,
    });
    let reply = Reply::Analysed {
        dangerous: analysis.is_dangerous(),
        floor: analysis.is_floor(),
        findings: found.collect(),
    };
    write_reply(output, &reply)
}

fn write_reply(output: &mut impl Write, reply: &Reply<'_>) -> io::Result<()> {
    // A reader that went away shows as an I/O error below, which ends the program quietly.
    serde_json::to_writer(&mut *output, reply)?;
    output.write_all(b"\n")?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    fn answers(input: &str) -> Vec<Value> {
        let mut output = Vec::new();
        answer_all(BufReader::new(input.as_bytes()), &mut output, &CommandContext::default())
            .unwrap();
        let text = String::from_utf8(output).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    #[test]
    fn there_is_one_answer_a_line() {
        let answers = answers("\"ls\"\n\"rm -rf /\"\n\n42\n\"a\\nb\"");
        assert_eq!(answers.len(), 5);
        assert_eq!(answers[0]["dangerous"], false);
        assert_eq!(answers[1]["floor"], true);
        assert_eq!(answers[1]["findings"][0]["severity"], "floor");
        assert!(answers[2]["error"].is_string() && answers[3]["error"].is_string());
        assert_eq!(answers[4]["findings"], serde_json::json!([]));
    }

    #[test]
    fn commands_of_one_session_are_judged_together() {
        let alone = answers("\"bash x.sh\"\n");
        assert_eq!(alone[0]["dangerous"], false);
        let together = answers("[\"echo 'rm -rf ~' > x.sh\", \"bash x.sh\"]\n[]\n[1]\n");
        assert_eq!(together[0]["dangerous"], true);
        assert_eq!(together[1]["dangerous"], false);
        let moved = answers("[\"cd /etc/ssh\", \"rm sshd_config\"]\n");
        assert_eq!(moved[0]["dangerous"], true, "{moved:?}");
        assert!(together[2]["error"].as_str().unwrap().contains("array"), "{together:?}");
    }

    #[test]
    fn a_line_without_end_is_passed_over() {
        let long = "x".repeat(MAX_LINE as usize + 10);
        let answers = answers(&format!("\"{long}\"\n\"ls\"\n"));
        assert!(answers[0]["error"].as_str().unwrap().contains("longer"));
        assert_eq!(answers[1]["dangerous"], false);
        assert_eq!(answers.len(), 2);
    }
}

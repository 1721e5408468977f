//! The analysis of many commands, for programs that want nothing else of Hermes.
//!
//! One JSON string a line in, one JSON object a line out, in order; a line that is no JSON string
//! gets an object with `error`, so that lines can be counted. What is ready is written out whenever
//! there is nothing left to read, so a program can wait for each answer, and one that sends
//! everything at once is served in large pieces.

use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};

use hermes_approval::HostFacts;
use hermes_guard::command::{Analysis, CommandContext, Severity, analyse};
use serde::Serialize;

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
            match serde_json::from_slice::<String>(&line) {
                Ok(command) => write_analysis(&mut output, &analyse(&command, around))?,
                Err(problem) => {
                    write_reply(&mut output, &bad(format!("not a JSON string: {problem}")))?;
                }
            }
        }
        if input.buffer().is_empty() {
            output.flush()?;
        }
    }
    output.flush()?;
    Ok(())
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
    fn a_line_without_end_is_passed_over() {
        let long = "x".repeat(MAX_LINE as usize + 10);
        let answers = answers(&format!("\"{long}\"\n\"ls\"\n"));
        assert!(answers[0]["error"].as_str().unwrap().contains("longer"));
        assert_eq!(answers[1]["dangerous"], false);
        assert_eq!(answers.len(), 2);
    }
}

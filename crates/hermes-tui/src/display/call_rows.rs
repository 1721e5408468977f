//! What stands below the line of a call: what a program wrote last, the beginning of a file, the change.

use hermes_tool::{ResultView, ShownCall};
use serde_json::Value;

use super::diff::{self, DiffExtent};
use super::fit::{cut, shown};
use super::notices;
use super::style::{Ink, Style};

/// Lines of output that stay below a call; more are counted.
pub(crate) const MAX_OUTPUT: usize = 5;
/// Lines of a new file that are shown.
const MAX_WRITTEN: usize = 5;
const INDENT: &str = "    ";

/// A result as a value, where it begins with one; the agent may add words for the model after it.
pub(crate) fn read_result(output: &str) -> Option<Value> {
    serde_json::Deserializer::from_str(output).into_iter().next()?.ok()
}

/// The rows below a call that went as it should.
pub(crate) fn below(
    call: &ShownCall<'_>,
    view: ResultView,
    shows_diffs: bool,
    style: &Style,
) -> Vec<String> {
    let Some(result) = call.result else { return Vec::new() };
    let text = |key: &str| result.get(key).and_then(Value::as_str);
    let mut rows = Vec::new();
    if shows_diffs && let Some(diff) = text("diff") {
        rows.extend(diff::rows(diff, DiffExtent::Glance, style));
    }
    match view {
        ResultView::Plain => {}
        ResultView::Checklist => rows.extend(notices::todos(result, style)),
        ResultView::Output => rows.extend(output_rows(text("output").unwrap_or_default(), style)),
        ResultView::Written if result.get("error").is_none_or(Value::is_null) && shows_diffs => {
            let content = call.args.get("content").and_then(Value::as_str).unwrap_or_default();
            rows.extend(diff::new_file(content, MAX_WRITTEN, style));
        }
        ResultView::Written => {}
    }
    rows
}

/// How much a call wrote, for its line: `+12 lines`.
pub(crate) fn written(call: &ShownCall<'_>, view: ResultView) -> Option<String> {
    let content = call.args.get("content")?.as_str().filter(|_| view == ResultView::Written)?;
    match content.lines().count() {
        1 => Some("+1 line".to_owned()),
        count => Some(format!("+{count} lines")),
    }
}

/// The last lines of what a program wrote.
fn output_rows(output: &str, style: &Style) -> Vec<String> {
    let lines: Vec<&str> = output.trim_end().lines().collect();
    tail_rows(&lines[lines.len().saturating_sub(MAX_OUTPUT)..], lines.len(), style)
}

/// The last lines of a longer text, and how many are above them.
pub(crate) fn tail_rows(last: &[impl AsRef<str>], total: usize, style: &Style) -> Vec<String> {
    let mut rows = Vec::new();
    let above = total.saturating_sub(last.len());
    if above > 0 {
        let lines = if above == 1 { "line" } else { "lines" };
        rows.push(style.paint(Ink::DIM, &format!("{INDENT}… + {above} {lines}")));
    }
    // An empty row between what was printed and what is left out says nothing.
    let last = last.iter().skip_while(|line| line.as_ref().trim().is_empty());
    rows.extend(last.map(|line| {
        let line = shown(line.as_ref()).replace(['\n', '\r'], " ");
        let line = cut(&line, style.width.saturating_sub(INDENT.len()));
        style.paint(Ink::DIM, &format!("{INDENT}{line}")).trim_end().to_owned()
    }));
    rows
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::display::style::Colour;

    const STYLE: Style = Style::new(Colour::Off, 40);

    fn rows(args: &Value, result: &Value, view: ResultView) -> Vec<String> {
        below(&ShownCall { args, result: Some(result) }, view, true, &STYLE)
    }

    #[test]
    fn the_end_of_output_stays_and_the_rest_is_counted() {
        let output: String = (1..=9).map(|number| format!("line {number}\n")).collect();
        let shown = rows(&json!({}), &json!({"output": output}), ResultView::Output);
        assert_eq!(shown[..2], ["    … + 4 lines", "    line 5"]);
        assert_eq!(shown.len(), 6);
        assert!(rows(&json!({}), &json!({"output": ""}), ResultView::Output).is_empty());
        let gaps = "1\n2\n\n\nRan\n\nOK\n\n";
        let shown = rows(&json!({}), &json!({"output": gaps}), ResultView::Output);
        assert_eq!(shown, ["    … + 2 lines", "    Ran", "", "    OK"]);
    }

    #[test]
    fn a_new_file_shows_its_head_unless_it_could_not_be_written() {
        let args = json!({"content": "a\nb\nc\nd\ne\nf\ng\n"});
        let shown = rows(&args, &json!({"bytes_written": 14}), ResultView::Written);
        assert_eq!((shown[0].as_str(), shown[5].as_str()), ("   1 + a", "  … + 2 lines"));
        assert!(rows(&args, &json!({"error": "no"}), ResultView::Written).is_empty());
        let call = ShownCall { args: &args, result: None };
        assert_eq!(written(&call, ResultView::Written).unwrap(), "+7 lines");
    }

    #[test]
    fn words_after_a_result_do_not_hide_it() {
        assert_eq!(read_result("{\"a\": 1}\n\nA hint."), Some(json!({"a": 1})));
        assert_eq!(read_result("plain"), None);
    }
}

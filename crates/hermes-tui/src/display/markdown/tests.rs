use proptest::prelude::*;

use super::*;
use crate::display::fit::columns;

const TEXT: &str = "\
# Report on **things**

Some *stressed*, **strong** and `code` words, a [link](https://example.org/a_b_c) and a bare
https://example.org/under_score_name. snake_case_names stay, 2 * 3 * 4 too.

1. First item, which is long enough that it has to be continued on a second row of the terminal.
2. Second
   - [ ] open task
   - [x] done task

> Quoted words that go on for a while, so that the bar in front of them is seen on both rows.

```rust
fn main() { println!(\"{}\", \"a line of code that is too long for a narrow terminal, really\"); }
```

| Name | Count | 説明 |
|:-----|------:|:----:|
| `alpha` | 1 | 日本語のテキスト |
| beta | 1000 | short |

---
~~gone~~ done";

fn plain(width: usize) -> Style {
    Style::new(Colour::Off, width)
}

#[test]
fn everything_at_80_columns() {
    insta::assert_snapshot!(render(TEXT, MarkdownMode::Render, &plain(80)).join("\n"));
}

#[test]
fn everything_at_200_columns() {
    insta::assert_snapshot!(render(TEXT, MarkdownMode::Render, &plain(200)).join("\n"));
}

#[test]
fn everything_at_30_columns() {
    insta::assert_snapshot!(render(TEXT, MarkdownMode::Render, &plain(30)).join("\n"));
}

#[test]
fn everything_stripped() {
    insta::assert_snapshot!(render(TEXT, MarkdownMode::Strip, &plain(80)).join("\n"));
}

#[test]
fn raw_text_is_not_touched() {
    assert_eq!(render(TEXT, MarkdownMode::Raw, &plain(80)).join("\n"), TEXT);
}

#[test]
fn colours_mark_what_the_marks_meant() {
    let style = Style::new(Colour::On, 80);
    let rows = render("a **b** `c` *d*", MarkdownMode::Render, &style);
    assert_eq!(rows, ["a \x1b[1mb\x1b[0m \x1b[36mc\x1b[0m \x1b[3md\x1b[0m"]);
}

#[test]
fn marks_without_a_partner_stay() {
    let text = "2 * 3, **open, `tick, [a](b, ~~x, f(*args), a_b_c";
    assert_eq!(render(text, MarkdownMode::Render, &plain(80)), [text]);
}

#[test]
fn text_in_pieces_looks_like_text_at_once() {
    let style = plain(80);
    let mut markdown = Markdown::new(MarkdownMode::Render);
    let mut rows = Vec::new();
    for character in TEXT.chars() {
        rows.extend(markdown.push(&character.to_string(), &style));
    }
    rows.extend(markdown.finish(&style));
    assert_eq!(rows, render(TEXT, MarkdownMode::Render, &style));
}

#[test]
fn the_unfinished_line_is_shown_and_then_replaced() {
    let style = plain(80);
    let mut markdown = Markdown::new(MarkdownMode::Render);
    assert!(markdown.push("- an it", &style).is_empty());
    assert_eq!(markdown.tail(&style), ["• an it"]);
    assert_eq!(markdown.push("em\n", &style), ["• an item"]);
    assert!(markdown.tail(&style).is_empty());
}

#[test]
fn control_sequences_never_reach_the_terminal() {
    let rule = "─".repeat(40);
    let text = "a\x1b]0;title\x07b\x1b[2Jc\u{7}\n```\n\x1b[31mred\n```";
    let shown = render(text, MarkdownMode::Render, &plain(80)).join("\n");
    assert_eq!(shown, format!("abc\n{rule}\nred\n{rule}"));
}

#[test]
fn an_endless_line_of_marks_takes_no_time() {
    let mut lines: Vec<String> =
        ["*a ", "`", "[", "](", "**a_", "<", "\\"].map(|mark| mark.repeat(20_000)).into();
    lines.push(format!("{}{}", "[".repeat(10_000), "](x)".repeat(10_000)));
    for line in lines {
        let started = std::time::Instant::now();
        render(&line, MarkdownMode::Render, &plain(80));
        assert!(started.elapsed().as_secs() < 5, "{}", &line[..4]);
    }
}

/// What must be found again in the rows: letters and digits. Everything else may be a mark.
fn words(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).collect()
}

proptest! {
    #[test]
    fn no_letter_is_ever_lost(text in "([a-z日é0-9 *_`~#>|\\[\\]()!<.\\\\-]|\n|```|\\| a ){0,80}", width in 20_usize..100) {
        let rows = render(&text, MarkdownMode::Render, &plain(width));
        prop_assert_eq!(words(&rows.join("\n")), words(&text));
        for row in rows {
            prop_assert!(columns(&row) <= width, "{} columns: {}", columns(&row), row);
        }
    }
}

#[test]
fn a_long_row_of_code_is_broken_with_a_mark_and_loses_nothing() {
    let code = "x".repeat(90);
    let rows =
        render(&format!("```\n{code}\n```"), MarkdownMode::Render, &Style::new(Colour::Off, 80));
    assert_eq!(rows[1], format!("{}↩", "x".repeat(79)));
    assert_eq!(rows[2], "x".repeat(11));
    let wide = "日".repeat(45);
    let rows =
        render(&format!("```\n{wide}\n```"), MarkdownMode::Render, &Style::new(Colour::Off, 80));
    assert_eq!(rows[1], format!("{}↩", "日".repeat(39)));
}

#[test]
fn links_lead_somewhere_where_the_terminal_has_colour() {
    let style = Style::new(Colour::On, 80);
    let rows = render("see [docs](https://a.org/x)", MarkdownMode::Render, &style);
    assert!(
        rows[0].contains("\x1b]8;;https://a.org/x\x1b\\\x1b[4mdocs\x1b[0m\x1b]8;;\x1b\\"),
        "{rows:?}"
    );
    let plain = render("https://a.org", MarkdownMode::Render, &Style::new(Colour::Off, 80));
    assert_eq!(plain, ["https://a.org"]);
}

#[test]
fn footnotes_are_named_and_set_in() {
    let rows =
        render("true[^1]\n\n[^1]: says who", MarkdownMode::Render, &Style::new(Colour::Off, 80));
    assert_eq!(rows, ["true[1]", "", "[1] says who"]);
}

#[test]
fn a_megabyte_is_drawn_in_a_moment() {
    let text =
        "A line with `code`, **bold** words and [a link](https://a.org/page).\n".repeat(15_000);
    let style = Style::new(Colour::On, 100);
    let begun = std::time::Instant::now();
    let mut markdown = Markdown::new(MarkdownMode::Render);
    for chunk in text.as_bytes().chunks(64) {
        markdown.push(&String::from_utf8_lossy(chunk), &style);
    }
    // Generous: a debug build on a busy machine.
    assert!(begun.elapsed() < std::time::Duration::from_secs(60));
}

#[test]
fn a_formula_on_lines_of_its_own_is_drawn_and_a_forgotten_end_harms_little() {
    let rows = |text: &str| render(text, MarkdownMode::Render, &plain(40));
    assert_eq!(rows("so\n$$\na^2 + b^2 = c^2\n$$\n# End"), ["so", "  a² + b² = c²", "End"]);
    assert_eq!(rows("\\[\nx \\ge 1\n\\]\n"), ["  x ≥ 1"]);
    assert_eq!(rows("$$\nx^2\n\n**bold**"), ["  x²", "bold"]);
    assert_eq!(rows("$$\n\\begin{matrix}\n$$"), ["\\begin{matrix}"]);
}

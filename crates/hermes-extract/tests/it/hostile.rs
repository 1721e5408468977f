//! Pages that were written to hurt, and pages of noise.

use proptest::prelude::*;
use rustix::time::{ClockId, clock_gettime};

use super::extracted;

/// Seconds this thread works on a page of this many pieces, at best of two. Other programs do not add to it.
fn seconds(piece: &str, times: usize) -> f64 {
    let page = piece.repeat(times);
    let now = || {
        let time = clock_gettime(ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    };
    let once = || {
        let start = now();
        let _ = extracted(&page);
        now() - start
    };
    once().min(once())
}

#[test]
fn time_grows_with_the_length_of_a_page_and_not_faster() {
    for piece in [
        "<div>",
        "<b><i>",
        "<a href=x><p>",
        "<table><tr><td>",
        "<ul><li>x",
        "<blockquote>x",
        "<h2>Related</h2><p></p>",
        "<p>x</p>",
        "<font color=a><p>",
        "<!--",
        "<div class='share related'><form><input type=email>",
        "&amp;",
        "<tr rowspan=200><td colspan=200 rowspan=200>x",
        "<article><h1>x</h1>text",
        "<style>.a .b .c{display:none}</style><i class=c>",
        "<pre><div>",
    ] {
        let (short, long) = (seconds(piece, 200), seconds(piece, 1_600));
        assert!(long < short.max(0.004) * 40.0, "{piece}: {short} s, eight times as much {long} s");
    }
}

proptest! {
    #[test]
    fn any_text_is_a_page(text in "\\PC{0,300}") {
        let _ = extracted(&text);
    }

    #[test]
    fn any_heap_of_tags_is_a_page(parts in proptest::collection::vec(
        prop_oneof![
            Just("<table>"), Just("<tr>"), Just("<td rowspan=3 colspan=2>"), Just("</td>"), Just("</table>"),
            Just("<ul>"), Just("<ol start=7>"), Just("<li>"), Just("</ul>"), Just("<dl>"), Just("<dt>"), Just("<dd>"),
            Just("<b>"), Just("</b>"), Just("<i>"), Just("</i>"), Just("<a href='/x(y'>"), Just("</a>"), Just("<br>"),
            Just("<pre>"), Just("</pre>"), Just("<code class=language-c>"), Just("`"), Just("``` |"), Just("<h2>"), Just("</h2>"),
            Just("<p>"), Just("</p>"), Just("<blockquote>"), Just("<img src=a.png alt='x]'>"), Just("word "), Just("<article>"),
            Just("<main>"), Just("<nav>"), Just("</nav>"), Just("<sup>2</sup>"), Just("<math><mi>x"), Just("<hr>"), Just("Related"),
        ], 0..60)) {
        let _ = extracted(&parts.concat());
    }

    #[test]
    fn code_comes_out_byte_for_byte(code in "[ -~\\t\\n]{1,120}") {
        prop_assume!(!code.trim().is_empty() && !code.starts_with('\n'));
        let escaped = code.replace('&', "&amp;").replace('<', "&lt;");
        let got = extracted(&format!("<main><h1>Code</h1><p>Text before.</p><pre>{escaped}</pre><p>Text behind it.</p></main>"));
        let code = code.strip_suffix('\n').unwrap_or(&code);
        prop_assert!(got.contains(&format!("\n{code}\n")), "{got}");
    }
}

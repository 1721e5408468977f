//! Taking a shell's word about its directory out of its output.

/// The longest path that is looked for between two markers.
const LONGEST: usize = 4_096;

/// Output without the markers, and the path between them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MarkedOutput {
    pub(crate) output: String,
    pub(crate) cwd: Option<String>,
}

/// Takes out the last pair of markers with the line breaks that came with them. What a command
/// writes from its own exit trap follows the markers and is kept.
pub(crate) fn take(output: String, marker: &str) -> MarkedOutput {
    let Some((open, close)) = last_pair(&output, marker) else {
        return MarkedOutput { output, cwd: None };
    };
    let path = &output[open + marker.len()..close];
    let cwd = (!path.is_empty()).then(|| path.to_owned());
    let before = output[..open].strip_suffix('\n').unwrap_or(&output[..open]);
    let after = &output[close + marker.len()..];
    let after = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after);
    MarkedOutput { output: format!("{before}{after}"), cwd }
}

fn last_pair(output: &str, marker: &str) -> Option<(usize, usize)> {
    let close = output.rfind(marker)?;
    let open = output[..close].rfind(marker)?;
    (close - (open + marker.len()) <= LONGEST).then_some((open, close))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(output: &str) -> (String, Option<String>) {
        let MarkedOutput { output, cwd } = take(output.to_owned(), "<M>");
        (output, cwd)
    }

    #[test]
    fn the_line_and_the_break_before_it_vanish() {
        assert_eq!(told("hi\n\n<M>/a b<M>\n"), ("hi\n".into(), Some("/a b".into())));
        assert_eq!(told("hi\n<M>/x<M>\n"), ("hi".into(), Some("/x".into())));
        assert_eq!(told("\n<M>/x<M>\n"), (String::new(), Some("/x".into())));
    }

    #[test]
    fn what_comes_after_is_kept() {
        assert_eq!(told("hi\n\n<M>/x<M>\nbye\n"), ("hi\nbye\n".into(), Some("/x".into())));
    }

    #[test]
    fn the_last_pair_counts_and_an_empty_path_says_nothing() {
        assert_eq!(told("<M>/old<M>\n\n<M>/new<M>\n").1, Some("/new".into()));
        assert_eq!(told("a\n<M><M>\n"), ("a".into(), None));
    }

    #[test]
    fn no_pair_no_change() {
        for output in ["", "plain", "one <M> only", &format!("<M>{}<M>", "x".repeat(5_000))] {
            assert_eq!(told(output), (output.into(), None));
        }
    }
}

//! What holds for every text and every patch.

use super::memory_files::MemoryFiles;
use super::{ChangeKind, parse};
use proptest::prelude::*;
use similar::TextDiff;

/// A text of few different lines, so that places repeat.
fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["", "a", "b", "  a", "c ", "*** x", "+", "-b", "é–"]);
    (prop::collection::vec(line, 0..12), any::<bool>()).prop_map(|(lines, newline)| {
        let end = if newline && !lines.is_empty() { "\n" } else { "" };
        format!("{}{end}", lines.join("\n"))
    })
}

/// Something close enough to a patch to get far into the parser.
fn patch_like() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "*** Begin Patch",
        "*** End Patch",
        "*** Update File: a",
        "*** Update File: b",
        "*** Add File: a",
        "*** Add File: a/b",
        "*** Delete File: a",
        "*** Move File: a -> b",
        "*** Move to: c",
        "*** End of File",
        "@@",
        "@@ a @@",
        "@@ -1,2 +1,1 @@ b",
        "@@ -0,0 +1 @@",
        " a",
        "-a",
        "+a",
        " b",
        "-b",
        "+b",
        "",
        " ",
        "```",
        "a",
        "é",
        "\\ No newline at end of file",
    ]);
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.join("\n"))
}

fn diff(old: &str, new: &str, radius: usize) -> String {
    let diff = TextDiff::from_lines(old, new);
    let hunks = diff.unified_diff().context_radius(radius).to_string();
    format!("*** Begin Patch\n*** Update File: f\n{hunks}*** End Patch\n")
}

proptest! {
    #[test]
    fn parsing_never_panics(text in any::<String>(), like in patch_like()) {
        let _ = parse(&text);
        let _ = parse(&like);
    }

    #[test]
    fn planning_never_panics_and_plans_can_be_carried_out(
        like in patch_like(),
        a in prop::option::of(prop::collection::vec(any::<u8>(), 0..20)),
        b in prop::option::of(text()),
    ) {
        let files = [("a", a), ("b", b.map(String::into_bytes))];
        let files = files.into_iter().filter_map(|(path, content)| Some((path.to_owned(), content?)));
        let world = MemoryFiles(files.collect());
        if let Ok(patch) = parse(&like)
            && let Ok(plan) = world.plan_parsed(&patch)
        {
            let after = world.after(&plan);
            prop_assert_ne!(after, world);
        }
    }

    #[test]
    fn a_diff_as_patch_gives_the_new_text(old in text(), new in text(), radius in 0_usize..4) {
        prop_assume!(old != new);
        let world = MemoryFiles::new([("f", old.as_bytes())]);
        let patched = world.patched(&diff(&old, &new, radius));
        prop_assert_eq!(String::from_utf8_lossy(&patched.0["f"]), new);
    }

    #[test]
    fn a_diff_fits_a_file_with_other_endings(old in text(), new in text()) {
        // The first line shows the ending; the rest may be anything.
        let (old, new) = (format!("top\n{old}"), format!("top\n{new}x\n"));
        let crlf = |text: &str| text.replace('\n', "\r\n");
        let world = MemoryFiles::new([("f", crlf(&old).as_bytes())]);
        let patched = world.patched(&diff(&old, &new, 3));
        prop_assert_eq!(String::from_utf8_lossy(&patched.0["f"]), crlf(&new));
    }

    #[test]
    fn lines_without_marker_stay_as_they_are(
        lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..6), 1..10),
        at in any::<prop::sample::Index>(),
    ) {
        let mut lines = lines;
        for line in &mut lines {
            line.retain(|byte| !matches!(byte, b'\n' | b'\r' | 0));
        }
        let at = at.index(lines.len());
        lines.insert(at, b"unique target".to_vec());
        let file = lines.join(&b'\n');
        let world = MemoryFiles::new([("f", &file)]);
        let plan = world.plan("*** Update File: f\n-unique target\n+new\n").unwrap();
        prop_assert_eq!(&plan.files[0].change, &ChangeKind::Modified);
        lines[at] = b"new".to_vec();
        prop_assert_eq!(&world.after(&plan).0["f"], &lines.join(&b'\n'));
    }
}

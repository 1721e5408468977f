use super::super::parse;
use super::super::patch::PatchAction;
use super::*;

/// The file after the hunks in `body`.
fn edited(file: &str, body: &str) -> String {
    String::from_utf8(edited_bytes(file.as_bytes(), body)).unwrap()
}

fn edited_bytes(file: &[u8], body: &str) -> Vec<u8> {
    let mut editor = HunkEditor::new(file);
    for hunk in hunks(body) {
        editor.apply(&hunk).unwrap();
    }
    editor.finish()
}

fn miss(file: &str, body: &str) -> Miss {
    let mut editor = HunkEditor::new(file.as_bytes());
    hunks(body).iter().find_map(|hunk| editor.apply(hunk).err()).expect("a hunk that fits nowhere")
}

fn hunks(body: &str) -> Vec<Hunk> {
    let mut patch = parse(&format!("*** Update File: f\n{body}")).unwrap();
    match patch.operations.swap_remove(0).action {
        PatchAction::Update { hunks, .. } => hunks,
        other => panic!("{other:?}"),
    }
}

#[test]
fn removing_a_line_removes_its_ending() {
    assert_eq!(edited("a\nb\nc\n", "-b"), "a\nc\n");
    assert_eq!(edited("a\nb", "-b"), "a\n");
    assert_eq!(edited("a", "-a"), "");
}

#[test]
fn hunks_match_whole_lines_only() {
    assert_eq!(miss("a = 10\n", "-a = 1\n+a = 2"), Miss::NotFound);
}

#[test]
fn context_keeps_the_files_bytes() {
    assert_eq!(edited("  a  \nb\n\tc\n", " a\n-b\n+B\n c"), "  a  \nB\n\tc\n");
    assert_eq!(edited_bytes(b"\xff\na\r\nb\n\xfe", "-a\n+A"), b"\xff\nA\r\nb\n\xfe");
}

#[test]
fn added_lines_end_like_their_neighbours() {
    assert_eq!(edited("a\r\nb\r\n", " a\n+x\n b"), "a\r\nx\r\nb\r\n");
    assert_eq!(edited("a\r\nb\n", "-b\n+x\n+y"), "a\r\nx\ny\n");
    assert_eq!(edited("a\r\nb", "-b\n+x\n+y"), "a\r\nx\r\ny");
    assert_eq!(edited("a\rb\r", "-b\n+x"), "a\rx\r");
}

#[test]
fn the_final_newline_stays_as_it_is_unless_marked() {
    assert_eq!(edited("a\nb", "-b\n+c"), "a\nc");
    assert_eq!(edited("a", " a\n+b"), "a\nb");
    // Lines that are appended are whole lines.
    assert_eq!(edited("a", "+b"), "a\nb\n");
    assert_eq!(edited("a", "+b\n\\ No newline at end of file"), "a\nb");
    assert_eq!(edited("a", "-a\n\\ No newline at end of file\n+b"), "b\n");
    assert_eq!(edited("a\n", "-a\n+b\n\\ No newline at end of file"), "b");
    assert_eq!(edited("a\nc\n", " a\n+b\n\\ No newline at end of file\n c"), "a\nb\nc\n");
    assert_eq!(edited("a", "+b\n@@\n+c"), "a\nb\nc\n");
}

#[test]
fn pure_additions_go_behind_the_hint_or_to_the_end() {
    assert_eq!(edited("a\nb\n", "@@ a @@\n+x"), "a\nx\nb\n");
    assert_eq!(edited("a\n\n\n", "+x"), "a\n\n\nx\n");
    assert_eq!(edited("", "+x"), "x\n");
    assert_eq!(edited("a\nb\n", "@@ a @@\n+x\n*** End of File"), "a\nb\nx\n");
    assert_eq!(edited("a\nb\n", "@@ -1,0 +2,1 @@\n+x"), "a\nx\nb\n");
    assert_eq!(miss("a\n", "@@ c @@\n+x"), Miss::Hint(HintTrouble::Missing("c".into())));
    assert!(matches!(miss("a\na\n", "@@ a @@\n+x"), Miss::Hint(HintTrouble::Ambiguous(..))));
}

#[test]
fn several_places_are_an_error_unless_hinted_or_numbered() {
    let file = "f:\nx\ng:\nx\nh:\nx\n";
    assert_eq!(miss(file, "-x\n+y"), Miss::Ambiguous(vec![2, 4, 6]));
    assert_eq!(edited(file, "@@ g:\n-x\n+y"), "f:\nx\ng:\ny\nh:\nx\n");
    assert_eq!(edited(file, "@@ -5,1 +5,1 @@ h:\n-x\n+y"), "f:\nx\ng:\nx\nh:\ny\n");
    assert_eq!(edited(file, "@@ -4 +4 @@\n-x\n+y"), "f:\nx\ng:\ny\nh:\nx\n");
    assert_eq!(miss(file, "@@ -3 +3 @@\n-x\n+y"), Miss::Ambiguous(vec![2, 4, 6]));
    assert_eq!(
        miss(file, "@@ nowhere\n-x\n+y"),
        Miss::Hint(HintTrouble::Missing("nowhere".into()))
    );
}

#[test]
fn a_hint_may_be_part_of_the_hunk() {
    let file = "x\nf:\ny\nx\nf2\ny\n";
    assert_eq!(edited(file, "@@ f:\n f:\n-y\n+z"), "x\nf:\nz\nx\nf2\ny\n");
    assert_eq!(edited(file, "@@ f:\n x\n f:\n-y\n+z"), "x\nf:\nz\nx\nf2\ny\n");
}

#[test]
fn a_sloppy_hint_does_not_overrule_unique_lines() {
    assert_eq!(edited("a\nb\n", "@@ the second letter @@\n-b\n+B"), "a\nB\n");
    assert_eq!(edited("a\nb\n", "@@ b @@\n-a\n+A"), "A\nb\n");
}

#[test]
fn hunks_follow_each_other() {
    assert_eq!(edited("x\nm\nx\n", " m\n-x\n+y"), "x\nm\ny\n");
    assert_eq!(edited("a\nx\nm\nx\n", "-m\n+M\n@@\n-x\n+y"), "a\nx\nM\ny\n");
    assert_eq!(edited("a\nx\nm\nx\n", " a\n-x\n+1\n@@\n m\n-x\n+2"), "a\n1\nm\n2\n");
}

#[test]
fn hunks_may_share_context() {
    assert_eq!(edited("a\nb\nc\n", "-a\n+A\n b\n@@\n b\n-c\n+C"), "A\nb\nC\n");
    assert_eq!(edited("a\nb\nc\n", "-a\n+A\n@@\n a\n b\n-c\n+C"), "A\nb\nC\n");
    assert_eq!(edited("a\nb\nc\n", "-a\n+A\n@@\n A\n b\n-c\n+C"), "A\nb\nC\n");
    assert_eq!(edited("a\n", " a\n+b\n@@\n b\n+c"), "a\nb\nc\n");
}

#[test]
fn hunks_out_of_order_are_found_where_they_are_unique() {
    assert_eq!(edited("a\nb\nc\n", "-c\n+C\n@@\n-a\n+A"), "A\nb\nC\n");
    assert_eq!(miss("a\na\nc\n", "-c\n+C\n@@\n-a\n+A"), Miss::Ambiguous(vec![1, 2]));
    assert_eq!(miss("a\nc\n", "-c\n+C\n@@\n-c\n+D"), Miss::NotFound);
}

#[test]
fn the_end_marker_chooses_the_last_place() {
    assert_eq!(edited("x\nx\n", "-x\n+y\n*** End of File"), "x\ny\n");
    assert_eq!(edited("x\nx\n\n", "-x\n+y\n*** End of File"), "x\ny\n\n");
    assert_eq!(miss("x\nz\n", "-x\n+y\n*** End of File"), Miss::NotAtEnd(1));
}

#[test]
fn blank_edges_of_a_hunk_may_be_layout() {
    assert_eq!(edited("a\nb\n", "@@\n\n-a\n+A\n b\n \n"), "A\nb\n");
    assert_eq!(edited("a\n\nb\n", " a\n\n-b\n+B"), "a\n\nB\n");
}

#[test]
fn shifted_quotations_add_shifted_lines() {
    let file = "class A:\n    def f(self):\n        return 1\n";
    let body = "def f(self):\n-    return 1\n+    if x:\n+        return 2\n";
    let expected = "class A:\n    def f(self):\n        if x:\n            return 2\n";
    assert_eq!(edited(file, body), expected);
}

#[test]
fn typography_survives_a_plain_quotation() {
    let file = "# “Don’t panic” – ever…\nx\n";
    assert_eq!(
        edited(file, "-# \"Don't panic\" - ever...\n+# \"Don't panic\" - now..."),
        "# “Don’t panic” – now…\nx\n"
    );
    assert_eq!(
        edited(file, " # \"Don't panic\" - ever...\n-x\n+y"),
        "# “Don’t panic” – ever…\ny\n"
    );
}

#[test]
fn the_strictest_strategy_that_finds_anything_decides() {
    let strategy = |file: &str, body: &str| {
        HunkEditor::new(file.as_bytes()).apply(&hunks(body)[0]).unwrap().strategy
    };
    assert_eq!(strategy("a \na\n", "-a\n+b"), Some(LineStrategy::Exact));
    assert_eq!(strategy("a \n a\n", "-a\n+b"), Some(LineStrategy::TrailingWhitespace));
    assert_eq!(strategy("\ta \n", "-a\n+b"), Some(LineStrategy::Trimmed));
    assert_eq!(strategy("‘a’\n", "-'a'\n+b"), Some(LineStrategy::Unicode));
    assert_eq!(strategy("a\n", "+b"), None);
}

#[test]
fn the_byte_order_mark_survives_a_new_first_line() {
    assert_eq!(edited("\u{feff}a\nb\n", "-a\n+A"), "\u{feff}A\nb\n");
}

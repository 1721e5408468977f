use super::super::memory_files::MemoryFiles;
use super::*;

#[test]
fn later_operations_see_earlier_ones() {
    let world = MemoryFiles::new([("a", b"1\n"), ("b", b"2\n")]);
    let patch = "*** Add File: new\n+x\n*** Update File: new\n-x\n+y\n*** Update File: a\n-1\n+one\n\
                 *** Update File: a\n-one\n+uno\n*** Move File: b -> dir/c\n*** Update File: dir/c\n-2\n+two\n";
    let expected = MemoryFiles::new([("new", b"y\n"), ("a", b"uno\n"), ("dir/c", b"two\n")]);
    assert_eq!(world.patched(patch), expected);
    let plan = world.plan(patch).unwrap();
    assert_eq!(plan.created().collect::<Vec<_>>(), ["new"]);
    assert_eq!(plan.modified().collect::<Vec<_>>(), ["a"]);
    assert_eq!(plan.moved().collect::<Vec<_>>(), [("b", "dir/c")]);
    assert_eq!(plan.effects.len(), 4, "one write per file and one move");
}

#[test]
fn delete_and_add_is_a_rewrite_in_place() {
    let world = MemoryFiles::new([("a", b"1\n"), ("bin", b"\0")]);
    let plan = world.plan("*** Delete File: a\n*** Add File: a\n+2\n").unwrap();
    let (before, after) = (Some(b"1\n".to_vec()), b"2\n".to_vec());
    assert_eq!(plan.effects, [PatchEffect::Write { path: "a".into(), before, after }]);
    assert_eq!(plan.modified().collect::<Vec<_>>(), ["a"]);
    // What cannot be read is deleted first.
    let patched = world.patched("*** Delete File: bin\n*** Add File: bin\n+text\n");
    assert_eq!(patched, MemoryFiles::new([("a", b"1\n"), ("bin", b"text\n")]));
}

#[test]
fn moves_may_change_places() {
    let world = MemoryFiles::new([("a", b"1\n"), ("b", b"2\n")]);
    let swap = "*** Move File: a -> t\n*** Move File: b -> a\n*** Move File: t -> b\n";
    assert_eq!(world.patched(swap), MemoryFiles::new([("a", b"2\n"), ("b", b"1\n")]));
    let chain = "*** Move File: a -> c\n*** Move File: b -> a\n*** Update File: a\n-2\n+3\n";
    assert_eq!(world.patched(chain), MemoryFiles::new([("a", b"3\n"), ("c", b"1\n")]));
    let gone = "*** Move File: a -> c\n*** Delete File: c\n*** Add File: c\n+x\n";
    assert_eq!(world.patched(gone), MemoryFiles::new([("b", b"2\n"), ("c", b"x\n")]));
}

#[test]
fn binary_files_can_be_deleted_and_moved_but_not_updated() {
    let world = MemoryFiles::new([("a", b"\0"), ("b", b"\0")]);
    let patched = world.patched("*** Delete File: a\n*** Move File: b -> c\n");
    assert_eq!(patched, MemoryFiles::new([("c", b"\0")]));
    assert!(world.problems("*** Update File: a\n+x\n")[0].contains("binary"));
}

#[test]
fn all_problems_are_told_at_once() {
    let world = MemoryFiles::new([("a", b"1\n1\n"), ("b", b"2\n"), ("dir/x", b"")]);
    let problems = world.problems(
        "*** Update File: a\n@@\n-1\n+2\n@@\n-3\n+4\n*** Add File: b\n+x\n*** Delete File: c\n\
         *** Move File: a -> b\n*** Update File: dir\n+x\n*** Add File: b/c\n+x\n",
    );
    let expected = [
        "fit 2 places (lines 1, 2)",
        "could not find",
        "already exists",
        "not found",
        "already exists",
        "directory",
        "together with `b`",
    ];
    assert_eq!(problems.len(), expected.len(), "{problems:#?}");
    for (problem, part) in problems.iter().zip(expected) {
        assert!(problem.contains(part), "{problem} / {part}");
    }
    assert!(problems[0].starts_with("a (patch line 2): "), "{}", problems[0]);
}

#[test]
fn the_lines_searched_are_handed_on() {
    let world = MemoryFiles::new([("a", b"1\nx\n")]);
    let problems = world.plan("*** Update File: a\n 1\n-y\n+x\n").unwrap_err();
    let searched = vec!["1".to_owned(), "y".to_owned()];
    assert_eq!(
        problems[0].kind,
        ProblemKind::NotFound { searched, already_at: Some(1), closest: Vec::new() }
    );
}

#[test]
fn a_patch_that_changes_nothing_is_an_error() {
    let world = MemoryFiles::new([("a", b"1\n")]);
    for patch in [
        "*** Update File: a\n-1\n+1\n",
        "*** Update File: a\n 1\n",
        "*** Update File: a\n",
        "*** Move File: a -> b\n*** Move File: b -> a\n",
        "*** Add File: b\n+x\n*** Delete File: b\n",
        "*** Delete File: a\n*** Add File: a\n+1\n",
        "*** Update File: a\n*** Move to: ./a\n",
    ] {
        assert!(world.problems(patch)[0].contains("changes nothing"), "{patch}");
    }
    let plan = world.plan("*** Update File: a\n 1\n*** Add File: b\n").unwrap();
    assert_eq!(plan.unchanged, ["a"]);
}

#[test]
fn the_gate_sees_final_content_only() {
    let world = MemoryFiles::new([("a", b"1\n"), ("bad", b"forbidden\n")]);
    let problems = world.problems("*** Update File: a\n+forbidden\n*** Add File: b\n+forbidden\n");
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert_eq!(problems[1], "b (patch line 3): holds a forbidden word");
    world.patched("*** Add File: b\n+forbidden\n*** Update File: b\n-forbidden\n+fine\n");
    world.patched("*** Update File: bad\n+still bad\n");
}

#[test]
fn spellings_of_one_path_are_one_file() {
    let world = MemoryFiles::new([("a", b"1\n")]);
    assert_eq!(
        world.patched("*** Update File: a\n-1\n+2\n*** Update File: ./a\n-2\n+3\n"),
        MemoryFiles::new([("a", b"3\n")])
    );
}

#[test]
fn files_and_directories_do_not_mix() {
    let world = MemoryFiles::new([("a", b"1\n")]);
    for patch in [
        "*** Add File: a/b\n+x\n",
        "*** Move File: a -> a/b\n",
        "*** Add File: n\n+x\n*** Add File: n/m\n+x\n",
        "*** Add File: n/m\n+x\n*** Add File: n\n+x\n",
    ] {
        assert!(world.problems(patch)[0].contains("together with"), "{patch}");
    }
    let patched = world.patched("*** Delete File: a\n*** Add File: a/b\n+x\n");
    assert_eq!(patched, MemoryFiles::new([("a/b", b"x\n")]));
}

#[test]
fn new_files_end_with_a_newline_unless_empty_or_marked() {
    let added = |body: &str| {
        let patched = MemoryFiles::default().patched(&format!("*** Add File: a\n{body}"));
        String::from_utf8(patched.0["a"].clone()).unwrap()
    };
    assert_eq!(added("+x"), "x\n");
    assert_eq!(added(""), "");
    assert_eq!(added("+"), "\n");
    assert_eq!(added("+x\n\\ No newline at end of file\n"), "x");
}

#[test]
fn hunks_report_where_and_how_they_applied() {
    let world = MemoryFiles::new([("a", b"1\n2 \n3\n")]);
    let plan = world.plan("*** Update File: a\n@@\n 1\n-2\n+x\n+y\n").unwrap();
    let hunk = &plan.files[0].hunks[0];
    assert_eq!((hunk.patch_line, hunk.file_line, hunk.removed, hunk.added), (2, 2, 1, 2));
    assert_eq!(hunk.strategy.map(|it| it.name()), Some("trailing_whitespace"));
}

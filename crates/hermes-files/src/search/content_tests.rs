//! What a content search finds, in what order, and what it leaves alone.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::super::testing::Tree;
use super::super::{COUNT_CAP, MAX_REACH, PAGE_BYTES, ROW_CHARS};
use super::*;
use proptest::prelude::*;

fn search<'a>(pattern: &str, scope: SearchScope<'a>) -> ContentSearch<'a> {
    ContentSearch::new(pattern, scope)
}

fn rows(search: &ContentSearch<'_>) -> Vec<MatchRow> {
    match search.run().unwrap().found {
        FoundContent::Rows(rows) => rows,
        other => panic!("{other:?}"),
    }
}

/// Rows as `path:line:text`, context as `path-line-text`.
fn lines(search: &ContentSearch<'_>) -> Vec<String> {
    let mark = |row: &MatchRow| if row.is_context { '-' } else { ':' };
    rows(search)
        .iter()
        .map(|row| format!("{}{}{}{}{}", row.path, mark(row), row.line, mark(row), row.text))
        .collect()
}

fn files(search: &ContentSearch<'_>) -> Vec<String> {
    let search = ContentSearch { output: ContentOutput::FilesOnly, ..search.clone() };
    match search.run().unwrap().found {
        FoundContent::Files(files) => files,
        other => panic!("{other:?}"),
    }
}

fn with_glob<'a>(glob: &str, search: ContentSearch<'a>) -> ContentSearch<'a> {
    ContentSearch { file_glob: Some(glob.into()), ..search }
}

#[test]
fn finds_lines_sorted_by_path_and_number() {
    let tree =
        Tree::new(&[("b.txt", "x\nhit 1\nhit 2\n"), ("a/z.txt", "hit"), ("c.txt", "none\n")]);
    let found = lines(&search("hit", tree.scope()));
    assert_eq!(found, ["./a/z.txt:1:hit", "./b.txt:2:hit 1", "./b.txt:3:hit 2"]);
    assert_eq!(search("hit", tree.scope()).run().unwrap().total, Total::Exact(3));
}

#[test]
fn names_files_the_way_the_root_was_given() {
    let tree = Tree::new(&[("src/a.rs", "hit\n")]);
    for (given, expected) in [
        (".", "./src/a.rs"),
        ("./", "./src/a.rs"),
        ("", "./src/a.rs"),
        ("../up", "../up/src/a.rs"),
        ("~/p/", "~/p/src/a.rs"),
        ("/abs", "/abs/src/a.rs"),
    ] {
        let scope = SearchScope::new(tree.root(), given);
        assert_eq!(files(&search("hit", scope)), [expected], "{given}");
    }
    assert_eq!(files(&search("hit", tree.part("src/a.rs"))), ["src/a.rs"]);
}

#[test]
fn honours_git_ignore_inside_repositories_only() {
    let content =
        [(".gitignore", "*.log\n/out/\n"), ("a.log", "hit"), ("out/b", "hit"), ("c", "hit")];
    let inside = Tree::repository(&content);
    assert_eq!(files(&search("hit", inside.scope())), ["./c"]);
    let outside = Tree::new(&content);
    assert_eq!(files(&search("hit", outside.scope())), ["./a.log", "./c", "./out/b"]);
}

#[test]
fn honours_ignore_files_everywhere() {
    let tree = Tree::new(&[(".ignore", "skip\n"), ("skip/a", "hit"), ("b", "hit")]);
    assert_eq!(files(&search("hit", tree.scope())), ["./b"]);
}

#[test]
fn skips_hidden_files_and_directories() {
    let tree = Tree::new(&[(".h", "hit"), (".d/a", "hit"), ("v", "hit")]);
    assert_eq!(files(&search("hit", tree.scope())), ["./v"]);
}

#[test]
fn searches_a_hidden_place_that_is_named() {
    let tree = Tree::new(&[(".h", "hit"), (".d/a", "hit"), (".d/.deeper", "hit")]);
    assert_eq!(files(&search("hit", tree.part(".h"))), [".h"]);
    assert_eq!(files(&search("hit", tree.part(".d"))), [".d/a"]);
}

#[test]
fn searches_an_ignored_place_that_is_named() {
    let tree = Tree::repository(&[
        (".gitignore", "out/\nbuild/**\n*.log\n"),
        ("out/a", "hit"),
        ("build/b", "hit"),
        ("venv/.gitignore", "*"),
        ("venv/c", "hit"),
        ("x.log", "hit"),
    ]);
    assert_eq!(files(&search("hit", tree.part("out"))), ["out/a"]);
    assert_eq!(files(&search("hit", tree.part("x.log"))), ["x.log"]);
    for (place, file) in [("build", "build/b"), ("venv", "venv/c")] {
        let reply = search("hit", tree.part(place)).run().unwrap();
        assert_eq!(reply.total, Total::Exact(1));
        assert!(reply.warnings[0].contains("git-ignored"), "{:?}", reply.warnings);
        assert_eq!(files(&search("hit", tree.part(place))), [file]);
    }
}

#[test]
fn does_not_follow_links() {
    let tree = Tree::new(&[("real/a", "hit")]);
    let other = Tree::new(&[("secret", "hit")]);
    symlink(other.path("secret"), tree.path("link")).unwrap();
    symlink(other.root(), tree.path("dir")).unwrap();
    assert_eq!(files(&search("hit", tree.scope())), ["./real/a"]);
}

#[test]
fn never_opens_pipes() {
    let tree = Tree::new(&[("a", "hit")]);
    nix::unistd::mkfifo(&tree.path("pipe"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_eq!(files(&search("hit", tree.scope())), ["./a"]);
    let refused = search("hit", tree.part("pipe")).run().unwrap_err();
    assert!(matches!(refused, SearchError::NotAFile { .. }));
    let device = search("hit", SearchScope::new("/dev/zero", "/dev/zero")).run().unwrap_err();
    assert!(device.to_string().contains("device"), "{device}");
}

#[test]
fn a_pipe_that_takes_the_place_of_a_file_does_not_hang_the_scan() {
    let tree = Tree::new(&[]);
    let pipe = tree.path("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let scope = tree.scope();
    let stop = StopSignal::new(&scope, GRACE);
    let Compiled::Lines(matcher) = pattern::compile("hit").unwrap() else { panic!() };
    let wish = ScanRequest { window: 0..1, count_to: 1, budget: 100 };
    let harvest = LineScanner::new(&matcher, Detail::Lines(0), &stop).scan(&pipe, wish).unwrap();
    assert_eq!(harvest.count, 0);
}

#[test]
fn skips_binary_files_wherever_the_telling_byte_is() {
    let tree = Tree::new(&[("text", "hit\n")]);
    tree.put("early", b"\0hit\n");
    tree.put("late", b"hit\nhit\0\n");
    let mut big = b"hit\n".to_vec();
    big.resize(200_000, b'x');
    big.push(0);
    tree.put("very_late", &big);
    let reply = search("hit", tree.scope()).run().unwrap();
    assert!(reply.warnings.is_empty());
    assert_eq!(lines(&search("hit", tree.scope())), ["./text:1:hit"]);
    let named = search("hit", tree.part("late")).run().unwrap();
    assert_eq!(named.total, Total::Exact(0));
    assert!(named.warnings[0].contains("binary"), "{:?}", named.warnings);
}

#[test]
fn reads_utf_16_with_a_mark_and_drops_the_utf_8_mark() {
    let tree = Tree::new(&[("bom8", "\u{FEFF}hit\n")]);
    let wide = |text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
        text.encode_utf16().flat_map(bytes).collect()
    };
    tree.put("le", &wide("\u{FEFF}näh\r\nhit ü\r\n", u16::to_le_bytes));
    tree.put("be", &wide("\u{FEFF}näh\r\nhit ü\r\n", u16::to_be_bytes));
    let found = lines(&search("^hit", tree.scope()));
    assert_eq!(found, ["./be:2:hit ü", "./bom8:1:hit", "./le:2:hit ü"]);
}

#[test]
fn shows_other_encodings_with_replacement_characters() {
    let tree = Tree::new(&[]);
    tree.put("latin1", b"caf\xE9 hit\n");
    assert_eq!(lines(&search("hit", tree.scope())), ["./latin1:1:caf\u{FFFD} hit"]);
}

#[test]
fn anchors_know_crlf_and_the_carriage_return_is_not_shown() {
    let tree = Tree::new(&[("dos", "one end\r\ntwo end.\r\n"), ("unix", "one end\ntwo end.\n")]);
    let found = rows(&search("end$", tree.scope()));
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|row| row.text == "one end" && row.line == 1));
    assert_eq!(lines(&search(r"\r$", tree.scope())).len(), 2);
}

#[test]
fn unusual_names_and_texts_come_through_whole() {
    let tree = Tree::new(&[
        ("with blank.txt", "12:34: hit - 5-6-\n"),
        ("a:7:b", "hit"),
        ("-x", "hit"),
        ("1-2-3", "hit"),
    ]);
    let found = lines(&search("hit", tree.scope()));
    assert_eq!(
        found,
        ["./-x:1:hit", "./1-2-3:1:hit", "./a:7:b:1:hit", "./with blank.txt:1:12:34: hit - 5-6-"]
    );
    assert_eq!(
        files(&search("hit", tree.scope())),
        ["./-x", "./1-2-3", "./a:7:b", "./with blank.txt"]
    );
}

#[test]
fn patterns_may_begin_with_a_dash() {
    let tree = Tree::new(&[("a", "run --flag\n")]);
    assert_eq!(lines(&search("--flag", tree.scope())), ["./a:1:run --flag"]);
}

#[test]
fn a_pattern_across_lines_finds_nothing_and_says_why() {
    let tree = Tree::new(&[("a", "one\ntwo\n")]);
    for pattern in ["one\ntwo", r"one\ntwo", r"one[\n]*two"] {
        let reply = search(pattern, tree.scope()).run().unwrap();
        assert_eq!(reply.total, Total::Exact(0), "{pattern}");
        assert!(reply.warnings[0].contains("line oriented"), "{:?}", reply.warnings);
    }
    let fine = search(r"o[^\n]e", tree.scope()).run().unwrap();
    assert!(fine.warnings.is_empty() && fine.total == Total::Exact(1));
}

#[test]
fn bad_patterns_and_globs_are_errors() {
    let tree = Tree::new(&[]);
    let bad = search("a(?=b)", tree.scope()).run().unwrap_err();
    assert!(bad.to_string().contains("look-ahead"));
    let bad = with_glob("[a", search("a", tree.scope())).run().unwrap_err();
    assert!(matches!(bad, SearchError::Glob(_)));
}

#[test]
fn a_missing_root_is_an_error_with_suggestions() {
    let tree = Tree::new(&[("source/a", "")]);
    let error = search("a", tree.part("sorce")).run().unwrap_err();
    assert_eq!(error.to_string(), "Path not found: sorce. Did you mean: source?");
}

#[test]
fn globs_choose_files_beside_the_ignore_rules() {
    let tree = Tree::repository(&[
        (".gitignore", "gen.py"),
        ("a.py", "hit"),
        ("gen.py", "hit"),
        (".h.py", "hit"),
        ("src/b.py", "hit"),
        ("src/c.ts", "hit"),
    ]);
    let glob = |glob: &str| files(&with_glob(glob, search("hit", tree.scope())));
    assert_eq!(glob("*.py"), ["./a.py", "./src/b.py"]);
    assert_eq!(glob("*.{ts,js}"), ["./src/c.ts"]);
    assert_eq!(glob("!*.py"), ["./src/c.ts"]);
    assert_eq!(glob("src/**"), ["./src/b.py", "./src/c.ts"]);
    assert_eq!(glob("!src"), ["./a.py"]);
    assert_eq!(glob(".h*"), ["./.h.py"]);
    assert_eq!(glob(" "), ["./a.py", "./src/b.py", "./src/c.ts"]);
}

#[test]
fn long_lines_are_cut_around_the_match() {
    let line = format!("{}needle{}\n", "a".repeat(9_000), "b".repeat(900_000));
    let tree = Tree::new(&[("min.js", &line)]);
    let found = rows(&search("needle", tree.scope()));
    assert!(found[0].text.contains("aneedleb") && found[0].text.chars().count() <= ROW_CHARS);
}

#[test]
fn context_is_marked_and_neither_counted_nor_paged() {
    let tree = Tree::new(&[("a", "1\n2\nhit 3\n4\n5\n6\n7\nhit 8\nhit 9\n10\n")]);
    let one = ContentSearch { context: 1, ..search("hit", tree.scope()) };
    let all =
        ["./a-2-2", "./a:3:hit 3", "./a-4-4", "./a-7-7", "./a:8:hit 8", "./a:9:hit 9", "./a-10-10"];
    assert_eq!(lines(&one), all);
    assert_eq!(one.run().unwrap().total, Total::Exact(3));

    let page =
        |offset, limit| lines(&ContentSearch { page: Page { limit, offset }, ..one.clone() });
    assert_eq!(page(0, 1), ["./a-2-2", "./a:3:hit 3", "./a-4-4"]);
    // A match of another page is shown where it is context, and marked as such.
    assert_eq!(page(1, 1), ["./a-7-7", "./a:8:hit 8", "./a-9-hit 9"]);
    assert_eq!(page(2, 1), ["./a-8-hit 8", "./a:9:hit 9", "./a-10-10"]);
}

#[test]
fn context_of_files_read_again_is_the_same() {
    let text: String = (0..300).map(|n| format!("{n}\nhit {n}\n")).collect();
    let tree = Tree::new(&[("a", &text)]);
    let page = Page { limit: 2, offset: 200 };
    let found = lines(&ContentSearch { context: 1, page, ..search("hit", tree.scope()) });
    assert_eq!(
        found,
        ["./a-401-200", "./a:402:hit 200", "./a-403-201", "./a:404:hit 201", "./a-405-202"]
    );
}

#[test]
fn pages_fit_together_without_gap_or_repetition() {
    let texts: Vec<(String, String)> =
        (0..40).map(|n| (format!("d{}/f{n}", n % 7), "hit\nno\n".repeat(n))).collect();
    let listed: Vec<(&str, &str)> = texts.iter().map(|(p, t)| (p.as_str(), t.as_str())).collect();
    let tree = Tree::new(&listed);
    let whole = Page { limit: 1_000, offset: 0 };
    let all = lines(&ContentSearch { page: whole, ..search("hit", tree.scope()) });
    assert_eq!(all.len(), (0..40).sum::<usize>());

    for limit in [13, 50, 333] {
        let (mut offset, mut gathered) = (0, Vec::new());
        loop {
            let page =
                ContentSearch { page: Page { limit, offset }, ..search("hit", tree.scope()) };
            let reply = page.run().unwrap();
            gathered.extend(lines(&page));
            match reply.next_offset {
                Some(next) => offset = next,
                None => break,
            }
        }
        assert_eq!(gathered, all, "limit {limit}");
    }
}

#[test]
fn the_next_page_is_announced_only_if_there_is_one() {
    let tree = Tree::new(&[("a", "hit\nhit\n"), ("b", "hit\nhit\n")]);
    for output in [ContentOutput::Rows, ContentOutput::FilesOnly, ContentOutput::Counts] {
        let results = if output == ContentOutput::Rows { 4 } else { 2 };
        let next = |limit, offset| {
            let page = Page { limit, offset };
            let search = ContentSearch { page, output, ..search("hit", tree.scope()) };
            search.run().unwrap().next_offset
        };
        assert_eq!(next(results, 0), None);
        assert_eq!(next(results - 1, 0), Some(results - 1));
        assert_eq!(next(1, results - 1), None);
        assert_eq!(next(5, 99), None);
    }
}

#[test]
fn counts_exactly_up_to_the_cap() {
    let tree = Tree::new(&[("a", &"hit\n".repeat(COUNT_CAP))]);
    let reply = search("hit", tree.scope()).run().unwrap();
    assert_eq!((reply.total, reply.next_offset), (Total::Exact(COUNT_CAP), Some(50)));
    tree.put("b", b"hit\n");
    let reply = search("hit", tree.scope()).run().unwrap();
    assert_eq!((reply.total, reply.next_offset), (Total::AtLeast(COUNT_CAP), Some(50)));
}

#[test]
fn beyond_the_cap_pages_are_still_right() {
    let tree = Tree::new(&[("a", &"hit\n".repeat(COUNT_CAP)), ("b", &"hit\n".repeat(100))]);
    let page = Page { limit: 20, offset: COUNT_CAP - 1 };
    let reply = ContentSearch { page, ..search("hit", tree.scope()) }.run().unwrap();
    let FoundContent::Rows(rows) = reply.found else { panic!() };
    assert_eq!((rows[0].path.as_str(), rows[0].line), ("./a", COUNT_CAP as u64));
    assert_eq!((rows[19].path.as_str(), rows[19].line), ("./b", 19));
    assert_eq!(reply.next_offset, Some(COUNT_CAP + 19));
}

#[test]
fn runs_agree_when_there_is_too_much_to_count() {
    let text = "hit\n".repeat(40);
    let names: Vec<String> = (0..400).map(|n| format!("d{:02}/f{:03}", n % 20, n)).collect();
    let listed: Vec<(&str, &str)> =
        names.iter().map(|name| (name.as_str(), text.as_str())).collect();
    let tree = Tree::new(&listed);
    let first = search("hit", tree.scope()).run().unwrap();
    assert_eq!(first.total, Total::AtLeast(COUNT_CAP));
    for _ in 0..10 {
        assert_eq!(search("hit", tree.scope()).run().unwrap(), first);
    }
}

#[test]
fn counting_has_no_cap_and_pages_files() {
    let tree = Tree::new(&[("a", &"hit\n".repeat(COUNT_CAP + 5)), ("b b", "hit\n"), ("c", "hit")]);
    let page = Page { limit: 2, offset: 0 };
    let counts =
        ContentSearch { output: ContentOutput::Counts, page, ..search("hit", tree.scope()) };
    let reply = counts.run().unwrap();
    assert_eq!(
        reply.found,
        FoundContent::Counts(vec![("./a".into(), COUNT_CAP + 5), ("./b b".into(), 1)])
    );
    assert_eq!((reply.total, reply.next_offset), (Total::Exact(COUNT_CAP + 7), Some(2)));
}

#[test]
fn denied_files_are_counted_whatever_they_hold() {
    let tree = Tree::new(&[("auth.json", "hit\nhit\n"), ("b", "hit\n")]);
    let denied = |path: &Path| path.ends_with("auth.json");
    for (pattern, total) in [("hit", 1), ("nowhere", 0)] {
        let reply = search(pattern, tree.scope().denied(&denied)).run().unwrap();
        assert_eq!((reply.total, reply.omitted), (Total::Exact(total), 1), "{pattern}");
        let FoundContent::Rows(rows) = reply.found else { panic!() };
        assert!(rows.iter().all(|row| row.path == "./b"));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn denied_files_are_not_opened() {
    let tree = Tree::new(&[("secret", "hit\n"), ("open", "hit\n")]);
    let read_at = |name: &str| {
        use std::os::unix::fs::MetadataExt;
        let found = tree.path(name).metadata().unwrap();
        (found.atime(), found.atime_nsec())
    };
    let long_ago = std::time::SystemTime::UNIX_EPOCH;
    for name in ["secret", "open"] {
        let file = std::fs::File::options().write(true).open(tree.path(name)).unwrap();
        file.set_times(std::fs::FileTimes::new().set_accessed(long_ago)).unwrap();
    }
    let denied = |path: &Path| path.ends_with("secret");
    let reply = search("hit", tree.scope().denied(&denied)).run().unwrap();
    assert_eq!((reply.total, reply.omitted), (Total::Exact(1), 1));
    assert_eq!(read_at("secret"), (0, 0));
}

#[test]
fn the_deny_list_is_asked_with_canonical_paths() {
    let tree = Tree::new(&[("d/a", "hit")]);
    let expected = tree.path("d/a");
    let asked = AtomicUsize::new(0);
    let denied = |path: &Path| {
        assert_eq!(path, expected);
        asked.fetch_add(1, Ordering::Relaxed);
        true
    };
    search("hit", tree.scope().denied(&denied)).run().unwrap();
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[test]
fn a_passed_deadline_ends_the_search_with_what_there_is() {
    let tree = Tree::new(&[("a", "hit")]);
    let reply = search("hit", tree.scope().deadline(Duration::ZERO)).run().unwrap();
    assert_eq!((reply.ending, reply.total), (SearchEnding::TimedOut, Total::AtLeast(0)));
}

#[test]
fn a_cancelled_search_keeps_the_rows_of_the_file_it_was_reading() {
    let tree = Tree::new(&[("a", &"hit\n".repeat(400_000))]);
    // The signal comes with the third question: after the look before the file, inside it.
    let asked = AtomicUsize::new(0);
    let cancel = || asked.fetch_add(1, Ordering::Relaxed) >= 2;
    let counts = ContentSearch {
        output: ContentOutput::Counts,
        ..search("hit", tree.scope().cancel(&cancel))
    };
    let reply = counts.run().unwrap();
    assert_eq!(reply.ending, SearchEnding::Cancelled);
    assert!(matches!(reply.total, Total::AtLeast(n) if n > 0 && n < 400_000), "{reply:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn unreadable_files_are_counted_and_do_not_fail_the_search() {
    // Reading a process's memory from its start fails for everyone, even for root.
    let reply = search("x", SearchScope::new("/proc/self/mem", "mem")).run().unwrap();
    assert_eq!(reply.total, Total::Exact(0));
    assert!(reply.warnings[0].contains("could not be read"), "{:?}", reply.warnings);
}

#[test]
fn a_page_ends_where_the_answer_would_grow_too_big() {
    let tree = Tree::new(&[("a", &format!("{}hit\n", "x".repeat(480)).repeat(400))]);
    let page = Page { limit: 400, offset: 0 };
    let reply = ContentSearch { page, ..search("hit", tree.scope()) }.run().unwrap();
    let FoundContent::Rows(rows) = &reply.found else { panic!() };
    assert!(reply.cut_by_size && rows.len() > 100 && rows.len() < 400);
    assert_eq!(reply.next_offset, Some(rows.len()));
    assert!(rows.iter().map(|row| row.text.len()).sum::<usize>() <= PAGE_BYTES);
}

#[test]
fn no_page_lies_past_the_last() {
    let tree = Tree::new(&[("a", "hit")]);
    let page = Page { limit: 10, offset: MAX_REACH };
    let reply = ContentSearch { page, ..search("hit", tree.scope()) }.run().unwrap();
    assert_eq!(reply.found, FoundContent::Rows(Vec::new()));
    assert!(reply.warnings[0].contains("narrow"), "{:?}", reply.warnings);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_input_makes_it_panic(
        pattern in r"[()\[\]{}?<=!*+\\a-c^$|.\n-]{0,12}",
        glob in proptest::option::of(r"[*?!\[\]{}\\/.,a-c ]{0,8}"),
        limit in 0_usize..4,
        offset in 0_usize..4,
        context in 0_usize..3,
    ) {
        let tree = Tree::new(&[("a", "abc\r\nabc\n"), ("b/c", "\u{FEFF}aa\n\nc"), (".a", "a")]);
        let page = Page { limit, offset };
        let search =
            ContentSearch { file_glob: glob, page, context, ..search(&pattern, tree.scope()) };
        if let Ok(ContentReply { found: FoundContent::Rows(rows), .. }) = search.run() {
            prop_assert!(rows.iter().filter(|row| !row.is_context).count() <= limit.max(1));
        }
    }
}

//! What a file search finds, in what order, and what it leaves alone.

use std::time::Duration;

use super::super::testing::Tree;
use super::*;
use proptest::prelude::*;

/// A tree whose files were written one second after the other, the last one last.
fn dated(files: &[&str]) -> Tree {
    let tree = Tree::new(&[]);
    for (second, file) in (0_u64..).zip(files) {
        tree.put(file, b"");
        tree.date(file, second);
    }
    tree
}

fn repository(ignored: &str, files: &[&str]) -> Tree {
    let tree = dated(files);
    std::fs::create_dir(tree.path(".git")).unwrap();
    tree.put(".git/config", b"");
    tree.put(".gitignore", ignored.as_bytes());
    tree
}

fn run(pattern: &str, tree: &Tree) -> FileReply {
    FileSearch::new(pattern, tree.scope()).run().unwrap()
}

fn sorted(pattern: &str, tree: &Tree) -> Vec<String> {
    let mut files = run(pattern, tree).files;
    files.sort();
    files
}

#[test]
fn lists_newest_first_over_all_directories_and_ties_by_path() {
    let tree = dated(&["z/old.rs", "a/mid.rs", "m/new.rs"]);
    assert_eq!(run("*.rs", &tree).files, ["./m/new.rs", "./a/mid.rs", "./z/old.rs"]);
    for file in ["z/old.rs", "a/mid.rs", "m/new.rs"] {
        tree.date(file, 5);
    }
    assert_eq!(run("*.rs", &tree).files, ["./a/mid.rs", "./m/new.rs", "./z/old.rs"]);
}

#[test]
fn a_plain_name_is_exact() {
    let tree = dated(&["blacklist.py", "sub/list.py"]);
    let reply = run("list.py", &tree);
    assert_eq!(reply.files, ["./sub/list.py"]);
    assert!(reply.warnings.is_empty());
}

#[test]
fn a_plain_name_that_does_not_exist_is_looked_for_inside_names() {
    let tree = dated(&["my_Settings.toml", "settings_old.py", "other"]);
    let reply = run("settings", &tree);
    assert_eq!(reply.files, ["./settings_old.py", "./my_Settings.toml"]);
    assert!(reply.warnings[0].contains("contain"), "{:?}", reply.warnings);
}

#[test]
fn a_leading_class_is_anchored() {
    let tree = dated(&["ab.txt", "xab.txt", "cb.txt"]);
    assert_eq!(sorted("[ac]b.txt", &tree), ["./ab.txt", "./cb.txt"]);
}

#[test]
fn a_directory_part_is_relative_to_the_root() {
    let tree = dated(&["src/a.py", "lib/src/b.py", "src/deep/c.py"]);
    assert_eq!(sorted("src/*.py", &tree), ["./src/a.py"]);
    assert_eq!(sorted("src/**", &tree), ["./src/a.py", "./src/deep/c.py"]);
    assert_eq!(sorted("src/", &tree), ["./src/a.py", "./src/deep/c.py"]);
    assert_eq!(sorted("**/src/*.py", &tree), ["./lib/src/b.py", "./src/a.py"]);
    assert_eq!(sorted("./src/a.py", &tree), ["./src/a.py"]);
    let absolute = tree.path("src/*.py");
    assert_eq!(sorted(absolute.to_str().unwrap(), &tree), ["./src/a.py"]);
    let absolute = tree.path("lib/src/b.py");
    assert_eq!(sorted(absolute.to_str().unwrap(), &tree), ["./lib/src/b.py"]);
}

#[test]
fn a_plain_path_is_exact_first_and_then_part_of_others() {
    let tree = dated(&["src/main.rs", "app/src/main.rs"]);
    assert_eq!(run("src/main.rs", &tree).files, ["./src/main.rs"]);
    assert_eq!(run("app/src", &tree).files, ["./app/src/main.rs"]);
}

#[test]
fn a_star_reveals_neither_hidden_nor_ignored_files() {
    let tree = repository("*.log\n", &["a.txt", "b.log", ".hidden", ".d/c.txt"]);
    assert_eq!(sorted("*", &tree), ["./a.txt"]);
    assert_eq!(sorted("**", &tree), ["./a.txt"]);
    assert_eq!(sorted("", &tree), ["./a.txt"]);
}

#[test]
fn a_glob_that_spells_a_dot_reveals_what_it_names() {
    let tree = repository("", &[".env", ".env.local", "d/.env", ".github/ci.yml", ".x/.env"]);
    assert_eq!(sorted(".env", &tree), ["./.env", "./d/.env"]);
    assert_eq!(sorted(".env*", &tree), ["./.env", "./.env.local", "./d/.env"]);
    assert_eq!(sorted(".github/*", &tree), ["./.github/ci.yml"]);
    assert_eq!(sorted(".github/ci.yml", &tree), ["./.github/ci.yml"]);
    assert_eq!(sorted(".none", &tree), Vec::<String>::new());
    assert_eq!(sorted(".local", &tree), ["./.env.local"]);
}

#[test]
fn ignored_files_are_shown_with_a_warning_if_nothing_else_matches() {
    let tree = repository("out/\n", &["out/a.bin", "out/.b.bin", "c.txt"]);
    let reply = run("*.bin", &tree);
    assert_eq!(reply.files, ["./out/a.bin"]);
    assert!(reply.warnings[0].contains("git-ignored"), "{:?}", reply.warnings);
    let reply = run("*.nothing", &tree);
    assert!(reply.files.is_empty() && reply.warnings.is_empty());
    assert_eq!(reply.total, Total::Exact(0));
}

#[test]
fn exclusions_list_the_rest() {
    let tree = dated(&["a.ts", "b.rs", "vendor/c.rs"]);
    assert_eq!(sorted("!*.ts", &tree), ["./b.rs", "./vendor/c.rs"]);
    assert_eq!(sorted("!{vendor,x}", &tree), ["./a.ts", "./b.rs"]);
}

#[test]
fn names_may_hold_blanks_brackets_and_colons() {
    let tree = dated(&["a b.txt", "app/[id].tsx", "c:1:d"]);
    assert_eq!(sorted("a b.txt", &tree), ["./a b.txt"]);
    assert_eq!(sorted("[id].tsx", &tree), ["./app/[id].tsx"]);
    assert_eq!(sorted("c:*", &tree), ["./c:1:d"]);
}

#[test]
fn the_total_is_true_and_pages_fit_together() {
    let names: Vec<String> = (0..25).map(|n| format!("d{}/f{n}.rs", n % 3)).collect();
    let tree = dated(&names.iter().map(String::as_str).collect::<Vec<_>>());
    let page = |limit, offset| {
        let page = Page { limit, offset };
        FileSearch { page, ..FileSearch::new("*.rs", tree.scope()) }.run().unwrap()
    };
    let all = page(100, 0);
    assert_eq!((all.files.len(), all.total, all.next_offset), (25, Total::Exact(25), None));
    let (mut offset, mut gathered) = (0, Vec::new());
    loop {
        let reply = page(10, offset);
        assert_eq!(reply.total, Total::Exact(25));
        gathered.extend(reply.files);
        match reply.next_offset {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(gathered, all.files);
    assert_eq!(page(25, 0).next_offset, None, "a full page is not always followed by another");
}

#[test]
fn denied_files_are_left_out_and_counted() {
    let tree = dated(&["auth.json", "b.json"]);
    let denied = |path: &Path| path.ends_with("auth.json");
    let reply = FileSearch::new("*.json", tree.scope().denied(&denied)).run().unwrap();
    assert_eq!(reply.files, ["./b.json"]);
    assert_eq!((reply.total, reply.omitted), (Total::Exact(1), 1));
    let reply = FileSearch::new("auth.json", tree.scope().denied(&denied)).run().unwrap();
    assert_eq!((reply.total, reply.omitted), (Total::Exact(0), 1));
}

#[test]
fn lists_only_regular_files_and_follows_no_link() {
    let tree = dated(&["dir/a.txt"]);
    std::os::unix::fs::symlink(tree.path("dir"), tree.path("link")).unwrap();
    nix::unistd::mkfifo(&tree.path("p.txt"), nix::sys::stat::Mode::S_IRWXU).unwrap();
    assert_eq!(sorted("*.txt", &tree), ["./dir/a.txt"]);
}

#[test]
fn a_file_as_root_is_matched_by_its_own_name() {
    let tree = dated(&["d/a.txt"]);
    let run = |pattern: &str| FileSearch::new(pattern, tree.part("d/a.txt")).run().unwrap().files;
    assert_eq!(run("*.txt"), ["d/a.txt"]);
    assert!(run("*.rs").is_empty());
}

#[test]
fn a_missing_root_and_a_bad_glob_are_errors() {
    let tree = dated(&["source/a"]);
    let error = FileSearch::new("*", tree.part("suorce")).run().unwrap_err();
    assert!(error.to_string().contains("source"), "{error}");
    assert!(FileSearch::new("{a", tree.scope()).run().is_err());
}

#[test]
fn a_passed_deadline_or_a_cancel_ends_the_search() {
    let tree = dated(&["a"]);
    let late = FileSearch::new("*", tree.scope().deadline(Duration::ZERO)).run().unwrap();
    assert_eq!((late.ending, late.total), (SearchEnding::TimedOut, Total::AtLeast(0)));
    let cancelled = FileSearch::new("*", tree.scope().cancel(&|| true)).run().unwrap();
    assert_eq!(cancelled.ending, SearchEnding::Cancelled);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_input_makes_it_panic(pattern in r"[*?!\[\]{}\\/.,a-cä ]{0,10}", limit in 0_usize..3, offset in 0_usize..3) {
        let tree = dated(&["a", "b/c", ".a", "ä b"]);
        let page = Page { limit, offset };
        if let Ok(reply) = (FileSearch { page, ..FileSearch::new(&*pattern, tree.scope()) }).run() {
            prop_assert!(reply.files.len() <= limit.max(1));
        }
    }
}

use std::fs;

use super::*;

fn spill(folder: &tempfile::TempDir) -> ContextSpill {
    ContextSpill {
        max_chars: 10,
        preview_head: 3,
        preview_tail: 2,
        ..ContextSpill::new(folder.path().join("outputs"))
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[tokio::test]
async fn only_strictly_longer_texts_are_cut() {
    let folder = tempfile::tempdir().unwrap();
    for short in ["", "0123456789", "ääääääääää"] {
        assert_eq!(spill(&folder).fit(short.to_owned(), "x", "s").await, short);
    }
    assert!(!folder.path().join("outputs").exists());
    let long = spill(&folder).fit("ääääääääääb".to_owned(), "x", "s").await;
    assert!(long.starts_with("[x output truncated — 11 chars; "), "{long}");
}

#[tokio::test]
async fn the_whole_text_goes_to_a_file_of_its_session() {
    let folder = tempfile::tempdir().unwrap();
    let text = "abc".repeat(4_000);
    let notice = spill(&folder).fit(text.clone(), "weather hook", "s 1").await;
    let [file] = &files(&folder.path().join("outputs/s 1"))[..] else { panic!("{notice}") };
    assert_eq!(
        notice,
        format!(
            "[weather hook output truncated — 12,000 chars; full content saved to {}]\n\
             --- head ---\nabc\n--- tail ---\nbc",
            file.display()
        )
    );
    assert_eq!(fs::read_to_string(file).unwrap(), format!("{text}\n"));
    let name = file.file_stem().unwrap().to_str().unwrap();
    assert!(name.len() == 32 && name.chars().all(|c| c.is_ascii_hexdigit()), "{name}");
    assert_eq!(file.extension().unwrap(), "txt");
}

#[tokio::test]
async fn a_text_that_ends_its_last_line_gets_no_second_end() {
    let folder = tempfile::tempdir().unwrap();
    spill(&folder).fit("0123456789\n".to_owned(), "x", "").await;
    let [file] = &files(&folder.path().join("outputs/no-session"))[..] else { panic!() };
    assert_eq!(fs::read_to_string(file).unwrap(), "0123456789\n");
}

#[tokio::test]
async fn a_preview_of_size_zero_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let text = || "0123456789abc".to_owned();
    let headless = ContextSpill { preview_head: 0, ..spill(&folder) };
    let notice = headless.fit(text(), "x", "s").await;
    assert!(notice.ends_with("]\n--- tail ---\nbc"), "{notice}");
    let tailless = ContextSpill { preview_tail: 0, ..spill(&folder) };
    let notice = tailless.fit(text(), "x", "s").await;
    assert!(notice.ends_with("]\n--- head ---\n012"), "{notice}");
}

#[tokio::test]
async fn previews_never_show_a_character_twice() {
    let folder = tempfile::tempdir().unwrap();
    let text = "0123456789abc".to_owned();
    let wide = ContextSpill { preview_head: 9, preview_tail: 500, ..spill(&folder) };
    let notice = wide.fit(text.clone(), "x", "s").await;
    assert!(notice.ends_with("\n--- head ---\n012345678\n--- tail ---\n9abc"), "{notice}");
    let wider = ContextSpill { preview_head: 500, ..wide };
    let notice = wider.fit(text.clone(), "x", "s").await;
    assert!(notice.ends_with(&format!("\n--- head ---\n{text}")), "{notice}");
}

#[tokio::test]
async fn a_text_that_cannot_be_saved_still_has_its_notice() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a file");
    atomic::write(&file, b"", WriteOptions::KEEP).unwrap();
    let blocked = ContextSpill { directory: file, ..spill(&folder) };
    let notice = blocked.fit("0123456789abc".to_owned(), "x", "s").await;
    assert!(
        notice.starts_with("[x output truncated — 13 chars; full content could not be saved: ")
    );
    assert!(notice.ends_with("]\n--- head ---\n012\n--- tail ---\nbc"), "{notice}");
}

#[tokio::test]
async fn switched_off_it_leaves_everything_alone() {
    let folder = tempfile::tempdir().unwrap();
    let off = ContextSpill { enabled: false, ..spill(&folder) };
    assert_eq!(off.fit("x".repeat(100), "x", "s").await, "x".repeat(100));
}

#[test]
fn a_session_id_cannot_lead_out_of_the_directory() {
    for (id, folder) in [
        ("", "no-session"),
        ("  ", "no-session"),
        (".", "_"),
        ("..", "_"),
        ("../../etc", "____etc"),
        ("a/b\\c", "a_b_c"),
        ("2026-03-01_x", "2026-03-01_x"),
        ("...", "_."),
    ] {
        assert_eq!(folder_name(id), folder, "{id}");
    }
}

#[test]
fn names_differ() {
    assert_ne!(file_name(), file_name());
}

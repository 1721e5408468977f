use super::super::emulator::Emulator;
use super::*;

fn screen(columns: usize, rows: usize) -> (Screen<Emulator>, Emulator) {
    screen_that(Narrowing::Breaks, columns, rows)
}

fn screen_that(narrowing: Narrowing, columns: usize, rows: usize) -> (Screen<Emulator>, Emulator) {
    let emulator = Emulator::new(Size { columns, rows });
    (Screen::new(emulator.clone(), Size { columns, rows }, narrowing), emulator)
}

fn frame(rows: &[&str], cursor: (usize, usize)) -> Frame {
    Frame { rows: rows.iter().map(|row| (*row).to_owned()).collect(), cursor }
}

fn texts(rows: &[&str]) -> Vec<String> {
    rows.iter().map(|row| (*row).to_owned()).collect()
}

#[test]
fn text_goes_above_the_frame_and_the_cursor_stays_in_it() {
    let (mut screen, emulator) = screen(20, 6);
    screen.update(&[], &frame(&["~ busy", "> hello"], (1, 4))).unwrap();
    assert_eq!((emulator.text(), emulator.cursor()), ("~ busy\n> hello".into(), (1, 4)));
    screen.update(&texts(&["one", "two"]), &frame(&["> hello"], (0, 7))).unwrap();
    assert_eq!((emulator.text(), emulator.cursor()), ("one\ntwo\n> hello".into(), (2, 7)));
}

#[test]
fn the_screen_scrolls_and_nothing_is_left_behind() {
    let (mut screen, emulator) = screen(20, 5);
    for number in 0..10 {
        let prompt = frame(&["~ busy", "> a", "  b"], (number % 3, 1));
        screen.update(&texts(&[&format!("line {number}")]), &prompt).unwrap();
    }
    assert_eq!(emulator.text(), "line 8\nline 9\n~ busy\n> a\n  b");
}

#[test]
fn rows_as_wide_as_the_terminal_take_one_row() {
    let (mut screen, emulator) = screen(20, 6);
    let full = "日".repeat(10);
    screen.update(&texts(&[&full]), &frame(&[&full, "> "], (1, 2))).unwrap();
    screen.update(&texts(&["x"]), &frame(&["> "], (0, 2))).unwrap();
    assert_eq!(emulator.text(), format!("{full}\nx\n>"));
}

#[test]
fn a_frame_broken_by_a_narrower_terminal_is_wiped_whole() {
    let (mut screen, emulator) = screen(40, 8);
    let row = "0123456789".repeat(3);
    screen.update(&texts(&["kept"]), &frame(&[&row, "> typed"], (1, 7))).unwrap();
    // What a terminal does that breaks lines anew.
    emulator.resize(Size { columns: 20, rows: 8 });
    emulator.feed(format!("\x1b[H\x1b[2Jkept\r\n{row}\r\n> typed").as_bytes());
    screen.resize(Size { columns: 20, rows: 8 });
    screen.update(&texts(&["new"]), &frame(&["> typed"], (0, 7))).unwrap();
    assert_eq!(emulator.text(), "kept\nnew\n> typed");
}

#[test]
fn what_does_not_fit_is_cut_and_the_cursor_stays_inside() {
    let (mut screen, emulator) = screen(20, 4);
    let rows: Vec<String> = (0..9).map(|number| format!("{number} {}", "x".repeat(30))).collect();
    screen.update(&[], &Frame { rows, cursor: (8, 32) }).unwrap();
    assert_eq!(emulator.text().lines().count(), 3);
    assert!(emulator.text().lines().all(|line| line.ends_with('…')));
    assert_eq!(emulator.cursor().1, 19);
}

#[test]
fn the_same_frame_is_not_drawn_twice() {
    let (mut screen, emulator) = screen(20, 4);
    screen.update(&[], &frame(&["> "], (0, 2))).unwrap();
    let before = emulator.written();
    screen.update(&[], &frame(&["> "], (0, 2))).unwrap();
    assert_eq!(emulator.written(), before);
}

/// A terminal that became lower cut off the row below the cursor, which came back with the next key only.
#[test]
fn what_a_lower_terminal_cut_off_is_drawn_again() {
    let (mut screen, emulator) = screen(20, 8);
    let prompt = frame(&["> typed", "status"], (0, 7));
    screen.update(&texts(&["1", "2", "3", "4", "5", "6"]), &prompt).unwrap();
    assert!(emulator.text().ends_with("> typed\nstatus"));
    let low = Size { columns: 20, rows: 5 };
    emulator.resize(low);
    assert!(!emulator.text().contains("status"), "{}", emulator.text());
    screen.resize(low);
    screen.update(&[], &prompt).unwrap();
    assert!(emulator.text().ends_with("6\n> typed\nstatus"), "{}", emulator.text());
}

#[test]
fn a_wiped_frame_leaves_its_place_to_others() {
    let (mut screen, emulator) = screen(20, 6);
    screen.update(&texts(&["said"]), &frame(&["~", "> a"], (1, 3))).unwrap();
    screen.wipe().unwrap();
    assert_eq!((emulator.text(), emulator.cursor()), ("said".into(), (1, 0)));
}

#[test]
fn a_frame_cut_by_a_narrower_terminal_is_wiped_and_nothing_above_it() {
    let (mut screen, emulator) = screen_that(Narrowing::Cuts, 40, 8);
    let row = "0123456789".repeat(3);
    screen.update(&texts(&["kept"]), &frame(&[&row, "> typed"], (1, 7))).unwrap();
    emulator.resize(Size { columns: 20, rows: 8 });
    screen.resize(Size { columns: 20, rows: 8 });
    screen.update(&texts(&["new"]), &frame(&["> typed"], (0, 7))).unwrap();
    assert_eq!(emulator.text(), "kept\nnew\n> typed");
}

#[test]
fn rows_that_are_taken_back_go_and_those_of_others_stay() {
    for narrowing in [Narrowing::Breaks, Narrowing::Cuts] {
        let (mut screen, emulator) = screen_that(narrowing, 20, 8);
        emulator.feed(b"$ hermes\r\n");
        screen.update(&texts(&["one", "two words", "three"]), &frame(&["> "], (0, 2))).unwrap();
        screen.take_back(2);
        screen.update(&texts(&["two", "words", "three"]), &frame(&["> "], (0, 2))).unwrap();
        assert_eq!(emulator.text(), "$ hermes\none\ntwo\nwords\nthree\n>", "{narrowing:?}");
        assert_eq!(emulator.cursor(), (5, 2));
    }
}

#[test]
fn rows_broken_by_the_terminal_are_taken_back_whole() {
    let (mut screen, emulator) = screen(20, 8);
    let row = "0123456789 abcdefgh";
    screen.update(&texts(&["kept", row]), &frame(&["> "], (0, 2))).unwrap();
    let narrow = Size { columns: 10, rows: 8 };
    emulator.resize(narrow);
    emulator.feed(format!("\x1b[H\x1b[2Jkept\r\n{row}\r\n> ").as_bytes());
    screen.resize(narrow);
    screen.take_back(1);
    screen.update(&texts(&["0123456789", "abcdefgh"]), &frame(&["> "], (0, 2))).unwrap();
    assert_eq!(emulator.text(), "kept\n0123456789\nabcdefgh\n>");
}

#[test]
fn a_screen_that_is_all_ours_is_drawn_anew_and_what_scrolled_away_stays() {
    let (mut screen, emulator) = screen(20, 5);
    let rows: Vec<String> = (0..9).map(|number| format!("row {number}")).collect();
    screen.update(&rows, &frame(&["> "], (0, 2))).unwrap();
    screen.take_back(4);
    let again: Vec<String> = (5..9).map(|number| format!("again {number}")).collect();
    screen.update(&again, &frame(&["> "], (0, 2))).unwrap();
    assert_eq!(emulator.text(), "again 5\nagain 6\nagain 7\nagain 8\n>");
    let all: Vec<String> = emulator
        .drawn()
        .iter()
        .map(|row| row.iter().map(|cell| cell.text.as_str()).collect::<String>())
        .map(|row| row.trim_end().to_owned())
        .collect();
    assert_eq!(all[..5], ["row 0", "row 1", "row 2", "row 3", "row 4"]);
    assert_eq!(all[5..9], ["again 5", "again 6", "again 7", "again 8"]);
}

#[test]
fn what_terminals_do_is_known_by_their_names() {
    let vars = |pairs: &[(&str, &str)]| {
        pairs
            .iter()
            .map(|(name, value)| (String::from(*name), String::from(*value)))
            .collect::<Vars>()
    };
    let of = |pairs: &[(&str, &str)]| Narrowing::of(&vars(pairs));
    assert_eq!(of(&[("TERM", "xterm-256color")]), Narrowing::Breaks);
    assert_eq!(of(&[("TERM", "xterm"), ("XTERM_VERSION", "XTerm(379)")]), Narrowing::Cuts);
    assert_eq!(of(&[("TERM", "screen"), ("TMUX", "/tmp/x")]), Narrowing::Breaks);
    assert_eq!(of(&[("TERM", "screen")]), Narrowing::Cuts);
    assert_eq!(of(&[("TERM", "linux")]), Narrowing::Cuts);
}

use image::Rgba;
use proptest::prelude::*;

use super::*;

fn vars(pairs: &[(&str, &str)]) -> Vars {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn file(picture: &RgbaImage) -> tempfile::NamedTempFile {
    let file = tempfile::Builder::new().suffix(".png").tempfile().unwrap();
    picture.save(file.path()).unwrap();
    file
}

#[test]
fn terminals_are_known_by_their_variables() {
    let of = |pairs: &[(&str, &str)]| PictureProtocol::of(&vars(pairs));
    assert_eq!(of(&[("TERM", "xterm-kitty")]), Some(PictureProtocol::Kitty));
    assert_eq!(of(&[("KITTY_WINDOW_ID", "1"), ("TERM", "xterm")]), Some(PictureProtocol::Kitty));
    assert_eq!(of(&[("TERM_PROGRAM", "iTerm.app")]), Some(PictureProtocol::Iterm2));
    assert_eq!(of(&[("TERM_PROGRAM", "WezTerm")]), Some(PictureProtocol::Iterm2));
    assert_eq!(of(&[("TERM", "foot")]), Some(PictureProtocol::Sixel));
    assert_eq!(of(&[("TERM", "xterm-256color")]), None);
    assert_eq!(of(&[("TERM", "xterm-kitty"), ("TMUX", "/tmp/x")]), None);
}

#[test]
fn kitty_gets_a_small_png_in_pieces() {
    let mut state = 1_u32;
    let noise = RgbaImage::from_fn(1_000, 1_000, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [a, b, c, _] = state.to_be_bytes();
        Rgba([a, b, c, 255])
    });
    let file = file(&noise);
    let view = PictureView::of(file.path(), Some(PictureProtocol::Kitty), 80);
    let PictureView::Drawn { sequence, rows } = view else { panic!("a link") };
    assert_eq!(rows, MAX_ROWS);
    assert!(sequence.starts_with("\x1b_Ga=T,f=100,q=2,r=12,m=1;"), "{}", &sequence[..60]);
    let pieces: Vec<&str> = sequence.split_terminator("\x1b\\").collect();
    assert!(pieces.len() > 1 && pieces.last().unwrap().starts_with("\x1b_Gm=0;"));
    let data: String = pieces.iter().map(|piece| piece.split_once(';').unwrap().1).collect();
    let png = STANDARD.decode(data).unwrap();
    let picture = image::load_from_memory(&png).unwrap();
    assert_eq!((picture.width(), picture.height()), (240, 240));
}

#[test]
fn iterm_is_told_size_and_place() {
    let file = file(&RgbaImage::from_pixel(25, 30, Rgba([9, 9, 9, 255])));
    let view = PictureView::of(file.path(), Some(PictureProtocol::Iterm2), 80);
    let PictureView::Drawn { sequence, rows } = view else { panic!("a link") };
    assert_eq!(rows, 2);
    assert!(sequence.starts_with("\x1b]1337;File=inline=1;size="));
    assert!(
        sequence.contains(";width=3;height=2;preserveAspectRatio=1:") && sequence.ends_with('\x07')
    );
}

#[test]
fn sixel_draws_each_colour_of_six_rows() {
    let picture = RgbaImage::from_fn(8, 7, |x, y| match (x, y) {
        (0, _) => Rgba([0, 0, 0, 0]),
        (1..=3, _) => Rgba([255, 0, 0, 255]),
        _ => Rgba([0, 0, 255, 255]),
    });
    let sequence = sixel::sequence(&picture);
    assert!(sequence.starts_with("\x1bP0;1;0q\"1;1;8;7#0;2;0;0;0"), "{sequence}");
    let bands = sequence.split_once("#215;2;100;100;100").unwrap().1;
    // Blue is colour 5 and red 180; `~` is six dots, `@` only the first.
    assert_eq!(bands, "#5!4?!4~$#180?~~~!4?-#5!4?!4@$#180?@@@!4?-\x1b\\");
}

#[test]
fn what_cannot_be_drawn_is_a_link_without_tricks() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a b\u{1b}]0;x\u{7}.png");
    let view = PictureView::of(&path, Some(PictureProtocol::Kitty), 80);
    let PictureView::Link(link) = view else { panic!("drawn") };
    assert!(link.contains("a%20b%5D0%3Bx.png\x1b\\") && link.contains("a b]0;x.png\x1b]8;;"));
    assert_eq!(link.matches('\x1b').count(), 4);
    let text = tempfile::Builder::new().suffix(".png").tempfile().unwrap();
    let view = PictureView::of(text.path(), Some(PictureProtocol::Sixel), 80);
    assert!(matches!(view, PictureView::Link(_)));
}

#[test]
fn results_name_their_pictures() {
    let file = file(&RgbaImage::new(1, 1));
    let path = file.path().to_str().unwrap();
    let named = serde_json::json!({"image": path, "screenshot_path": path}).to_string();
    assert_eq!(pictures_in(&named, Path::new("/")), [file.path()]);
    for other in [
        "",
        "[]",
        "{\"image\": \"relative.png\"}",
        "{\"image\": \"/nowhere/x.png\"}",
        "{\"file_path\": \"/etc/passwd\"}",
        "{\"image\": \"https://x/y.png\"}",
    ] {
        assert!(pictures_in(other, Path::new("/")).is_empty(), "{other}");
    }
}

proptest! {
    #[test]
    fn a_name_never_becomes_a_command(name in "\\PC{0,20}[\u{1}-\u{1f}\u{7f}-\u{9f}]?\\PC{0,20}") {
        let PictureView::Link(link) = PictureView::of(Path::new(&name), None, 80) else { panic!() };
        let inner = link.replace("\x1b]8;;", "").replace("\x1b\\", "");
        prop_assert!(!inner.chars().any(char::is_control));
    }
}

//! Kitty's way: a PNG in base64, in pieces.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Most characters of one piece.
const PIECE: usize = 4_096;

/// Draws in so many rows and as many columns as the picture's form wants in a terminal whose characters may be wider or
/// narrower than others; the terminal is told not to answer.
pub(super) fn sequence(png: &[u8], rows: u16) -> String {
    let data = STANDARD.encode(png);
    let mut sequence = String::with_capacity(data.len() + 200);
    let mut rest = data.as_str();
    let mut head = format!("a=T,f=100,q=2,r={rows},");
    while !rest.is_empty() {
        // Base64 is ASCII, so it can be cut anywhere.
        let (piece, more) = rest.split_at(rest.len().min(PIECE));
        let more_follows = u8::from(!more.is_empty());
        sequence.push_str(&format!("\x1b_G{head}m={more_follows};{piece}\x1b\\"));
        head.clear();
        rest = more;
    }
    sequence
}

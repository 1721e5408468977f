//! An answer cut into pieces anywhere gives the same as the whole, and nothing is made up.
#![no_main]

use hermes_agent::thinking::{ThinkingFilter, split};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, u8)| {
    let (text, step) = input;
    let whole = split(text);
    assert!(whole.visible.len() + whole.reasoning.len() <= text.len());
    let mut filter = ThinkingFilter::default();
    let (mut visible, mut reasoning) = (String::new(), String::new());
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(usize::from(step).max(1)) {
        let pieces = filter.push(&piece.iter().collect::<String>());
        visible += &pieces.visible;
        reasoning += &pieces.reasoning;
    }
    let rest = filter.finish();
    visible += &rest.visible;
    reasoning += &rest.reasoning;
    assert_eq!((visible, reasoning), (whole.visible, whole.reasoning));
});

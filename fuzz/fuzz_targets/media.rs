//! What models and services write about pictures and sound: sources, drawings' beginnings, names of a house's things, texts to
//! speak and the messages of Edge. Nothing panics, and no piece of a text is longer than it may be.

#![no_main]

use hermes_media::home_assistant::{EntityId, ServiceName};
use hermes_media::picture::{Picture, PictureSource};
use hermes_media::speech::edge::frames::EdgeMessage;
use hermes_media::speech::edge::text;
use hermes_media::video::Clip;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = EdgeMessage::of_bytes(data);
    let _ = Picture::recognise(data.to_vec());
    let _ = Clip::recognise(data.to_vec());
    let Ok(words) = std::str::from_utf8(data) else { return };
    let _ = EdgeMessage::of_text(words);
    let _ = PictureSource::parse(words);
    let _ = EntityId::parse(words);
    let _ = ServiceName::parse(words, words);
    for piece in text::pieces(words) {
        assert!(!piece.is_empty() && piece.len() <= text::MAX_PIECE);
    }
});

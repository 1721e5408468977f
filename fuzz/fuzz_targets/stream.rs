//! Any bytes as a model's stream, on both wires: no panic, and cutting them differently gives the same
//! outcome and shows the same text.
#![no_main]

use hermes_llm::wire::{ResponseReader, StreamProgress, whole};
use hermes_llm::{Delta, Endpoint, WireApi};
use libfuzzer_sys::fuzz_target;

fn read(endpoint: &Endpoint, bytes: &[u8], size: usize) -> (String, String) {
    let mut reader = ResponseReader::new(endpoint);
    let mut shown = String::new();
    for piece in bytes.chunks(size.max(1)) {
        let mut listen = |delta: Delta| {
            if let Delta::Text(text) = delta {
                shown.push_str(&text);
            }
        };
        match reader.push(piece, &mut listen) {
            Ok(StreamProgress::End) => break,
            Ok(_) => {}
            Err(error) => return (format!("{error:?}"), shown),
        }
    }
    (format!("{:?}", reader.finish()), shown)
}

fuzz_target!(|input: (bool, u8, &[u8])| {
    let (is_chat, size, bytes) = input;
    let wire = if is_chat { WireApi::Chat } else { WireApi::Messages };
    let endpoint = Endpoint::new(wire, "http://localhost/v1", "m");
    assert_eq!(read(&endpoint, bytes, usize::from(size)), read(&endpoint, bytes, bytes.len()));
    let _ = whole(&endpoint, &String::from_utf8_lossy(bytes));
});

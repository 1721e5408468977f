//! Any bytes: as a message of the worker contract, they are one or are left alone; as a data set, each line is a row or has a reason, and is where it is said to be; as a segment, what is cut
//! off at the end takes nothing else along.
#![no_main]

use hermes_batch::dataset::{each_line, parse_row};
use hermes_batch::run::{host_message, worker_message};
use hermes_batch::store::read_segment;
use libfuzzer_sys::fuzz_target;

fn ids(bytes: &[u8]) -> Vec<String> {
    let mut ids = Vec::new();
    let read = read_segment(bytes, |_, entry| ids.extend(entry.map(|entry| entry.id)));
    assert!(read.is_ok());
    ids
}

fuzz_target!(|bytes: &[u8]| {
    for line in bytes.split(|byte| *byte == b'\n') {
        let _ = (host_message(line), worker_message(line));
    }
    let read = each_line(bytes, 1 << 16, |line| {
        let Some(text) = line.bytes else { return };
        let at = usize::try_from(line.offset).unwrap_or(usize::MAX);
        assert_eq!(bytes.get(at..at + text.len()), Some(text));
        if let Ok(Some(row)) = parse_row(text) {
            assert!(!row.prompt.trim().is_empty());
        }
    });
    assert!(read.is_ok());
    let whole = ids(bytes);
    let cut = ids(&bytes[..bytes.len() / 2]);
    assert_eq!(whole[..cut.len()], cut);
});

//! Telling text from binary data by looking at its start, middle and end.

use std::io::{self, Read, Seek, SeekFrom};

use memchr::memchr_iter;

use super::super::encoding::{Bom, Wide};
use super::BinaryReason;

/// Bytes looked at in each of the three places.
const SAMPLE_BYTES: u64 = 8 * 1024;
/// Characters of a sample that are searched for control characters.
const CONTROL_CHARS_WINDOW: usize = 1_000;
/// A text may hold a stray NUL, but not so many.
const MIN_NULS: usize = 8;
/// Fewer undecodable bytes than this are a text in some old encoding.
const MIN_UNDECODABLE: usize = 32;
/// More than this share, in percent, of control characters or undecodable bytes is no text.
const MAX_SHARE: usize = 30;
/// Wide text is all characters; binary data that happens to begin like a byte order mark is not.
const MAX_WIDE_SHARE: usize = 1;

/// Why the content is binary; `None` when it is text.
pub(super) fn judge(file: &mut (impl Read + Seek)) -> io::Result<Option<BinaryReason>> {
    let wide = Bom::read(file)?.and_then(Bom::wide);
    let size = file.seek(SeekFrom::End(0))?;
    let samples = samples(file, size)?;
    if let Some(wide) = wide {
        return Ok(samples.iter().find_map(|sample| judge_wide(sample, wide)));
    }
    let nuls: usize = samples.iter().map(|sample| memchr_iter(0, sample).count()).sum();
    if nuls >= MIN_NULS {
        return Ok(Some(BinaryReason::NulBytes));
    }
    Ok(samples.iter().find_map(|sample| judge_narrow(sample)))
}

/// The start, the middle and the end; a small file as a whole. Every sample begins at a multiple of
/// four bytes, so that wide characters are not torn.
fn samples(file: &mut (impl Read + Seek), size: u64) -> io::Result<Vec<Vec<u8>>> {
    let aligned = |at: u64| at / 4 * 4;
    let places = if size <= 3 * SAMPLE_BYTES {
        vec![(0, 3 * SAMPLE_BYTES)]
    } else {
        let middle = aligned((size - SAMPLE_BYTES) / 2);
        let end = aligned(size - SAMPLE_BYTES);
        vec![(0, SAMPLE_BYTES), (middle, SAMPLE_BYTES), (end, SAMPLE_BYTES)]
    };
    places
        .into_iter()
        .map(|(at, length)| {
            file.seek(SeekFrom::Start(at))?;
            let mut sample = Vec::new();
            file.take(length).read_to_end(&mut sample)?;
            Ok(sample)
        })
        .collect()
}

fn judge_narrow(sample: &[u8]) -> Option<BinaryReason> {
    let undecodable: usize = sample.utf8_chunks().map(|chunk| chunk.invalid().len()).sum();
    if undecodable >= MIN_UNDECODABLE && is_more_than(MAX_SHARE, undecodable, sample.len()) {
        return Some(BinaryReason::Undecodable);
    }
    // Four bytes a character at most, plus one that was cut off.
    let start = &sample[..sample.len().min(4 * CONTROL_CHARS_WINDOW)];
    judge_controls(&String::from_utf8_lossy(start))
}

fn judge_wide(sample: &[u8], wide: Wide) -> Option<BinaryReason> {
    let mut text = String::new();
    let broken = wide.decode(sample, &mut text);
    // One character may be torn at either end of a sample.
    if is_more_than(MAX_WIDE_SHARE, broken.saturating_sub(2), text.chars().count()) {
        return Some(BinaryReason::Undecodable);
    }
    judge_controls(&text)
}

fn judge_controls(text: &str) -> Option<BinaryReason> {
    let (mut controls, mut all) = (0, 0);
    for character in text.chars().take(CONTROL_CHARS_WINDOW) {
        all += 1;
        controls += usize::from(character < ' ' && !matches!(character, '\t' | '\n' | '\r'));
    }
    is_more_than(MAX_SHARE, controls, all).then_some(BinaryReason::ControlCharacters)
}

fn is_more_than(percent: usize, part: usize, whole: usize) -> bool {
    part * 100 > whole * percent
}

//! Unpacking of stream data, never beyond a limit.

use std::io::Read;

use super::lexer::hex_digit;

/// Undoes one filter; `None` for one that is not known or whose data is no text (pictures).
///
/// Damaged data gives what could be unpacked before the damage.
pub(super) fn decode(filter: &str, data: &[u8], most: usize) -> Option<Vec<u8>> {
    match filter {
        "FlateDecode" | "Fl" => Some(inflate(data, most)),
        "LZWDecode" | "LZW" => Some(lzw(data, most)),
        "ASCIIHexDecode" | "AHx" => Some(ascii_hex(data)),
        "ASCII85Decode" | "A85" => Some(ascii_85(data)),
        "RunLengthDecode" | "RL" => Some(run_lengths(data, most)),
        _ => None,
    }
}

fn inflate(data: &[u8], most: usize) -> Vec<u8> {
    let mut output = Vec::new();
    // A checksum that is wrong or missing at the end does not make the text before it worse.
    let _ = flate2::read::ZlibDecoder::new(data).take(most as u64).read_to_end(&mut output);
    if output.is_empty() && data.len() > 2 {
        let raw = flate2::read::DeflateDecoder::new(&data[2..]);
        let _ = raw.take(most as u64).read_to_end(&mut output);
    }
    output
}

fn ascii_hex(data: &[u8]) -> Vec<u8> {
    let digits = data.iter().take_while(|byte| **byte != b'>');
    let digits: Vec<u8> = digits.copied().filter_map(hex_digit).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair.get(1).unwrap_or(&0)).collect()
}

fn ascii_85(data: &[u8]) -> Vec<u8> {
    let mut output = Vec::new();
    let mut group = Vec::with_capacity(5);
    let mut flush = |group: &mut Vec<u8>| {
        let count = group.len();
        if count > 1 {
            group.resize(5, 84);
            let value = group
                .iter()
                .fold(0_u32, |value, digit| value.wrapping_mul(85).wrapping_add(u32::from(*digit)));
            output.extend(&value.to_be_bytes()[..count - 1]);
        }
        group.clear();
    };
    for &byte in data {
        match byte {
            b'~' => break,
            b'z' if group.is_empty() => group.extend([0; 5]),
            b'!'..=b'u' => group.push(byte - b'!'),
            _ => {}
        }
        if group.len() == 5 {
            flush(&mut group);
        }
    }
    flush(&mut group);
    output
}

fn run_lengths(data: &[u8], most: usize) -> Vec<u8> {
    let mut output = Vec::new();
    let mut rest = data;
    while let [length, tail @ ..] = rest {
        let length = usize::from(*length);
        match length {
            _ if output.len() >= most => break,
            0..=127 => {
                let (run, after) = tail.split_at(tail.len().min(length + 1));
                output.extend(run);
                rest = after;
            }
            129.. => {
                let [byte, after @ ..] = tail else { break };
                output.resize(output.len() + 257 - length, *byte);
                rest = after;
            }
            _ => break,
        }
    }
    output
}

/// Codes of growing width into a table of what was already seen.
fn lzw(data: &[u8], most: usize) -> Vec<u8> {
    const CLEAR: usize = 256;
    const END: usize = 257;
    let mut output: Vec<u8> = Vec::new();
    // Each entry is a place in the output that holds its bytes.
    let mut table: Vec<std::ops::Range<usize>> = Vec::new();
    let mut previous: Option<std::ops::Range<usize>> = None;
    let (mut bits, mut held) = (0_u32, 0_u32);
    let mut width = 9;
    for &byte in data {
        held = held << 8 | u32::from(byte);
        bits += 8;
        if bits < width {
            continue;
        }
        bits -= width;
        let code = (held >> bits & ((1 << width) - 1)) as usize;
        let start = output.len();
        match code {
            CLEAR => {
                table.clear();
                previous = None;
                width = 9;
                continue;
            }
            END => break,
            0..CLEAR => output.push(code.to_le_bytes()[0]),
            _ => match (table.get(code - 258).cloned(), &previous) {
                (Some(entry), _) => output.extend_from_within(entry),
                (None, Some(before)) if code - 258 == table.len() => {
                    let first = output[before.start];
                    output.extend_from_within(before.clone());
                    output.push(first);
                }
                _ => break,
            },
        }
        // The new entry is the previous one and the first byte after it, which follow each other.
        if let Some(before) = previous.replace(start..output.len())
            && table.len() < 4096 - 258
        {
            table.push(before.start..before.end + 1);
        }
        if output.len() >= most {
            break;
        }
        // The encoder widens its codes one entry early.
        width = match table.len() + 258 + 1 {
            0..512 => 9,
            512..1024 => 10,
            1024..2048 => 11,
            _ => 12,
        };
    }
    output.truncate(most);
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn decodes_the_text_filters() {
        assert_eq!(decode("AHx", b"48 65 6C6c 6F>zz", 99).unwrap(), b"Hello");
        assert_eq!(decode("A85", b"87cURD]i,\"Ebo80~>", 99).unwrap(), b"Hello World!");
        assert_eq!(decode("RL", &[2, b'a', b'b', b'c', 254, b'x', 128, 9], 99).unwrap(), b"abcxxx");
        // The example of the format's own description.
        let packed = [0x80, 0x0B, 0x60, 0x50, 0x22, 0x0C, 0x0C, 0x85, 0x01];
        assert_eq!(decode("LZW", &packed, 99).unwrap(), [45, 45, 45, 45, 45, 65, 45, 45, 45, 66]);
        assert_eq!(decode("DCTDecode", b"", 99), None);
    }

    #[test]
    fn inflating_stops_at_the_limit_and_keeps_what_came_before_damage() {
        use std::io::Write;
        let mut packer =
            flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(&[b'a'; 100_000]).unwrap();
        let packed = packer.finish().unwrap();
        assert_eq!(decode("Fl", &packed, 5_000).unwrap().len(), 5_000);
        assert_eq!(decode("Fl", &packed[..packed.len() - 4], 200_000).unwrap().len(), 100_000);
    }

    proptest! {
        #[test]
        fn any_bytes_stay_within_the_limit(
            data in proptest::collection::vec(any::<u8>(), 0..400), most in 0..300_usize,
        ) {
            for filter in ["Fl", "LZW", "RL"] {
                prop_assert!(decode(filter, &data, most).unwrap().len() <= most + 128);
            }
            decode("A85", &data, most);
            decode("AHx", &data, most);
        }
    }
}

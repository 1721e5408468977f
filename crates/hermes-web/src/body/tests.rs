use std::io::Write as _;

use flate2::Compression;
use proptest::prelude::*;
use reqwest::header::HeaderValue;

use super::*;

fn gzip(body: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(body).unwrap();
    packer.finish().unwrap()
}

fn zlib(body: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), Compression::best());
    packer.write_all(body).unwrap();
    packer.finish().unwrap()
}

fn raw_deflate(body: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::DeflateEncoder::new(Vec::new(), Compression::best());
    packer.write_all(body).unwrap();
    packer.finish().unwrap()
}

fn zstd(body: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(body, ruzstd::encoding::CompressionLevel::Fastest)
}

/// "hello" a thousand times, as another program packs it.
const BROTLI: [u8; 17] = [
    0x1b, 0x87, 0x13, 0xf8, 0xa5, 0xcb, 0xd0, 0xd8, 0xde, 0xc4, 0x6b, 0x51, 0x40, 0xcf, 0x02, 0x80,
    0xd4,
];

#[test]
fn every_packing_we_accept_can_be_undone() {
    let body = b"hello".repeat(1000);
    for (packed, packing) in [
        (gzip(&body), Packing::Gzip),
        ([gzip(&body[..100]), gzip(&body[100..])].concat(), Packing::Gzip),
        (zlib(&body), Packing::Deflate),
        (raw_deflate(&body), Packing::Deflate),
        (BROTLI.to_vec(), Packing::Brotli),
        (zstd(&body), Packing::Zstd),
    ] {
        assert_eq!(unpack(&packed, packing, 5000).unwrap(), body, "{packing:?}");
        assert_eq!(unpack(&packed, packing, 4999), Err(UnpackError::TooLarge), "{packing:?}");
        let cut = &packed[..packed.len() / 2];
        assert!(matches!(unpack(cut, packing, 5000), Err(UnpackError::Broken(_))), "{packing:?}");
    }
}

#[test]
fn a_bomb_stops_at_the_limit() {
    let bomb = gzip(&vec![0; 64 << 20]);
    assert!(bomb.len() < 100 << 10);
    assert_eq!(unpack(&bomb, Packing::Gzip, 1 << 20), Err(UnpackError::TooLarge));
}

#[test]
fn layers_are_read_in_order_and_few() {
    let read = |values: &[&'static str]| {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(CONTENT_ENCODING, HeaderValue::from_static(value));
        }
        layers(&headers)
    };
    assert_eq!(read(&[]), Ok(vec![]));
    assert_eq!(read(&["identity", "GZip"]), Ok(vec![Packing::Gzip]));
    assert_eq!(read(&["deflate, br"]), Ok(vec![Packing::Deflate, Packing::Brotli]));
    assert!(read(&["gzip, gzip, gzip"]).unwrap_err().contains("3 times"));
    assert!(read(&["rot13"]).unwrap_err().contains("rot13"));
}

proptest! {
    #[test]
    fn bytes_that_are_nothing_never_unpack_past_the_limit(packed in proptest::collection::vec(any::<u8>(), 0..300)) {
        for packing in [Packing::Gzip, Packing::Deflate, Packing::Brotli, Packing::Zstd] {
            if let Ok(body) = unpack(&packed, packing, 100) {
                prop_assert!(body.len() <= 100);
            }
        }
    }
}

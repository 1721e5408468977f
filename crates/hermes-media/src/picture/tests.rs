use std::io::{Cursor, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hermes_testkit::{WebReply, WebServer};
use hermes_web::{AddressPolicy, DoorOptions, FetchError, HttpDoor};
use image::{DynamicImage, Rgb, RgbImage, RgbaImage};
use proptest::prelude::*;
use tokio_util::sync::CancellationToken;

use super::*;

const LIMITS: PictureLimits = PictureLimits { base64_bytes: 4 << 20, side: 7_900 };

fn packed(picture: &DynamicImage, format: image::ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

/// Dots without a pattern, which no format makes small.
fn noise(width: u32, height: u32) -> RgbImage {
    let mut state = 1_u32;
    RgbImage::from_fn(width, height, |_, _| {
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        };
        Rgb([next(), next(), next()])
    })
}

async fn fitted(bytes: Vec<u8>, limits: PictureLimits) -> FittedPicture {
    Picture::recognise(bytes).unwrap().fit(limits).await.unwrap()
}

fn size(fitted: &FittedPicture) -> (u32, u32) {
    let picture = image::load_from_memory(&fitted.bytes).unwrap();
    (picture.width(), picture.height())
}

#[tokio::test]
async fn a_picture_that_fits_is_sent_as_it_is() {
    let bytes = packed(&noise(20, 10).into(), image::ImageFormat::Png);
    let fitted = fitted(bytes.clone(), LIMITS).await;
    assert_eq!((fitted.bytes, fitted.is_changed), (bytes, false));
}

#[tokio::test]
async fn a_bitmap_becomes_png_dot_by_dot() {
    let picture: DynamicImage = noise(20, 10).into();
    let fitted = fitted(packed(&picture, image::ImageFormat::Bmp), LIMITS).await;
    assert_eq!(fitted.format, ImageFormat::Png);
    assert_eq!(image::load_from_memory(&fitted.bytes).unwrap().to_rgb8(), picture.to_rgb8());
    assert!(fitted.data_url().starts_with("data:image/png;base64,iVBOR"));
}

#[tokio::test]
async fn too_many_bytes_are_made_fewer_and_long_sides_shorter() {
    let bytes = packed(&noise(700, 500).into(), image::ImageFormat::Png);
    let limits = PictureLimits { base64_bytes: 100_000, side: 7_900 };
    let small = fitted(bytes.clone(), limits).await;
    assert!(small.data_url().len() <= 100_000 + 30 && small.is_changed);
    let (width, height) = size(&small);
    assert!(width < 700 && (f64::from(width) / f64::from(height) - 1.4).abs() < 0.1);
    let short = fitted(bytes, PictureLimits { base64_bytes: 4 << 20, side: 70 }).await;
    assert_eq!(size(&short), (70, 50));
}

#[tokio::test]
async fn transparent_parts_stay_transparent() {
    let picture = RgbaImage::from_pixel(100, 100, image::Rgba([200, 10, 10, 0]));
    let limits = PictureLimits { base64_bytes: 4 << 20, side: 50 };
    let fitted = fitted(packed(&picture.into(), image::ImageFormat::Png), limits).await;
    assert_eq!(fitted.format, ImageFormat::Png);
    assert_eq!(image::load_from_memory(&fitted.bytes).unwrap().to_rgba8().get_pixel(9, 9)[3], 0);
}

#[tokio::test]
async fn a_drawing_becomes_dots_on_white() {
    let svg = r##"<?xml version="1.0"?><!-- a > b --><!DOCTYPE svg [<!ENTITY c "red">]>
        <svg xmlns="http://www.w3.org/2000/svg" width="40" height="20">
        <rect width="20" height="20" fill="#f00"/></svg>"##;
    let drawn = fitted(svg.as_bytes().to_vec(), LIMITS).await;
    let picture = image::load_from_memory(&drawn.bytes).unwrap().to_rgb8();
    assert_eq!(picture.dimensions(), (512, 256));
    assert_eq!(picture.get_pixel(100, 100), &Rgb([255, 0, 0]));
    assert_eq!(picture.get_pixel(400, 100), &Rgb([255, 255, 255]));
}

#[tokio::test]
async fn a_drawing_is_given_no_file() {
    let mut secret = tempfile::Builder::new().suffix(".png").tempfile().unwrap();
    let red = RgbImage::from_pixel(10, 10, Rgb([255, 0, 0]));
    secret.write_all(&packed(&red.into(), image::ImageFormat::Png)).unwrap();
    let svg = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
        width="600" height="600"><image xlink:href="{}" width="600" height="600"/></svg>"#,
        secret.path().display()
    );
    let drawn = fitted(svg.into_bytes(), LIMITS).await;
    let picture = image::load_from_memory(&drawn.bytes).unwrap().to_rgb8();
    assert!(picture.pixels().all(|dot| *dot == Rgb([255, 255, 255])));
}

#[tokio::test]
async fn a_small_file_that_unpacks_to_a_giant_is_refused() {
    // A PNG header that promises 65,000 by 65,000 dots.
    let mut bytes = packed(&noise(1, 1).into(), image::ImageFormat::Png);
    bytes[16..24].copy_from_slice(&[0, 0, 0xFD, 0xE8, 0, 0, 0xFD, 0xE8]);
    let error = Picture::recognise(bytes).unwrap().fit(LIMITS).await.unwrap_err();
    assert!(matches!(error, PictureError::Broken(_)), "{error}");
}

#[test]
fn other_files_are_not_images() {
    for other in [&b""[..], b"hello", b"<html><svg></html>", b"<svgx>", b"%PDF-1.7", b"<!-- <svg>"]
    {
        assert_eq!(Picture::recognise(other.to_vec()), Err(PictureError::NotAnImage));
    }
}

#[test]
fn sources_are_told_apart() {
    let parse = |text: &str| PictureSource::parse(text);
    assert_eq!(parse("data:image/png;base64,aGk"), Ok(PictureSource::Inline(b"hi".to_vec())));
    assert_eq!(parse("data:image/png,hi"), Err(PictureSourceError::NotBase64));
    assert_eq!(parse("file:///a%20b.png"), Ok(PictureSource::File("/a b.png".into())));
    assert_eq!(parse(" ~/x.png "), Ok(PictureSource::File("~/x.png".into())));
    assert_eq!(parse("HTTPS://x/y"), Ok(PictureSource::Web("HTTPS://x/y".into())));
    assert_eq!(parse("ftp://x"), Err(PictureSourceError::Scheme("ftp://".into())));
    assert_eq!(parse(" "), Err(PictureSourceError::Empty));
}

fn door(policy: AddressPolicy) -> HttpDoor {
    HttpDoor::new(DoorOptions { policy, ..DoorOptions::default() })
}

async fn got(server: &WebServer, tries: usize) -> Result<Vec<u8>, PictureSourceError> {
    let pauses = vec![Duration::from_millis(1); tries - 1];
    let (door, time) = (door(AddressPolicy::PrivateToo), Duration::from_secs(5));
    download(&door, &server.origin(), time, &pauses, &CancellationToken::new()).await
}

#[tokio::test]
async fn a_passing_failure_is_tried_again_and_a_lasting_one_is_not() {
    let count = AtomicUsize::new(0);
    let flaky = WebServer::start(move |_| match count.fetch_add(1, Ordering::Relaxed) {
        0 => WebReply::status(503),
        1 => WebReply::bytes("x").cut(),
        _ => WebReply::bytes("picture"),
    });
    assert_eq!(got(&flaky, 3).await, Ok(b"picture".to_vec()));
    let gone = WebServer::start(|_| WebReply::status(404));
    assert_eq!(got(&gone, 3).await, Err(PictureSourceError::Status(404)));
    assert_eq!(gone.requests().len(), 1);
}

#[tokio::test]
async fn a_private_address_is_refused_without_a_second_try() {
    let server = WebServer::start(|_| WebReply::bytes("picture"));
    let begun = Instant::now();
    let pauses = [Duration::from_secs(60)];
    let (door, time) = (door(AddressPolicy::PublicOnly), Duration::from_secs(5));
    let refused = download(&door, &server.origin(), time, &pauses, &CancellationToken::new()).await;
    assert!(
        matches!(refused, Err(PictureSourceError::Fetch(FetchError::Refused(_)))),
        "{refused:?}"
    );
    assert!(begun.elapsed() < Duration::from_secs(30) && server.requests().is_empty());
}

proptest! {
    #[test]
    fn any_bytes_are_recognised_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = Picture::recognise(bytes);
    }

    #[test]
    fn any_text_is_a_source_or_none(text in ".{0,200}") {
        let _ = PictureSource::parse(&text);
        let _ = PictureSource::parse(&format!("data:{text}"));
    }
}

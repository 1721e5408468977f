//! Sixel: rows of six dots, one colour after another.
//!
//! The colours are those of a cube of 6 by 6 by 6: no picture needs a palette of its own at this size.

use std::fmt::Write as _;

use image::RgbaImage;

/// Steps of each colour.
const STEPS: u32 = 6;
/// How far apart the steps are.
const STEP: u32 = 51;

pub(super) fn sequence(picture: &RgbaImage) -> String {
    let (width, height) = picture.dimensions();
    let mut sequence = format!("\x1bP0;1;0q\"1;1;{width};{height}");
    for colour in 0..STEPS * STEPS * STEPS {
        let percent = |step: u32| step * 100 / (STEPS - 1);
        let (red, green, blue) = (colour / (STEPS * STEPS), colour / STEPS % STEPS, colour % STEPS);
        // Writing to a text cannot fail.
        let _ =
            write!(sequence, "#{colour};2;{};{};{}", percent(red), percent(green), percent(blue));
    }
    for top in (0..height).step_by(6) {
        band(&mut sequence, picture, top);
    }
    sequence.push_str("\x1b\\");
    sequence
}

/// Six rows of dots: each colour in it is drawn over the whole width, then the next begins at the left again.
fn band(sequence: &mut String, picture: &RgbaImage, top: u32) {
    let (width, height) = picture.dimensions();
    let rows = top..(top + 6).min(height);
    let colour_at = |x: u32, y: u32| {
        let [red, green, blue, alpha] = picture.get_pixel(x, y).0;
        let step = |part: u8| (u32::from(part) + STEP / 2) / STEP;
        (alpha >= 128).then(|| (step(red) * STEPS + step(green)) * STEPS + step(blue))
    };
    let mut colours: Vec<u32> = Vec::new();
    for y in rows.clone() {
        colours.extend((0..width).filter_map(|x| colour_at(x, y)));
    }
    colours.sort_unstable();
    colours.dedup();
    for (number, colour) in colours.iter().enumerate() {
        if number > 0 {
            sequence.push('$');
        }
        let _ = write!(sequence, "#{colour}");
        let mut run = (b'?', 0_u32);
        for x in 0..width {
            let dots = rows.clone().fold(0_u8, |dots, y| {
                dots | (u8::from(colour_at(x, y) == Some(*colour)) << (y - top))
            });
            let sign = b'?' + dots;
            if sign == run.0 {
                run.1 += 1;
            } else {
                put(sequence, run);
                run = (sign, 1);
            }
        }
        put(sequence, run);
    }
    sequence.push('-');
}

/// A sign, so many times over.
fn put(sequence: &mut String, (sign, count): (u8, u32)) {
    match count {
        0 => {}
        1..=3 => (0..count).for_each(|_| sequence.push(char::from(sign))),
        _ => {
            let _ = write!(sequence, "!{count}{}", char::from(sign));
        }
    }
}

//! Charts: numbers turned into the geometry of an SVG, which a template draws.

use hermes_sessions::DayInsight;
use hermes_store::clock::now;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use serde::Serialize;

/// A day in seconds.
pub(crate) const DAY: f64 = 86_400.0;
/// Size of the drawing.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 160.0;
/// Part of its place that a bar takes.
const FILL: f64 = 0.72;

/// One bar.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Bar {
    x: f64,
    y: f64,
    width: f64,
    height: f64,
    label: String,
    value: f64,
}

/// Bars side by side.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Bars {
    width: f64,
    height: f64,
    bars: Vec<Bar>,
    highest: f64,
    /// The first, the middle and the last label.
    ticks: Vec<String>,
}

/// Labels with numbers, as bars.
pub(crate) fn bars(values: &[(String, f64)]) -> Bars {
    let highest = values.iter().map(|(_, value)| *value).fold(0.0, f64::max);
    let place = WIDTH / values.len().max(1) as f64;
    let round = |number: f64| (number * 10.0).round() / 10.0;
    let bar = |(at, (label, value)): (usize, &(String, f64))| {
        let height = if highest > 0.0 { value / highest * HEIGHT } else { 0.0 };
        // What is there is seen, however little it is.
        let height = if *value > 0.0 { height.max(2.0) } else { 0.0 };
        Bar {
            x: round(at as f64 * place + place * (1.0 - FILL) / 2.0),
            y: round(HEIGHT - height),
            width: round(place * FILL),
            height: round(height),
            label: label.clone(),
            value: *value,
        }
    };
    let label = |at: usize| values.get(at).map(|(label, _)| label.clone());
    let ends = [0, values.len() / 2, values.len().saturating_sub(1)];
    Bars {
        width: WIDTH,
        height: HEIGHT,
        bars: values.iter().enumerate().map(bar).collect(),
        highest,
        ticks: ends.into_iter().filter_map(label).collect(),
    }
}

/// A number for each of the last days, also for those on which nothing was.
pub(crate) fn by_day(
    days: &[DayInsight],
    count: u32,
    number: impl Fn(&DayInsight) -> f64,
) -> Vec<(String, f64)> {
    let today = Timestamp::from_second(now() as i64).unwrap_or_default();
    let today = today.to_zoned(TimeZone::system()).date();
    (0..i64::from(count))
        .rev()
        .map(|ago| {
            let date = today.saturating_sub(ago.days());
            let name = date.to_string();
            let value = days.iter().find(|day| day.day == name).map_or(0.0, &number);
            (date.strftime("%-d %b").to_string(), value)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_bar_fills_the_height_and_little_is_still_seen() {
        let drawn = bars(&[("a".into(), 0.0), ("b".into(), 0.001), ("c".into(), 10.0)]);
        let heights: Vec<f64> = drawn.bars.iter().map(|bar| bar.height).collect();
        assert_eq!(heights, [0.0, 2.0, HEIGHT]);
        assert!(drawn.bars.iter().all(|bar| bar.x >= 0.0 && bar.x + bar.width <= WIDTH));
        assert_eq!(bars(&[]).bars, []);
    }

    #[test]
    fn days_without_anything_have_their_place() {
        let days = by_day(&[], 30, |day| day.cost_usd);
        assert_eq!(days.len(), 30);
        assert!(days.iter().all(|(_, value)| *value == 0.0));
    }
}

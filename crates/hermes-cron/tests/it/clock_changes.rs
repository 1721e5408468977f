//! Five zones over ten years against a table of another implementation; `tests/data/clock_changes.py` makes it anew.

use hermes_cron::schedule::CronLine;
use jiff::Timestamp;
use jiff::tz::TimeZone;

const TABLE: &str = include_str!("../data/clock_changes.tsv");

#[test]
fn every_due_moment_of_ten_years_is_that_of_the_second_implementation() {
    let (mut rows, mut wrong) = (0, Vec::new());
    for row in TABLE.lines() {
        let [zone, text, kind, begin, end, expected] = row.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{row}");
        };
        let (clock, line) = (TimeZone::get(zone).unwrap(), CronLine::parse(text).unwrap());
        let (begin, end): (i64, i64) = (begin.parse().unwrap(), end.parse().unwrap());
        let mut found = Vec::new();
        let mut now = Timestamp::from_second(begin * 60).unwrap();
        while let Some(next) = line.next_in(now, &clock) {
            if next.as_second() / 60 > end {
                break;
            }
            found.push(next.as_second() / 60);
            now = next;
        }
        let found = match kind {
            "all" => format!("{},{}", found.len(), found.iter().sum::<i64>()),
            _ => found.iter().map(ToString::to_string).collect::<Vec<_>>().join(","),
        };
        rows += 1;
        if found != expected {
            wrong.push(format!("{zone} {text} {kind} {begin}: {found}, expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {rows}: {:#?}", wrong.len(), wrong.get(..5.min(wrong.len())));
    assert!(rows > 600, "{rows}");
}

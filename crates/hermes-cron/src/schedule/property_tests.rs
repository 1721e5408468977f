//! Whatever is written, reading it ends well; whatever was read, its moments come in order.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use proptest::prelude::*;

use super::Schedule;

const ZONES: [&str; 6] = [
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Casablanca",
    "America/Santiago",
    "UTC",
];

fn field(high: u8) -> impl Strategy<Value = String> {
    let number = move || 0..=high;
    prop_oneof![
        3 => Just("*".to_owned()),
        2 => number().prop_map(|number| number.to_string()),
        1 => (number(), number()).prop_map(|(a, b)| format!("{}-{}", a.min(b), a.max(b))),
        1 => (1..=high).prop_map(|step| format!("*/{step}")),
        1 => (number(), number()).prop_map(|(a, b)| format!("{a},{b}")),
    ]
}

fn cron_text() -> impl Strategy<Value = String> {
    (field(59), field(23), field(31), field(12), field(7)).prop_map(
        |(minute, hour, day, month, weekday)| format!("{minute} {hour} {day} {month} {weekday}"),
    )
}

proptest! {
    #[test]
    fn no_text_is_a_panic(text in any::<String>(), now in 0i64..4_000_000_000) {
        let now = Timestamp::from_second(now).unwrap();
        let _ = Schedule::parse(&text, now, &TimeZone::UTC);
    }

    #[test]
    fn text_of_the_right_letters_is_no_panic(
        text in "(every )?[0-9*/,@ a-zA-Z:TZ+-]{0,40}", now in 0i64..4_000_000_000,
    ) {
        let now = Timestamp::from_second(now).unwrap();
        if let Ok(schedule) = Schedule::parse(&text, now, &TimeZone::UTC) {
            let _ = schedule.first(now, &TimeZone::UTC);
            prop_assert_eq!(schedule.record(&TimeZone::UTC).schedule(&TimeZone::UTC), Some(schedule));
        }
    }

    #[test]
    fn moments_come_in_order_and_none_is_skipped(
        text in cron_text(), zone in 0..ZONES.len(), now in 1_000_000_000i64..2_500_000_000, ahead in 0i64..100_000,
    ) {
        let zone = TimeZone::get(ZONES[zone]).unwrap();
        let now = Timestamp::from_second(now).unwrap();
        let Ok(schedule) = Schedule::parse(&text, now, &zone) else { return Ok(()) };
        let Some(next) = schedule.next_after(now, &zone) else { return Ok(()) };
        prop_assert!(next > now);
        // Asked from anywhere before it, the answer is the same or something earlier, never later.
        let between = now.as_second() + ahead % (next.as_second() - now.as_second());
        let between = Timestamp::from_second(between).unwrap();
        prop_assert_eq!(schedule.next_after(between, &zone), Some(next));
    }
}

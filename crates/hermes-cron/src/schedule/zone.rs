//! The zone that times without one are in.

use hermes_tool::Vars;
use hermes_tool::settings::Settings;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::ScheduleError;

/// Where the user lives.
#[derive(Clone, Debug, PartialEq, Settings)]
pub struct ZoneSettings {
    /// The time zone of schedules, such as Europe/Berlin; the one of this machine if it is empty.
    #[setting(variable = "HERMES_TIMEZONE")]
    pub timezone: Option<String>,
}

impl ZoneSettings {
    /// The zone of a configuration.
    ///
    /// # Errors
    /// When it names one that nobody knows: jobs at the wrong hour would be worse than none.
    pub fn zone(config: &Value, vars: &Vars) -> Result<TimeZone, ScheduleError> {
        let settings = <Self as Settings>::read(config, vars);
        match settings.timezone.as_deref().map(str::trim).filter(|name| !name.is_empty()) {
            Some(name) => named_zone(name),
            None => Ok(TimeZone::system()),
        }
    }
}

/// The zone of this name.
///
/// # Errors
/// When there is none.
pub fn named_zone(name: &str) -> Result<TimeZone, ScheduleError> {
    TimeZone::get(name.trim())
        .map_err(|_| ScheduleError::Zone { name: name.chars().take(64).collect() })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_variable_wins_and_a_wrong_name_is_an_error() {
        let config = json!({"timezone": "Asia/Tokyo"});
        let name =
            |vars: &Vars| ZoneSettings::zone(&config, vars).unwrap().iana_name().map(str::to_owned);
        assert_eq!(name(&Vars::default()).as_deref(), Some("Asia/Tokyo"));
        let vars: Vars = [("HERMES_TIMEZONE".to_owned(), "UTC".to_owned())].into_iter().collect();
        assert_ne!(name(&vars).as_deref(), Some("Asia/Tokyo"));
        let wrong = json!({"timezone": "Mars/Olympus"});
        assert!(ZoneSettings::zone(&wrong, &Vars::default()).is_err());
        ZoneSettings::zone(&json!({"timezone": " "}), &Vars::default()).unwrap();
    }
}

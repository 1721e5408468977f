//! Which skills are offered.

use hermes_store::UnknownName;
use hermes_store::config_edit::{self, parse_cli_value};
use hermes_store::key_path::KeyPath;

use super::{VerbContext, VerbError};
use crate::report::VerbReport;
use crate::settings::SkillsSettings;

/// Offers a skill again, or no longer, everywhere or on one platform.
pub(super) fn toggle(
    place: &VerbContext<'_>,
    name: &str,
    enable: bool,
    platform: Option<&str>,
) -> Result<VerbReport, VerbError> {
    let settings = SkillsSettings::from_config(place.config);
    let unknown = place.store().find_readable(name).err().map(|refusal| refusal.error);
    let (key, mut names) = match platform {
        Some(platform) => {
            let names = settings.platform_disabled.get(platform).cloned().unwrap_or_default();
            (format!("skills.platform_disabled.{platform}"), names)
        }
        None => ("skills.disabled".to_owned(), settings.disabled),
    };
    let was_disabled = names.iter().any(|known| known == name);
    if let Some(unknown) = unknown.as_ref().filter(|_| enable && !was_disabled) {
        return Err(UnknownName(unknown.clone()).into());
    }
    names.retain(|known| known != name);
    if !enable {
        names.push(name.to_owned());
    }
    let list = serde_json::to_string(&names)?;
    set(place, &key, &list)?;
    let on = platform.map(|platform| format!(" on {platform}")).unwrap_or_default();
    let now = if enable { "offered again" } else { "no longer offered" };
    let report = VerbReport::text(format!("{name} is {now}{on}"));
    Ok(report.warned(unknown.filter(|_| !enable)))
}

/// Writes one setting.
pub(super) fn set(place: &VerbContext<'_>, key: &str, value: &str) -> Result<(), VerbError> {
    let key = KeyPath::parse(key)?;
    config_edit::set(&place.home.config_file(), &key, parse_cli_value(value))?;
    Ok(())
}

//! What the user decided about addresses.

use hermes_guard::url::Policy;
use hermes_tool::settings::Settings;

/// Which addresses tools and downloads may reach.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "security")]
pub struct WebAccessSettings {
    /// Let tools reach addresses in your own network.
    #[setting(variable = "HERMES_ALLOW_PRIVATE_URLS", older = "browser.allow_private_urls")]
    allow_private_urls: bool,
    /// Sites tools may not open.
    pub website_blocklist: BlocklistSettings,
}

/// The user's own list of blocked sites.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(manual)]
pub struct BlocklistSettings {
    /// Whether the list is used.
    pub enabled: bool,
    /// The sites: a name blocks the host and everything below it, `*.name` only what is below.
    pub domains: Vec<String>,
    /// Files with further sites, one a line; relative ones are below the state folder.
    pub shared_files: Vec<String>,
}

impl WebAccessSettings {
    /// The permission for private addresses.
    #[must_use]
    pub fn policy(&self) -> Policy {
        if self.allow_private_urls { Policy::PrivateToo } else { Policy::PublicOnly }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hermes_tool::Vars;
    use serde_json::json;

    fn policy(config: &serde_json::Value, vars: &[(&str, &str)]) -> Policy {
        let vars = vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        WebAccessSettings::read(config, &Vars::default().overlaid(vars)).policy()
    }

    #[test]
    fn private_addresses_need_the_variable_the_setting_or_its_older_name_in_this_order() {
        let name = "HERMES_ALLOW_PRIVATE_URLS";
        let on = json!({"security": {"allow_private_urls": true}});
        let older = json!({"browser": {"allow_private_urls": true}});
        let off = json!({"security": {"allow_private_urls": false}, "browser": {"allow_private_urls": true}});
        assert_eq!(policy(&json!({}), &[]), Policy::PublicOnly);
        assert_eq!(policy(&on, &[]), Policy::PrivateToo);
        assert_eq!(policy(&older, &[]), Policy::PrivateToo);
        assert_eq!(policy(&off, &[]), Policy::PublicOnly);
        assert_eq!(policy(&on, &[(name, "false")]), Policy::PublicOnly);
        assert_eq!(policy(&off, &[(name, "true")]), Policy::PrivateToo);
    }

    #[test]
    fn a_word_that_means_nothing_opens_nothing() {
        let config = json!({"security": {"allow_private_urls": "perhaps"}});
        assert_eq!(policy(&config, &[]), Policy::PublicOnly);
    }
}

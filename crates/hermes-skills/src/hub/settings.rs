//! Where registries are, and whom the user believes.

use hermes_tool::settings::{SettingWords, Settings};
use hermes_web::Url;

/// The Skills Hub.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "skills.hub", about = "The Skills Hub")]
pub struct HubSettings {
    /// Address of the GitHub API; a company's own server is fine.
    #[setting(default = "https://api.github.com", variable = "HERMES_GITHUB_API_URL")]
    pub github_api: String,
    /// Where GitHub serves single files.
    #[setting(default = "https://raw.githubusercontent.com", variable = "HERMES_GITHUB_RAW_URL")]
    pub github_raw: String,
    /// The central index of skills.
    #[setting(
        default = "https://hermes-agent.nousresearch.com/docs/api/skills-index.json",
        variable = "HERMES_SKILLS_INDEX_URL"
    )]
    pub index: String,
    /// The registry skills.sh.
    #[setting(default = "https://skills.sh", variable = "HERMES_SKILLS_SH_URL")]
    pub skills_sh: String,
    /// The registry ClawHub.
    #[setting(default = "https://clawhub.ai/api/v1", variable = "HERMES_CLAWHUB_URL")]
    pub clawhub: String,
    /// The agents of LobeHub.
    #[setting(default = "https://chat-agents.lobehub.com", variable = "HERMES_LOBEHUB_URL")]
    pub lobehub: String,
    /// The registry browse.sh.
    #[setting(default = "https://browse.sh", variable = "HERMES_BROWSE_SH_URL")]
    pub browse_sh: String,
    /// A folder with further skills of ours, installed on request.
    #[setting(variable = "HERMES_OPTIONAL_SKILLS")]
    pub official_dir: Option<String>,
}

/// Whom the user believes, and how strict he is.
#[derive(Clone, Debug, PartialEq, Settings)]
#[settings(path = "skills", about = "Skills: documents of know-how")]
pub struct HubTrustSettings {
    /// Repositories, owner/name, to be believed like those we name trusted.
    pub trusted_repos: Vec<String>,
    /// Let every finding of the scanner ask for caution, not only the heavy ones.
    pub guard_strict: bool,
    /// Whether a model (`auxiliary.skills_hub`) looks at skills too before they are installed; it can only find more.
    #[setting(default = LlmAuditMode::Off)]
    pub llm_audit: LlmAuditMode,
}

/// When a model looks at a skill after the scanner did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, SettingWords)]
pub enum LlmAuditMode {
    /// Never.
    #[default]
    #[setting(bool = false)]
    Off,
    /// Where the scanner found something.
    OnFindings,
    /// Always.
    #[setting(also("on"), bool = true)]
    Always,
}

impl LlmAuditMode {
    /// Whether a model is asked about a skill in which the scanner found something, or nothing.
    #[must_use]
    pub fn is_wanted(self, found_something: bool) -> bool {
        match self {
            Self::Off => false,
            Self::OnFindings => found_something,
            Self::Always => true,
        }
    }
}

impl HubSettings {
    /// Servers whose address the user wrote down: open although they may be private.
    #[must_use]
    pub fn own_origins(&self) -> Vec<Url> {
        let usual = Self::default();
        let addresses = |settings: &Self| {
            [
                settings.github_api.clone(),
                settings.github_raw.clone(),
                settings.index.clone(),
                settings.skills_sh.clone(),
                settings.clawhub.clone(),
                settings.lobehub.clone(),
                settings.browse_sh.clone(),
            ]
        };
        addresses(self)
            .iter()
            .zip(addresses(&usual))
            .filter(|(own, usual)| *own != usual)
            .filter_map(|(own, _)| Url::parse(own).ok())
            .collect()
    }

    /// Whether files can be had from the host for single files: not from a company's own server, unless it names one.
    #[must_use]
    pub fn has_raw_host(&self) -> bool {
        let usual = Self::default();
        self.github_api == usual.github_api || self.github_raw != usual.github_raw
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hermes_tool::Vars;
    use serde_json::json;

    #[test]
    fn only_addresses_the_user_changed_are_his_own() {
        assert!(HubSettings::default().own_origins().is_empty());
        let config = json!({"skills": {"hub": {"clawhub": "http://10.0.0.1/api"}, "trusted_repos": ["a/b"]}});
        assert_eq!(HubTrustSettings::read(&config, &Vars::default()).trusted_repos, ["a/b"]);
        let settings = HubSettings::read(&config, &Vars::default());
        assert_eq!(settings.own_origins().len(), 1);
        assert!(settings.has_raw_host());
    }
}

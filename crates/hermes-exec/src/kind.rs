//! The names of the backends, known to settings, errors and backends alike.

use std::fmt;

use hermes_tool::settings::SettingWords;

/// The kinds of backends, by which settings name them and errors tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, SettingWords)]
pub enum BackendKind {
    /// This machine.
    Local,
    /// A container of docker or podman.
    Docker,
    /// Another machine.
    Ssh,
    /// An instance of apptainer, which was called singularity.
    #[setting(also("apptainer"))]
    Singularity,
    /// A sandbox of Modal.
    Modal,
    /// A sandbox of Daytona.
    Daytona,
    /// A sandbox of Vercel.
    #[setting(word = "vercel_sandbox")]
    Vercel,
}

impl BackendKind {
    /// Every kind, in the order of the settings' documentation.
    pub const ALL: [Self; 7] = [
        Self::Local,
        Self::Docker,
        Self::Ssh,
        Self::Singularity,
        Self::Modal,
        Self::Daytona,
        Self::Vercel,
    ];

    /// Its name in settings and results.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.word()
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use hermes_tool::settings::SettingValue as _;
    use serde_json::json;

    use super::*;

    #[test]
    fn the_newer_name_of_singularity_is_known() {
        let named = |name: &str| BackendKind::from_config(&json!(name));
        assert_eq!(named(" Apptainer "), Some(BackendKind::Singularity));
        assert_eq!(named("Vercel_Sandbox").map(BackendKind::name), Some("vercel_sandbox"));
        assert_eq!(named("kubernetes"), None);
    }
}

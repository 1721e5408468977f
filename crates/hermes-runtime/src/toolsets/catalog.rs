//! What a product ships: its toolsets, and the lists of names that go with them (those of Hermes: `hermes-tools`,
//! `product`).
//!
//! The runtime ships none. A host hands a catalog to
//! [`RuntimeBuilder::toolsets`](crate::RuntimeBuilder::toolsets); without one the table starts empty
//! and knows the toolsets that registered tools name, those of the configuration and those made at
//! run time.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Toolset;

/// Names written down in a program.
pub type Names = &'static [&'static str];

/// The toolsets of one product, with all that platforms and selections need to know about them.
#[derive(Debug, Clone, Default)]
pub struct ToolsetCatalog {
    /// The toolsets by name. They may list tools that nobody has registered.
    pub toolsets: BTreeMap<Arc<str>, Arc<Toolset>>,
    /// The core tools: what a session on an ordinary platform starts from. They stay when a preset or
    /// posture is disabled, and are never hidden behind the tool search.
    pub core: BTreeSet<Arc<str>>,
    /// Old toolset names and the tools they have always meant. They may be enabled and disabled, but
    /// are no toolsets: nothing can include them.
    pub legacy: &'static [(&'static str, Names)],
    /// Toolsets that people switch on and off for each platform, in the order shown to them.
    pub choices: Names,
    /// Toolsets that stay off until somebody lists them or sets up what they need.
    pub default_off: Names,
    /// Those of them that no preset covers: once set up, they join a platform without a list.
    pub joining: Names,
    /// Platforms that ship with a preset.
    pub platforms: Names,
    /// How names of presets begin; the platform's name follows. Empty if there are no presets.
    pub preset_prefix: &'static str,
    /// Platforms whose preset is called otherwise.
    pub odd_presets: &'static [(&'static str, &'static str)],
    /// Toolsets that make sense on one platform only.
    pub native: &'static [(&'static str, &'static str)],
    /// The toolset a session needs that was started for a task of a shared board.
    pub board: Option<&'static str>,
    /// The toolset of whatever context engine is in use.
    pub context_engine: Option<&'static str>,
}

impl ToolsetCatalog {
    /// The tools that an old toolset name stands for.
    #[must_use]
    pub fn legacy_tools(&self, name: &str) -> Option<Names> {
        self.legacy.iter().find(|(legacy, _)| *legacy == name).map(|(_, tools)| *tools)
    }

    /// The preset that a platform uses by default.
    ///
    /// Any name is answered: a platform that a plugin brings has a preset named after it.
    #[must_use]
    pub fn preset_of(&self, platform: &str) -> Cow<'static, str> {
        match self.odd_presets.iter().find(|(odd, _)| *odd == platform) {
            Some((_, preset)) => Cow::Borrowed(preset),
            None => Cow::Owned(format!("{}{platform}", self.preset_prefix)),
        }
    }

    /// The platform whose preset would have this name.
    #[must_use]
    pub fn platform_of<'a>(&self, preset: &'a str) -> Option<&'a str> {
        preset.strip_prefix(self.preset_prefix).filter(|_| !self.preset_prefix.is_empty())
    }

    /// The only platform on which a toolset makes sense, for those that are tied to one.
    #[must_use]
    pub fn native_platform(&self, toolset: &str) -> Option<&'static str> {
        self.native.iter().find(|(tied, _)| *tied == toolset).map(|(_, platform)| *platform)
    }
}

#[cfg(test)]
pub(crate) mod sample {
    //! A small product for the tests of this crate.

    use super::*;

    const CORE: [&str; 4] = ["look", "ask", "run", "list"];

    /// Four core tools, three toolsets of them, one beside them, a composition and a preset.
    pub(crate) fn catalog() -> Arc<ToolsetCatalog> {
        let toolsets = [
            ("seeing", Toolset::new("See").with_tools(["look"])),
            ("asking", Toolset::new("Ask").with_tools(["ask", "find"])),
            ("running", Toolset::new("Run").with_tools(["run", "list"])),
            ("extras", Toolset::new("More").with_tools(["play"])),
            ("mending", Toolset::new("Mend").with_tools(["run"]).including(["asking", "seeing"])),
            ("acme-cli", Toolset::new("At a terminal").with_tools(CORE)),
        ];
        let own = |(name, set): (&str, Toolset)| (Arc::from(name), Arc::new(set));
        Arc::new(ToolsetCatalog {
            toolsets: toolsets.map(own).into(),
            core: CORE.map(Arc::from).into(),
            legacy: &[("old_asking", &["ask"])],
            preset_prefix: "acme-",
            ..ToolsetCatalog::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_are_named_after_their_platform_or_as_the_product_says() {
        let odd = ToolsetCatalog {
            odd_presets: &[("shop_two", "acme-shop")],
            ..(*sample::catalog()).clone()
        };
        assert_eq!(odd.preset_of("shop_two"), "acme-shop");
        assert_eq!(odd.preset_of("chat"), "acme-chat");
        assert_eq!(odd.platform_of("acme-chat"), Some("chat"));
        assert_eq!(odd.platform_of("chat"), None);
    }

    #[test]
    fn without_a_prefix_no_name_is_a_preset() {
        assert_eq!(ToolsetCatalog::default().platform_of("anything"), None);
    }
}

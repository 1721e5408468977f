//! The systems that releases are made for, and what each kind of package calls them.

use anyhow::bail;

/// A system that a binary is built for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// As rustc calls it.
    pub(super) triple: &'static str,
    /// As zig wants it, which for Linux names the oldest C library that will do.
    pub(super) zig: &'static str,
    /// The last part of a wheel's name.
    pub(super) wheel: &'static str,
    /// `os` and `cpu` of an npm package, and the end of its name.
    pub(super) npm: (&'static str, &'static str),
    /// The architecture of a Debian package, where there is one.
    pub(super) deb: Option<&'static str>,
    /// The oldest C library that the binary may ask for, where it is glibc.
    pub(super) glibc: Option<(u32, u32)>,
}

/// Debian 10, Ubuntu 20.04 and RHEL 8 have this one or a newer one.
const OLDEST_GLIBC: (u32, u32) = (2, 28);

const LINUX_X86_64: Target = Target {
    triple: "x86_64-unknown-linux-gnu",
    zig: "x86_64-unknown-linux-gnu.2.28",
    wheel: "manylinux_2_28_x86_64",
    npm: ("linux", "x64"),
    deb: Some("amd64"),
    glibc: Some(OLDEST_GLIBC),
};
const LINUX_AARCH64: Target = Target {
    triple: "aarch64-unknown-linux-gnu",
    zig: "aarch64-unknown-linux-gnu.2.28",
    wheel: "manylinux_2_28_aarch64",
    npm: ("linux", "arm64"),
    deb: Some("arm64"),
    glibc: Some(OLDEST_GLIBC),
};
const MACOS_AARCH64: Target = Target {
    triple: "aarch64-apple-darwin",
    zig: "aarch64-apple-darwin",
    wheel: "macosx_11_0_arm64",
    npm: ("darwin", "arm64"),
    deb: None,
    glibc: None,
};
const MACOS_X86_64: Target = Target {
    triple: "x86_64-apple-darwin",
    zig: "x86_64-apple-darwin",
    wheel: "macosx_11_0_x86_64",
    npm: ("darwin", "x64"),
    deb: None,
    glibc: None,
};

const ALL: [Target; 4] = [LINUX_X86_64, LINUX_AARCH64, MACOS_AARCH64, MACOS_X86_64];

/// The system this runs on, or the commonest one where releases know nothing of it.
pub(super) const HOST: Target = if cfg!(target_os = "macos") {
    if cfg!(target_arch = "aarch64") { MACOS_AARCH64 } else { MACOS_X86_64 }
} else if cfg!(target_arch = "aarch64") {
    LINUX_AARCH64
} else {
    LINUX_X86_64
};

impl Target {
    pub(super) fn named(triple: &str) -> anyhow::Result<Self> {
        match ALL.into_iter().find(|target| target.triple == triple) {
            Some(target) => Ok(target),
            None => {
                let known: Vec<_> = ALL.iter().map(|target| target.triple).collect();
                bail!("no releases are made for {triple:?}; known: {}", known.join(", "))
            }
        }
    }

    /// The name of its npm package.
    pub(super) fn npm_name(self) -> String {
        format!("@hermes-rs/{}-{}", self.npm.0, self.npm.1)
    }

    pub(super) fn is_macos(self) -> bool {
        self.npm.0 == "darwin"
    }
}

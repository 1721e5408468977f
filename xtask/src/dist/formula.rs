//! The Homebrew formula: where each archive is, and its checksum.

use std::fmt::Write as _;

use super::target::Target;
use super::{DOWNLOADS, HOMEPAGE, Package, SUMMARY, VERSION};

/// The formula for the archives of this release.
pub(super) fn write(archives: &[(Target, Package)]) -> Package {
    let mut text = format!(
        "class Hermes < Formula\n  desc \"{SUMMARY}\"\n  homepage \"{HOMEPAGE}\"\n  version \"{VERSION}\"\n  \
         license any_of: [\"MIT\", \"Apache-2.0\"]\n"
    );
    for (system, is_macos) in [("macos", true), ("linux", false)] {
        let mut parts = String::new();
        for (target, archive) in archives.iter().filter(|(target, _)| target.is_macos() == is_macos)
        {
            let cpu = if target.triple.starts_with("aarch64") { "arm" } else { "intel" };
            let (name, sum) = (&archive.name, archive.sha256());
            // Writing to a String cannot fail.
            let _ = write!(
                parts,
                "    on_{cpu} do\n      url \"{DOWNLOADS}/v{VERSION}/{name}\"\n      sha256 \"{sum}\"\n    end\n"
            );
        }
        if !parts.is_empty() {
            let _ = write!(text, "\n  on_{system} do\n{parts}  end\n");
        }
    }
    text.push_str(
        "\n  def install\n    bin.install \"hermes\"\n    \
         generate_completions_from_executable(bin/\"hermes\", \"completion\")\n  end\n\n  test do\n    \
         assert_match version.to_s, shell_output(\"#{bin}/hermes --version\")\n  end\nend\n",
    );
    Package { name: "hermes.rb".into(), bytes: text.into_bytes() }
}

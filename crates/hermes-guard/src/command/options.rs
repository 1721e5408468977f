//! Reading the options of a program the way `getopt` does.

use super::call::Arg;

/// Which options take a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spec {
    /// Letters.
    pub(super) short: &'static str,
    /// Names without dashes.
    pub(super) long: &'static [&'static str],
    /// What the first operand means for the options behind it.
    pub(super) operands: Operands,
}

/// Whether options may follow operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operands {
    /// They may.
    Mixed,
    /// Everything behind the first operand belongs to it.
    Last,
}

impl Spec {
    /// No option takes a value.
    pub(super) const FLAGS: Self = Self::with("", &[]);

    /// These take values.
    pub(super) const fn with(short: &'static str, long: &'static [&'static str]) -> Self {
        Self { short, long, operands: Operands::Mixed }
    }

    /// These take values, and operands end the options.
    pub(super) const fn leading(short: &'static str, long: &'static [&'static str]) -> Self {
        Self { short, long, operands: Operands::Last }
    }
}

/// One option or operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Opt<'c> {
    /// `-x`, also from a bundle, with its value (empty: none).
    Short(char, &'c str),
    /// `--name`, with its value.
    Long(&'c str, Option<&'c str>),
    /// Anything else, with its index among the arguments.
    Operand(&'c Arg<'c>, usize),
}

impl<'c> Opt<'c> {
    /// Whether it is this letter or (perhaps shortened) this name.
    pub(super) fn is(&self, short: char, long: &str) -> bool {
        match self {
            Self::Short(letter, ..) => *letter == short,
            Self::Long(name, _) => abbreviates(name, long),
            Self::Operand(..) => false,
        }
    }

    /// The value of a short or long option.
    pub(super) fn value(&self) -> Option<&'c str> {
        match self {
            Self::Short(_, "") | Self::Operand(..) => None,
            Self::Short(_, text) => Some(text),
            Self::Long(_, value) => *value,
        }
    }
}

/// Whether a long option was shortened from, or is, a name.
pub(super) fn abbreviates(given: &str, full: &str) -> bool {
    !given.is_empty() && full.starts_with(given)
}

/// All options and operands, in order.
pub(super) fn options<'c>(args: &'c [Arg<'c>], spec: &Spec) -> ParsedOptions<'c> {
    ParsedOptions { args, spec: *spec, at: 0, bundle: "", only_operands: false }
}

/// See [`options`].
pub(super) struct ParsedOptions<'c> {
    args: &'c [Arg<'c>],
    spec: Spec,
    at: usize,
    bundle: &'c str,
    only_operands: bool,
}

impl<'c> ParsedOptions<'c> {
    fn next_value(&mut self) -> Option<&'c Arg<'c>> {
        let value = self.args.get(self.at);
        self.at += 1;
        value
    }

    fn short(&mut self) -> Option<Opt<'c>> {
        let letter = self.bundle.chars().next()?;
        let rest = &self.bundle[letter.len_utf8()..];
        if !self.spec.short.contains(letter) {
            self.bundle = rest;
            return Some(Opt::Short(letter, ""));
        }
        self.bundle = "";
        if !rest.is_empty() {
            return Some(Opt::Short(letter, rest));
        }
        let value = self.next_value();
        Some(Opt::Short(letter, value.map_or("", |value| value.text.as_ref())))
    }
}

impl<'c> Iterator for ParsedOptions<'c> {
    type Item = Opt<'c>;

    fn next(&mut self) -> Option<Opt<'c>> {
        if let Some(short) = self.short() {
            return Some(short);
        }
        let arg = self.args.get(self.at)?;
        let index = self.at;
        self.at += 1;
        let text = arg.text.as_ref();
        if !self.only_operands {
            if text == "--" {
                self.only_operands = true;
                return self.next();
            }
            if let Some(name) = text.strip_prefix("--") {
                if let Some((name, value)) = name.split_once('=') {
                    return Some(Opt::Long(name, Some(value)));
                }
                let takes_value = self.spec.long.contains(&name)
                    || (name.len() > 3 && self.spec.long.iter().any(|long| long.starts_with(name)));
                let value = if takes_value { self.next_value() } else { None };
                return Some(Opt::Long(name, value.map(|value| value.text.as_ref())));
            }
            if text.len() > 1 && text.starts_with('-') {
                self.bundle = &text[1..];
                return self.short();
            }
        }
        self.only_operands |= self.spec.operands == Operands::Last;
        Some(Opt::Operand(arg, index))
    }
}

/// The index of the first operand; the number of arguments when there is none.
pub(super) fn first_operand(args: &[Arg<'_>], spec: &Spec) -> usize {
    let leading = Spec { operands: Operands::Last, ..*spec };
    let found = options(args, &leading).find_map(|opt| match opt {
        Opt::Operand(_, index) => Some(index),
        _ => None,
    });
    found.unwrap_or(args.len())
}
/// Options of `docker run` and `docker exec` that take a value.
pub(super) const CONTAINER_VALUES: &[&str] = &[
    "add-host",
    "annotation",
    "attach",
    "cap-add",
    "cap-drop",
    "cidfile",
    "cpus",
    "cpu-shares",
    "cpuset-cpus",
    "device",
    "dns",
    "entrypoint",
    "env",
    "env-file",
    "expose",
    "gpus",
    "group-add",
    "health-cmd",
    "hostname",
    "ip",
    "ipc",
    "label",
    "link",
    "log-driver",
    "log-opt",
    "mac-address",
    "memory",
    "mount",
    "name",
    "net",
    "network",
    "network-alias",
    "pid",
    "platform",
    "publish",
    "pull",
    "restart",
    "runtime",
    "security-opt",
    "shm-size",
    "stop-signal",
    "storage-opt",
    "sysctl",
    "tmpfs",
    "ulimit",
    "user",
    "userns",
    "uts",
    "volume",
    "volumes-from",
    "workdir",
    "index",
    "file",
    "project-name",
    "project-directory",
    "profile",
    "context",
    "host",
    "namespace",
    "container",
    "kubeconfig",
    "cluster",
    "image",
];

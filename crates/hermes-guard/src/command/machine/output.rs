//! What programs print, as far as it can be told without running them.

use std::borrow::Cow;

use super::repeat::looked_for;
use super::run::RunMode;
use super::{Machine, state::MAX_VALUE};
use crate::command::call::{Arg, Channel, ProgramCall, Taint, TextFlow, Via};
use crate::command::facts::HOLE;
use crate::command::options::{Opt, Spec, options};
use crate::command::paths;
use crate::command::rules::{self, structure};
use crate::shell::escapes;

impl Machine<'_> {
    /// The output of a call that runs nothing else.
    pub(super) fn output(&mut self, name: &str, args: &[Arg<'_>], stdin: &TextFlow) -> TextFlow {
        let given = args.iter().fold(Taint::NONE, |taint, arg| taint.and(arg.taint));
        match name {
            "true" | ":" | "false" | "test" | "[" | "mkdir" | "touch" | "rm" | "sleep" | "wait" => {
                TextFlow::known("")
            }
            "echo" => TextFlow { taint: given, ..self.echo(args) },
            "printf" => TextFlow { taint: given, ..self.printf(args) },
            "yes" => TextFlow::unknown(Taint::GENERATED.and(Taint::ENDLESS)),
            "mkfifo" => {
                // Whatever comes out of it was put in by somebody else.
                for arg in args.iter().filter(|arg| !arg.text.starts_with('-')) {
                    let path = self.facts.path(&arg.text).into_owned();
                    if let Some(origin) = self.state.file_mut(&path) {
                        origin.taint = Taint::GENERATED;
                    }
                }
                TextFlow::known("")
            }
            "mktemp" => self.mktemp(args),
            "pwd" => match &self.facts.cwd {
                Some(cwd) => TextFlow::known(format!("{cwd}\n")),
                None => TextFlow::unknown(Taint::NONE),
            },
            "cat" | "tac" => self.cat(args, stdin),
            "tee" => {
                for arg in args.iter().filter(|arg| !arg.text.starts_with('-')) {
                    let path = self.facts.path(&arg.text).into_owned();
                    self.write_file(&path, stdin, RunMode::Replace);
                }
                stdin.clone()
            }
            "basename" | "dirname" | "realpath" | "readlink" => path_part(name, args),
            "cp" | "mv" | "ln" | "install" => {
                self.copy_file(args);
                if name == "ln" {
                    self.make_link(args);
                }
                if name == "mv" {
                    self.moved_to_temp(args);
                }
                TextFlow::known("")
            }
            "scp" | "rsync" => {
                self.copy_from_elsewhere(args);
                TextFlow::known("")
            }
            "curl" | "wget" | "aria2c" => self.download(name, args, stdin, given),
            "rev" => match &stdin.text {
                Some(text) => {
                    let lines = text.lines().map(|line| line.chars().rev().collect::<String>());
                    let text = lines.map(|line| line + "\n").collect::<String>();
                    TextFlow::known(text).tainted(stdin.taint.and(Taint::DECODED))
                }
                None => TextFlow::unknown(stdin.taint.and(Taint::DECODED)),
            },
            _ if structure::prints_settings(name, args) => TextFlow::unknown(Taint::SETTINGS),
            _ => {
                if args.iter().any(|arg| arg.text.contains("://")) {
                    self.fetched_by_others(args);
                }
                if structure::fetches_files(name, args) {
                    self.fetched_files(args);
                }
                if structure::decodes(name, args) {
                    self.decoded_files(args, stdin);
                }
                if matches!(name, "tar" | "unzip" | "bsdtar") {
                    self.unpack(name, args, stdin);
                }
                let mut taint =
                    stdin.taint.and(given).and(Taint::GENERATED).without(Taint::ENDLESS);
                if structure::fetches(name, args) {
                    taint = taint.and(Taint::NETWORK);
                }
                let hides = stdin.text.is_some() && structure::filters(name);
                if hides || structure::decodes(name, args) {
                    taint = taint.and(Taint::DECODED);
                }
                let holds_port = |arg: &Arg<'_>| {
                    arg.text.contains(':')
                        && !arg.text.contains(',')
                        && arg.text.contains(|char: char| char.is_ascii_digit())
                };
                if name == "jobs" || matches!(name, "lsof" | "fuser") && args.iter().any(holds_port)
                {
                    taint = taint.and(Taint::LISTED);
                }
                if matches!(name, "pgrep" | "pidof" | "ps") {
                    taint = taint.and(Taint::PROCESSES);
                }
                let call = ProgramCall { name, args, stdin, via: Via::NONE, facts: &self.facts };
                taint = taint.and(rules::printed(&call));
                let packs = name == "git"
                    && args.first().is_some_and(|arg| matches!(arg.as_str(), "bundle" | "archive"));
                if packs {
                    taint = taint.and(Taint::SECRET);
                }
                if matches!(name, "locate" | "plocate" | "mlocate" | "mdfind") {
                    taint = taint.and(looked_for(args));
                }
                if matches!(
                    name,
                    "whoami" | "hostname" | "id" | "uname" | "logname" | "hostnamectl"
                ) {
                    taint = taint.and(Taint::IDENTITY);
                }
                self.pack_secrets(name, args, stdin);
                // Statements that a query puts together.
                let makes_sql = |arg: &Arg<'_>| {
                    let text = arg.text.to_ascii_lowercase();
                    text.contains("select")
                        && ["drop ", "truncate ", "delete from"]
                            .iter()
                            .any(|verb| text.contains(verb))
                };
                if matches!(name, "psql" | "mysql" | "mariadb" | "sqlcmd" | "sqlite3")
                    && args.iter().any(makes_sql)
                {
                    taint = taint.and(Taint::STATEMENTS);
                }
                if structure::shows_files(name) {
                    taint = taint.and(self.secrets_among(args));
                }
                if !taint.has(Taint::SECRET) && structure::shows_all(name, args) {
                    taint = taint.and(Taint::DUMP);
                }
                TextFlow::unknown(taint)
            }
        }
    }

    /// A name that nobody has had yet, at a place that is known.
    fn mktemp(&mut self, args: &[Arg<'_>]) -> TextFlow {
        const SPEC: Spec = Spec::with("p", &["suffix"]);
        let mut folder = None;
        let mut template = None;
        for opt in options(args, &SPEC) {
            match opt {
                Opt::Short('p', value) => folder = Some(value),
                Opt::Long("tmpdir", value) => folder = Some(value.unwrap_or_default()),
                Opt::Short('t', _) => folder = Some(""),
                Opt::Operand(arg, _) => template = Some(arg.as_str()),
                _ => {}
            }
        }
        let temp = self.facts.host.temp_dir.unwrap_or("/tmp");
        let text = match (folder, template) {
            (None, Some(template)) => template.to_owned(),
            (folder, template) => {
                let folder = folder.filter(|folder| !folder.is_empty()).unwrap_or(temp);
                format!("{folder}/{}", template.unwrap_or("tmp.x"))
            }
        };
        self.known(text.replace("XXX", "xxx") + "\n")
    }

    /// What a program makes of what must not leave is as good as that: an archive, a copy, a piece.
    fn pack_secrets(&mut self, name: &str, args: &[Arg<'_>], stdin: &TextFlow) {
        if !matches!(
            name,
            "tar"
                | "bsdtar"
                | "zip"
                | "7z"
                | "7za"
                | "rar"
                | "git"
                | "gpg"
                | "gpg2"
                | "ar"
                | "mksquashfs"
                | "openssl"
                | "age"
                | "rage"
                | "ccrypt"
                | "gzip"
                | "pigz"
                | "bzip2"
                | "xz"
                | "zstd"
                | "lz4"
                | "brotli"
                | "split"
                | "csplit"
                | "cpio"
                | "pax"
                | "dd"
                | "base64"
                | "base32"
                | "xxd"
                | "uuencode"
                | "iconv"
                | "sort"
                | "jq"
                | "yq"
                | "convert"
                | "magick"
                | "qrencode"
                | "steghide"
                | "pandoc"
                | "sqlite3"
                | "ffmpeg"
                | "shar"
                | "genisoimage"
                | "mkisofs"
                | "rsync"
                | "scp"
                | "pg_dump"
                | "pg_dumpall"
                | "mysqldump"
                | "mongodump"
                | "redis-cli"
                | "script"
                | "restic"
                | "borg"
                | "duplicity"
                | "kubectl"
                | "aws"
                | "gcloud"
                | "vault"
                | "op"
                | "screencapture"
                | "scrot"
                | "grim"
                | "import"
                | "maim"
                | "arecord"
                | "tcpdump"
                | "gh"
        ) {
            return;
        }
        let is_bundle = name == "git" && args.first().is_some_and(|arg| arg.text == "bundle");
        let fed = stdin.taint.has(Taint::SECRET);
        let call = ProgramCall { name, args, stdin, via: Via::NONE, facts: &self.facts };
        let prints = rules::printed(&call).has(Taint::SECRET);
        let reads = |arg: &Arg<'_>| {
            let text = arg.text.strip_prefix("if=").unwrap_or(&arg.text);
            self.state.knows_files()
                && self
                    .state
                    .origin(&self.facts.path(text))
                    .is_some_and(|origin| origin.taint.has(Taint::SECRET))
        };
        let holds = is_bundle
            || name != "git"
                && (fed
                    || prints
                    || self.secrets_among(args) != Taint::NONE
                    || args.iter().any(reads));
        if !holds {
            return;
        }
        const ENDINGS: &[&str] = &[
            ".tgz", ".gz", ".tar", ".zip", ".7z", ".rar", ".xz", ".bz2", ".zst", ".bundle", ".gpg",
            ".img", ".a", ".enc", ".age", ".bin", ".b64", ".png", ".iso", ".cpio", ".dump", ".sql",
            ".rdb", ".wav", ".pcap", ".txt", ".json", ".out", ".dat",
        ];
        const OUTPUT: &[&str] = &[
            "-o",
            "-out",
            "--output",
            "--out",
            "-O",
            "-f",
            "--file",
            "--result-file",
            "-w",
            "--rdb",
            "--archive",
        ];
        let mut made: Vec<String> = Vec::new();
        for (at, arg) in args.iter().enumerate() {
            let text = arg.text.as_ref();
            let before = at.checked_sub(1).map_or("", |at| args[at].as_str());
            let (option, value) = text.split_once('=').unwrap_or(("", ""));
            if OUTPUT.contains(&option) || option == "of" {
                made.push(value.to_owned());
            } else if !text.starts_with('-')
                && (OUTPUT.contains(&before) || ENDINGS.iter().any(|end| text.ends_with(end)))
            {
                made.push(text.to_owned());
            }
        }
        let operands: Vec<&str> =
            args.iter().map(Arg::as_str).filter(|text| !text.starts_with('-')).collect();
        match (name, operands.as_slice()) {
            ("gzip" | "pigz", [.., file]) => made.push(format!("{file}.gz")),
            ("bzip2", [.., file]) => made.push(format!("{file}.bz2")),
            ("xz", [.., file]) => made.push(format!("{file}.xz")),
            ("zstd", [.., file]) => made.push(format!("{file}.zst")),
            ("gpg" | "gpg2", [.., file]) => {
                made.push(format!("{file}.gpg"));
                made.push(format!("{file}.asc"));
            }
            // Its pieces are numbered with letters.
            ("split", [.., prefix]) => {
                made.extend(
                    ["aa", "ab", "*", "00", "01"].iter().map(|end| format!("{prefix}{end}")),
                );
            }
            _ => {}
        }
        for file in made.iter().take(8) {
            let path = self.facts.path(file).into_owned();
            if let Some(origin) = self.state.file_mut(&path) {
                origin.text = None;
                origin.taint = origin.taint.and(Taint::SECRET);
            }
        }
    }

    fn secrets_among(&self, args: &[Arg<'_>]) -> Taint {
        let secret = |arg: &Arg<'_>| {
            let path = self.facts.path(&arg.text);
            paths::is_secret(&path)
                || paths::is_personal(&path) && arg.text.contains(['/', '~'])
                || self.state.knows_files()
                    && self
                        .state
                        .origin(&path)
                        .is_some_and(|origin| origin.taint.has(Taint::SECRET))
        };
        if args.iter().any(secret) { Taint::SECRET } else { Taint::NONE }
    }

    fn echo(&mut self, args: &[Arg<'_>]) -> TextFlow {
        let flags = args
            .iter()
            .take_while(|arg| {
                let text = arg.text.strip_prefix('-').unwrap_or_default();
                !text.is_empty() && text.chars().all(|char| "neE".contains(char))
            })
            .count();
        let flag = |letter| args[..flags].iter().any(|arg| arg.text.contains(letter));
        let words: Vec<&str> = args[flags..].iter().map(|arg| arg.text.as_ref()).collect();
        let mut text = words.join(" ");
        if flag('e') {
            text = escapes::decode(&text).into_owned();
        }
        if !flag('n') {
            text.push('\n');
        }
        self.known(text)
    }

    fn known(&mut self, text: String) -> TextFlow {
        match text.len() <= MAX_VALUE && self.charge(text.len()) {
            true => TextFlow::known(text),
            false => TextFlow::unknown(Taint::GENERATED),
        }
    }

    fn printf(&mut self, args: &[Arg<'_>]) -> TextFlow {
        let mut args = args;
        let mut variable = None;
        if let [first, name, rest @ ..] = args
            && first.text == "-v"
        {
            variable = Some(name.text.to_string());
            args = rest;
        }
        if args.first().is_some_and(|arg| arg.text == "--") {
            args = &args[1..];
        }
        let Some((format, values)) = args.split_first() else { return TextFlow::known("") };
        let text = formatted(&format.text, values);
        let flow = self.known(text);
        if let (Some(variable), Some(text)) = (variable, &flow.text) {
            self.state.set(&variable, super::state::HeldValue::Text(text.clone()), flow.taint);
            return TextFlow::known("");
        }
        flow
    }

    fn cat(&mut self, args: &[Arg<'_>], stdin: &TextFlow) -> TextFlow {
        let mut files = args.iter().filter(|arg| !arg.text.starts_with('-') || arg.text == "-");
        let Some(first) = files.next() else { return stdin.clone() };
        let mut output = self.cat_one(first, stdin);
        for file in files {
            let more = self.cat_one(file, stdin);
            output = self.join(output, more);
        }
        output
    }

    fn cat_one(&mut self, file: &Arg<'_>, stdin: &TextFlow) -> TextFlow {
        match file.text.as_ref() {
            "-" | "/dev/stdin" => stdin.clone(),
            _ => self.read_file(file),
        }
    }

    /// A copy is what the original was.
    fn copy_file(&mut self, args: &[Arg<'_>]) {
        const SPEC: Spec = Spec::with("mgotS", &["mode", "group", "owner", "suffix"]);
        let operands: Vec<&Arg<'_>> = options(args, &SPEC)
            .filter_map(|opt| match opt {
                Opt::Operand(arg, _) => Some(arg),
                _ => None,
            })
            .collect();
        if let [from, to] = operands.as_slice() {
            let from = self.facts.path(&from.text).into_owned();
            let to = self.facts.path(&to.text).into_owned();
            let is_secret = paths::is_secret(&from);
            let origin = self.state.origin(&from).or_else(|| {
                let taint = Taint::SECRET;
                is_secret.then(|| super::state::FileOrigin { taint, ..Default::default() })
            });
            if let Some(origin) = origin
                && let Some(copy) = self.state.file_mut(&to)
            {
                *copy = origin;
            }
        }
    }

    /// `mv work /tmp/x`: what is thrown away from there is still what it was.
    fn moved_to_temp(&mut self, args: &[Arg<'_>]) {
        let operands: Vec<&str> =
            args.iter().map(Arg::as_str).filter(|text| !text.starts_with('-')).collect();
        let [from, to] = operands.as_slice() else { return };
        let temp = self.facts.host.temp_dir.unwrap_or("/tmp");
        let is_temp = |path: &str| {
            [temp, "/tmp", "/var/tmp"]
                .iter()
                .any(|temp| path.strip_prefix(temp).is_some_and(|rest| rest.starts_with('/')))
        };
        let (from, to) = (self.facts.path(from).into_owned(), self.facts.path(to).into_owned());
        if is_temp(&to) && !is_temp(&from) {
            self.facts.link(to, from);
        }
    }

    /// `ln -s target name`, `ln -s target`. What is relative begins where the name is, in a link that is only
    /// a text, and here otherwise.
    fn make_link(&mut self, args: &[Arg<'_>]) {
        let operands: Vec<&str> =
            args.iter().map(Arg::as_str).filter(|text| !text.starts_with('-')).collect();
        let (target, name) = match operands.as_slice() {
            [target, name] => (*target, *name),
            [target] => (*target, target.rsplit('/').next().unwrap_or(target)),
            _ => return,
        };
        let is_text = args.iter().any(|arg| {
            arg.text == "--symbolic"
                || arg.text.starts_with('-')
                    && !arg.text.starts_with("--")
                    && arg.text.contains('s')
        });
        let name = self.facts.path(name).into_owned();
        let target = match name.rsplit_once('/').filter(|_| is_text) {
            Some((folder, _)) if !target.starts_with(['/', '~', HOLE]) => {
                self.facts.path(&format!("{folder}/{target}")).into_owned()
            }
            _ => self.facts.path(target).into_owned(),
        };
        self.facts.link(name, target);
    }

    /// Fetching prints, or fills a file that may be run later.
    fn download(
        &mut self,
        name: &str,
        args: &[Arg<'_>],
        stdin: &TextFlow,
        given: Taint,
    ) -> TextFlow {
        let taint = Taint::NETWORK.and(given).and(stdin.taint);
        let content = TextFlow { text: None, taint, channel: Channel::Nothing };
        let Some(files) = structure::downloads(name, args) else { return content };
        for file in files {
            let path = self.facts.path(&file).into_owned();
            if let Some(origin) = self.state.file_mut(&path) {
                origin.text = None;
                origin.taint = Taint::NETWORK;
            }
        }
        TextFlow::known("")
    }
}

fn path_part(name: &str, args: &[Arg<'_>]) -> TextFlow {
    let Some(arg) = args.iter().find(|arg| !arg.text.starts_with('-')) else {
        return TextFlow::unknown(Taint::GENERATED);
    };
    let path = arg.text.as_ref();
    let part = match (name, path.rsplit_once('/')) {
        ("basename", Some((_, name))) => name,
        ("dirname", Some(("", _))) => "/",
        ("dirname", Some((folder, _))) => folder,
        ("dirname", None) => ".",
        _ => path,
    };
    TextFlow { taint: arg.taint, ..TextFlow::known(format!("{part}\n")) }
}

/// `printf`'s format, used again while there are values left.
fn formatted(format: &str, values: &[Arg<'_>]) -> String {
    let format = escapes::decode(format);
    let mut values = values.iter();
    let mut text = String::new();
    loop {
        let left = values.len();
        once(&format, &mut values, &mut text);
        let finished = values.len() == 0 || values.len() == left;
        if finished || text.len() > MAX_VALUE {
            return text;
        }
    }
}

fn once<'v>(format: &str, values: &mut impl Iterator<Item = &'v Arg<'v>>, text: &mut String) {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        text.push_str(&rest[..at]);
        let spec = &rest[at + 1..];
        let end = spec.find(|char: char| char.is_ascii_alphabetic() || char == '%');
        let Some(end) = end else {
            text.push_str(&rest[at..]);
            return;
        };
        let value: Cow<'_, str> = match spec.as_bytes()[end] {
            b'%' => Cow::Borrowed("%"),
            b'b' => escapes::decode(values.next().map_or("", |arg| arg.text.as_ref())),
            kind => {
                let value = values.next().map_or("", |arg| arg.text.as_ref());
                match (kind, value.parse::<u64>()) {
                    (b'o', Ok(number)) => Cow::Owned(format!("{number:o}")),
                    (b'x', Ok(number)) => Cow::Owned(format!("{number:x}")),
                    _ => Cow::Borrowed(value),
                }
            }
        };
        text.push_str(&value);
        rest = &spec[end + 1..];
    }
    text.push_str(rest);
}

//! Options whose value is code: a command that the program runs, or a file of settings, plug-ins or scripts
//! that it takes for its own.
//!
//! What is in a file of the project is the project's own business. A file from where anybody may put one, a
//! pipe, an address or a library is not, and neither is a shell where a tool expects a helper.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::call::{Arg, ProgramCall};
use super::indirect::{INDIRECT, is_temp, is_usual, starts_shell};
use super::{DangerRule, RuleCheck, arrivals};

pub(super) const RULES: &[DangerRule] = &[DangerRule {
    category: INDIRECT,
    programs: &[],
    check: RuleCheck::Structure,
    catches: &[
        "ninja -f /tmp/b.ninja",
        "pytest -p evil --rootdir=/tmp/e",
        "w3m -config /tmp/c http://localhost",
        "apt-get -o Dpkg::Pre-Install-Pkgs::=/tmp/x install hello",
        "apt-get update -o APT::Update::Pre-Invoke::=/bin/sh",
        "clang -Xclang -load -Xclang /tmp/p.so x.c",
        "aria2c --on-download-complete=/tmp/x https://x.io/a",
        "openvpn --dev null --script-security 2 --up '/bin/sh -c id'",
        "certbot certonly --pre-hook 'sh /tmp/x' -d x.io",
        "pylint --init-hook='import os; os.system(\"id\")' x.py",
        "mocha --require /tmp/x.js",
        "logrotate -l '|/bin/sh' x.conf",
        "enscript -I 'sh -c id' /dev/null",
        "msgfilter -P sh -c id",
        "mutt -e 'set shell=/tmp/x'",
        "restic backup --password-command='sh /tmp/x' d",
        "tshark -Xlua_script:/tmp/x.lua -r a.pcap",
        "rake -f /tmp/Rakefile",
    ],
    passes: &[
        "ninja -C build",
        "pytest -p no:cacheprovider tests",
        "pytest --rootdir=. -q",
        "mocha --require ts-node/register test",
        "make -f build.mk",
        "restic backup --password-command='pass show restic' d",
        "certbot renew --deploy-hook 'systemctl reload nginx'",
        "eslint -c .eslintrc.json src",
        "gunicorn -c gunicorn.conf.py app:app",
        "apt-get -o Dpkg::Options::=--force-confnew install -y x",
        "jest --config jest.config.js",
        "nginx -c /etc/nginx/nginx.conf -t",
    ],
}];

/// Programs, and their options whose value is a command.
const COMMANDS: &[(&str, &str)] = &[
    (
        "aria2c",
        "--on-download-complete --on-download-error --on-download-start --on-download-stop --on-bt-download-complete",
    ),
    (
        "openvpn",
        "--up --down --route-up --ipchange --tls-verify --auth-user-pass-verify --client-connect --plugin --iproute",
    ),
    (
        "certbot",
        "--pre-hook --post-hook --deploy-hook --renew-hook --manual-auth-hook --manual-cleanup-hook",
    ),
    ("acme.sh", "--reloadcmd --pre-hook --post-hook --renew-hook"),
    ("restic borg kopia duplicity", "--password-command -o --rsh --remote-path --ssh-command"),
    ("enscript", "-I --filter"),
    ("msgfilter msgexec", "-P --program *"),
    ("logrotate", "-l --log -m --mail"),
    ("pidstat mpstat", "-e"),
    ("scrot maim flameshot", "-e --exec"),
    ("nodemon entr watchexec reflex chokidar onchange", "-x --exec -c --command"),
    ("dhclient dhcpcd udhcpc", "-sf -s -c --script"),
    ("dnsmasq", "--dhcp-script --dhcp-luascript"),
    ("pppd", "connect disconnect pty init plugin"),
    ("tcpdump", "-z"),
    ("screen tmux tmate", "-c"),
    ("nano pico", "-s --speller"),
    ("agetty getty", "-l --login-program"),
    ("check_by_ssh", "-o -C"),
    ("check_ssl_cert", "--curl-bin --openssl --grep-bin"),
    ("rpm rpmquery rpmverify rpmdb", "--pipe"),
    ("gem", "-e --editor"),
    ("svn", "--editor-cmd --diff-cmd --diff3-cmd --merge-cmd"),
    ("hg", "--ssh --remotecmd"),
    ("borg", "--rsh --remote-path"),
    ("rsnapshot", "-c"),
    ("unison", "-sshcmd -rshcmd -servercmd -merge -diff"),
    (
        "ansible ansible-playbook",
        "--become-exe --ssh-executable --scp-executable --sftp-executable --vault-password-file --ask-pass-file",
    ),
    ("latexmk", "-latex -pdflatex -e -r -bibtex -makeindex"),
    ("dvips", "-q"),
    (
        "git",
        "--upload-pack --receive-pack --smtp-server --sendmail-cmd --to-cmd --cc-cmd --extcmd --gui --exec --show-signature-program",
    ),
    ("wget", "--use-askpass"),
    ("mail mailx s-nail", "--exec"),
    ("virsh", "--exec"),
    ("distcc icecc ccache", "--run"),
    (
        "cmake",
        "-DCMAKE_C_COMPILER_LAUNCHER -DCMAKE_CXX_COMPILER_LAUNCHER -DCMAKE_C_COMPILER -DCMAKE_CXX_COMPILER -DCMAKE_RULE_LAUNCH_COMPILE -DCMAKE_MAKE_PROGRAM",
    ),
    (
        "bazel blaze",
        "--run_under --test_runner --shell_executable --workspace_status_command --credential_helper --host_jvm_args",
    ),
    ("cargo", "--config"),
    ("go", "-exec -toolexec -vettool"),
    ("gradle gradlew", "-Dorg.gradle.java.home"),
    ("mvn", "-Dexec.executable -Djvm -Dmaven.compiler.executable"),
    ("pip", "--global-option --build-option --install-option --config-settings"),
    ("npm pnpm yarn", "--script-shell --shell --node-options --git"),
    ("composer", "--scripts-dev"),
    ("docker", "--credential-helper"),
    ("kubectl", "--exec-command --exec-arg"),
    ("vagrant", "--provision-with"),
    ("xterm rxvt urxvt st foot konsole", "-e"),
    ("ssh-keygen ssh-add", "-D -s -w"),
    ("busctl", "--address"),
    ("sqlmap", "--eval --os-cmd --os-shell"),
    ("dstat", "--plugin"),
    ("mpv vlc mplayer", "--script --input-ipc-server --extraintf --ytdl-path"),
    (
        "youtube-dl yt-dlp",
        "--exec --exec-before-download --external-downloader --downloader --plugin-dirs",
    ),
    ("rtorrent transmission-daemon transmission-remote", "--torrent-done-script -o"),
    ("cupsfilter lpadmin", "-P -E -i -v"),
    ("fzf", "--preview --bind --with-shell"),
    ("less man", "-P --pager"),
    ("make", "SHELL MAKESHELL CC CXX"),
    ("postconf", "mailbox_command"),
    ("jq", ""),
];

/// Programs, and their options whose value is a file with code or settings that run code.
const FILES: &[(&str, &str)] = &[
    ("ninja", "-f"),
    (
        "make gmake bmake just task",
        "-f --file --makefile --justfile --taskfile -I --include-dir --eval",
    ),
    ("task", "-t -d --dir"),
    ("rake scons waf ant nmake", "-f --rakefile -r --file -buildfile"),
    (
        "mvn mvnw",
        "-f --file -s --settings -gs --global-settings -t --toolchains -Dmaven.ext.class.path -DremoteRepositories \
        -DaltDeploymentRepository -Dmaven.repo.remote -DrepositoryUrl",
    ),
    (
        "gradle gradlew",
        "-b --build-file -I --init-script -p --project-dir -c --settings-file --include-build",
    ),
    ("sbt mill lein boot bb", "-f --config -Dsbt.global.base --init"),
    (
        "bazel blaze buck buck2 pants",
        "--bazelrc --override_repository --config --config-file --pants-config-files",
    ),
    ("cmake", "-P -C --preset -DCMAKE_TOOLCHAIN_FILE -DCMAKE_PROJECT_INCLUDE --toolchain -S"),
    ("meson", "--cross-file --native-file"),
    ("cargo", "--config --manifest-path"),
    ("rustc", "-C -Clinker --extern -Zcodegen-backend -L"),
    ("go", "-overlay -modfile -toolexec -C"),
    (
        "gcc g++ cc c++ clang clang++ c89 c99",
        "-B -specs -fplugin -wrapper -Xclang -fpass-plugin -load @",
    ),
    ("ld gold lld mold", "-plugin --plugin --dynamic-linker"),
    ("nm ar objdump readelf as nasm", "--plugin -plugin @ -@"),
    ("pytest py.test", "-p -c --rootdir --confcutdir --config-file --override-ini -o"),
    ("tox nox", "-c -f --noxfile --conf"),
    ("coverage", "run --rcfile"),
    ("pylint", "--load-plugins --init-hook --rcfile"),
    ("flake8 mypy ruff black isort bandit", "--config --config-file --append-config --plugins-dir"),
    ("pre-commit", "-c --config"),
    ("sphinx-build mkdocs", "-c -f --config-file"),
    ("alembic", "-c --config"),
    ("celery flower", "--config"),
    ("gunicorn uvicorn hypercorn daphne", "-c --config --pythonpath --chdir"),
    ("uwsgi", "--ini --exec-pre-app --exec-asap --plugin --yaml --import --pythonpath --pyrun"),
    ("supervisord circusd honcho foreman", "-c -f --configuration --procfile"),
    (
        "jupyter jupyter-nbconvert jupyter-lab papermill",
        "--config --execute nbconvert --ServerApp.contents_manager_class",
    ),
    ("ipython", "--config --profile-dir --ipython-dir -i"),
    ("python pypy", "-i"),
    ("pdb pdb3 ipdb", "*"),
    (
        "eslint",
        "-c --config --rulesdir --plugin --resolve-plugins-relative-to --parser -f --format",
    ),
    (
        "prettier stylelint",
        "--config --plugin --plugin-search-dir --custom-syntax --custom-formatter",
    ),
    ("webpack vite rollup esbuild parcel tsup", "-c --config --plugin --configPlugin -p"),
    (
        "jest vitest",
        "-c --config --globalSetup --setupFiles --setupFilesAfterEnv --testEnvironment --runner --reporters --transform --resolver --preset --globalTeardown",
    ),
    (
        "mocha ava nyc c8 tap",
        "-r --require --config --file --opts --loader --import --ui --reporter",
    ),
    ("babel babel-node", "--plugins --presets --config-file --require -r"),
    ("postcss", "--config -u --use --parser --syntax"),
    (
        "cypress playwright karma protractor wdio nightwatch",
        "--config-file -C -c --config --plugins",
    ),
    ("gulp grunt", "-f --gulpfile --gruntfile --tasks --require"),
    ("tsc ts-node tsx", "-r --require --import --loader -P --project"),
    (
        "node nodejs",
        "-r --require --import --loader --experimental-loader --env-file --openssl-config --snapshot-blob",
    ),
    ("deno", "--import-map --config --preload --lock"),
    ("bun", "--preload -r --config"),
    ("serverless sls sam cdk pulumi", "-c --config --app -a --config-file"),
    ("pm2 forever", "start --ecosystem -c"),
    ("ruby irb jruby", "-r -I"),
    ("bundle bundler", "--gemfile"),
    ("rspec cucumber minitest rubocop", "-r --require --options -O -c --config --plugin"),
    ("perl", "-I -d"),
    ("php", "-d -c --define --php-ini"),
    ("phpunit pest phpstan psalm", "--bootstrap -c --configuration --autoload-file -a"),
    ("composer", "-d --working-dir"),
    ("lua luajit", "-l"),
    ("java", "-javaagent -agentpath -agentlib -cp -classpath --class-path -jar -XX:Flags @"),
    ("javac", "-processorpath --processor-path -J-javaagent -Xplugin"),
    ("groovy kotlin scala jshell", "-cp --startup -s"),
    ("elixir iex mix erl", "-r -pa -S --config -config"),
    ("julia", "-L --load -J --sysimage --project"),
    ("R Rscript", "-f --file"),
    ("sbcl clisp ecl guile racket", "--load --script -l -x --userinit --sysinit"),
    ("ocaml", "-init -I"),
    ("vim vi view nvim gvim ex rvim", "-S -u -U -i --cmd --luamod-dev"),
    ("emacs emacsclient", "-l --load --script -L --init-directory"),
    ("nano joe micro", "--rcfile -rcfile -config-dir --plugin"),
    ("tmux screen zellij byobu", "-f -c --config"),
    ("less", "-k --lesskey-file --lesskey-src"),
    ("w3m lynx elinks links", "-config -cfg --config-file -config-dir -cfg"),
    ("mutt neomutt alpine", "-F -p"),
    ("irssi weechat", "--config --home -r"),
    ("gdb lldb", "-x --command -s -S -ix --init-command --init-eval-command"),
    ("valgrind", "--suppressions --tool"),
    ("strace ltrace perf bpftrace", "--config -F --script"),
    ("nmap", "--script --datadir --servicedb"),
    ("tshark wireshark", "-X"),
    ("tcpdump", "-F"),
    ("msfconsole", "-r -m"),
    ("ffmpeg", "-filter_script -init_hw_device"),
    ("blender gimp inkscape", "-P --python -b --batch --actions"),
    ("libreoffice soffice", "-env:UserInstallation macro:"),
    ("pandoc", "-F --filter -L --lua-filter --defaults -d --pdf-engine"),
    ("latex pdflatex xelatex lualatex tex", "-fmt -shell-escape --shell-escape -output-directory"),
    ("gnuplot octave maxima sage", "-e -p -b --path --eval"),
    ("ansible ansible-playbook", "-i --inventory -M --module-path -e --extra-vars"),
    ("puppet", "--modulepath --confdir --config --vardir"),
    ("chef-client chef-solo knife", "-c --config -j"),
    ("salt-call salt", "-c --config-dir -m --module-dirs --file-root"),
    ("terraform terragrunt packer", "-chdir -plugin-dir -var-file --terragrunt-config"),
    ("helm", "--post-renderer --plugin -f --values"),
    ("kubectl", "--kubeconfig"),
    ("vagrant", "--vagrantfile"),
    ("docker docker-compose", "--config --env-file"),
    (
        "nginx apache2 httpd apachectl haproxy lighttpd caddy traefik",
        "-c -f -C --config --configFile",
    ),
    ("sshd ssh scp sftp", "-F -f"),
    ("named dnsmasq unbound rsyslogd syslog-ng", "-c -C -f --conf-file --cfgfile"),
    (
        "redis-server mysqld postgres mongod",
        "--loadmodule --plugin-load --config -c --config_file --shared_preload_libraries",
    ),
    ("mysql mysqldump psql", "--defaults-file --defaults-extra-file --plugin-dir"),
    ("sqlite3 duckdb", "-init"),
    ("openssl", "-engine -provider -provider-path -config -engine_impl"),
    ("openvpn wpa_supplicant hostapd pppd", "--config -c file"),
    ("curl wget aria2c", "-K --config --conf-path"),
    ("git", "--exec-path --template --config-env"),
    ("gpg gpg2", "--agent-program --options --homedir --pinentry-program --dirmngr-program"),
    ("apt apt-get aptitude", "-c --config-file"),
    ("dnf yum zypper", "-c --config --installroot --setopt --pluginconf"),
    ("pacman", "--config --hookdir --gpgdir --dbpath"),
    ("dpkg", "--root --admindir --instdir"),
    ("rpm", "--rcfile --macros --load --root"),
    ("nix nix-build nix-shell nix-env guix", "-f --file -I -L --load-path --option"),
    ("logrotate cron fcron", "-s"),
    ("systemd-run systemctl", "--root"),
    ("neofetch fastfetch", "--config --source"),
    ("facter", "--custom-dir --external-dir --config"),
    ("cowsay cowthink", "-f"),
    ("xrdb xmodmap xinit startx sxhkd i3 sway", "-c --config"),
    ("rtorrent", "-n -o"),
    ("fish zsh bash sh", "--rcfile --init-file --init-command"),
    ("clamscan yara", "-d --database"),
    ("ld-linux-x86-64.so.2 ld.so ld-linux.so.2 ld-musl-x86_64.so.1", "* --preload --library-path"),
    ("insmod modprobe", "*"),
    (
        "karma storybook lint-staged commitlint semantic-release turbo nx",
        "start -c --config -x --extends --cwd --runner",
    ),
    (
        "dotnet msbuild",
        "-p:CustomBeforeMicrosoftCommonTargets -p:CustomAfterMicrosoftCommonTargets -p:DirectoryBuildPropsPath msbuild exec",
    ),
    ("xcodebuild", "-xcconfig OTHER_LDFLAGS OTHER_CFLAGS CC LD"),
    ("stack cabal", "--stack-yaml --project-file --with-compiler"),
    ("zig", "--build-file --global-cache-dir"),
    ("swift", "--package-path -load-plugin-library"),
    ("helm", "--post-renderer"),
    ("tilt skaffold earthly", "-f --file"),
    ("protoc buf", "--plugin --template"),
    ("openapi-generator", "-t --template-dir"),
    ("hugo jekyll asciidoctor", "--themesDir --plugins -r --require"),
    ("papermill", "*"),
    ("yo degit", "*"),
    ("ccache", "*"),
    ("configure", "CC CXX LD --with-shell PKG_CONFIG"),
    ("autoreconf autoconf automake aclocal", "-I --include -B"),
    ("ctest", "-S -SP"),
    ("node-gyp", "--python --nodedir"),
    (
        "npm pnpm yarn bun",
        "--nodedir --python --node-gyp --script-shell --userconfig --globalconfig",
    ),
    ("mise direnv", "trust allow"),
    ("packer", "init"),
    ("vagrant", "--plugin-source"),
    ("ant", "-lib -propertyfile -logger -listener"),
    ("tsc", "--plugins --pretty"),
    ("pod bundle", "--project-directory"),
    ("dune", "exec"),
    ("act", "--env-file --container-options -W"),
    ("service", "*"),
    ("run-parts", "*"),
];

type Options = HashMap<&'static str, Vec<&'static str>>;

fn by_name(table: &'static [(&'static str, &'static str)]) -> Options {
    let mut all: Options = HashMap::new();
    for (names, options) in table {
        for name in names.split(' ') {
            all.entry(name).or_default().push(options);
        }
    }
    all
}

static BY_COMMAND: LazyLock<Options> = LazyLock::new(|| by_name(COMMANDS));
static BY_FILE: LazyLock<Options> = LazyLock::new(|| by_name(FILES));

/// The values of these options: behind them, or joined by a sign.
fn values<'c>(call: &ProgramCall<'c>, options: &'static str) -> Vec<&'c str> {
    let args = call.args;
    let mut found = Vec::new();
    for (at, arg) in args.iter().enumerate() {
        let text: &'c str = arg.text.as_ref();
        for option in options.split(' ') {
            if option == "*" {
                if !text.starts_with('-') {
                    found.push(text);
                }
            } else if text == option {
                if let Some(next) = args.get(at + 1) {
                    found.push(next.text.as_ref());
                }
            } else if let Some(rest) = text.strip_prefix(option) {
                if let Some(value) = rest.strip_prefix(['=', ':']) {
                    found.push(value);
                } else if option.len() == 2 && option.starts_with('-') && !option.starts_with("--")
                    || option == "@"
                {
                    found.push(rest);
                }
            }
        }
    }
    found
}

/// Whether an option of a call brings code from a strange place, or a shell where a helper belongs.
pub(crate) fn loads(call: &ProgramCall<'_>) -> bool {
    if call.args.is_empty() || call.asks_for_help() {
        return false;
    }
    let commands = BY_COMMAND.get(call.name).into_iter().flatten();
    let commands = commands.filter(|options| !options.is_empty());
    if commands
        .flat_map(|options| values(call, options))
        .any(|value| !is_usual(value) && starts_shell(value) && !value.trim().starts_with("curl "))
        // What is run anew whenever a file changes is judged by what it says.
        && !matches!(call.name, "nodemon" | "watchexec" | "reflex" | "chokidar" | "onchange")
    {
        return true;
    }
    let files = BY_FILE.get(call.name).into_iter().flatten();
    let is_strange = |value: &str| {
        let value = value.split_once('=').map_or(value, |(_, value)| value);
        let value = value.strip_prefix("lua_script:").unwrap_or(value);
        is_temp(value) || arrivals::is_address(value) || value.starts_with("/dev/fd/")
    };
    if files.flat_map(|options| values(call, options)).any(is_strange) {
        return !matches!(call.name, "helm" | "ansible-playbook" | "curl" | "wget" | "pacman");
    }
    says_code(call)
}

/// Settings and small languages in arguments that run something.
fn says_code(call: &ProgramCall<'_>) -> bool {
    let any = |words: &[&str]| {
        call.args.iter().any(|arg| words.iter().any(|word| arg.text.contains(word)))
    };
    match call.name {
        "apt" | "apt-get" | "aptitude" => call.args.iter().any(|arg| {
            let text = arg.text.to_ascii_lowercase();
            text.split_once('=').is_some_and(|(key, value)| {
                ["invoke", "pre-install", "post-install", "solver", "proxy-auto", "dir::bin"]
                    .iter()
                    .any(|word| key.contains(word))
                    && !value.is_empty()
            })
        }),
        "vim" | "nvim" | "vi" | "ex" | "view" | "gvim" => any(&[
            "writefile(",
            "delete(",
            "rename(",
            "system(",
            "systemlist(",
            "libcall",
            "job_start(",
            "term_start(",
            "jobstart(",
            "os.execute",
            "io.popen",
            "vim.fn.system",
            "vim.system",
            "uv.spawn",
        ]),
        "mutt" | "neomutt" => {
            any(&["set shell=", "set editor=", "set sendmail=", "set query_command", "source "])
        }
        "pylint" => any(&["--init-hook"]) && any(&["system", "exec", "import", "subprocess"]),
        "rpm" | "rpmquery" | "rpmverify" | "rpmdb" | "rpmspec" | "rpmbuild" => {
            any(&["os.execute", "%(", "io.popen", "posix.exec"])
        }
        "exiftool" => any(&["system(", "exec ", "`", "qx"]),
        "bpftrace" => any(&["system("]),
        "latex" | "pdflatex" | "xelatex" | "lualatex" | "tex" | "pdftex" | "luatex" | "xetex" => {
            any(&["write18", "os.execute", "io.popen", "|\"", "openin", "shell-escape"])
        }
        "puppet" => any(&["exec {", "exec{"]),
        "knife" => call.arg(0) == "exec" && any(&["system", "`", "exec"]),
        "jrunscript" | "jjs" => any(&["exec(", "Runtime", "ProcessBuilder"]),
        "slsh" => any(&["system"]),
        "perlbug" => any(&["exec ", "system"]),
        "cpan" => any(&["! exec", "! system", "!exec"]),
        "busctl" => any(&["unixexec:"]),
        "xdg-user-dir" => any(&["}", ";"]),
        "terraform" => call.arg(0) == "console" && call.stdin.text.is_some(),
        "nix" | "nix-build" | "nix-shell" | "nix-instantiate" | "nix-env" => {
            any(&["builtins.exec", "fetchTarball", "fetchurl", "builtins.fetchGit"])
        }
        "dotnet" => call.arg(0) == "fsi" && any(&["--exec", "/tmp/"]),
        "ansible" => any(&["lookup('pipe'", "lookup(\"pipe\""]),
        "service" => any(&["../"]),
        "run-parts" => any(&["--regex"]) && any(&["sh"]),
        "dvips" => any(&["-R0"]),
        "minicom" | "picocom" => any(&["-S", "--send-cmd"]) && any(&["sh", "/tmp/"]),
        "zathura" => any(&[":!", ":exec"]),
        "aws" => any(&["--cli-pager", "credential_process"]),
        "git" => {
            call.has(&["credential_process"])
                || call.args.iter().any(|arg| {
                    arg.text.starts_with("protocol.") && arg.text.ends_with("allow=always")
                })
        }
        "cargo" | "rustc" => any(&["linker=/tmp/", "linker=./"]),
        "go" => any(&["-extld=/tmp/", "-extld /tmp/", "-extld=./"]),
        "gradle" | "gradlew" | "mvn" | "java" | "sbt" => {
            any(&["-javaagent:/tmp/", "-agentpath:/tmp/"])
        }
        "make" | "gmake" => any(&["PATH=/tmp", "PATH=."]),
        "docker" => any(&["insecure", "network"]) && call.has(&["--allow"]),
        "kustomize" => any(&["--enable-exec", "--enable-alpha-plugins"]),
        "composer" => call.arg(0) == "config" && any(&["scripts."]),
        "cmake" => any(&["_LAUNCHER=sh", "_COMPILER=sh", "_LAUNCHER=/bin/sh"]),
        _ => false,
    }
}

/// The text of an option that this program hands to a shell.
pub(crate) fn command_values<'c>(call: &ProgramCall<'c>) -> Vec<&'c str> {
    let commands = BY_COMMAND.get(call.name).into_iter().flatten();
    let commands = commands.filter(|options| !options.is_empty());
    let values = commands.flat_map(|options| values(call, options));
    values.filter(|value| value.contains(' ') && value.len() < 4_096).take(8).collect()
}

/// Whether an argument comes out of a program that fetched it, for a call that does not just read it.
pub(crate) fn takes_pipe(call: &ProgramCall<'_>) -> bool {
    const READERS: &[&str] = &[
        "diff",
        "cat",
        "grep",
        "egrep",
        "fgrep",
        "rg",
        "jq",
        "yq",
        "sort",
        "comm",
        "wc",
        "head",
        "tail",
        "less",
        "more",
        "bat",
        "sha256sum",
        "sha1sum",
        "md5sum",
        "sha512sum",
        "shasum",
        "cmp",
        "vimdiff",
        "colordiff",
        "delta",
        "paste",
        "join",
        "cut",
        "awk",
        "sed",
        "tr",
        "uniq",
        "nl",
        "column",
        "gpg",
        "openssl",
        "xmllint",
        "python",
        "node",
        "ruby",
        "perl",
        "source",
        ".",
        "bash",
        "sh",
        "zsh",
        "dash",
        "ksh",
        "tee",
        "while",
        "read",
        "mapfile",
        "readarray",
        "curl",
        "wget",
        "echo",
        "printf",
        "cp",
        "tar",
        "unzip",
        "base64",
        "xxd",
        "od",
        "hexdump",
        "strings",
        "file",
        "stat",
        "kubectl",
        "oc",
        "helm",
        "apt-key",
        "ffmpeg",
        "convert",
        "vim",
        "code",
        "csvlook",
        "csvcut",
        "mlr",
        "sqlite-utils",
        "dyff",
        "git",
        "fmt",
        "fold",
        "eval",
        "exec",
        "test",
    ];
    let is_fetched = |arg: &Arg<'_>| {
        arg.pipe.as_ref().is_some_and(|pipe| pipe.taint.has(super::super::call::Taint::NETWORK))
    };
    call.args.iter().any(is_fetched) && !READERS.contains(&call.name)
}

//! Variables that make programs run something.

use super::super::super::facts::HOLE;
use super::is_usual;

/// Variables whose value is a command that some program runs.
const COMMANDS: &[&str] = &[
    "PAGER",
    "MANPAGER",
    "GIT_PAGER",
    "BAT_PAGER",
    "DELTA_PAGER",
    "SYSTEMD_PAGER",
    "AWS_PAGER",
    "GH_PAGER",
    "PSQL_PAGER",
    "EDITOR",
    "VISUAL",
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "FCEDIT",
    "SUDO_EDITOR",
    "SYSTEMD_EDITOR",
    "KUBE_EDITOR",
    "HGEDITOR",
    "SVN_EDITOR",
    "BROWSER",
    "GH_BROWSER",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "RSYNC_RSH",
    "CVS_RSH",
    "SVN_SSH",
    "LESSOPEN",
    "LESSCLOSE",
    "PROMPT_COMMAND",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "HGMERGE",
    "MAILER",
    "COMPRESSOR",
    "LD",
    "SHELL",
    "CONFIG_SHELL",
    "MAKE_SHELL",
    "npm_config_script_shell",
    "npm_config_git",
    "YARN_SCRIPT_SHELL",
    "PIP_EDITOR",
    "DIFFPROG",
    "XDG_UTILS_BROWSER",
];

/// Variables whose value is a file that is run or loaded.
const FILES: &[&str] = &[
    "LD_PRELOAD",
    "LD_AUDIT",
    "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
    "DYLD_FRAMEWORK_PATH",
    "BASH_ENV",
    "ENV",
    "ZDOTDIR",
    "PYTHONSTARTUP",
    "PYTHONHOME",
    "PYTHONUSERBASE",
    "PYTHONBREAKPOINT",
    "PYTHONINSPECT",
    "PERL5DB",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_DIR",
    "TERMINFO",
    "GCONV_PATH",
    "NODE_REPL_EXTERNAL_MODULE",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "RIPGREP_CONFIG_PATH",
    "WGETRC",
    "CURL_HOME",
    "INPUTRC",
    "VIMINIT",
    "EXINIT",
    "MYVIMRC",
    "EMACSLOADPATH",
    "MANOPT",
    "GRADLE_USER_HOME",
    "npm_config_node_gyp",
    "npm_config_userconfig",
    "NPM_CONFIG_USERCONFIG",
    "RUBYGEMS_GEMDEPS",
    "KRB5_CONFIG",
    "SCREENRC",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "HOSTALIASES",
    "LOCPATH",
];

/// Variables with options for a program, and the options that make it load or run something.
const OPTIONS: &[(&str, &[&str])] = &[
    ("NODE_OPTIONS", &["-r", "--require", "--import", "--loader", "--experimental-loader"]),
    ("BUN_OPTIONS", &["-r", "--preload", "--require", "--import"]),
    ("RUBYOPT", &["-r", "-I", "-e"]),
    ("PERL5OPT", &["-M", "-m", "-I", "-d"]),
    ("PYTHONOPTIONS", &["-c", "-m"]),
    ("JAVA_TOOL_OPTIONS", &["-javaagent", "-agentpath", "-agentlib", "-XX:On", "@"]),
    ("_JAVA_OPTIONS", &["-javaagent", "-agentpath", "-agentlib", "-XX:On", "@"]),
    ("JDK_JAVA_OPTIONS", &["-javaagent", "-agentpath", "-agentlib", "-XX:On", "@"]),
    ("JAVA_OPTS", &["-javaagent", "-agentpath", "-agentlib", "-XX:On", "@"]),
    ("MAVEN_OPTS", &["-javaagent", "-agentpath", "-agentlib", "-XX:On", "@"]),
    ("GRADLE_OPTS", &["-javaagent", "-agentpath", "-agentlib", "-XX:On", "-I"]),
    ("MAKEFLAGS", &["--eval", "-f", "SHELL="]),
    ("TAR_OPTIONS", &["--to-command", "--checkpoint-action", "-I", "--use-compress", "--rsh"]),
    ("RSYNC_OPTIONS", &["-e", "--rsh", "--rsync-path"]),
    ("LESS", &["!", "+!"]),
    ("FZF_DEFAULT_OPTS", &["execute", "--preview", "become"]),
    ("GREP_OPTIONS", &["-f"]),
    ("RUSTFLAGS", &["linker=", "-Zcodegen-backend"]),
    ("CFLAGS", &["-wrapper", "-fplugin", "-B"]),
    ("CXXFLAGS", &["-wrapper", "-fplugin", "-B"]),
    ("LDFLAGS", &["--plugin", "-wrapper", "-fuse-ld=/", "-B"]),
    ("GOFLAGS", &["-toolexec", "-exec", "-overlay", "-modfile=/tmp"]),
    ("SBT_OPTS", &["-javaagent", "-agentpath", "-Dsbt.global.base=/tmp"]),
    ("ANT_ARGS", &["-lib", "-f", "-listener", "-logger"]),
    ("ANT_OPTS", &["-javaagent", "-agentpath"]),
    ("MAVEN_ARGS", &["-Dmaven.ext.class.path", "-f", "-s"]),
    ("CMAKE_ARGS", &["-DCMAKE_C_COMPILER_LAUNCHER", "-DCMAKE_TOOLCHAIN_FILE=/tmp"]),
    ("ERL_FLAGS", &["-eval", "-s", "-run", "-pa"]),
    ("ERL_AFLAGS", &["-eval", "-s", "-run", "-pa"]),
    ("ELIXIR_ERL_OPTIONS", &["-eval", "-s", "-run", "-pa"]),
    ("OPENSSL_MODULES", &["/tmp"]),
    ("CGO_CFLAGS", &["-fplugin", "-wrapper", "-B"]),
    ("CGO_CXXFLAGS", &["-fplugin", "-wrapper", "-B"]),
    ("CGO_LDFLAGS", &["-Wl,-plugin", "-fplugin", "--plugin", "-wrapper", "-B"]),
    ("NPM_CONFIG_NODE_OPTIONS", &["-r", "--require", "--import", "--loader"]),
    ("npm_config_node_options", &["-r", "--require", "--import", "--loader"]),
    ("PYTEST_ADDOPTS", &["-p", "--rootdir", "-c"]),
    ("ZSTD_CLEVEL", &[]),
    ("SSH_OPTIONS", &["ProxyCommand", "LocalCommand"]),
    ("DOCKER_OPTS", &["-H"]),
];

/// Whether giving a variable this value makes some program run it, and it is no usual value.
pub(crate) fn makes_run(name: &str, value: &str, temp_dir: &str) -> bool {
    if !name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
        && !name.starts_with("npm_config_")
    {
        return false;
    }
    if value.is_empty() {
        return false;
    }
    if COMMANDS.contains(&name) {
        // `LD=$TOOLCHAIN/bin/ld`: the usual program, at another place.
        let is_same =
            value.rsplit_once('/').is_some_and(|(_, last)| last.eq_ignore_ascii_case(name));
        return !is_usual(value) && !is_same;
    }
    if FILES.contains(&name) {
        return match name {
            // The user's own trace, or a repository at another place.
            "PS4" => value.contains("$(") || value.contains('`'),
            "GIT_DIR" => is_strange_place(value, temp_dir),
            "PYTHONINSPECT" | "SHELLOPTS" | "BASHOPTS" => value.contains(HOLE),
            "PYTHONBREAKPOINT" => !matches!(value, "0" | "ipdb.set_trace" | "pdb.set_trace"),
            "ENV" => value.contains('/') || value.contains('$'),
            "GIT_CONFIG_GLOBAL" | "GIT_CONFIG_SYSTEM" => value != "/dev/null",
            _ => value != "/dev/null",
        };
    }
    // A file from where anybody may put one, in the place of a program or a library.
    const LOADED: &[&str] = &[
        "PRELOAD",
        "STARTUP",
        "INIT",
        "SHELL",
        "CMD",
        "COMMAND",
        "WRAPPER",
        "HOOK",
        "MODULES",
        "PLUGIN",
        "ASKPASS",
        "EXEC",
        "RUNNER",
        "LINKER",
        "COMPILER",
        "INTERPRETER",
        "DRIVER",
        "HELPER",
        "PROGRAM",
        "LOADER",
        "RCFILE",
    ];
    if LOADED.iter().any(|word| name.contains(word))
        && ["sh ", "bash ", "python ", "python3 ", "perl ", "node "]
            .iter()
            .any(|shell| value.starts_with(shell))
    {
        return true;
    }
    // Where packages come from, over a line that anybody may change.
    let names_source = ["INDEX_URL", "REGISTRY", "GOPROXY", "_MIRROR"]
        .iter()
        .any(|word| name.to_ascii_uppercase().contains(word));
    if names_source
        && value.starts_with("http://")
        && !value.contains("localhost")
        && !value.contains("127.0.0.1")
    {
        return true;
    }
    if is_strange_place(value, temp_dir)
        && value.len() > 5
        && (value.ends_with(".so") || LOADED.iter().any(|word| name.contains(word)))
    {
        return true;
    }
    match name {
        "PSQLRC" | "MYSQL_HOME" | "ANSIBLE_CONFIG" | "TERMINAL" | "MAILRC" | "NETRC"
        | "GNUPGHOME" | "LESSKEY" | "MAKEFILES" | "PKG_CONFIG" | "AUTOM4TE" | "AUTOCONF"
        | "RUSTDOC" | "ANSIBLE_LIBRARY" | "YARN_RC_FILENAME" | "SQLITERC" | "PIP_CONFIG_FILE"
        | "TF_CLI_CONFIG_FILE" | "CC" | "CXX" | "AR" | "AS" | "NM" | "MAKE" | "RUSTC"
        | "GOROOT" | "JAVA_HOME" | "BUNDLE_GEMFILE" | "KUBECONFIG" | "HELM_PLUGINS"
        | "R_PROFILE" | "R_PROFILE_USER" | "LUA_INIT" | "PHPRC" | "PHP_INI_SCAN_DIR"
        | "JUPYTER_CONFIG_DIR" | "IPYTHONDIR" | "VIMRUNTIME" | "GEM_HOME" | "GEM_PATH"
        | "MAVEN_CONFIG" | "DOCKER_CONFIG" | "AWS_CONFIG_FILE" | "BOTO_CONFIG"
        | "JULIA_DEPOT_PATH" | "CABAL_DIR" | "MIX_HOME" | "ELIXIR_HOME" | "SBT_HOME"
        | "ANT_HOME" | "COMPOSER_HOME" => is_strange_place(value, temp_dir),
        "LD_LIBRARY_PATH" | "PATH" | "PERL5LIB" | "RUBYLIB" | "NODE_PATH" => {
            value.split(':').any(|entry| is_strange_place(entry, temp_dir))
        }
        // One's own folder is where programs in Python usually are.
        "PYTHONPATH" | "CLASSPATH" | "LUA_PATH" => {
            let strange = |entry: &str| entry != "." && is_strange_place(entry, temp_dir);
            value.split(':').any(strange)
        }
        name if name.starts_with("LD_") && name != "LD_LIBRARY_PATH" => {
            matches!(name, "LD_ORIGIN_PATH" | "LD_CONFIG")
        }
        name if name.starts_with("GIT_CONFIG_KEY_") => true,
        name => OPTIONS.iter().any(|(variable, dangerous)| {
            *variable == name
                && value.split_whitespace().any(|word| {
                    dangerous.iter().any(|start| word.starts_with(start))
                        && (matches!(name, "MAKEFLAGS" | "TAR_OPTIONS") || !is_usual_module(word))
                })
        }),
    }
}

/// `--require=dotenv/config` names something that was installed, `--require ./x` a file.
fn is_usual_module(word: &str) -> bool {
    word.split_once('=').is_some_and(|(option, module)| {
        option.starts_with("--")
            && module.contains(|char: char| char.is_ascii_alphanumeric())
            && !module.starts_with(['.', '/', '~', HOLE])
            && !option.contains("command")
    })
}

/// Where anybody may put programs and libraries: the temporary folder, or wherever one happens
/// to be.
fn is_strange_place(entry: &str, temp_dir: &str) -> bool {
    let temp = [temp_dir, "/tmp", "/var/tmp", "/dev/shm"];
    matches!(entry, "." | "..")
        || temp.iter().any(|temp| {
            !temp.is_empty()
                && entry
                    .strip_prefix(temp.trim_end_matches('/'))
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
}

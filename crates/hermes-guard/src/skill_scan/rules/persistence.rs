//! Things that stay when the skill is gone.

use super::super::finding::SkillRisk::Persistence;
use super::super::finding::SkillSeverity::{Critical, High, Low, Medium};
use super::{ScanRule, command, instruction};

const AGENT_FILES: &[&str] = &[
    "agents.md",
    "claude.md",
    "gemini.md",
    ".cursorrules",
    ".clinerules",
    ".windsurfrules",
    "copilot-instructions",
    "soul.md",
    "mcp.json",
    ".mcp.json",
    "claude_desktop_config",
    ".claude/settings",
    ".cursor/rules",
    ".claude/hooks",
    ".codex/config",
];

macro_rules! agent_file {
    () => {
        r"(?:AGENTS\.md|CLAUDE\.md|GEMINI\.md|\.cursorrules|\.clinerules|\.windsurfrules|copilot-instructions\.md|SOUL\.md|\.?mcp\.json|claude_desktop_config\.json|\.claude/settings(?:\.local)?\.json|\.cursor/rules|\.codex/config\.toml)"
    };
}

pub(super) const RULES: &[ScanRule] = &[
    command(
        ("ssh_backdoor", Persistence, Critical),
        &["authorized_keys"],
        r#"(?:>>?\s?|\btee (?:-\w+ )*|@(?:cp|mv|install) (?:-\S+ )*\S+ |open\(|write\w*\(|append\w*\()["'\w./~${}(-]{0,60}authorized_keys"#,
        "A key is let into the account.",
    )
    .unless(r"\bssh-copy-id|(?:^|[|;&]\s*)ssh (?:-\S+ )*[\w$]|\.pub\b"),
    command(
        ("ssh_backdoor", Persistence, Critical),
        &["authorized_keys"],
        r"\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-[\w-]+|sk-\S+) AAAA[^\n]*authorized_keys|authorized_keys[^\n]*\b(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-[\w-]+) AAAA\w{16}",
        "A key of the author is let into the account.",
    )
    .reaching(2),
    command(
        ("ssh_backdoor", Persistence, Medium),
        &["authorized_keys"],
        r#"(?:>>?\s?|\btee (?:-\w+ )*)["'\w./~${}-]{0,60}authorized_keys"#,
        "A key is let into an account.",
    ),
    command(
        ("shell_rc_mod", Persistence, Critical),
        &["bashrc", "zshrc", ".profile", "bash_profile", "profile.d", "config.fish", "zprofile", "zshenv"],
        r#"(?:curl|wget|base64|eval|/dev/tcp|\bnc\b|nohup|alias (?:sudo|ssh|su|git|ls)=|LD_PRELOAD|python\d? -c)[^\n]*>>?\s?["']?[\w./~${}-]*(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|\.zprofile|\.zshenv|/etc/profile|profile\.d/|config\.fish)"#,
        "Foreign code is started with each shell.",
    )
    .unless(r#"eval ["']?\$?\(?[\w./-]+ (?:init|hook|completion|activate|shellenv|env|export)\b"#),
    command(
        ("shell_rc_mod", Persistence, Critical),
        &["bashrc", "zshrc", ".profile", "bash_profile"],
        r#"\bopen\([^\n]*(?:\.bashrc|\.zshrc|\.profile|\.bash_profile)[^\n]*["']a?[wa]["'][^\n]*\n?[^\n]*(?:curl|wget|base64|eval|/dev/tcp|python)"#,
        "Foreign code is started with each shell.",
    )
    .reaching(2),
    command(
        ("command_replaced", Persistence, High),
        &["bin/git", "bin/ssh", "bin/sudo", "bin/su", "bin/gpg", "bin/docker", "bin/kubectl", "bin/npm", "bin/node", "bin/python", "bin/ls", "bin/curl", "bin/aws", "bin/gh", "bin/scp", "bin/login"],
        r#"(?:>\s?|\btee(?: -\w+)* |-[oO] ?|--output[= ])["']?(?:<home>|/usr/local/|/opt/)[\w./-]*\bs?bin/(?:git|ssh|sudo|su|gpg|docker|npm|node|python3?|ls|curl|aws|gh|scp|login)(?:["'\s;&|]|$)"#,
        "A command that everybody uses is replaced by another one.",
    )
    .unless(r"https://(?:awscli|cli\.github|get\.docker|download\.docker|nodejs\.org|github\.com/docker)"),
    command(
        ("shell_rc_mod", Persistence, High),
        &["profile.d", "/etc/profile", "/etc/bash.bashrc", "/etc/environment"],
        r"(?:>>?\s?|\btee(?: -\w+)* |@(?:cp|mv|install|ln)\b[^\n|;&]* )/etc/(?:profile|bash\.bashrc|environment)",
        "The start of every shell on the machine is changed.",
    ),
    command(
        ("shell_rc_mod", Persistence, Medium),
        &["bashrc", "zshrc", ".profile", "bash_profile", "config.fish", "zprofile", "zshenv"],
        r#">>?\s?["']?[\w./~${}-]*(?:\.bashrc|\.zshrc|\.profile|\.bash_profile|\.zprofile|\.zshenv|config\.fish)"#,
        "The start of the user's shells is changed.",
    ),
    command(
        ("persistence_cron", Persistence, Critical),
        &["cron"],
        r"(?:curl|wget|base64|/dev/tcp|\bnc\b|python\d? -c)\b[^\n,]*(?:\| ?crontab\b|>\s?/etc/cron|>\s?/var/spool/cron|\btee\b[^\n]*/etc/cron)|(?:crontab|/etc/cron)[^\n]*(?:<<|echo)[^\n]*(?:curl|wget)[^\n]*\|\s*(?:ba)?sh",
        "Foreign code is started at fixed times.",
    ),
    command(
        ("persistence_cron", Persistence, High),
        &["/etc/cron", "/var/spool/cron"],
        r"(?:>>?\s?|\btee(?: -\w+)* |@(?:cp|mv|install|ln)\b[^\n|;&]* )/(?:etc/cron|var/spool/cron)",
        "A job of the system is installed.",
    ),
    command(
        ("persistence_cron", Persistence, Medium),
        &["crontab"],
        r"@crontab (?:-[^l\s]|-$|[\w./$])|\| ?crontab\b",
        "A job is installed.",
    ),
    command(
        ("systemd_service", Persistence, High),
        &["systemd"],
        r"(?:>>?\s?|\btee(?: -\w+)* |@(?:cp|mv|install|ln)\b[^\n|;&]* )[\w./~${}-]*systemd/(?:system|user)/[\w<at>.-]+[^\n]*(?:\n[^\n]*){0,14}systemctl [^\n]*enable",
        "A service is installed and switched on.",
    )
    .reaching(14),
    command(
        ("systemd_service", Persistence, Medium),
        &["systemctl", "update-rc.d", "chkconfig"],
        r"@systemctl (?:--\w+ )*enable\b|@update-rc\.d\b|@chkconfig\b",
        "A service is switched on.",
    ),
    command(
        ("init_script", Persistence, High),
        &["/etc/init.d", "/etc/rc.local"],
        r"(?:>>?\s?|\btee(?: -\w+)* |@(?:cp|mv|install|ln)\b[^\n|;&]* )/etc/(?:init\.d/|rc\.local)",
        "A start script of the system is installed.",
    ),
    command(
        ("macos_launchd", Persistence, High),
        &["launchagents", "launchdaemons"],
        r"(?:>>?\s?|\btee(?: -\w+)* |@(?:cp|mv|install|ln)\b[^\n|;&]* )[^\n]*Library/Launch(?:Agents|Daemons)|@launchctl (?:load|bootstrap)\b[^\n]*Launch(?:Agents|Daemons)",
        "A launch agent is installed.",
    ),
    command(
        ("sudoers_mod", Persistence, Critical),
        &["sudoers"],
        r#"(?:>>?\s?|\btee(?: -\w+)* |@(?:cp|mv|install|echo)\b[^\n|;&]* |open\(\s*["'])["']?/etc/sudoers"#,
        "The rules of sudo are changed.",
    ),
    command(
        ("agent_config_mod", Persistence, Critical),
        AGENT_FILES,
        concat!(
            r#"(?:>>\s?|\btee -a |@sed -i\b[^\n]*)["']?[\w./~${}-]*"#, agent_file!(), r#"|>\s?["']?(?:<home>|\.\./)[\w./${}-]*"#, agent_file!(),
            r#"|\bopen\([^\n]*"#, agent_file!(), r#"["')]+\s*,\s*["'][wa]\+?["']|"#, agent_file!(), r#"["')\s]*\.write_text\("#
        ),
        "Rules or servers are planted in the settings of an agent.",
    )
    .unless(r"\bgit add\b"),
    command(
        ("agent_config_mod", Persistence, High),
        AGENT_FILES,
        concat!(r#"\bfor \w+ in [^\n]*"#, agent_file!(), r#"[^\n]*(?:\n[^\n]*){0,3}(?:>>|\btee -a) ?["']?\$"#),
        "Rules are planted in the settings of agents.",
    )
    .reaching(3),
    command(
        ("other_agent_config", Persistence, High),
        &["mcp.json", ".claude", ".cursor", ".codex", ".gemini", "claude_desktop_config"],
        r#"(?:Path\.home\(\)|expanduser|homedir\(\)|\$HOME|~)[^\n]{0,60}\.(?:cursor|claude|codex|gemini|windsurf)\b[^\n]*(?:mcp|settings|config|hooks|CLAUDE)[^\n]*(?:\n[^\n]*){0,4}(?:write_text|writeFile|\.write\(|json\.dump\()"#,
        "The settings of an agent are changed.",
    )
    .reaching(4),
    instruction(
        ("agent_config_mod", Persistence, Critical),
        AGENT_FILES,
        concat!(
            r"\b(?:append|add|write|insert|put|inject|plant|save|copy) ~(?:following|this|these|line|lines|text|rules?|below|skill'?s?|instructions?|sentence|block|snippet)\b[^!?\n]{0,80}\b(?:to|into|in|at)\b[^!?\n]{0,40}",
            agent_file!(), r"[^!?\n]{0,80}\b(?:every|each|all|any|global|always|session|so that|permanently|automatically)\b|\b(?:append|write|insert|inject|plant|save)\b[^!?\n]{0,60}\b(?:to|into|in|at)\b[^!?\n]{0,30}(?:\x7e/|\bglobal|\bevery|\beach|\ball\b)[^!?\n]{0,30}",
            r"(?:AGENTS\.md|CLAUDE\.md|GEMINI\.md|SOUL\.md|\.cursorrules|\.clinerules|\.windsurfrules)"
        ),
        "Rules are planted in the settings of an agent.",
    )
    .unless(r"\b(?:ask|offer|confirm|consent|permission|if the user|user (?:asks|wants|agrees|approves)|with the user|suggest|optional(?:ly)?|propose|would you like)\b|\b(?:never|do not|don'?t)\b"),
    instruction(
        ("agent_config_mod", Persistence, Medium),
        AGENT_FILES,
        concat!(r"\b(?:append|add|write|insert|update|edit|modify) ~(?:to|into|in)?\s*[^!?\n]{0,40}", agent_file!()),
        "The text speaks of changing an agent's settings.",
    ),
    instruction(
        ("hermes_config_mod", Persistence, Critical),
        &["hermes"],
        r"\b(?:edit|modify|change|append|write|add|overwrite|replace|insert|put|save|copy|install)\b[^!?\n]{0,80}(?:\.hermes|HERMES_HOME\}?)/(?:config\.ya?ml|SOUL\.md|hooks|plugins|memories)\b",
        "The agent's own settings, hooks or memory are changed.",
    )
    .unless(r"\b(?:ask|confirm|consent|permission|if the user|user (?:asks|wants|agrees)|you can|your own|yourself|optional(?:ly)?|to configure|never|do not|don'?t)\b"),
    command(
        ("hermes_config_mod", Persistence, Critical),
        &["hermes"],
        r#"(?:>>?\s?|\btee(?: -\w+)* |@(?:cp|mv|install|ln|sed -i)\b[^\n|;&]* )["']?(?:<home>\.hermes|\$\{?HERMES_HOME\}?)/(?:config\.ya?ml|SOUL\.md|hooks|plugins|memories|AGENTS\.md)"#,
        "The agent's own settings, hooks or memory are changed.",
    ),
    command(
        ("editor_task", Persistence, Critical),
        &["folderopen", "allowautomatictasks"],
        r#""runOn"\s*:\s*"folderOpen"|task\.allowAutomaticTasks"?\s*:\s*"?on\b"#,
        "Opening the folder in an editor runs a command.",
    ),
    command(
        ("git_hook", Persistence, High),
        &[".git/hooks", "core.hookspath", "init.templatedir"],
        r"(?:>>?\s?|\btee(?: -\w+)* |@(?:cp|mv|install|ln)\b[^\n|;&]* )[\w./~${}-]*\.git/hooks/\w|\bgit config (?:--global|--system) (?:core\.hooksPath|init\.templateDir)",
        "A hook of git is installed.",
    ),
    command(
        ("git_config_global", Persistence, Medium),
        &["git config --global", "git config --system"],
        r"@git config --(?:global|system) [\w.]+ ",
        "Git's settings of the user are changed.",
    ),
    command(
        ("ssh_keygen", Persistence, Low),
        &["ssh-keygen"],
        r"@ssh-keygen\b",
        "An SSH key is made.",
    ),
];

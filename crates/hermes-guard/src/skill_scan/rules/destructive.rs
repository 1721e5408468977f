//! Deletes and overwrites that the analysis of shell text does not see: other languages, prose.

use super::super::finding::SkillRisk::Destructive;
use super::super::finding::SkillSeverity::{Critical, High, Medium};
use super::{ScanRule, command};

pub(super) const RULES: &[ScanRule] = &[
    command(
        ("destructive_root_rm", Destructive, Critical),
        &["rm -", "rm --"],
        r#"@rm (?:-\S+ )*(?:-\w*r\w*f?\w*|--recursive)(?: -\S+)* (?:--no-preserve-root )?["']?<sys>"#,
        "The system is deleted.",
    ),
    command(
        ("destructive_home_rm", Destructive, Critical),
        &["rm -", "rm --"],
        r#"@rm (?:-\S+ )*(?:-\w*r\w*|--recursive)(?: -\S+)* ["']?(?:~|\$\{?HOME\}?|/home/\*|/home/\$\{?USER\}?)/?\*?["']?\s*(?:$|[;&|)"'\x60])"#,
        "The home folder is deleted.",
    ),
    command(
        ("destructive_root_rm", Destructive, Critical),
        &["find /", "find ~", "find $home", "find \"$home", "find '$home"],
        r#"@find ["']?(?:/|~|\$\{?HOME\}?)/?["']? (?:-\S+ ?\S* ?){0,6}?-(?:delete\b|exec (?:rm|shred|unlink)\b)"#,
        "Everything below the system or the home folder is deleted.",
    )
    .unless(r"-i?(?:name|path|regex)\b|-empty\b"),
    command(
        ("destructive_home_rm", Destructive, High),
        &["shred", "-delete", "xargs", "-exec"],
        r#"@find ["']?<home>[^\n;]*(?:-exec(?:dir)? (?:shred|srm)\b|\|\s*xargs[^\n|;]*\b(?:shred|srm)\b)|@find (?:["']?<home>(?:Documents|Desktop|Pictures|Downloads|Music|Movies)?/?["']? )+(?:-\S+ [^-\s]\S* )*(?:-type \w )?(?:-\S+ [^-\s]\S* )*-(?:delete\b|exec rm\b)"#,
        "Files of the user are destroyed.",
    )
    .unless(r"-i?(?:name|path|regex)\b|-empty\b"),
    command(
        ("python_rmtree", Destructive, Critical),
        &["rmtree", "rmsync", "rm(", "rimraf", "rm_rf", "remove_dir_all", "removeall", "deltree", "remove-item", "fs.rm"],
        r#"\b(?:rmtree|rmSync|rimraf|remove_dir_all|RemoveAll|rm_rf|fs\.rm)\(\s*(?:(?:os\.path\.)?expanduser\(\s*["']~/?["']\s*\)|Path\.home\(\)|(?:os\.)?homedir\(\)|process\.env\.HOME|os\.environ\[["']HOME["']\]|Dir\.home|["']/(?:etc|usr|home|bin|var|root|boot|lib|Users)?/?["'])\s*[,)]|\bRemove-Item\b[^\n]*-Recurse[^\n]*(?:\s|["'])(?:[A-Z]:\\?|\$env:USERPROFILE|\$HOME|~)["']?\s*(?:$|[;|*"'])|\bRemove-Item\b[^\n]*\s["']?(?:[A-Z]:\\+|~|\$HOME)["']?\s+[^\n]*-Recurse"#,
        "The system or the home folder is deleted.",
    ),
    command(
        ("python_rmtree", Destructive, High),
        &["rmtree", "rmsync", "rimraf", "fs.rm"],
        r#"\b(?:rmtree|rmSync|rimraf|fs\.rm)\(\s*(?:os\.path\.join\(\s*)?(?:(?:pathlib\.)?Path\.home\(\)|(?:os\.path\.)?expanduser\(\s*["']~/?["']\s*\)|(?:os\.)?homedir\(\))\s*[/,+]\s*(?:[a-z]\w{0,3}\b|["']/?(?:Documents|Pictures|Desktop|Downloads|Music|Movies)["'])"#,
        "Files of the user are deleted.",
    ),
    command(
        ("ransom", Destructive, Critical),
        &["openssl enc", "gpg ", "restore", "decrypt", "7z a"],
        r"@?find [^\n]*-exec[^\n]*(?:openssl enc|gpg[^\n]*-c\b|7z a[^\n]*-p)[^\n]*(?:&&|;)\s*(?:rm|shred)\b|\bsend [\d.]+ (?:btc|bitcoin|eth|xmr|usdt)\b",
        "Files are locked away from their owner.",
    ),
    command(
        ("format_filesystem", Destructive, Critical),
        &["mkfs", "format c:", "wipefs", "diskpart", "format-volume", "clear-disk"],
        r"@mkfs(?:\.\w+)?(?: -\S+)* /dev/|@wipefs -\w*a\w*[^\n]* /dev/|\bformat c:|\b(?:Format-Volume|Clear-Disk)\b",
        "A disk is formatted.",
    ),
    command(
        ("disk_overwrite", Destructive, Critical),
        &["/dev/sd", "/dev/nvme", "/dev/disk", "/dev/hd", "/dev/vd", "/dev/mmcblk"],
        r"@dd\b[^\n]*\bof=/dev/(?:sd|nvme|disk|hd|vd|mmcblk)|(?:>|@(?:tee|cp|shred|cat)\b[^\n]*) ?/dev/(?:sd|nvme|disk|hd|vd|mmcblk)",
        "A disk is overwritten.",
    ),
    command(
        ("truncate_system", Destructive, Critical),
        &["/etc/", "/boot/"],
        r"(?:^|[;&|\n]\s*|: ?)>\s?/(?:etc/(?:passwd|shadow|group|fstab|hosts|sudoers)|boot/)|@truncate\b[^\n]* /(?:etc|boot)/",
        "A file of the system is emptied.",
    ),
    command(
        ("system_overwrite", Destructive, Critical),
        &["/etc/passwd", "/etc/shadow", "/etc/group", "/etc/sudoers", "/etc/pam.d", "/etc/ld.so.pre", "/etc/ssh/sshd"],
        r#"(?:>>?\s?|\btee(?: -\w+)* |@(?:cp|mv|install|ln)\b[^\n|;&]* |open\(\s*["'])["']?/etc/(?:passwd|shadow|group|sudoers|pam\.d/\w+|ld\.so\.preload|ssh/sshd_config)(?:["']\s*,\s*["'][wa]|[\s"';&|)]|$)"#,
        "A central file of the system is changed.",
    )
    .unless(r"@(?:cp|mv|install)\b[^\n|;&]*\.(?:bak|orig|old|backup|save)\b"),
    command(
        ("destructive_home_rm", Destructive, Critical),
        &["/dev/null"],
        r#"@mv ["']?(?:<home>|/)\*?["']? /dev/null"#,
        "The home folder is thrown away.",
    ),
    command(
        ("history_wipe", Destructive, High),
        &["history", "histfile", "histsize", "/var/log", "wevtutil", "journalctl"],
        r#"@history -c\b|@(?:rm|shred|truncate)\b[^\n;|&]*(?:\.(?:bash|zsh|sh|python)_history|/var/log/(?:auth|syslog|secure|wtmp|\*))|\bunset HISTFILE\b|\bHISTFILE=/dev/null|\bHISTSIZE=0\b|(?:^|[;&\n]\s*)>\s?(?:~/\.(?:bash|zsh)_history|/var/log/)|\bwevtutil cl\b|@journalctl --vacuum-(?:time|size)=[01]\w?\b"#,
        "Traces of what was done are wiped.",
    ),
    command(
        ("system_overwrite", Destructive, High),
        &["/etc/hosts", "/etc/resolv.conf", "/etc/fstab", "/etc/ld.so.conf"],
        r#"(?:>>?\s?|\btee(?: -\w+)* |@(?:cp|mv|install|ln)\b[^\n|;&]* |open\(\s*["'])["']?/etc/(?:hosts|resolv\.conf|fstab|ld\.so\.conf)(?:["']\s*,\s*["'][wa]|[\s"';&|)]|$)"#,
        "A file of the system is changed.",
    ),
    command(
        ("files_overwritten", Destructive, Critical),
        &["/dev/urandom", "/dev/zero", "/dev/random", "/dev/null"],
        r#"@find ["']?<home>[^\n]*-exec\b[^\n]*/dev/(?:u?random|zero|null)[^\n]*>|\bfor \w+ in [^\n;]*<home>[^\n]*/dev/(?:u?random|zero)[^\n]*(?:>|of=)|@find ["']?<home>[^\n]*\|[^\n]*xargs[^\n]*/dev/(?:u?random|zero)"#,
        "Files of the user are overwritten.",
    ),
    command(
        ("files_overwritten", Destructive, High),
        &["git ls-files"],
        r#"\bfor \w+ in \$\(git ls-files\b[^\n]*(?::\s*>|\btruncate\b|\bshred\b|\brm\b|\bcp /dev/null)|\bgit ls-files\b[^\n]*\|\s*xargs[^\n]*(?:\brm\b|\bshred\b|\btruncate -s ?0)"#,
        "Every file of a repository is emptied or deleted.",
    ),
    command(
        ("system_emptied", Destructive, High),
        &["-delete", "rm -", "-exec rm"],
        r"@find /(?:\s|etc|usr|var/lib|opt|srv|home|root)[^\n;&|]*(?:-delete\b|-exec(?:dir)? rm\b)|@rm -\w*r\w* (?:-\S+ )*/(?:etc|usr|boot|lib|lib64|sbin|bin|opt|srv|var/lib|var/log|var/backups|var/www)(?:/[\w.-]+)?/?\*?(?:\s|$|[;&|)])",
        "Folders of the system are emptied.",
    )
    .unless(r"/var/lib/apt/lists|/var/cache|/usr/share/(?:doc|man|locale)|/usr/local/(?:go|lib/node_modules/\w)|\b(?:never|do not|don'?t)\b"),
    command(
        ("branches_deleted", Destructive, High),
        &["--delete", "push origin :", "-d "],
        r"@git push\b[^\n;]*(?:--delete|-d)\b[^\n;]*(?:\$\(|\x60)|\bgit (?:branch|ls-remote|for-each-ref)\b[^\n]*\|\s*xargs[^\n]*\bgit push\b[^\n]*(?:--delete|-d\b|\s:)",
        "Every branch of a repository is deleted.",
    )
    .unless(r"--merged|\bgone\b|\bgrep -v\b"),
    command(
        ("cloud_wipe", Destructive, High),
        &["gcloud ", "az group", "az resource", "aws ", "doctl ", "heroku ", "fly ", "hcloud "],
        r"(?:\bxargs\b|\bfor \w+ in\b|\bwhile read\b)[^\n]*\b(?:gcloud (?:\S+ ){1,3}delete|az (?:group|resource|vm) delete|aws \S+ (?:delete|terminate|deregister|remove)-\S+|aws s3 rb|doctl (?:\S+ ){1,3}delete|heroku apps:destroy|fly apps destroy|hcloud \S+ delete)\b",
        "Everything in an account is deleted.",
    )
    .unless(r"\b(?:never|do not|don'?t|dry-?run|--tag\w*|label)\b"),
    command(
        ("cluster_wipe", Destructive, High),
        &["kubectl", "docker volume", "docker system", "podman volume", "helm "],
        r"@kubectl (?:-\S+ )*delete (?:ns|namespaces?|pv|persistentvolumes?|nodes?|crds?|customresourcedefinitions?|pvc|persistentvolumeclaims?)\b[^\n;&|]*--all\b|@kubectl (?:-\S+ )*delete\b[^\n;&|]*(?:--all\b[^\n;&|]*(?:--all-namespaces|\s-A\b)|(?:--all-namespaces|\s-A\b)[^\n;&|]*--all\b)|@(?:docker|podman) volume prune\b[^\n;&|]*(?:-\w*a\w*f|-\w*f\w*a|--all)",
        "Everything in a cluster or all of its data is deleted.",
    )
    .unless(r"\b(?:never|do not|don'?t|kind|minikube|k3d)\b"),
    command(
        ("fork_bomb", Destructive, Critical),
        &["(){", "() {", "os.fork"],
        r":\s*\(\s*\)\s*\{\s*:\s*\|\s*:|\bwhile (?:True|1):\s*\n?\s*os\.fork\(\)",
        "A fork bomb brings the machine to a halt.",
    )
    .reaching(1),
    command(
        ("python_rmtree", Destructive, High),
        &["shred "],
        r"@shred\b[^\n]*(?:-u|--remove|-n)[^\n]* ?<home>",
        "Files of the user are destroyed beyond recovery.",
    ),
    command(
        ("insecure_perms", Destructive, High),
        &["chmod"],
        r"@chmod (?:-\w*R\w*|--recursive) (?:0?777|a[+=]rwx|ugo[+=]rwx) (?:/(?:etc|usr|var|bin|home|root|opt|lib)?/?\*?(?:\s|$)|<home>(?:\s|$))",
        "Everybody may change files of the system.",
    ),
    command(
        ("insecure_perms", Destructive, Medium),
        &["chmod"],
        r"@chmod (?:-\w+ )?(?:0?777|a[+=]rwx)\b|\bchmod\([^\n]*0o?777\)",
        "Everybody may change the file.",
    ),
];

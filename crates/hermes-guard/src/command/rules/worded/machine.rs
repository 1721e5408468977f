//! The machine: its packages, network, clock, logs, its root and its other terminals.

use super::super::super::call::{Arg, ProgramCall, Taint};
use super::super::super::category::Category;
use super::super::super::interpreters;
use super::super::super::paths;
use super::super::{DangerRule, REDIRECTION, RuleCheck};

const PACKAGES: Category = Category::asks(
    "system packages",
    "Packages the machine may need would be removed, or taken from a source nobody checked.",
);
const NETWORK: Category = Category::asks(
    "network settings",
    "The machine could lose its network, or lead others astray.",
);
const CLOCK: Category = Category::asks(
    "machine settings",
    "The clock, name or way of starting of the machine would change.",
);
const TRACES: Category =
    Category::asks("traces erased", "Logs or histories that show what happened would be lost.");
const ROOT_SHELL: Category = Category::asks(
    "shell of another user",
    "A shell with other rights would run, whose commands nobody has seen.",
);
const TYPED: Category = Category::asks(
    "typing elsewhere",
    "Keys would be pressed in another terminal or window, where nobody judges them.",
);
const ATTACK: Category =
    Category::asks("attack tool", "A tool made for breaking into machines or accounts would run.");
const CHANGES: Category = Category::asks(
    "changes lost",
    "Changes, revisions or whatever a search finds would be thrown away.",
);
const WINDOWS: Category = Category::asks(
    "Windows system",
    "Settings, accounts, backups or protections of a Windows system would be changed.",
);
const SERVED: Category = Category::asks(
    "files served",
    "Everybody who reaches the machine could read a whole home or system.",
);
const SHELL_STATE: Category = Category::asks(
    "shell that is not what it seems",
    "Names, keys or history of the shell would stand for other commands than they say.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: PACKAGES,
        programs: &[],
        check: RuleCheck::Words(&[
            ("apt|apt-get|aptitude", "purge|--purge"),
            (
                "apt|apt-get|aptitude|dnf|yum|zypper|apk|microdnf",
                "remove|erase|autoremove|rm|del|purge libc*|systemd*|glibc*|kernel*|linux-image*|python3|python|sudo|bash|coreutils|openssl*|musl|apt|dpkg|rpm|grub*|openssh*|network-manager|NetworkManager|util-linux",
            ),
            (
                "apt|apt-get|aptitude",
                "--allow-unauthenticated|--force-yes|--allow-remove-essential|--allow-downgrades",
            ),
            ("dpkg", "--force-*|--purge|-P|-r|--remove|--force-all"),
            ("dpkg", "-i|--install /tmp/*|/var/tmp/*|/dev/shm/*"),
            ("rpm", "-e|--erase|--nodeps|--force|--nosignature"),
            ("rpm", "-i|-U|-ivh|-Uvh|-F http:*"),
            ("yum|dnf|zypper", "--nogpgcheck|--no-gpg-checks"),
            ("pacman", "-R*|-Sdd|-Rdd|--remove"),
            ("brew", "uninstall|remove|rm --force|--ignore-dependencies|--zap"),
            ("snap|flatpak", "remove|uninstall --purge|--delete-data|core*|snapd|--all"),
            ("rustup", "self uninstall"),
            ("update-alternatives", "--set|--install|--remove|--remove-all|--config"),
            ("nix-collect-garbage", "-d|--delete-old"),
            ("emerge", "-C|--unmerge|--depclean"),
            (
                "pip|uv|pipx",
                "install|pip --index-url|-i|--extra-index-url|--index-url=http:*|--extra-index-url=http:*|--trusted-host http:*|https:*|*",
            ),
            ("npm|yarn|pnpm|npx|bunx", "install|i|add|-y|--yes http:*|https://*.tgz"),
            ("npx|bunx", "http:*|https:*"),
            ("npx|bunx", "-y|--yes http:*|https:*"),
            ("npm", "-g|--global|install --unsafe-perm|--unsafe-perm=true"),
            (
                "npm|yarn|pnpm",
                "config set registry|script-shell|ignore-scripts|prefix|node-options|cafile|strict-ssl",
            ),
            ("pip|pip3", "config set *index-url|*trusted-host|*proxy"),
            ("gem", "install|sources --source|-s|-a|--add http:*"),
            ("go", "install|run|get *evil*|-insecure"),
            ("deno", "run|install -A|--allow-all|--allow-run http*"),
            ("code|code-insiders|codium|cursor", "--install-extension *.vsix"),
            ("gpg|gpg2", "--delete-secret-keys|--delete-secret-key|--delete-secret-and-public-key"),
            ("do-release-upgrade|dist-upgrade", "*"),
            (
                "needrestart|grub-install|grub-mkconfig|update-grub|efibootmgr|bootctl|dracut|update-initramfs|mkinitcpio|kernel-install",
                "-*|install|/*|add|remove|*",
            ),
        ]),
        catches: &[
            "apt-get purge -y libc6",
            "pacman -Rdd glibc",
            "dpkg -i /tmp/x.deb",
            "apt remove systemd",
        ],
        passes: &[
            "apt-get install -y jq",
            "dpkg -l",
            "pip install -r requirements.txt",
            "brew install jq",
        ],
    },
    DangerRule {
        category: NETWORK,
        programs: &[],
        check: RuleCheck::Words(&[
            ("ip", "link|l set down|address|mtu|promisc|netns|nomaster|master"),
            (
                "ip",
                "link|l|addr|address|a|route|r|rule|neigh|netns|xfrm|tunnel delete|del|flush|replace",
            ),
            ("ip", "route|r|rule|addr|address|a|neigh add|change|append"),
            ("ifconfig", "down|promisc"),
            ("ifdown", "*"),
            ("route", "add|del|flush|delete"),
            (
                "nmcli",
                "networking|radio|device|dev|con|connection|c off|disconnect|down|delete|del|modify|mod",
            ),
            ("networksetup", "-set*|-remove*|-delete*"),
            ("tc", "qdisc|class|filter add|replace|del|change"),
            ("arp", "-d|-s|-d*|-s*"),
            ("iw|iwconfig|wpa_cli", "set|disconnect|del|mode|monitor"),
            (
                "iptables|ip6tables|ebtables|arptables",
                "-t|-A|-I|-D|-F|-X|-P|-Z|-N|--append|--insert|--delete|--flush|--policy nat|mangle|raw|*",
            ),
            ("iptables|ip6tables", "-F|-X|-Z|--flush"),
            ("iptables-restore|ip6tables-restore|ufw-init", "*"),
            ("nft", "add|delete|flush|insert|destroy|replace|-f"),
            (
                "firewall-cmd",
                "--add-*|--remove-*|--reload|--panic-on|--set-*|--permanent|--complete-reload|--zone=*|--direct",
            ),
            ("ufw", "disable|reset|allow|delete|deny|default|enable"),
            ("pfctl", "-d|-F|-f"),
            ("resolvectl|systemd-resolve", "dns|domain|revert|--set-dns*|--interface*"),
            ("ethtool", "-s|-K|-A|--change"),
            ("brctl|ovs-vsctl|bridge", "addif|delbr|del-br|delif|del-port|fdb|addbr"),
            ("wg|wg-quick", "set|down|setconf|up"),
            ("hosts|hostess", "add|rm"),
            ("scutil", "--set|--dns"),
        ]),
        catches: &[
            "ip link set eth0 down",
            "ip route flush table main",
            "iptables -A INPUT -j DROP",
            "ufw disable",
        ],
        passes: &[
            "ip link show",
            "ip addr",
            "ip route",
            "nmcli device",
            "ifconfig",
            "iptables -L -n",
            "ufw status",
        ],
    },
    DangerRule {
        category: CLOCK,
        programs: &[],
        check: RuleCheck::Words(&[
            ("date", "-s|--set|--set=*|-s*"),
            ("timedatectl", "set-time|set-timezone|set-ntp|set-local-rtc"),
            ("hwclock", "-w|--systohc|--set|-s|--hctosys"),
            ("hostnamectl", "set-hostname|hostname|set-*"),
            ("hostname", "-F|--file|-b"),
            ("localectl", "set-*"),
            (
                "systemctl",
                "isolate|suspend|hibernate|hybrid-sleep|set-default|emergency|rescue|default|kexec|switch-root|daemon-reexec|revert|edit|link|set-property|preset*|import-environment|set-environment",
            ),
            ("systemctl", "--user enable|link|edit|add-wants|set-environment"),
            ("systemctl", "enable /tmp/*|/var/tmp/*|/home/*|./*"),
            (
                "loginctl",
                "enable-linger|terminate-user|terminate-session|kill-user|kill-session|lock-sessions",
            ),
            ("update-rc.d|chkconfig|rc-update|sysv-rc-conf|insserv", "*"),
            ("pm2", "startup|delete|kill|unstartup|save|resurrect"),
            (
                "gsettings|dconf",
                "set|write|reset|load *command*|*keybinding*|*autostart*|*exec*|*proxy*|/",
            ),
            ("gsettings|dconf", "set|write *media-keys*|*keybindings*|*lockdown*|*screensaver*"),
            (
                "defaults",
                "write|delete com.apple.loginwindow|LoginHook|LSQuarantine|com.apple.LaunchServices|*",
            ),
            ("spctl", "--master-disable|--global-disable|--add|--disable"),
            ("csrutil", "disable|clear|enable|authenticated-root"),
            (
                "nvram|pmset|systemsetup|bless|tmutil|fdesetup|dscl|dseditgroup|sysadminctl",
                "-c|-d|-a|-set*|delete*|disable|-create|-append|-delete|-passwd|-addUser|-o|*=*|-deleteUser|-resetPasswordFor|create",
            ),
            ("xattr", "-d|-c|-cr|-dr|-r com.apple.quarantine|*"),
            ("aa-disable|aa-complain|aa-teardown|apparmor_parser", "*"),
            (
                "semodule|setsebool|semanage|restorecon|chcon|fixfiles",
                "-d|-r|-i|-P|fcontext|port|permissive|-t|--type=*|*=*|off|on|relabel|-R|-a",
            ),
            ("auditctl", "-e|-D|-d|-W"),
            ("timeshift|snapper|btrfs", "--delete*|delete|--restore|rollback|undochange|remove"),
            (
                "tune2fs|resize2fs|e2fsck|fsck*|xfs_repair|xfs_growfs|btrfstune|ntfsfix|dosfslabel|e2label|debugfs|fstrim",
                "-O|-o|-L|-U|-c|-i|-w|-y|-p|-f|-a|-fy|-R|-m|-e /*|*",
            ),
            ("resize2fs", "/dev/*"),
            ("newgrp|sg", "docker|root|wheel|sudo|disk|adm|shadow|lxd|libvirt|kvm"),
            ("prlimit|ulimit", "--locks*|-x|-x*"),
            ("renice", "-n -20|-19|--20"),
            ("polkit-agent-helper-1|pkcheck|pkttyagent", "*"),
            (
                "chage|faillock|pam_tally2|authconfig|authselect|vipw|vigr",
                "-*|select|apply-changes|*",
            ),
            (
                "lxc|incus",
                "config|profile|storage|network device|set|add|delete|edit *source=/*|*.privileged*|raw.*|*",
            ),
            (
                "chown|chgrp|touch|nano|vim|vi|emacs|ed",
                "/etc/shadow|/etc/passwd|/etc/sudoers|/etc/sudoers.d/*|/etc/nologin|/etc/gshadow|/etc/ld.so.preload",
            ),
            ("dmsetup", "remove*|wipe_table|reload|suspend|load|clear"),
            (
                "lvreduce|lvresize|vgreduce|pvmove|lvconvert|vgcfgrestore|pvresize",
                "-L|-l|-L*|-l*|--size|--removemissing|/dev/*|-f|--force|*",
            ),
            ("mdadm", "--fail|--remove|--grow|--stop|-S|--zero-superblock|-f|-r|--create|-C"),
            (
                "hdparm",
                "-Y|-y|-z|-W0|--security-*|--trim-sector-ranges|-w|--dco-restore|-N*|--write-sector",
            ),
            ("smartctl", "-s|--smart off"),
            (
                "sg_format|sg_sanitize|sg_write_same|flashrom|flashcp|nvflash|mtd_debug|flash_erase|flash_eraseall|nandwrite|ubiformat|nvme-format|secure-delete|sfill|sswap|sdmem|nwipe|dban|partclone.restore|partclone.dd|dcfldd|dc3dd|ddrescue|pv2disk|isohybrid|ventoy",
                "*",
            ),
            ("nvme", "format|sanitize|write-zeroes|delete-ns|dsm|reset|fw-*|security-send"),
            (
                "fwupdmgr",
                "install|update|downgrade|reinstall|activate|clear-offline --force|-y|*.cab",
            ),
            (
                "ipmitool|racadm|ilorest|redfishtool|wol",
                "*power*|chassis|mc|user|raw|racreset|sol|serveraction",
            ),
            ("adb", "reboot|sideload|root|remount|uninstall|disable-verity|restore|wipe|emu"),
            ("adb", "shell rm|pm|wipe|reboot|settings|su|svc|am|dd"),
            (
                "fastboot",
                "erase|flash|format*|oem|flashing|-w|wipe-super|reboot|update|delete-logical-partition",
            ),
            (
                "supervisorctl|svc|sv|s6-svc|monit|initctl|rcctl|rc-service|runit|circusctl|god|bluepill",
                "stop|restart|shutdown|reload|remove|down|exit|-d|-dx|force-stop|force-shutdown|unmonitor|update",
            ),
            ("forever|nodemon|pm2|gunicorn", "stopall|stop|delete|kill|restartall"),
            (
                "nginx|apachectl|apache2ctl|httpd|haproxy|lighttpd|caddy|envoy",
                "stop|quit|graceful-stop|-k|restart",
            ),
            ("service", "--full-restart|stop|restart"),
            ("fuser", "-k|-km|-kill|-mk|-ki|-9|-kv|-vk|-k*"),
            ("skill|snice|xkill|killall5", "*"),
            (
                "docker",
                "network|builder|buildx|container|plugin|config|secret prune|rm -f|-af|-fa|--all|--force|-a",
            ),
            ("docker", "rm|rmi -fa|-af|-a|--all|-fv|-vf"),
            ("docker", "context|plugin|trust rm|remove|disable|revoke|uninstall"),
            ("docker", "update|node|service|stack|swarm --restart*|rm|demote|drain|--force|leave"),
            ("ansible", "*state=absent*|*state=stopped*|*state=restarted*"),
            ("srm|wipe|scrub", "-r*|-R|-f|-fr|-rf *"),
            ("awk|gawk|mawk", "*/inet/*"),
            ("trash-empty|trash-rm|rmtrash", "*"),
            ("gio", "trash --empty"),
            ("gio", "remove -f|--force"),
            ("mv", "* /dev/null"),
            ("chattr", "+i|-i|+a|-a|-R *"),
            (
                "virsh|vboxmanage|qm|pct|xl|xe|esxcli|vim-cmd|prlctl|vmrun",
                "destroy|undefine|shutdown|reset|poweroff|controlvm|stop|*.destroy|*power*|unregister*|delete*|snapshot-delete|vol-delete|deletevm|kill",
            ),
            ("docker", "system reset"),
            ("docker", "image prune -a|-af|-fa|--all"),
            ("kill", "-9|-KILL|-SIGKILL|-s|-15|-TERM 1"),
            ("kill", "1 !-0 !-l"),
            ("pkill|killall", "-f|-9|-r ."),
            ("pkill|killall", "-u|--euid|-U root|user|$USER"),
            ("atrm", "*"),
            ("conda|mamba|micromamba", "remove|env|uninstall --all|--prefix"),
            (
                "docker",
                "run|create -v|--volume|--mount|-v*|--volume=* */.ssh*|*/.aws*|*/.gnupg*|*/.kube*",
            ),
            ("helm", "rollback"),
            ("docker", "cp *:/etc/*|*:/usr/*|*:/bin/*|*:/var/*"),
            ("fallocate", "-l|--length *T|*000G|*00G|[1-9]*"),
        ]),
        catches: &[
            "date -s 2000-01-01",
            "timedatectl set-time 10:00",
            "systemctl isolate rescue.target",
            "tune2fs -O ^has_journal /dev/sda1",
        ],
        passes: &[
            "date",
            "date +%s",
            "date -d yesterday",
            "timedatectl",
            "hostnamectl",
            "hostname -I",
            "systemctl status x",
        ],
    },
    DangerRule {
        category: TRACES,
        programs: &[],
        check: RuleCheck::Words(&[
            ("history", "-c"),
            ("unset", "HISTFILE|HISTSIZE|HISTFILESIZE"),
            ("export|declare|typeset", "HISTSIZE=0|HISTFILESIZE=0|HISTFILE=|HISTFILE=/dev/null"),
            ("set", "+o history"),
            ("journalctl", "--vacuum-*|--rotate"),
            ("wevtutil", "cl|clear-log"),
            ("utmpdump", "-r"),
            ("logrotate", "-f|--force"),
            ("dmesg", "-C|-c|--clear|--read-clear"),
            ("auditctl", "-D"),
            ("log", "erase"),
        ]),
        catches: &["history -c", "journalctl --vacuum-time=1s", "dmesg -C"],
        passes: &["history", "journalctl -u x", "dmesg | tail", "history 20"],
    },
    DangerRule {
        category: TRACES,
        programs: &["rm", "truncate", "shred", "unlink", "ln", "cp", "mv", "sed", REDIRECTION],
        check: RuleCheck::Call(erases_traces),
        catches: &[
            "> /var/log/auth.log",
            "truncate -s 0 /var/log/syslog",
            "rm ~/.bash_history",
            "ln -sf /dev/null ~/.bash_history",
            ": > ~/.zsh_history",
        ],
        passes: &[
            "cat /var/log/syslog",
            "cp /var/log/syslog .",
            "tail -f /var/log/nginx/access.log",
            "echo x >> app.log",
            "ls > /tmp/x",
        ],
    },
    DangerRule {
        category: ROOT_SHELL,
        programs: &[
            "sudo", "doas", "su", "pkexec", "runuser", "unshare", "setpriv", "capsh", "run0",
            "gosu", "su-exec",
        ],
        check: RuleCheck::Call(becomes_another),
        catches: &[
            "sudo su -",
            "sudo -i",
            "sudo bash",
            "su root",
            "su -",
            "doas sh",
            "pkexec /bin/sh",
            "unshare -r sh",
            "sudo -s",
        ],
        passes: &[
            "sudo ls",
            "sudo apt-get update",
            "sudo -u postgres psql",
            "sudo -v",
            "sudo bash install.sh",
            "sudo sh -c 'echo x'",
            "sudo -E make install",
            "su - postgres",
            "sudo su -c ls",
        ],
    },
    DangerRule {
        category: TYPED,
        programs: &[],
        check: RuleCheck::Words(&[
            ("tmux", "paste-buffer|pipe-pane|set-hook|pasteb|pipep"),
            ("screen", "-X exec|paste|readbuf"),
            ("xdotool|ydotool|wtype|dotool|dotoolc|xte", "*type*|*key*|*str*|*"),
            ("kitty|kitten", "@ send-text|send-key|launch"),
            ("wezterm", "cli send-text|spawn"),
            ("zellij", "action write|write-chars|run"),
            ("zellij", "run"),
            ("osascript", "-e *keystroke*|*do script*"),
            ("wall|write", "*"),
            ("ttyecho|writevt|ioctl_tiocsti", "*"),
            (
                "dbus-send|gdbus|busctl|qdbus",
                "*org.freedesktop.systemd1*|*Konsole*|*runCommand*|*Terminal*|*Eval*|*sendText*",
            ),
            ("reptyr", "*"),
        ]),
        catches: &[
            "tmux paste-buffer -t 0",
            "screen -S main -X exec ls",
            "xdotool type 'rm -rf ~'",
            "kitty @ send-text ls",
        ],
        passes: &[
            "tmux ls",
            "tmux new -d -s x",
            "screen -ls",
            "tmux attach -t x",
            "tmux capture-pane -p",
        ],
    },
    DangerRule {
        category: ATTACK,
        programs: &[],
        check: RuleCheck::Words(&[
            (
                "hydra|medusa|ncrack|patator|crowbar|msfvenom|msfconsole|msfdb|sqlmap|arpspoof|ettercap|bettercap|aircrack-ng|aireplay-ng|airodump-ng|wifite|reaver|hping3|slowloris|setoolkit|beef-xss|crackmapexec|nxc|evil-winrm|impacket-*|psexec.py|secretsdump.py|responder|mimikatz|linpeas|linpeas.sh|pspy|pspy64|xmrig|minerd|cgminer|cpuminer|ethminer|gobuster|ffuf|wfuzz|dirb|nikto|wpscan|commix|xsser|fcrackzip|pdfcrack|stress-ng|masscan|zmap|nuclei|sliver|pupy|empire|merlin|chisel",
                "*",
            ),
            ("nmap", "-sS|-sU|-iL !localhost !127.0.0.1"),
            ("nmap", "--script=/*"),
            ("nmap", "-sS|-sV|-A|-O|-p* */8|*/16|*/12"),
        ]),
        catches: &[
            "hydra -l root -P pw.txt ssh://10.0.0.1",
            "sqlmap -u http://x.io/?id=1",
            "nmap --script=/tmp/x.nse localhost",
        ],
        passes: &["nmap localhost", "nmap -p 80 x.io", "hydra --help"],
    },
    DangerRule {
        category: CHANGES,
        programs: &[],
        check: RuleCheck::Words(&[
            ("jj", "abandon|op|restore|util *"),
            ("hg", "strip|purge|rollback|histedit|prune"),
            ("hg", "update|up|checkout -C|--clean"),
            ("hg", "revert -a|--all|--no-backup"),
            ("svn", "revert -R|--recursive|--depth*"),
            ("svn", "delete|rm|del|remove http*|svn:*|svn+ssh*|^/*"),
            ("p4", "revert|obliterate|delete|sync //...|...|-f"),
            ("git", "submodule deinit -f|--force|--all"),
            ("git", "read-tree --reset|-u"),
            ("git", "lfs prune|migrate"),
            ("git", "replace --edit|-d|--graft"),
            ("git", "sparse-checkout|worktree prune|remove --force|-f"),
            ("fossil", "revert|purge|scrub"),
            ("darcs", "obliterate|revert|unpull"),
            ("bfg", "--delete-*|--strip-*|--replace-text"),
            ("repo", "forall|sync -c|--force-sync|--force-remove-dirty"),
        ]),
        catches: &[
            "jj abandon 'all()'",
            "hg strip -r 0",
            "svn revert -R .",
            "git submodule deinit -f --all",
        ],
        passes: &["jj log", "hg status", "svn update", "git submodule update --init"],
    },
    DangerRule {
        category: WINDOWS,
        programs: &[],
        check: RuleCheck::Words(&[
            ("reg", "delete|add|import|load|restore|unload"),
            ("vssadmin|wbadmin", "delete|resize"),
            ("bcdedit", "/set|/delete|/deletevalue|/import"),
            ("wmic", "delete|call|shadowcopy|useraccount delete|create|uninstall|terminate|set|*"),
            ("certutil", "-urlcache|-decode|-addstore|/urlcache|-encode"),
            (
                "rundll32|regsvr32|mshta|cscript|wscript|installutil|msbuild|odbcconf|cmstp|forfiles|bitsadmin|psexec|psexec64|winrm|winrs",
                "*",
            ),
            (
                "set-executionpolicy|stop-computer|restart-computer|clear-recyclebin|remove-item|clear-disk|format-volume|initialize-disk|new-localuser|add-localgroupmember|set-mppreference|disable-windowsoptionalfeature|stop-service|remove-service|unregister-scheduledtask|clear-eventlog|disable-netadapter|remove-aduser|reset-computermachinepassword|remove-partition",
                "*",
            ),
            ("net", "user|localgroup|share|stop|group|accounts *"),
            ("sc", "delete|config|create|stop *"),
            ("netsh", "advfirewall|firewall|interface|wlan set|add|delete|reset|export|off"),
            ("takeown|icacls|cacls", "/f|/grant|/reset|/r|/t|/grant:r|/deny"),
            ("cipher", "/w*"),
            ("diskpart|format|fsutil|chkdsk|defrag|manage-bde", "*"),
            ("wevtutil", "cl|clear-log|sl"),
            ("wsl", "-u|--user root"),
            ("wsl", "--unregister|--shutdown"),
            ("taskkill", "/f|/im *"),
            ("shutdown", "/s|/r|/p|/h"),
            ("robocopy", "/mir|/purge|/move"),
            ("schtasks", "/delete|/change"),
            ("powercfg|dism|sfc", "/h|/online|-h /disable*|off"),
            ("attrib", "+h|+s|-h *"),
        ]),
        catches: &[
            "reg delete HKLM\\X /f",
            "vssadmin delete shadows /all",
            "certutil -urlcache -f http://x.io/a a",
            "wsl.exe -u root sh",
        ],
        passes: &["reg query HKLM", "vssadmin list shadows", "net view", "wsl ls"],
    },
    DangerRule {
        category: CHANGES,
        programs: &["docker"],
        check: RuleCheck::Call(|call| {
            let force = call.has(&["-f", "--force", "-fv", "-vf"]);
            let removes =
                matches!(call.arg(0), "rm" | "rmi" | "container" | "image" | "volume" | "network");
            removes && force && call.args.iter().any(|arg| arg.taint.has(Taint::GENERATED))
        }),
        catches: &["docker rm -f $(docker ps -aq)", "docker rmi -f $(docker images -q)"],
        passes: &["docker rm -f web", "docker rm $(docker ps -aq)", "docker run -f $(cat x)"],
    },
    DangerRule {
        category: SERVED,
        programs: &[
            "python",
            "php",
            "npx",
            "serve",
            "http-server",
            "ruby",
            "busybox",
            "caddy",
            "darkhttpd",
            "webfsd",
            "miniserve",
            "bunx",
        ],
        check: RuleCheck::Call(serves_everything),
        catches: &[
            "python3 -m http.server --directory ~",
            "php -S 0.0.0.0:8000 -t /",
            "npx serve -l 80 /",
        ],
        passes: &[
            "python3 -m http.server",
            "python3 -m http.server 8000 -d dist",
            "php -S localhost:8000 -t public",
            "npx serve build",
        ],
    },
    DangerRule {
        category: CLOCK,
        programs: &["scp", "rsync"],
        check: RuleCheck::Call(|call| {
            const PLACES: &[&str] =
                &[":/etc/", ":/usr/", ":/boot/", ":/bin/", ":/lib/", ":/var/spool/"];
            let to = call.operands().last().map_or("", Arg::as_str);
            PLACES.iter().any(|place| to.contains(place))
                && !to.starts_with('/')
                && call.operands().count() > 1
        }),
        catches: &["scp x root@prod:/etc/cron.d/", "rsync -a x prod:/usr/local/"],
        passes: &["scp prod:/etc/hosts .", "scp x prod:/srv/app/"],
    },
    DangerRule {
        category: SHELL_STATE,
        programs: &[],
        check: RuleCheck::Words(&[
            // A program under another name.
            (
                "cp|ln|install|mv|link",
                "*/bin/rm|*/bin/dd|*/bin/sh|*/bin/bash|*/hermes|hermes|rm|dd *",
            ),
            ("hash", "-p|-p*"),
            ("enable", "-f|-f*|-n"),
            ("fc", "-s|-e|-e*"),
            ("complete|compgen", "-C|-F *rm*|*curl*|*sh*|*;*"),
            ("compgen", "-C|-F *"),
            ("builtin|enable", "-d"),
            ("env|export|declare", "BASH_FUNC_*"),
            ("coproc", "sh|bash|zsh|nc|ncat"),
        ]),
        catches: &[
            "hash -p /bin/rm ls",
            "enable -f ./x.so x",
            "fc -s rm",
            "env 'BASH_FUNC_ls%%=() { id; }' bash -c ls",
        ],
        passes: &[
            "hash -r",
            "enable",
            "fc -l",
            "history",
            "complete -W 'a b' x",
            "complete -F _x x",
        ],
    },
];

/// Logs of the system and histories of shells that are emptied, removed or led elsewhere.
fn erases_traces(call: &ProgramCall<'_>) -> bool {
    let is_trace = |text: &str| {
        let path = call.path(text);
        path.starts_with("/var/log/") && !path.contains("/nginx/cache")
            || matches!(path.as_ref(), "/var/run/utmp" | "/run/utmp" | "/var/log")
            || paths::below_home(&path).is_some_and(|rest| {
                matches!(
                    rest,
                    ".bash_history"
                        | ".zsh_history"
                        | ".histfile"
                        | ".python_history"
                        | ".mysql_history"
                        | ".psql_history"
                        | ".local/share/fish/fish_history"
                        | ".lesshst"
                        | ".viminfo"
                        | ".node_repl_history"
                        | ".sqlite_history"
                        | ".rediscli_history"
                )
            })
    };
    let operands: Vec<&Arg<'_>> = call.operands().collect();
    match call.name {
        "cp" | "ln" => operands.len() > 1 && operands.last().is_some_and(|arg| is_trace(&arg.text)),
        "sed" => {
            call.args.iter().any(|arg| arg.text.starts_with("-i") || arg.text == "--in-place")
                && operands.iter().any(|arg| is_trace(&arg.text))
        }
        _ => operands.iter().any(|arg| is_trace(&arg.text)),
    }
}

/// A shell, or a root of one's own, instead of one program.
fn becomes_another(call: &ProgramCall<'_>) -> bool {
    if call.asks_for_help() {
        return false;
    }
    let letters = |wanted: &[char]| {
        call.args
            .iter()
            .take_while(|arg| arg.text.starts_with('-'))
            .any(|arg| !arg.text.starts_with("--") && arg.text.contains(wanted))
    };
    let words: Vec<&str> = call
        .args
        .iter()
        .map(Arg::as_str)
        .filter(|text| !text.starts_with('-') && !text.contains('='))
        .collect();
    let opens_shell = |words: &[&str]| {
        words.iter().rposition(|word| is_shell(word)).is_some_and(|at| {
            let behind =
                call.args.iter().map(Arg::as_str).skip_while(|text| *text != words[at]).skip(1);
            behind.clone().all(|text| text.starts_with('-') && !text.contains('c'))
                && behind.count() <= 2
        })
    };
    match call.name {
        "sudo" | "doas" | "run0" => {
            let first =
                words.iter().find(|word| !matches!(**word, "env" | "nohup" | "setsid" | "exec"));
            // What a shell reads from its input is judged there.
            if call.stdin.text.is_some() {
                return false;
            }
            (call.name == "sudo" && (letters(&['i']) || call.has(&["--login"])) && words.len() < 2)
                || (letters(&['s']) && words.len() < 2)
                || (first.is_some_and(|word| *word == "su")
                    && is_root_shell(&words)
                    && !has_command(call))
                || opens_shell(&words)
        }
        "su" => call.stdin.text.is_none() && is_root_shell(&words) && !has_command(call),
        "pkexec" | "gosu" | "su-exec" => opens_shell(&words),
        "runuser" => words.len() <= 2 || opens_shell(&words),
        "unshare" => {
            letters(&['r'])
                || call.has(&[
                    "--map-root-user",
                    "--map-current-user",
                    "--mount",
                    "-m",
                    "-Ur",
                    "-rm",
                    "--pid",
                ])
        }
        "setpriv" => {
            call.args.iter().any(|arg| arg.text.starts_with("--reuid") || arg.text.contains("caps"))
        }
        "capsh" => call.args.iter().any(|arg| {
            arg.text.starts_with("--uid") || arg.text.starts_with("--user") || arg.text == "--"
        }),
        _ => false,
    }
}

/// `su`, `su -`, `su root`, without a command behind it.
fn is_root_shell(words: &[&str]) -> bool {
    let user = words.iter().find(|word| **word != "su");
    matches!(user, None | Some(&("root" | "toor")))
}

fn has_command(call: &ProgramCall<'_>) -> bool {
    call.args.iter().any(|arg| {
        let text = arg.as_str();
        text.starts_with("--command")
            || text.starts_with("--session-command")
            || (text.starts_with('-') && !text.starts_with("--") && text.contains('c'))
    })
}

fn is_shell(word: &str) -> bool {
    interpreters::is_shell(word.rsplit('/').next().unwrap_or(word))
}

/// A web server at a home or a place of the system.
fn serves_everything(call: &ProgramCall<'_>) -> bool {
    let serves = match call.name {
        "python" => call.has(&["http.server", "SimpleHTTPServer"]),
        "php" => call.args.iter().any(|arg| arg.text.starts_with("-S")),
        "npx" | "bunx" => call.has(&["serve", "http-server", "live-server"]),
        "busybox" => call.has(&["httpd"]),
        "caddy" => call.has(&["file-server"]),
        "ruby" => call.has(&["httpd"]),
        _ => true,
    };
    serves
        && call.operands().any(|arg| {
            let text = arg.text.split_once('=').map_or(arg.as_str(), |(_, value)| value);
            text.contains(['/', '~']) && call.protects(text).is_some()
        })
}

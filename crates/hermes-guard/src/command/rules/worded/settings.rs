//! Settings of the machine: clock, start-up, disks, services, virtual machines.

use super::super::super::call::Arg;
use super::super::super::category::Category;
use super::super::{DangerRule, RuleCheck};

const CLOCK: Category = Category::asks(
    "machine settings",
    "The clock, name or way of starting of the machine would change.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: CLOCK,
        programs: &[],
        check: RuleCheck::Words(&[
            ("date", "-s|--set|--set=*|-s*"),
            ("timedatectl", "set-time|set-timezone|set-ntp|set-local-rtc"),
            ("hwclock", "-w|--systohc|--set|-s|--hctosys"),
            ("hostnamectl", "set-hostname|hostname|set-*"),
            ("hostname", "-F|--file|-b"),
            ("hostname", "^* !-f !-i !-I !-s !-d !-A"),
            ("ntfsfix", "/dev/*"),
            ("svcadm", "disable|restart|mark"),
            ("grub-reboot|grub-set-default|grub2-reboot|grub2-set-default|pam-auth-update", "*"),
            ("docker", "secret|config rm|remove"),
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
                "tune2fs|resize2fs|e2fsck|fsck|xfs_repair|xfs_growfs|btrfstune|ntfsfix|dosfslabel|e2label|debugfs|fstrim",
                "-O|-o|-L|-U|-c|-i|-w|-y|-p|-f|-a|-fy|-R|-m|-e /*|*",
            ),
            ("resize2fs", "/dev/*"),
            ("qemu-img", "convert|create|commit|rebase /dev/*"),
            ("bpftool", "load|attach|detach|pin|prog|net|map"),
            ("snap", "stop|disable|remove"),
            ("lxc|incus", "stop|delete|restart --all|-f|--force"),
            ("launchctl", "bootout|unload|disable|remove|kill|stop"),
            ("ttyd|gotty|shellinabox|shellinaboxd|wetty|sshx|tmate|upterm", "*"),
            ("update-ca-certificates|update-ca-trust", "*"),
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
            (
                "pkill|killall",
                "bash|zsh|sh|fish|systemd|sshd|init|xorg|Xwayland|gnome-shell|plasmashell|dbus-daemon|tmux|screen|dockerd|containerd",
            ),
            ("pkill|killall", "-u|--euid|-U root|user|$USER"),
            ("atrm", "*"),
            ("conda|mamba|micromamba", "remove|env|uninstall --all|--prefix"),
            (
                "docker",
                "run|create -v|--volume|--mount|-v*|--volume=* */.ssh*|*/.aws*|*/.gnupg*|*/.kube*",
            ),
            ("helm", "rollback"),
            (
                "pg_ctl|pg_ctlcluster|mysqladmin|mongod|redis-server",
                "stop|shutdown|--shutdown|kill",
            ),
            ("heroku", "ps:scale *=0"),
            ("heroku", "ps:stop|maintenance:on"),
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
];

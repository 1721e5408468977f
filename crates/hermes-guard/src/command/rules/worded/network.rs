//! The network: links, routes, names and firewalls.

use super::super::super::category::Category;
use super::super::{DangerRule, RuleCheck};

const NETWORK: Category = Category::asks(
    "network settings",
    "The machine could lose its network, or lead others astray.",
);

pub(super) const RULES: &[DangerRule] = &[DangerRule {
    category: NETWORK,
    programs: &[],
    check: RuleCheck::Words(&[
        ("vtysh|vtyshell", "*conf*|*clear*|*write*|*no~*|*reload*|*shutdown*"),
        ("birdc|birdc6|birdcl", "disable|restart|down|configure|reload|graceful"),
        ("frr-reload|frr-reload.py", "--reload|--overwrite"),
        ("nsupdate|knsupdate", "*"),
        (
            "rndc|unbound-control|pdnsutil|knotc|pdns_control",
            "flush*|stop|halt|delzone|freeze|delete-*|clear-*|zone-unset|zone-purge|reload|replace-*|local_zone*|forward_add|set",
        ),
        ("dnscontrol|octodns-sync|octodns", "push|--doit"),
        (
            "netbird|tailscale",
            "up --authkey*|--auth-key*|--accept-routes|--advertise*|--ssh|--exit-node*",
        ),
        ("tailscale", "funnel|down|logout|set"),
        ("teamd|teamdctl|bonding|ifenslave|vconfig|tunctl", "*"),
        ("lldptool|dcbtool|devlink|rdma", "set|reload|delete|add"),
        ("cli|junos-cli|opcmd", "-c *configure*|*commit*|*request~system*|*delete*"),
        ("snmpset|snmptrap", "*"),
        ("exabgpcli|gobgp|gobgpd", "withdraw|announce|del|shutdown|reset|add|neighbor"),
        ("acme.sh", "--remove|--revoke|--deactivate*|--uninstall"),
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
            "networking|radio|device|dev|con|connection|c off|disconnect|down|delete|del|modify|mod|connect",
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
        ("nft", "add|delete|flush|insert|destroy|replace|-f !-c !--check"),
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
        ("ipset|conntrack|ebtables|arptables", "flush|destroy|-F|-X|--flush|-D"),
        ("netplan", "apply|try|set"),
        ("hostapd|dnsmasq", "*.conf|-C|-d"),
        ("update-crypto-policies", "--set"),
        ("networkctl", "down|delete|forcerenew"),
        ("wpa_cli", "disable_network|remove_network|terminate|disconnect"),
        ("dhclient|dhcpcd", "-r|-x|-k|--release"),
        ("openvpn", "--config /tmp/*|/var/tmp/*|/dev/shm/*"),
        ("sshuttle", "-r|--remote 0/0|0.0.0.0/0"),
        ("zerotier-cli|netbird|nebula", "join|leave|up|down"),
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
}];

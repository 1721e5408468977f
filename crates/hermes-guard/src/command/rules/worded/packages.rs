//! Packages the machine needs, and where new ones come from.

use super::super::super::category::Category;
use super::super::{DangerRule, RuleCheck};

const PACKAGES: Category = Category::asks(
    "system packages",
    "Packages the machine may need would be removed, or taken from a source nobody checked.",
);

pub(super) const RULES: &[DangerRule] = &[DangerRule {
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
        ("pip|uv|pipx|conda|mamba", "uninstall|remove pip|setuptools|wheel|python|conda|certifi"),
        ("pip|uv", "uninstall -r|--requirement|--requirement=*|--all"),
        ("npm|pnpm|yarn", "uninstall|remove|rm|un npm|corepack|yarn|pnpm"),
        ("uvx|pipx", "--from|--spec|run git+*|http*"),
        ("gem", "uninstall -a|--all|-aIx|-aIx|-axI|bundler|rubygems-update"),
        ("emerge", "-C|--unmerge|--depclean"),
        (
            "pip|uv|pipx",
            "install|pip --index-url|-i|--extra-index-url|--index-url=http:*|--extra-index-url=http:*|--trusted-host http:*|https:*|*",
        ),
        ("npm|yarn|pnpm|bun", "install|i|add|-g http:*|https://*|git+http:*"),
        ("npx|bunx|pnpx", "^http:*|https:*|github:*|git+*"),
        ("pip|pip3|uv", "install --break-system-packages http*|git+*|*.whl"),
        ("npm", "-g|--global|install --unsafe-perm|--unsafe-perm=true"),
        (
            "npm|yarn|pnpm",
            "config set registry|script-shell|ignore-scripts|prefix|node-options|cafile|strict-ssl",
        ),
        ("npm|pnpm", "set registry|script-shell|prefix|registry=*"),
        ("pip|pip3", "config set *index-url|*trusted-host|*proxy"),
        ("gem", "install|sources --source|-s|-a|--add http:*"),
        ("gem", "specific_install"),
        ("go", "install|run|get -insecure"),
        ("go", "^run *@latest|*@main|*@master|*@v*|*@head"),
        ("pip|pip3|pipx|uv|conda|npm|brew|apt|apt-get|cargo", "uninstall|remove|rm|purge hermes*"),
        ("deno", "run|install http*"),
        ("go", "run http*"),
        ("node|bun", "--import|-r|--require|--loader|--experimental-loader http:*|https:*|data:*"),
        ("node|bun", "--import=http*|--import=data:*|--loader=http*|--require=http*"),
        ("code|code-insiders|codium|cursor", "--install-extension *.vsix"),
        ("gpg|gpg2", "--delete-secret-keys|--delete-secret-key|--delete-secret-and-public-key"),
        ("do-release-upgrade|dist-upgrade", "*"),
        (
            "needrestart|grub-install|grub2-install|grub-mkconfig|grub2-mkconfig|grubby|kernelstub|refind-install|update-grub2|update-grub|efibootmgr|bootctl|dracut|update-initramfs|mkinitcpio|kernel-install",
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
}];

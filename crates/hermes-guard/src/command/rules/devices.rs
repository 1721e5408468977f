//! Disks and what is on them.

use super::super::call::{Arg, ProgramCall};
use super::super::category::Category;
use super::super::options::{Opt, Spec, options};
use super::super::paths;
use super::{DangerRule, REDIRECTION, RuleCheck};

const FORMAT: Category = Category::never("format filesystem", "What is on the disk would be gone.");
const WRITE: Category = Category::never(
    "write to block device",
    "Raw data would be written over a disk and the files on it.",
);
const COPY: Category =
    Category::asks("disk copy", "dd copies raw data and asks nothing before it overwrites.");
const PARTITIONS: Category = Category::asks(
    "change disks or volumes",
    "Disks, partitions or volumes are changed or removed.",
);

pub(super) const RULES: &[DangerRule] = &[
    DangerRule {
        category: FORMAT,
        programs: &["mkfs", "mke2fs", "newfs", "mkdosfs"],
        check: RuleCheck::Call(|call| {
            !call.asks_for_help() && !call.has(&["-V"]) && !rehearses(call) && !is_image(call)
        }),
        catches: &[
            "mkfs.ext4 /dev/sdb1",
            "sudo mkfs -t xfs /dev/sda",
            "mke2fs /dev/sdb",
            "/sbin/mkfs.vfat /dev/sdc",
            "mkfs.vfat -n DATA /dev/sdb1",
            "mkfs.ext4 -N 1000 /dev/sdb1",
        ],
        passes: &[
            "mkfs_helper x",
            "man mkfs",
            "ls mkfs.ext4",
            "mkfs.ext4 --help",
            "echo mkfs /dev/sda",
            "mkfs.ext4 disk.img",
            "mkfs.vfat -F 32 build/boot.img",
        ],
    },
    DangerRule {
        category: FORMAT,
        programs: &[
            "wipefs",
            "blkdiscard",
            "sgdisk",
            "parted",
            "cryptsetup",
            "shred",
            "badblocks",
            "nvme",
            "hdparm",
            "diskutil",
            "format",
        ],
        check: RuleCheck::Call(erases),
        catches: &[
            "wipefs -a /dev/sda",
            "wipefs -af /dev/sda",
            "blkdiscard /dev/nvme0n1",
            "sgdisk --zap-all /dev/sda",
            "sgdisk -Z /dev/sda",
            "parted -s /dev/sda mklabel gpt",
            "cryptsetup luksFormat /dev/sda2",
            "shred -v /dev/sda",
            "badblocks -wsv /dev/sdb",
            "nvme format /dev/nvme0n1 -s1",
            "hdparm --user-master u --security-erase p /dev/sda",
            "diskutil eraseDisk JHFS+ x disk2",
        ],
        passes: &[
            "wipefs /dev/sda",
            "parted -s disk.img mklabel gpt",
            "sgdisk -p /dev/sda",
            "parted -l",
            "shred -u secret.txt",
            "badblocks -sv /dev/sdb",
            "nvme list",
            "hdparm -I /dev/sda",
            "cryptsetup status x",
            "clang-format -i x.c",
            "diskutil list",
        ],
    },
    DangerRule {
        category: PARTITIONS,
        programs: &["mkfs", "mke2fs", "newfs", "mkdosfs"],
        check: RuleCheck::Call(|call| {
            let is_device = call.args.iter().any(|arg| arg.text.starts_with("/dev/"));
            !call.asks_for_help() && is_image(call) && is_device && !rehearses(call)
        }),
        catches: &["mkfs.ext4 /dev/loop0"],
        passes: &["mkfs.ext4 --help", "mkfs.ext4 -n disk.img", "mkfs.ext4 -F ./disk.img"],
    },
    DangerRule {
        category: WRITE,
        programs: &[
            REDIRECTION,
            "dd",
            "dcfldd",
            "dc3dd",
            "cp",
            "tee",
            "ddrescue",
            "mv",
            "install",
            "sponge",
            "pv",
            "truncate",
        ],
        check: RuleCheck::Call(|call| {
            super::files::targets(call).iter().any(|path| paths::is_disk(path))
        }),
        catches: &[
            "dd if=/dev/zero of=/dev/sda",
            "dd of='/dev/nvme0n1' if=x",
            "cat x > /dev/sda",
            "cat x >| /dev/sda1",
            "cp x.img /dev/sdb",
            "gunzip -c x | sudo tee /dev/mmcblk0 > /dev/null",
            "dd if=x of=/dev/disk2",
            "dd if=x of=/dev/mapper/root",
            "echo x > /dev/dm-0",
            "dd if=x of=/dev/disk/by-id/usb-1",
            "dd if=a of=/dev/md0",
            "> /dev/vda",
        ],
        passes: &[
            "dd if=/dev/sda of=./image",
            "cat x > /dev/null",
            "dd if=/dev/sda count=1 | xxd",
            "cp /dev/sda x",
            "ls 2> /dev/stderr",
            "echo x > /dev/tty",
        ],
    },
    DangerRule {
        category: COPY,
        programs: &["dd", "dcfldd", "dc3dd"],
        check: RuleCheck::Call(|call| {
            const HARMLESS: &[&str] =
                &["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/zero", "/dev/full", "/dev/tty"];
            super::files::targets(call)
                .iter()
                .any(|path| path.starts_with("/dev/") && !HARMLESS.contains(&path.as_str()))
                || call.args.iter().any(|arg| {
                    arg.text.strip_prefix("if=").is_some_and(|from| {
                        matches!(call.path(from).as_ref(), "/dev/mem" | "/dev/kmem" | "/dev/port")
                    })
                })
        }),
        catches: &["dd if=/dev/zero of=/dev/loop0", "dd of=/dev/ttyS0 if=y", "dd if=/dev/mem of=x"],
        passes: &[
            "echo dd if=x",
            "add if=x",
            "dd --help",
            "dd if=/dev/zero of=x bs=1M count=1",
            "dd if=a of=/dev/null",
            "dd if=/dev/urandom of=key bs=32 count=1",
        ],
    },
    DangerRule {
        category: PARTITIONS,
        programs: &[
            "fdisk", "sfdisk", "cfdisk", "gdisk", "mkswap", "pvcreate", "pvremove", "vgremove",
            "lvremove", "zpool", "zfs", "mdadm", "btrfs", "parted", "sgdisk", "wipefs",
        ],
        check: RuleCheck::Call(changes_volumes),
        catches: &[
            "fdisk /dev/sda",
            "zfs destroy tank/x",
            "lvremove vg/x",
            "mdadm --zero-superblock /dev/sdb",
        ],
        passes: &[
            "fdisk -l",
            "zfs list",
            "parted -l",
            "parted /dev/sda print",
            "btrfs filesystem df /",
        ],
    },
];

/// Whether what is formatted is a file with the image of a disk, or such a file behind a device.
fn is_image(call: &ProgramCall<'_>) -> bool {
    const ENDINGS: &[&str] =
        &[".img", ".raw", ".iso", ".bin", ".fat", ".ext4", ".qcow2", ".disk", ".part"];
    let mut given = call.args.iter().map(Arg::as_str).filter(|text| !text.starts_with('-'));
    let is_disk = call.args.iter().any(|arg| paths::is_disk(&call.path(&arg.text)));
    !is_disk
        && given.any(|text| {
            text.starts_with("/dev/loop") || ENDINGS.iter().any(|ending| text.ends_with(ending))
        })
}

/// `-n` and `-N` without a value only show what would be done; with one they name or count something.
fn rehearses(call: &ProgramCall<'_>) -> bool {
    call.args.iter().enumerate().any(|(at, arg)| {
        let next = call.args.get(at + 1).map_or("-", Arg::as_str);
        let is_place = next.starts_with(['/', '-', '.']) || next.contains('.');
        matches!(arg.as_str(), "-n" | "-N") && is_place
    })
}

fn names_device(call: &ProgramCall<'_>) -> bool {
    call.args.iter().any(|arg| arg.has_hole() || call.path(&arg.text).starts_with("/dev/"))
}

fn erases(call: &ProgramCall<'_>) -> bool {
    let short = |letters: &str, long: &str| {
        options(call.args, &Spec::FLAGS).any(|opt| match opt {
            Opt::Short(letter, _) => letters.contains(letter),
            Opt::Long(name, _) => !long.is_empty() && name.starts_with(long),
            Opt::Operand(..) => false,
        })
    };
    let word = |words: &[&str]| {
        call.args.iter().any(|arg| words.iter().any(|word| arg.text.eq_ignore_ascii_case(word)))
    };
    match call.name {
        "wipefs" => short("a", "all") && !short("n", "no-act") && names_device(call),
        "blkdiscard" => names_device(call),
        "sgdisk" => (short("Zo", "zap") || short("", "clear")) && names_device(call),
        "parted" => word(&["mklabel", "mktable"]) && names_device(call),
        "cryptsetup" => word(&["luksformat", "erase", "luksErase"]) && names_device(call),
        "shred" => call.args.iter().any(|arg| paths::is_disk(&call.path(&arg.text))),
        "badblocks" => short("w", "") && names_device(call),
        "nvme" => matches!(call.arg(0), "format" | "sanitize"),
        "hdparm" => call.args.iter().any(|arg| {
            let text = arg.text.as_ref();
            text.starts_with("--security-erase")
                || text.starts_with("--trim-sector")
                || text == "--make-bad-sector"
        }),
        "diskutil" => {
            call.arg(0).to_ascii_lowercase().starts_with("erase")
                || word(&["zeroDisk", "secureErase"])
        }
        "format" => call.operands().any(|arg| is_drive(arg)),
        _ => false,
    }
}

/// `c:`
fn is_drive(arg: &Arg<'_>) -> bool {
    let text = arg.text.trim_end_matches(['\\', '/']).as_bytes();
    matches!(text, [letter, b':'] if letter.is_ascii_alphabetic())
}

fn changes_volumes(call: &ProgramCall<'_>) -> bool {
    let lists = call.asks_for_help() || call.has(&["-l", "--list", "-d", "--dump", "-p", "-V"]);
    match call.name {
        "fdisk" | "sfdisk" | "cfdisk" | "gdisk" => names_device(call) && !lists,
        "mkswap" | "pvcreate" => names_device(call),
        "pvremove" | "vgremove" | "lvremove" => !call.asks_for_help(),
        "zpool" => matches!(call.arg(0), "destroy" | "create" | "labelclear" | "remove"),
        "zfs" => matches!(call.arg(0), "destroy" | "rollback"),
        "mdadm" => call.has(&["--create", "-C", "--zero-superblock", "--stop", "-S"]),
        "btrfs" => call.has(&["delete"]),
        "parted" => call.has(&["rm", "mkpart", "resizepart", "mklabel", "mktable"]),
        "sgdisk" => call.args.iter().any(|arg| {
            ["-d", "-n", "--delete", "--new"].iter().any(|flag| arg.text.starts_with(flag))
        }),
        _ => false,
    }
}

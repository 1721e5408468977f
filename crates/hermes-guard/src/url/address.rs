//! Ranges of addresses, and which of them are open.
//!
//! IPv6 has several ways to carry an IPv4 address inside (mapped, 6to4, NAT64, Teredo, ISATAP). A
//! gateway would deliver such a packet to the address inside, so that one is judged as well.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::UrlRefusal;

/// Which addresses may be visited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// The public internet.
    #[default]
    PublicOnly,
    /// Private networks and this machine too; metadata services stay closed.
    PrivateToo,
}

/// A range of addresses by its first address and the number of fixed leading bits.
struct Range4(Ipv4Addr, u32, &'static str);
struct Range6(Ipv6Addr, u32, &'static str);

/// Metadata services of the large clouds, and the whole range most of them live in.
const METADATA_V4: [Range4; 2] = [
    Range4(Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    Range4(Ipv4Addr::new(100, 100, 100, 200), 32, "metadata"),
];
const METADATA_V6: Ipv6Addr = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);

const CLOSED_V4: [Range4; 15] = [
    Range4(Ipv4Addr::new(0, 0, 0, 0), 8, "unspecified"),
    Range4(Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
    Range4(Ipv4Addr::new(100, 64, 0, 0), 10, "shared by carriers"),
    Range4(Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
    Range4(Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
    Range4(Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
    Range4(Ipv4Addr::new(192, 0, 0, 0), 24, "reserved"),
    Range4(Ipv4Addr::new(192, 0, 2, 0), 24, "documentation"),
    Range4(Ipv4Addr::new(192, 88, 99, 0), 24, "reserved"),
    Range4(Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
    Range4(Ipv4Addr::new(198, 18, 0, 0), 15, "benchmark"),
    Range4(Ipv4Addr::new(198, 51, 100, 0), 24, "documentation"),
    Range4(Ipv4Addr::new(203, 0, 113, 0), 24, "documentation"),
    Range4(Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
    Range4(Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

const CLOSED_V6: [Range6; 11] = [
    Range6(Ipv6Addr::UNSPECIFIED, 128, "unspecified"),
    Range6(Ipv6Addr::LOCALHOST, 128, "loopback"),
    Range6(Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "private"),
    Range6(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "link-local"),
    Range6(Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "site-local"),
    Range6(Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "multicast"),
    Range6(Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, "private translation"),
    Range6(Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64, "discard"),
    Range6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "documentation"),
    Range6(Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "documentation"),
    // Protocol assignments: Teredo, benchmarks, identifiers that are no places.
    Range6(Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "reserved"),
];

/// The only part of IPv6 that is given out for the public internet.
const GLOBAL_V6: Range6 = Range6(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3, "global");

impl Range4 {
    fn contains(&self, address: Ipv4Addr) -> bool {
        (address.to_bits() ^ self.0.to_bits()) >> (32 - self.1) == 0
    }
}

impl Range6 {
    fn contains(&self, address: Ipv6Addr) -> bool {
        (address.to_bits() ^ self.0.to_bits()) >> (128 - self.1) == 0
    }
}

/// Whether an address may be visited.
#[must_use]
pub fn address_allowed(address: IpAddr, policy: Policy) -> bool {
    judge(address, policy).is_ok()
}

/// Judges one address.
///
/// # Errors
/// Which range speaks against it.
pub fn judge(address: IpAddr, policy: Policy) -> Result<(), UrlRefusal> {
    if is_metadata(address) {
        return Err(UrlRefusal::metadata(address));
    }
    match closed_range(address) {
        Some(range) if policy == Policy::PublicOnly => Err(UrlRefusal::private(address, range)),
        _ => Ok(()),
    }
}

fn is_metadata(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => METADATA_V4.iter().any(|range| range.contains(address)),
        IpAddr::V6(address) => {
            address == METADATA_V6
                || embedded(address).into_iter().flatten().any(|inner| is_metadata(inner.into()))
        }
    }
}

fn closed_range(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => {
            CLOSED_V4.iter().find(|range| range.contains(address)).map(|range| range.2)
        }
        IpAddr::V6(address) => {
            if let Some(range) = CLOSED_V6.iter().find(|range| range.contains(address)) {
                return Some(range.2);
            }
            let closed = embedded(address)
                .into_iter()
                .flatten()
                .find_map(|inner| closed_range(inner.into()));
            if closed.is_some() {
                return closed;
            }
            let translated = matches!(
                address.segments(),
                [0, 0, 0, 0, 0, 0xffff, _, _] | [0x64, 0xff9b, 0, 0, 0, 0, _, _]
            );
            (!translated && !GLOBAL_V6.contains(address)).then_some("reserved")
        }
    }
}

/// The IPv4 addresses inside an IPv6 address: none, one, or two (a Teredo address has the server's
/// and the client's).
fn embedded(address: Ipv6Addr) -> [Option<Ipv4Addr>; 2] {
    let segments = address.segments();
    let pair = |at: usize| {
        Ipv4Addr::from_bits((u32::from(segments[at]) << 16) | u32::from(segments[at + 1]))
    };
    match segments {
        // Mapped, and the older form without the marker.
        [0, 0, 0, 0, 0, 0xffff, _, _] => [Some(pair(6)), None],
        [0, 0, 0, 0, 0, 0, high, low] if high != 0 || low > 1 => [Some(pair(6)), None],
        // Translated: SIIT and NAT64.
        [0, 0, 0, 0, 0xffff, 0, _, _] | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => [Some(pair(6)), None],
        // 64:ff9b:1::/48 may put the address in several places; the last is the usual one.
        [0x64, 0xff9b, 1, _, _, _, _, _] => [Some(pair(6)), None],
        // 6to4.
        [0x2002, _, _, _, _, _, _, _] => [Some(pair(1)), None],
        // Teredo hides the client's address by turning every bit around.
        [0x2001, 0, _, _, _, _, _, _] => {
            [Some(pair(2)), Some(Ipv4Addr::from_bits(!pair(6).to_bits()))]
        }
        // ISATAP.
        [_, _, _, _, 0 | 0x200, 0x5efe, _, _] => [Some(pair(6)), None],
        _ => [None, None],
    }
}

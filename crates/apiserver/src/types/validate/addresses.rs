//! IP addresses and ranges of them in canonical form.

use std::net::{IpAddr, Ipv6Addr};

const NO_ADDRESS: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const NO_RANGE: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";

/// Returns the problems of the name of an IPAddress: it is an address in its canonical form.
pub(crate) fn address_problems(name: &str) -> Vec<String> {
    match name.parse::<IpAddr>() {
        Err(_) if without_leading_zeros(name).is_some_and(|name| name.parse::<IpAddr>().is_ok()) => {
            vec!["must not have leading 0s".to_owned()]
        }
        Err(_) => vec![NO_ADDRESS.to_owned()],
        Ok(IpAddr::V6(address)) if is_mapped(address) => vec!["must not be an IPv4-mapped IPv6 address".to_owned()],
        Ok(address) if address.to_string() != name => vec![format!("must be in canonical form ({:?})", address.to_string())],
        Ok(_) => Vec::new(),
    }
}

/// Returns the problems of a range, which is written in its canonical form.
pub(super) fn range_problems(text: &str) -> Vec<String> {
    let Some(range) = AddressRange::parse(text) else {
        let (address, bits) = text.split_once('/').unwrap_or((text, ""));
        let is_sloppy =
            without_leading_zeros(address).is_some_and(|address| AddressRange::parse(&format!("{address}/{bits}")).is_some());
        return vec![if is_sloppy { "must not have leading 0s in IP" } else { NO_RANGE }.to_owned()];
    };
    let mut problems = Vec::new();
    if matches!(range.address, IpAddr::V6(address) if is_mapped(address)) {
        problems.push("must not have an IPv4-mapped IPv6 address".to_owned());
    }
    if text.rsplit('/').next().is_some_and(|bits| bits.len() > 1 && bits.starts_with('0')) {
        problems.push("must not have leading 0s in prefix length".to_owned());
    }
    if range.first() != range.address {
        problems.push("must not have bits set beyond the prefix length".to_owned());
    }
    let canonical = format!("{}/{}", range.address, range.bits);
    if problems.is_empty() && canonical != text {
        problems.push(format!("must be in canonical form ({canonical:?})"));
    }
    problems
}

/// The addresses with a common prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AddressRange {
    address: IpAddr,
    bits: u32,
}

impl AddressRange {
    /// Reads `address/bits`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (address, bits) = text.split_once('/')?;
        let (address, bits) = (address.parse::<IpAddr>().ok()?, bits.parse().ok()?);
        (bits <= width(address)).then_some(Self { address, bits })
    }

    /// Returns true if the address lies in the range.
    pub(crate) fn contains(self, address: IpAddr) -> bool {
        address.is_ipv6() == self.address.is_ipv6() && self.prefix(address) == self.prefix(self.address)
    }

    /// Returns true if all addresses of another range lie in this one.
    pub(crate) fn covers(self, other: Self) -> bool {
        self.bits <= other.bits && self.contains(other.address)
    }

    /// Returns true for a range of IPv6 addresses.
    pub(super) fn is_ipv6(self) -> bool {
        self.address.is_ipv6()
    }

    fn first(self) -> IpAddr {
        let first = self.prefix(self.address);
        match self.address {
            IpAddr::V4(_) => IpAddr::V4(u32::try_from(first).unwrap_or_default().into()),
            IpAddr::V6(_) => IpAddr::V6(first.into()),
        }
    }

    /// Returns an address without the bits beyond the prefix.
    fn prefix(self, address: IpAddr) -> u128 {
        let number = match address {
            IpAddr::V4(address) => u128::from(u32::from(address)),
            IpAddr::V6(address) => address.into(),
        };
        let beyond = width(self.address) - self.bits;
        number.checked_shr(beyond).unwrap_or_default().checked_shl(beyond).unwrap_or_default()
    }
}

/// Returns the number of bits of an address of this family.
fn width(address: IpAddr) -> u32 {
    if address.is_ipv6() { 128 } else { 32 }
}

fn is_mapped(address: Ipv6Addr) -> bool {
    address.to_ipv4_mapped().is_some()
}

/// Returns an IPv4 address without the zeros before its numbers, which some programs read as octal.
fn without_leading_zeros(text: &str) -> Option<String> {
    let numbers: Option<Vec<String>> = text.split('.').map(|number| Some(number.parse::<u8>().ok()?.to_string())).collect();
    Some(numbers?.join("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_addresses_are_canonical() {
        for name in ["10.0.0.1", "2001:db8::1", "::"] {
            assert_eq!(address_problems(name), [] as [&str; 0], "{name}");
        }
        assert_eq!(address_problems("::ffff:10.0.0.1"), ["must not be an IPv4-mapped IPv6 address"]);
        assert_eq!(address_problems("2001:db8:0::1"), ["must be in canonical form (\"2001:db8::1\")"]);
        assert_eq!(address_problems("10.0.0.01"), ["must not have leading 0s"]);
        assert_eq!(address_problems("10.0.0.256"), [NO_ADDRESS]);
    }

    #[test]
    fn ranges_are_canonical_and_have_no_bits_beyond_their_prefix() {
        for range in ["0.0.0.0/0", "10.0.0.0/16", "10.0.0.1/32", "2001:db8::/64", "::/0"] {
            assert_eq!(range_problems(range), [] as [&str; 0], "{range}");
        }
        assert_eq!(range_problems("10.0.0.1/16"), ["must not have bits set beyond the prefix length"]);
        assert_eq!(range_problems("10.0.0.0/016"), ["must not have leading 0s in prefix length"]);
        assert_eq!(range_problems("010.0.0.0/16"), ["must not have leading 0s in IP"]);
        assert_eq!(range_problems("2001:DB8::/64"), ["must be in canonical form (\"2001:db8::/64\")"]);
        for text in ["10.0.0.0", "10.0.0.0/33", "2001:db8::/129", "x/1", ""] {
            assert_eq!(range_problems(text), [NO_RANGE], "{text}");
        }
    }

    #[test]
    fn a_range_contains_addresses_and_smaller_ranges_of_its_family() {
        let range = |text: &str| AddressRange::parse(text).unwrap();
        let all = range("10.0.0.0/16");
        assert!(all.contains("10.0.255.255".parse().unwrap()) && !all.contains("10.1.0.0".parse().unwrap()));
        assert!(!range("::/0").contains("10.0.0.1".parse().unwrap()));
        assert!(all.covers(range("10.0.3.0/24")) && all.covers(all) && !range("10.0.3.0/24").covers(all));
    }
}

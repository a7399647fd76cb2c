//! The key `_example` of a ConfigMap: documentation that has no effect.
//!
//! Users sometimes edit the sample by mistake, instead of a key beside it. A checksum in an annotation distinguishes such an edit from a new sample.
//! The checksum is that of Knative, so that its ConfigMaps keep their annotations.

use std::fmt;

use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

/// The key with the documented sample.
pub const EXAMPLE_KEY: &str = "_example";
/// The name of the annotation that holds the checksum, without its domain.
pub const EXAMPLE_CHECKSUM: &str = "example-checksum";
/// The annotation that is used if the ConfigMap has none of the own domain.
const KNATIVE_CHECKSUM: &str = "knative.dev/example-checksum";

/// The checksum of a sample. Displays as 8 lower-case hexadecimal digits.
///
/// It does not depend on white space around the sample, nor on the form and number of its line ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExampleChecksum(u32);

impl ExampleChecksum {
    /// Returns the checksum of a text: CRC-32/IEEE of the trimmed text in which each run of line ends is replaced by a backslash and `n`.
    pub fn of(text: &str) -> Self {
        let mut crc = Crc32::new();
        let mut rest = text.trim();
        while let Some((line, after)) = rest.split_once('\n') {
            crc.add(line.strip_suffix('\r').unwrap_or(line).as_bytes());
            crc.add(br"\n");
            rest = after;
            while let Some(after) = rest.strip_prefix('\n').or_else(|| rest.strip_prefix("\r\n")) {
                rest = after;
            }
        }
        crc.add(rest.as_bytes());
        Self(crc.finish())
    }
}

impl fmt::Display for ExampleChecksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:08x}", self.0)
    }
}

/// The error of a sample that differs from the one that its checksum was made for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "key \"_example\" has the checksum {found}, but annotation {annotation:?} expects {expected:?}; the key has no effect: undo the \
     change and set keys of data beside it, or set the annotation to {found} if the sample itself is to change"
)]
pub struct ExampleMismatch {
    /// The annotation with the checksum.
    pub annotation: String,
    /// The value of the annotation.
    pub expected: String,
    /// The checksum of the sample.
    pub found: ExampleChecksum,
}

/// Compares the sample of a ConfigMap with the annotation `<domain>/example-checksum`, or else `knative.dev/example-checksum`. Succeeds without a
/// sample or an annotation.
pub fn check_example(config_map: &Value, domain: &str) -> Result<(), ExampleMismatch> {
    let Some(sample) = config_map.get("data").and_then(|data| data.get(EXAMPLE_KEY)).and_then(Value::as_str) else {
        return Ok(());
    };
    let names = [format!("{domain}/{EXAMPLE_CHECKSUM}"), KNATIVE_CHECKSUM.to_owned()];
    let annotation = names.into_iter().find_map(|name| Some((config_map.annotation(&name)?.to_owned(), name)));
    let Some((expected, annotation)) = annotation else { return Ok(()) };
    let found = ExampleChecksum::of(sample);
    if expected == found.to_string() { Ok(()) } else { Err(ExampleMismatch { annotation, expected, found }) }
}

/// A CRC-32/IEEE: reflected, with all bits set before and inverted after. Samples have a few kilobytes and are checked once per write of a ConfigMap,
/// so that neither a table nor a dependency pays off.
struct Crc32(u32);

impl Crc32 {
    const POLYNOMIAL: u32 = 0xedb8_8320;

    const fn new() -> Self {
        Self(u32::MAX)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 ^= u32::from(*byte);
            for _ in 0..8 {
                let carry = if self.0 & 1 == 1 { Self::POLYNOMIAL } else { 0 };
                self.0 = self.0 >> 1 ^ carry;
            }
        }
    }

    const fn finish(self) -> u32 {
        !self.0
    }
}

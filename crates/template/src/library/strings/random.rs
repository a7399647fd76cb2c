//! Functions of chance. The randomness is that of the host, so that a second rendering is equal to the first.

use super::TEXT;
use crate::error::FunctionError;
use crate::function::{FunctionSet, Parameter, Signature, TemplateHost};
use crate::library::limits;
use crate::value::GoValue;

/// Adds the functions.
pub(super) fn add(functions: &mut FunctionSet) {
    add_alphabet(functions, "randAlphaNum", |byte| byte.is_ascii_alphanumeric());
    add_alphabet(functions, "randAlpha", |byte| byte.is_ascii_alphabetic());
    add_alphabet(functions, "randNumeric", |byte| byte.is_ascii_digit());
    add_alphabet(functions, "randAscii", |byte| byte.is_ascii_graphic() || byte == b' ');
    functions.add("shuffle", TEXT, |call| {
        let text = call.string(0);
        let mut characters: Vec<char> = text.to_text().chars().collect();
        let mut indexes = RandomIndexes::new(call.host);
        for at in (1..characters.len()).rev() {
            characters.swap(at, indexes.below(at + 1));
        }
        Ok(characters.into_iter().collect::<String>().into())
    });
}

/// Adds a function that returns a number of characters of an alphabet; none for a negative number.
fn add_alphabet(functions: &mut FunctionSet, name: &'static str, is_in: fn(u8) -> bool) {
    let alphabet: Vec<u8> = (0..=u8::MAX).filter(|byte| is_in(*byte)).collect();
    functions.add(name, Signature::of(&[Parameter::Int]), move |call| {
        let count = usize::try_from(call.int(0)).unwrap_or(0);
        random_text(count, &alphabet, call.host).map(GoValue::string)
    });
}

fn random_text(count: usize, alphabet: &[u8], host: &dyn TemplateHost) -> Result<Vec<u8>, FunctionError> {
    let mut indexes = RandomIndexes::new(host);
    Ok((0..limits::text_size(count, 1)?).map(|_| alphabet[indexes.below(alphabet.len())]).collect())
}

/// The number of attempts to get a number below a bound. Of random numbers each has an even chance at least; a host whose bytes are all equal may never
/// give one.
const ATTEMPTS: usize = 128;

/// Indexes of equal probability, made of the random bytes of a host.
struct RandomIndexes<'a> {
    host: &'a dyn TemplateHost,
    bytes: [u8; 256],
    used: usize,
}

impl<'a> RandomIndexes<'a> {
    fn new(host: &'a dyn TemplateHost) -> Self {
        Self { host, bytes: [0; 256], used: 256 }
    }

    fn byte(&mut self) -> u8 {
        if self.used == self.bytes.len() {
            self.host.fill_random(&mut self.bytes);
            self.used = 0;
        }
        self.used += 1;
        self.bytes[self.used - 1]
    }

    /// Returns an index below a bound, which is at least 1.
    fn below(&mut self, bound: usize) -> usize {
        let mask = bound.next_power_of_two() - 1;
        let count = (usize::BITS - mask.leading_zeros()).div_ceil(8);
        let mut number = || (0..count).fold(0, |number, _| (number << 8) | usize::from(self.byte())) & mask;
        (0..ATTEMPTS).map(|_| number()).find(|number| *number < bound).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use std::any::Any;

    use jiff::Timestamp;

    use super::*;

    /// A host whose random bytes are all the same.
    struct EqualBytesHost(u8);

    impl TemplateHost for EqualBytesHost {
        fn now(&self) -> Timestamp {
            Timestamp::UNIX_EPOCH
        }

        fn fill_random(&self, buffer: &mut [u8]) {
            buffer.fill(self.0);
        }

        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    #[test]
    fn indexes_are_below_their_bound_whatever_the_bytes_of_the_host_are() {
        for byte in [0, 7, 255] {
            for bound in [1, 2, 6, 255, 256, 257, 70_000] {
                assert!(RandomIndexes::new(&EqualBytesHost(byte)).below(bound) < bound, "{byte} {bound}");
            }
        }
    }
}

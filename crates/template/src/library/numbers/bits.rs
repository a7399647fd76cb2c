//! Bits of unsigned integers, and IPv4 addresses as integers.

use std::net::Ipv4Addr;

use super::cast::unsigned_of;
use super::{ALL, ANY, TWO};
use crate::error::FunctionError;
use crate::function::{FunctionCall, FunctionSet, Parameter, Signature};
use crate::value::{GoValue, IntegerType};

/// Adds the functions of bits and of IPv4 addresses, which sprig and Helm do not have. Arguments are cast to unsigned integers of 64 bits; a
/// value that is no number, and a negative one, is zero.
pub fn add_bits_and_addresses(functions: &mut FunctionSet) {
    functions.add("bitwiseShiftLeft", TWO, |call| Ok(shifted(call, u64::checked_shl)));
    functions.add("bitwiseShiftRight", TWO, |call| Ok(shifted(call, u64::checked_shr)));
    functions.add("bitwiseAnd", ALL, |call| Ok(joined(call, |left, right| left & right)));
    functions.add("bitwiseOr", ALL, |call| Ok(joined(call, |left, right| left | right)));
    functions.add("bitwiseXor", ALL, |call| Ok(joined(call, |left, right| left ^ right)));
    functions.add("parseIPv4Address", Signature::of(&[Parameter::String]), |call| {
        let text = call.string(0);
        let address: Option<Ipv4Addr> = text.to_text().parse().ok();
        let bits = address.ok_or_else(|| FunctionError::new(format!("invalid IP address: {}", text.to_text())))?.to_bits();
        Ok(GoValue::Integer(bits.into(), IntegerType::Uint32))
    });
    functions.add("formatIPv4Address", ANY, |call| {
        Ok(GoValue::string(Ipv4Addr::from_bits(unsigned_of(&call.take(0)) as u32).to_string()))
    });
}

/// Returns the second argument shifted by the first; zero if no bit is left.
fn shifted(call: &mut FunctionCall<'_>, shift: fn(u64, u32) -> Option<u64>) -> GoValue {
    let (by, value) = (unsigned_of(&call.take(0)), unsigned_of(&call.take(1)));
    unsigned(u32::try_from(by).ok().and_then(|by| shift(value, by)).unwrap_or(0))
}

/// Returns the arguments joined by an operation; zero without arguments.
fn joined(call: &mut FunctionCall<'_>, operation: fn(u64, u64) -> u64) -> GoValue {
    unsigned(call.arguments.iter().map(unsigned_of).reduce(operation).unwrap_or(0))
}

fn unsigned(value: u64) -> GoValue {
    GoValue::Integer(value.into(), IntegerType::Uint64)
}

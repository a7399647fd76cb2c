//! The wire format: tags, variable-length numbers, and length-delimited bytes.

/// The error of bytes that are no message of the wire format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The bytes end too early.
    #[error("unexpected EOF")]
    UnexpectedEnd,
    /// A number has more than 64 bits.
    #[error("proto: integer overflow")]
    Overflow,
    /// A tag has a number that no field can have.
    #[error("proto: {message}: illegal tag {number} (wire type {wire})")]
    IllegalTag {
        /// The name of the message around the tag.
        message: &'static str,
        /// The number of the field.
        number: u32,
        /// The wire type.
        wire: u8,
    },
    /// The wire type does not exist.
    #[error("proto: illegal wireType {0}")]
    IllegalType(u8),
    /// A field has a value of another wire type.
    #[error("proto: wrong wireType = {wire} for field {field}")]
    WrongType {
        /// The wire type found.
        wire: u8,
        /// The name of the field.
        field: String,
    },
    /// A group ends that has not begun.
    #[error("proto: {0}: wiretype end group for non-group")]
    EndGroup(&'static str),
    /// Messages are nested too deep.
    #[error("proto: exceeded max recursion depth")]
    TooDeep,
    /// A value cannot be expressed in JSON.
    #[error("proto: field {field} has no JSON form: {problem}")]
    Unprintable {
        /// The name of the field.
        field: String,
        /// The problem with the value.
        problem: String,
    },
}

/// The value of one field on the wire.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Piece<'a> {
    /// A number of variable length.
    Varint(u64),
    /// Eight bytes.
    Fixed64(u64),
    /// Length-delimited bytes: a string, a message, or packed numbers.
    Bytes(&'a [u8]),
    /// Four bytes.
    Fixed32(u32),
    /// A wire type that no field has.
    Odd(u8),
}

impl Piece<'_> {
    /// Returns the number of the wire type.
    pub(super) fn wire_type(self) -> u8 {
        match self {
            Self::Varint(_) => 0,
            Self::Fixed64(_) => 1,
            Self::Bytes(_) => 2,
            Self::Fixed32(_) => 5,
            Self::Odd(wire) => wire,
        }
    }
}

/// A reader of the fields of a message, which copies no bytes.
#[derive(Clone, Debug)]
pub(super) struct WireReader<'a> {
    rest: &'a [u8],
}

impl<'a> WireReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Returns the next field and its number, or `None` at the end. Groups are skipped.
    pub(super) fn next(&mut self) -> Result<Option<(u32, Piece<'a>)>, WireError> {
        self.next_of("Message", |_| false)
    }

    /// Returns the next field and its number, or `None` at the end. A known field is also returned if it has a wire type that no field has, so
    /// that the caller can report it by name. Groups, which no message of this API has, are skipped.
    pub(super) fn next_of(
        &mut self,
        message: &'static str,
        known: impl Fn(u32) -> bool,
    ) -> Result<Option<(u32, Piece<'a>)>, WireError> {
        const GROUP_START: u8 = 3;
        const GROUP_END: u8 = 4;
        let mut groups = 0_usize;
        loop {
            if self.rest.is_empty() {
                return if groups == 0 { Ok(None) } else { Err(WireError::UnexpectedEnd) };
            }
            let tag = self.varint()?;
            let wire = (tag & 7) as u8;
            let number = u32::try_from(tag >> 3).map_err(|_| WireError::Overflow)?;
            if wire == GROUP_END {
                groups = groups.checked_sub(1).ok_or(WireError::EndGroup(message))?;
                continue;
            }
            if number == 0 || number > i32::MAX as u32 {
                return Err(WireError::IllegalTag { message, number, wire });
            }
            let piece = match wire {
                0 => Piece::Varint(self.varint()?),
                1 => Piece::Fixed64(u64::from_le_bytes(self.array()?)),
                2 => Piece::Bytes(self.bytes()?),
                5 => Piece::Fixed32(u32::from_le_bytes(self.array()?)),
                odd if groups == 0 && known(number) => Piece::Odd(odd),
                GROUP_START => {
                    groups += 1;
                    continue;
                }
                other => return Err(WireError::IllegalType(other)),
            };
            if groups == 0 {
                return Ok(Some((number, piece)));
            }
        }
    }

    /// Returns true if all bytes are read.
    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Reads a number of variable length.
    pub(super) fn varint(&mut self) -> Result<u64, WireError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (byte, rest) = self.rest.split_first().ok_or(WireError::UnexpectedEnd)?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(WireError::Overflow)
    }

    /// Reads eight bytes as a number.
    pub(super) fn fixed64(&mut self) -> Result<u64, WireError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn bytes(&mut self) -> Result<&'a [u8], WireError> {
        let length = usize::try_from(self.varint()?).map_err(|_| WireError::Overflow)?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(WireError::UnexpectedEnd)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(WireError::UnexpectedEnd)?;
        self.rest = rest;
        Ok(*bytes)
    }
}

/// Appends a number of variable length.
pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value as u8 & 0x7f) | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a field that holds a number.
pub(super) fn put_number(out: &mut Vec<u8>, number: u32, value: u64) {
    put_varint(out, u64::from(number) << 3);
    put_varint(out, value);
}

/// Appends a field that holds eight bytes.
pub(super) fn put_fixed64(out: &mut Vec<u8>, number: u32, value: u64) {
    put_varint(out, u64::from(number) << 3 | 1);
    out.extend_from_slice(&value.to_le_bytes());
}

/// Appends a field that holds bytes.
pub(super) fn put_bytes(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    put_varint(out, u64::from(number) << 3 | 2);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

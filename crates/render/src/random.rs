//! Bytes that take the place of randomness in renderings.

use sha2::{Digest as _, Sha256};

use crate::RenderInputs;

/// Bytes that follow from the component and its revision, so that a second rendering is equal. They are SHA-256 in counter mode.
///
/// They are no secret: all inputs can be read by those who can read the component.
#[derive(Clone, Debug)]
pub(crate) struct SeededBytes {
    seed: [u8; 32],
    block: [u8; 32],
    /// The number of bytes of the block that are used up.
    used: usize,
    counter: u64,
}

impl SeededBytes {
    pub(crate) fn new(inputs: &RenderInputs) -> Self {
        let mut hash = Sha256::new();
        for part in [&inputs.operator, &inputs.uid, &inputs.namespace, &inputs.name, &inputs.revision.to_string()] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        Self { seed: hash.finalize().into(), block: [0; 32], used: 32, counter: 0 }
    }

    pub(crate) fn fill(&mut self, buffer: &mut [u8]) {
        for byte in buffer {
            if self.used == self.block.len() {
                let mut hash = Sha256::new();
                hash.update(self.seed);
                hash.update(self.counter.to_le_bytes());
                self.block = hash.finalize().into();
                self.counter = self.counter.wrapping_add(1);
                self.used = 0;
            }
            *byte = self.block[self.used];
            self.used += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(inputs: &RenderInputs, sizes: &[usize]) -> Vec<u8> {
        let mut bytes = SeededBytes::new(inputs);
        let mut all = Vec::new();
        for size in sizes {
            let mut buffer = vec![0; *size];
            bytes.fill(&mut buffer);
            all.extend(buffer);
        }
        all
    }

    #[test]
    fn equal_inputs_give_equal_bytes_however_they_are_taken() {
        let inputs = RenderInputs { uid: "1".to_owned(), revision: 2, ..RenderInputs::default() };
        assert_eq!(bytes(&inputs, &[100]), bytes(&inputs, &[1, 31, 33, 0, 35]));
    }

    #[test]
    fn another_component_or_revision_gives_other_bytes() {
        let inputs = RenderInputs { uid: "1".to_owned(), name: "a".to_owned(), revision: 2, ..RenderInputs::default() };
        let others = [
            RenderInputs { revision: 3, ..inputs.clone() },
            RenderInputs { uid: "2".to_owned(), ..inputs.clone() },
            RenderInputs { uid: "1a".to_owned(), name: String::new(), ..inputs.clone() },
        ];
        for other in others {
            assert_ne!(bytes(&inputs, &[32]), bytes(&other, &[32]), "{other:?}");
        }
    }
}

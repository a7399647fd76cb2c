//! Seeded changes of valid texts, most of which make them invalid.

/// Changes a text up to five times: it is cut off, loses, repeats or gets a piece, or a byte of it becomes another one. `roll` returns a random number below
/// its argument, which is not zero.
pub(crate) fn break_text(text: &mut Vec<u8>, pieces: &[&str], mut roll: impl FnMut(usize) -> usize) {
    for _ in 0..roll(6) {
        let at = roll(text.len() + 1);
        let end = (at + roll(40)).min(text.len());
        match roll(8) {
            0 => text.truncate(at),
            1 | 2 => drop(text.drain(at..end)),
            3 | 4 => drop(text.splice(at..at, pieces[roll(pieces.len())].bytes())),
            5 if at < text.len() => text[at] = roll(256) as u8,
            _ => {
                let again = text[at..end].to_vec();
                drop(text.splice(at..at, again));
            }
        }
    }
}

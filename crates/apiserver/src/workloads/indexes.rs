//! The completed indexes of a Job, as its status prints them: `0,2-4`.

use std::fmt;
use std::iter::once;

/// A set of indexes: sorted, separate runs, each from its first to its last index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct JobIndexes(Vec<(i64, i64)>);

impl JobIndexes {
    /// Returns the union of the indexes in a text and single ones, below a bound. Invalid parts of the text are ignored, since users can write it.
    pub(super) fn of(text: &str, single: impl Iterator<Item = i64>, below: i64) -> Self {
        let runs = text.split(',').filter_map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some((first.parse().ok()?, last.parse().ok()?))
        });
        let within = |(first, last): (i64, i64)| (first.max(0), last.min(below.saturating_sub(1)));
        let mut all: Vec<(i64, i64)> = runs.chain(single.map(|index| (index, index))).map(within).collect();
        all.retain(|(first, last)| first <= last);
        all.sort_unstable();
        let mut runs: Vec<(i64, i64)> = Vec::new();
        for (first, last) in all {
            match runs.last_mut() {
                Some((_, end)) if first <= *end + 1 => *end = last.max(*end),
                _ => runs.push((first, last)),
            }
        }
        Self(runs)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn count(&self) -> i64 {
        self.0.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// Returns the indexes up to the bound that are not in the set.
    pub(super) fn missing(&self, below: i64) -> impl Iterator<Item = i64> {
        let starts = once(0).chain(self.0.iter().map(|(_, last)| last + 1));
        let ends = self.0.iter().map(|(first, _)| *first).chain(once(below));
        starts.zip(ends).flat_map(|(start, end)| start..end)
    }
}

/// Prints the set; runs of three or more indexes are joined.
impl fmt::Display for JobIndexes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (first, last)) in self.0.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            match last - first {
                0 => write!(formatter, "{comma}{first}")?,
                1 => write!(formatter, "{comma}{first},{last}")?,
                _ => write!(formatter, "{comma}{first}-{last}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, below: i64) -> JobIndexes {
        JobIndexes::of(text, [1].into_iter(), below)
    }

    // STG-11
    #[test]
    fn runs_are_joined_and_printed() {
        assert_eq!(read("5,0,3-4,9-10,4-7", 20).to_string(), "0,1,3-7,9,10");
        assert_eq!(read("", 1).to_string(), "");
        assert_eq!(read("x,-,2-x,3-2", 9).to_string(), "1");
        assert_eq!(read("3-5", 8).missing(8).collect::<Vec<_>>(), [0, 2, 6, 7]);
    }

    // STG-11
    #[test]
    fn runs_of_any_length_cost_nothing() {
        let all = read("0-99999999999,5-9223372036854775807", 2_000_000_000);
        assert_eq!((all.count(), all.missing(2_000_000_000).next()), (2_000_000_000, None));
        assert_eq!(all.to_string(), "0-1999999999");
        assert_eq!(read("-9223372036854775808", i64::MAX).count(), 1);
        assert_eq!(read("0-9223372036854775807", i64::MAX).count(), i64::MAX);
    }
}

//! The order of keys: letters after other characters, and numbers in texts by their value.

use std::sync::LazyLock;

use regex::Regex;

use super::YamlDialect;

static LETTER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[\p{L}&&\p{age=15.0}]$").expect("the pattern is constant"));
static DIGIT: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"^[\p{Nd}&&\p{age=15.0}]$").expect("the pattern is constant"));

/// Returns the entries in the order of the texts beside them.
///
/// The order is not transitive for all texts, which the sorts of the standard library do not allow; hence a merge sort of its own.
pub(super) fn sort_by_key<T>(entries: Vec<(String, T)>, dialect: YamlDialect) -> Vec<T> {
    sort(entries, dialect).into_iter().map(|(_, entry)| entry).collect()
}

fn sort<T>(mut entries: Vec<(String, T)>, dialect: YamlDialect) -> Vec<(String, T)> {
    if entries.len() < 2 {
        return entries;
    }
    let second = entries.split_off(entries.len() / 2);
    let mut first = sort(entries, dialect).into_iter().peekable();
    let mut second = sort(second, dialect).into_iter().peekable();
    let mut sorted = Vec::with_capacity(first.len() + second.len());
    loop {
        let next = match (first.peek(), second.peek()) {
            (Some((left, _)), Some((right, _))) if is_less(right, left, dialect) => second.next(),
            (Some(_), _) => first.next(),
            (None, _) => second.next(),
        };
        match next {
            Some(entry) => sorted.push(entry),
            None => return sorted,
        }
    }
}

/// Returns true if the first key stands before the second one.
fn is_less(left: &str, right: &str, dialect: YamlDialect) -> bool {
    let Some(start) = left.char_indices().zip(right.chars()).find(|((_, a), b)| a != b).map(|((start, _), _)| start) else {
        return left.len() < right.len();
    };
    let (common, left) = left.split_at(start);
    let right = &right[start..];
    let (Some(a), Some(b)) = (left.chars().next(), right.chars().next()) else { return false };
    match (is_letter(a), is_letter(b)) {
        (true, true) => return a < b,
        (false, false) => {}
        // After a digit the third generation puts letters first, so that `a1b` stands before `a10`.
        (left, right) => return if dialect == YamlDialect::Third && common.ends_with(is_digit) { left } else { right },
    }
    // After other digits that are not all zeros, a zero is one of the number, not of its start.
    let is_inside =
        (a == '0' || b == '0') && common.chars().rev().take_while(|character| is_digit(*character)).any(|digit| digit != '0');
    let ((a_number, a_length), (b_number, b_length)) = (number(left, is_inside), number(right, is_inside));
    (a_number, a_length, a) < (b_number, b_length, b)
}

/// Returns the number with which a text begins, after a one if the number goes on, and the count of its digits.
fn number(text: &str, is_inside: bool) -> (i64, usize) {
    text.chars().take_while(|character| is_digit(*character)).fold((i64::from(is_inside), 0), |(number, length), digit| {
        (number.wrapping_mul(10).wrapping_add(i64::from(u32::from(digit)) - 48), length + 1)
    })
}

fn is_letter(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_alphabetic() } else { LETTER.is_match(character.encode_utf8(&mut [0; 4])) }
}

fn is_digit(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_digit() } else { DIGIT.is_match(character.encode_utf8(&mut [0; 4])) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_sorted(keys: &[&str], dialect: YamlDialect) {
        let entries = keys.iter().rev().map(|key| ((*key).to_owned(), *key)).collect();
        assert_eq!(sort_by_key(entries, dialect), keys);
    }

    #[test]
    fn numbers_in_keys_are_ordered_by_value() {
        assert_sorted(&["a1", "a2", "a10", "a100", "b"], YamlDialect::Kubernetes);
        assert_sorted(&["1", "2", "10", "A", "B", "a", "b"], YamlDialect::Kubernetes);
        assert_sorted(&["v_e3", "v_e3f", "v_e21"], YamlDialect::Kubernetes);
    }

    #[test]
    fn letters_stand_after_other_characters() {
        assert_sorted(&["a-b", "a.b", "a/b", "a_b", "ab"], YamlDialect::Kubernetes);
        assert_sorted(&["a10", "a1b"], YamlDialect::Kubernetes);
        assert_sorted(&["a1b", "a10"], YamlDialect::Third);
    }
}

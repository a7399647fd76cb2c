use proc_macro2::Ident;
use syn::Error;

/// Returns an error about a name that is not allowed: it lists the allowed names, and suggests the nearest one.
pub(crate) fn unknown(what: &str, name: &Ident, allowed: &[&str], remark: &str) -> Error {
    let hint = nearest(&name.to_string(), allowed).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Error::new(name.span(), format!("unknown {what} `{name}`{hint} (allowed: {}){remark}", allowed.join(", ")))
}

/// Returns the allowed name with the smallest distance, if that is at most a third of its letters.
pub(crate) fn nearest<'a>(name: &str, allowed: &[&'a str]) -> Option<&'a str> {
    let name = folded(name);
    let distances = allowed.iter().map(|candidate| (distance(&name, &folded(candidate)), *candidate));
    let (distance, nearest) = distances.min_by_key(|(distance, _)| *distance)?;
    (distance * 3 <= nearest.len()).then_some(nearest)
}

fn folded(name: &str) -> Vec<char> {
    name.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase).collect()
}

/// Returns the number of letters to insert, remove or replace.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, left) in from.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = line + 1;
        for (column, right) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_gets_the_nearest_one() {
        let allowed = ["reconcile", "finalize", "observe", "observe_deleted", "owns"];
        for (name, expected) in [
            ("reconcil", Some("reconcile")),
            ("finalise", Some("finalize")),
            ("observeDeleted", Some("observe_deleted")),
            ("own", Some("owns")),
            ("url_of", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, &allowed), expected, "{name}");
        }
    }
}

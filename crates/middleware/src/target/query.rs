//! The query of a URL.

use super::path;

/// The decoded parameters in order.
#[derive(Clone, Debug, Default)]
pub struct Query(Vec<(String, String)>);

impl Query {
    /// Reads the part of a URL after the question mark.
    pub fn parse(text: Option<&str>) -> Self {
        // A parameter with an invalid escape or a semicolon is ignored.
        let pairs = text.unwrap_or_default().split('&').filter(|pair| !pair.is_empty() && !pair.contains(';'));
        Self(
            pairs
                .filter_map(|pair| {
                    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                    Some((decode(key)?, decode(value)?))
                })
                .collect(),
        )
    }

    /// Returns the first value of a parameter; an empty value counts as absent.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Returns all values of a parameter, including empty ones.
    pub fn all(&self, key: &str) -> Vec<&str> {
        self.0.iter().filter(|(name, _)| name == key).map(|(_, value)| value.as_str()).collect()
    }

    /// Returns a boolean parameter, if it is present. Every value but `0` and `false` is true, also the empty one.
    pub fn boolean(&self, key: &str) -> Option<bool> {
        let first = self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str());
        first.map(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    /// Returns true if a boolean parameter is present and true.
    pub fn is_set(&self, key: &str) -> bool {
        self.boolean(key).unwrap_or_default()
    }
}

/// Decodes percent encoding; `+` is a space. Returns `None` if an escape is invalid.
fn decode(text: &str) -> Option<String> {
    if !text.contains(['%', '+']) {
        return Some(text.to_owned());
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        out.push(match byte {
            b'+' => b' ',
            b'%' => path::escaped(&mut rest)?,
            byte => *byte,
        });
    }
    Some(String::from_utf8_lossy(&out).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded() {
        let query = Query::parse(Some("labelSelector=a%3Db%2Cc+in+%281%29&watch=true&empty="));
        assert_eq!(query.get("labelSelector"), Some("a=b,c in (1)"));
        assert!(query.is_set("watch"));
        assert_eq!(query.get("empty"), None);
    }

    // PIPE-1
    #[test]
    fn broken_parameters_are_as_if_not_sent() {
        let query = Query::parse(Some("limit=%zz&limit=5;x&limit=7&%=1"));
        assert_eq!(query.all("limit"), ["7"]);
    }

    // REQ-11
    #[test]
    fn a_present_boolean_parameter_is_true_unless_its_value_is_false_or_zero() {
        for (text, is_set) in [("b", true), ("b=", true), ("b=no", true), ("b=False", false), ("b=0", false), ("c=1", false)] {
            assert_eq!(Query::parse(Some(text)).is_set("b"), is_set, "{text}");
        }
    }
}

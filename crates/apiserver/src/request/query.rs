//! The query of a URL.

/// Decoded parameters in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Reads the part of a URL after the question mark.
    pub(crate) fn parse(text: Option<&str>) -> Self {
        let pairs = text.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        Self(
            pairs
                .map(|pair| {
                    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (decode(key), decode(value))
                })
                .collect(),
        )
    }

    /// The first value of a parameter; empty values count as absent.
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// All values of a parameter, also empty ones.
    pub(crate) fn all(&self, key: &str) -> Vec<&str> {
        self.0.iter().filter(|(name, _)| name == key).map(|(_, value)| value.as_str()).collect()
    }

    /// Whether a boolean parameter is set to true.
    pub(crate) fn is_set(&self, key: &str) -> bool {
        matches!(self.get(key), Some("true" | "1" | "True" | "TRUE" | "t" | "T"))
    }
}

/// Undoes percent encoding; `+` is a space.
pub(crate) fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let digits = || text.get(index + 1..index + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match bytes[index] {
            b'+' => out.push(b' '),
            b'%' if digits().is_some() => {
                out.extend(digits());
                index += 2;
            }
            byte => out.push(byte),
        }
        index += 1;
    }
    String::from_utf8_lossy(&out).into_owned()
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
}

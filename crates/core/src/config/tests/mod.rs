mod example;
mod logging;
mod reader;
mod values;

use std::collections::BTreeMap;

fn data<const N: usize>(entries: [(&str, &str); N]) -> BTreeMap<String, String> {
    entries.into_iter().map(|(key, text)| (key.to_owned(), text.to_owned())).collect()
}

mod example;
mod logging;
mod observability;
mod reader;
mod timing;
mod values;

use std::collections::BTreeMap;

fn data<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str)>) -> BTreeMap<String, String> {
    entries.into_iter().map(|(key, text)| (key.to_owned(), text.to_owned())).collect()
}

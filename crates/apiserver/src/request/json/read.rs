//! JSON that notices repeated keys, and where fields stand in it.

use std::{
    borrow::Cow,
    cell::RefCell,
    collections::{HashMap, HashSet},
    fmt,
};

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value, map::Entry};

use crate::schema::Path;

/// The most problems with fields that a decoder tells, as the real server's does.
pub(crate) const MAX_PROBLEMS: usize = 100;

/// Bytes as text: each one that is no part of a letter becomes a letter that stands for it.
pub(crate) fn text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.into();
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    text.into()
}

/// Reads a document; the second part are the paths of the first keys that occur more than once in one object. Half a surrogate pair becomes a letter
/// that stands for it.
pub(crate) fn parse(text: &[u8]) -> Result<(Value, Vec<String>), serde_json::Error> {
    read(text).or_else(|error| mended(text).map_or(Err(error), |text| read(&text)))
}

/// The text with a letter in place of each escape that is half of a surrogate pair; none if there is no such escape.
fn mended(text: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    let mut result = Vec::with_capacity(text.len());
    let mut is_mended = false;
    let mut at = 0;
    while at < text.len() {
        let length = match (unit(at), unit(at + 6)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                result.extend_from_slice(b"\\ufffd");
                is_mended = true;
                at += 6;
                continue;
            }
            _ if text[at] == b'\\' => 2,
            _ => 1,
        };
        let end = (at + length).min(text.len());
        result.extend_from_slice(&text[at..end]);
        at = end;
    }
    is_mended.then_some(result)
}

fn read(text: &[u8]) -> Result<(Value, Vec<String>), serde_json::Error> {
    let repeated = RefCell::default();
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Reader { path: &Path::Root, repeated: &repeated }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok((value, repeated.into_inner().paths))
}

/// Where the members of a document stand in its text: the first and the second place of each path that somebody asks for.
#[derive(Debug, Default)]
pub(crate) struct Places {
    seen: usize,
    by_path: HashMap<PathHash, [Option<usize>; 2]>,
}

impl Places {
    /// Looks for some paths in a text. In what is no JSON, none is found.
    pub(crate) fn of<'p>(text: &[u8], paths: impl Iterator<Item = &'p str>) -> Self {
        let mut places = Self { seen: 0, by_path: paths.map(|path| (PathHash::of(path), [None; 2])).collect() };
        let mut deserializer = serde_json::Deserializer::from_slice(text);
        let read = Walk { path: PathHash::of(""), is_root: true, places: &mut places }.deserialize(&mut deserializer);
        if read.is_err() { Self::default() } else { places }
    }

    /// Where a path occurs for the first time.
    pub(crate) fn first(&self, path: &str) -> Option<usize> {
        self.by_path.get(&PathHash::of(path))?[0]
    }

    /// Where it occurs again.
    pub(crate) fn second(&self, path: &str) -> Option<usize> {
        self.by_path.get(&PathHash::of(path))?[1]
    }
}

/// A path in a few bytes, for which that of a member is made from that of its object, however long this is. Two paths that share one would
/// only be told in the wrong order. See <http://www.isthe.com/chongo/tech/comp/fnv/>.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct PathHash(u64);

impl PathHash {
    fn of(path: &str) -> Self {
        Self(0xcbf2_9ce4_8422_2325).and(path)
    }

    fn and(self, text: &str) -> Self {
        Self(text.bytes().fold(self.0, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)))
    }
}

/// Notes the places of members; everything else passes.
struct Walk<'a> {
    path: PathHash,
    is_root: bool,
    places: &'a mut Places,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let mut index = 0;
        loop {
            let path = self.path.and(&format!("[{index}]"));
            if access.next_element_seed(Walk { path, is_root: false, places: self.places })?.is_none() {
                return Ok(());
            }
            index += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        let above = if self.is_root { self.path } else { self.path.and(".") };
        while let Some(key) = access.next_key::<String>()? {
            let path = above.and(&key);
            if let Some(found) = self.places.by_path.get_mut(&path)
                && let Some(free) = found.iter_mut().find(|place| place.is_none())
            {
                *free = Some(self.places.seen);
            }
            self.places.seen += 1;
            access.next_value_seed(Walk { path, is_root: false, places: self.places })?;
        }
        Ok(())
    }
}

/// The keys that were found more than once.
#[derive(Debug, Default)]
struct Repeated {
    paths: Vec<String>,
    seen: HashSet<String>,
}

impl Repeated {
    /// Notes a path before those that were found inside it.
    fn note(&mut self, at: usize, path: &Path<'_>) {
        if at < MAX_PROBLEMS {
            let path = path.to_string();
            if self.seen.insert(path.clone()) {
                self.paths.insert(at.min(self.paths.len()), path);
                self.paths.truncate(MAX_PROBLEMS);
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Reader<'a> {
    path: &'a Path<'a>,
    repeated: &'a RefCell<Repeated>,
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(Reader { path: &self.path.index(items.len()), ..self })? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        // A key that comes a third time says nothing new.
        let mut noted: HashSet<String> = HashSet::new();
        while let Some(key) = access.next_key::<String>()? {
            let before = self.repeated.borrow().paths.len();
            let value = access.next_value_seed(Reader { path: &self.path.field(&key), ..self })?;
            match members.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(value);
                }
                Entry::Occupied(mut entry) => {
                    if noted.insert(entry.key().clone()) {
                        self.repeated.borrow_mut().note(before, &self.path.field(entry.key()));
                    }
                    entry.insert(value);
                }
            }
        }
        Ok(Value::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // REQ-8, REQ-9
    #[test]
    fn repeated_keys_are_found_by_path_and_the_last_wins() {
        let (value, repeated) = parse(br#"{"data":{"a":"1","a":"2"},"list":[{"x":1},{"x":1,"x":2}]}"#).unwrap();
        assert_eq!(value, json!({"data": {"a": "2"}, "list": [{"x": 1}, {"x": 2}]}));
        assert_eq!(repeated, ["data.a", "list[1].x"]);
    }

    // REQ-8
    #[test]
    fn a_repeated_key_comes_before_those_inside_it() {
        let (_, repeated) = parse(br#"{"a":{"x":1},"a":{"b":1,"b":{"y":1,"y":1}},"a":{"b":1,"b":1}}"#).unwrap();
        assert_eq!(repeated, ["a", "a.b", "a.b.y"]);
    }

    // REQ-8: the real server stops after a hundred problems.
    #[test]
    fn repeated_keys_beyond_a_hundred_are_not_told() {
        let members: Vec<_> = (0..150).map(|n| format!(r#""k{n}":1,"k{n}":2"#)).collect();
        let (value, repeated) = parse(format!("{{{}}}", members.join(",")).as_bytes()).unwrap();
        assert_eq!((value["k149"].as_i64(), repeated.len(), repeated[99].as_str()), (Some(2), MAX_PROBLEMS, "k99"));
    }

    #[test]
    fn repeated_keys_below_a_long_one_cost_little() {
        let long = "k".repeat(1_000_000);
        for inside in
            ["\"a\":1,".repeat(100_000), (0..50_000).map(|n| format!("\"{n}\":1,\"{n}\":2,")).collect::<Vec<_>>().concat()]
        {
            let text = format!("{{\"{long}\":{{{inside}\"z\":1}}}}");
            let (_, repeated) = parse(text.as_bytes()).unwrap();
            assert!(repeated.len() <= MAX_PROBLEMS);
            let wanted = format!("{long}.z");
            assert!(Places::of(text.as_bytes(), [wanted.as_str()].into_iter()).first(&wanted).is_some());
        }
    }

    // REQ-8
    #[test]
    fn places_come_in_the_order_of_the_text() {
        let text = br#"{"b":{"x":1},"a":[{"y":1}],"b":2}"#;
        let paths = ["b", "b.x", "a", "a[0].y", "none"];
        let places = Places::of(text, paths.into_iter());
        assert_eq!(paths.map(|path| places.first(path)), [Some(0), Some(1), Some(2), Some(3), None]);
        assert_eq!((places.second("b"), places.second("a")), (Some(4), None));
        assert_eq!(Places::of(b"{", paths.into_iter()).first("b"), None);
    }

    // REQ-5
    #[test]
    fn half_a_surrogate_pair_becomes_the_letter_that_stands_for_it() {
        let read = |text: &str| parse(text.as_bytes()).unwrap().0;
        assert_eq!(
            read(r#"["\ud800","x\udc00y","\ud800\ud800","\ud800\n"]"#),
            json!(["\u{fffd}", "x\u{fffd}y", "\u{fffd}\u{fffd}", "\u{fffd}\n"])
        );
        assert_eq!(read(r#"{"\\ud800\ud83d\ude00":"\udfff"}"#), json!({"\\ud800😀": "\u{fffd}"}));
        assert!(parse(br#"["\ud8"]"#).is_err());
    }

    // REQ-5
    #[test]
    fn each_byte_that_is_no_text_becomes_a_letter() {
        assert_eq!(text(b"a\xe2\x82b\xff"), "a\u{fffd}\u{fffd}b\u{fffd}");
    }

    #[test]
    fn a_document_ends_where_it_ends() {
        assert!(parse(b"{} x").is_err());
        assert!(parse(b"{\"a\":").unwrap_err().is_eof());
    }
}

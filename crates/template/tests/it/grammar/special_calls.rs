//! Calls of functions whose arguments depend on each other, or must be of a certain form.

use super::literals::*;
use super::part::TextPart;
use super::statements::GrammarScope;

/// The second index of `slice`. In Go it may lie behind the end of a list, in memory that the list happens to have; here it may not.
const LAST_INDEXES: [&str; 4] = ["0", "1", "99", "-1"];

impl GrammarScope {
    /// Returns the call of a function whose arguments depend on each other, or must be of a certain form.
    pub(super) fn special_call(&mut self, name: &'static str, depth: usize) -> Option<TextPart> {
        let parts = match name {
            "keys" => vec![TextPart::text("sortAlpha (keys "), self.map(depth), TextPart::text(")")],
            "values" => vec![TextPart::text("len (values "), self.map(depth), TextPart::text(")")],
            "sortAlpha" => vec![TextPart::text("sortAlpha (concat "), self.list(depth), TextPart::text(")")],
            "dict" => {
                let mut parts = vec![TextPart::text("dict")];
                for _ in 0..self.dice.roll(4) {
                    let key = if self.dice.one_in(12) {
                        self.literal()
                    } else {
                        TextPart::text(self.dice.pick(&["\"a\"", "\"s\"", "\"m\"", "\"0\""]))
                    };
                    let value = self.any(depth);
                    parts.push(TextPart::content(vec![TextPart::text(" "), key, TextPart::text(" "), value]));
                }
                if self.dice.one_in(20) {
                    parts.push(TextPart::text(" \"odd\""));
                }
                parts
            }
            "set" => {
                let map = if self.dice.one_in(2) {
                    TextPart::text(self.dice.pick(&["$", "$.m", "$.mm"]))
                } else {
                    self.fresh_map(depth)
                };
                // Keys whose values are lists and maps for `range` keep them.
                let key = self.dice.pick(&["\"s\"", "\"new\"", "\"a\"", "\"\""]);
                vec![TextPart::text("set "), map, TextPart::text(format!(" {key} ")), self.literal()]
            }
            "merge" | "mergeOverwrite" | "mustMerge" | "mustMergeOverwrite" => {
                let mut parts = vec![TextPart::text(name)];
                for _ in 0..=self.dice.roll(3) {
                    let map = self.fresh_map(depth);
                    parts.extend([TextPart::text(" "), map]);
                }
                parts
            }
            "slice" | "mustSlice" => {
                let subject = match self.dice.roll(5) {
                    0 => self.text("", 0, depth),
                    1 => self.any(0),
                    _ if self.functions.get(name).is_some() => self.list(depth),
                    _ => self.list(0),
                };
                let mut parts = vec![TextPart::text(format!("{name} ")), subject];
                for indexes in [&SMALL_INTEGERS[..], &LAST_INDEXES, &LAST_INDEXES].into_iter().take(self.dice.roll(4)) {
                    parts.push(TextPart::content(vec![TextPart::text(" "), TextPart::text(self.dice.pick(indexes))]));
                }
                parts
            }
            "dig" => {
                let keys = self.dice.pick(&["\"a\"", "\"m\" \"a\"", "\"s\" \"a\"", "\"mm\" \"m\" \"s\"", "1"]);
                let (otherwise, map) = (self.any(depth), self.map(depth));
                vec![TextPart::text(format!("dig {keys} ")), otherwise, TextPart::text(" "), map]
            }
            "index" => match self.dice.roll(4) {
                0 => vec![TextPart::text("index "), self.list(depth), TextPart::text(" "), self.small_integer()],
                1 => vec![
                    TextPart::text("index "),
                    self.map(depth),
                    TextPart::text(self.dice.pick(&[" \"a\"", " \"s\"", " \"m\" \"a\"", " 1"])),
                ],
                2 => vec![TextPart::text("index "), self.text("", 0, depth), TextPart::text(" "), self.small_integer()],
                _ => vec![TextPart::text("index "), self.any(depth), TextPart::text(" "), self.any(depth)],
            },
            "eq" | "ne" | "lt" | "le" | "gt" | "ge" if self.dice.one_in(2) => {
                let is_text = self.dice.one_in(2);
                let mut parts = vec![TextPart::text(name)];
                for _ in 0..2 + usize::from(self.dice.one_in(6)) {
                    let operand = if is_text {
                        self.text("", 0, depth)
                    } else {
                        TextPart::operand(vec![TextPart::text(self.dice.pick(&INTEGERS))])
                    };
                    parts.extend([TextPart::text(" "), operand]);
                }
                parts
            }
            "printf" => {
                let format = format!("printf {:?}", self.dice.pick(&FORMATS));
                let mut parts = vec![TextPart::text(format)];
                for _ in 0..self.dice.roll(4) {
                    let operand = self.any(depth);
                    parts.push(TextPart::content(vec![TextPart::text(" "), operand]));
                }
                parts
            }
            "include" => {
                let callee = self.callee();
                vec![
                    TextPart::text(format!("include {callee} ")),
                    TextPart::operand(vec![TextPart::text(self.dice.pick(&["$", ".", "$.m"]))]),
                ]
            }
            "tpl" => vec![TextPart::text("tpl "), self.text("tpl", 0, 0), TextPart::text(self.dice.pick(&[" $", " .", " $.mm"]))],
            "date" => vec![TextPart::text(format!("date {} {}", self.dice.pick(&LAYOUTS), self.dice.pick(&SECONDS)))],
            "dateInZone" => {
                let (layout, seconds, zone) = (self.dice.pick(&LAYOUTS), self.dice.pick(&SECONDS), self.dice.pick(&ZONES));
                vec![TextPart::text(format!("dateInZone {layout} {seconds} {zone}"))]
            }
            "htmlDate" => vec![TextPart::text(format!("htmlDate {}", self.dice.pick(&SECONDS)))],
            "htmlDateInZone" => {
                vec![TextPart::text(format!("htmlDateInZone {} {}", self.dice.pick(&SECONDS), self.dice.pick(&ZONES)))]
            }
            "duration" => vec![TextPart::text(format!("duration {}", self.dice.pick(&["95", "\"3600\"", "\"x\"", "0", "$.n"])))],
            "durationRound" => vec![TextPart::text(format!("durationRound {}", self.dice.pick(&DURATIONS)))],
            _ if name.starts_with("regex") || name.starts_with("mustRegex") => self.pattern_call(name, depth),
            _ => return None,
        };
        Some(TextPart::operand(parts))
    }

    fn pattern_call(&mut self, name: &'static str, depth: usize) -> Vec<TextPart> {
        let pattern = self.dice.pick(&PATTERNS);
        let subject = self.text("", 0, depth);
        let mut parts = vec![TextPart::text(format!("{name} `{pattern}` ")), subject];
        if name.ends_with("QuoteMeta") {
            parts = vec![TextPart::text(format!("{name} `{pattern}`"))];
        } else if name.contains("Replace") {
            parts.push(TextPart::text(format!(" {}", self.dice.pick(&REPLACEMENTS))));
        } else if name.contains("FindAll") || name.contains("Split") {
            parts.push(TextPart::text(format!(" {}", self.dice.pick(&["-1", "0", "1", "2"]))));
        }
        parts
    }

    /// Returns a value with methods, or the result of one of these. It is printed as it is.
    pub(super) fn object(&mut self) -> TextPart {
        let time = format!("(toDate {} {})", self.dice.pick(&LAYOUTS[..1]), self.dice.pick(&DATES));
        let version = format!("(semver {})", self.dice.pick(&VERSIONS));
        let text = match self.dice.roll(9) {
            0 => time,
            1 => format!("{time}{}", self.dice.pick(&[".Year", ".Weekday", ".Unix", ".Month", ".YearDay", ".IsZero", ".Nope"])),
            2 => format!("{time}.Format {}", self.dice.pick(&LAYOUTS)),
            3 => format!("({time}.AddDate {} 1 -1)", self.dice.pick(&SMALL_INTEGERS)),
            4 => format!("dateModify {} {time}", self.dice.pick(&DURATIONS)),
            5 => format!(
                "{} {time} | unixEpoch",
                self.dice.pick(&["dateModify \"1h\"", "mustDateModify \"-1h\"", "mustDateModify \"x\""])
            ),
            6 => version,
            7 => format!(
                "{version}{}",
                self.dice.pick(&[".Major", ".Prerelease", ".IncMinor", ".String", ".Metadata", ".Original", ".Nope"])
            ),
            _ => format!("{version}.Compare (semver {})", self.dice.pick(&VERSIONS)),
        };
        TextPart::text(text)
    }
}

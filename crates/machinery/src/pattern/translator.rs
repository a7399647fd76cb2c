//! The translation of Go's regular expressions for the regex crate.

use regex::{Regex, RegexBuilder};

use super::GoPattern;
use crate::stack;

/// Compiles an expression. An error has the text of Go.
pub(super) fn compile(source: &str) -> Result<GoPattern, String> {
    let characters: Vec<char> = source.chars().collect();
    let last_name_end = characters.windows(2).rposition(|pair| pair == NAME_END);
    let mut translator = Translator {
        source,
        characters: &characters,
        last_name_end,
        at: 0,
        output: String::new(),
        depth: 0,
        deepest: 0,
        last: Last::Nothing,
        repeats: 1,
        groups: vec![1],
        names: vec![None],
    };
    translator.run().map_err(|problem| format!("error parsing regexp: {problem}"))?;
    let build = || RegexBuilder::new(&translator.output).nest_limit(NEST_LIMIT).size_limit(SIZE_LIMIT).build();
    let Some(built) = stack::for_depth(translator.deepest * ROOM_OF_A_GROUP, build) else {
        return Err(format!("error parsing regexp: expression too large: `{source}`"));
    };
    match built {
        Ok(regex) => Ok(GoPattern { regex, names: translator.names }),
        Err(error) => {
            let reason = error.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            Err(format!("error parsing regexp: {reason}: `{source}`"))
        }
    }
}

/// The last item, which a repetition would repeat.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    Nothing,
    Item,
    /// A repetition that starts at this position.
    Repetition(usize),
}

struct Translator<'a> {
    source: &'a str,
    characters: &'a [char],
    /// The position of the last name of a class, so that no further one is searched for.
    last_name_end: Option<usize>,
    at: usize,
    output: String,
    /// The number of open groups; `deepest` is its maximum.
    depth: usize,
    deepest: usize,
    last: Last,
    /// The total number of repetitions of the last item; `groups` holds the maximum for the items of each open group.
    repeats: u64,
    groups: Vec<u64>,
    /// The names of the capturing groups so far, the whole expression being the first.
    names: Vec<Option<String>>,
}

const DIGITS: &str = "0-9";
const WORDS: &str = "0-9A-Za-z_";
const SPACES: &str = "\\t\\n\\f\\r ";
/// The end of the name of a class.
const NAME_END: [char; 2] = [':', ']'];
/// The names of classes.
const POSIX: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "word", "xdigit",
];
/// The maximal count of a repetition in Go, which also limits nested repetitions together.
const MOST_REPETITIONS: u32 = 1000;
/// The maximal nesting depth in Go.
const DEEPEST: usize = 1000;
/// The limits of the regex crate, which are reached after those of Go.
const NEST_LIMIT: u32 = 2_500;
const SIZE_LIMIT: usize = 64 << 20;
/// The number of nested calls that compiling a group takes.
const ROOM_OF_A_GROUP: usize = 2;

impl Translator<'_> {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    fn text(&self, from: usize, to: usize) -> String {
        self.characters[from.min(self.characters.len())..to.min(self.characters.len())].iter().collect()
    }

    fn starts_with(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(n, c)| self.peek(n) == Some(c))
    }

    fn run(&mut self) -> Result<(), String> {
        while let Some(c) = self.peek(0) {
            match c {
                '(' => self.open()?,
                ')' if self.depth == 0 => return Err(format!("unexpected ): `{}`", self.source)),
                ')' => {
                    self.depth -= 1;
                    self.push(")", 1, Last::Item);
                    self.repeats = self.groups.pop().unwrap_or(1);
                    self.note_repeats();
                }
                '|' => self.push("|", 1, Last::Nothing),
                '*' | '+' | '?' => self.repeat(&c.to_string(), 1)?,
                '{' => match self.count() {
                    Some(length) => self.counted(length)?,
                    None => self.push("\\{", 1, Last::Item),
                },
                '[' => self.class()?,
                '\\' => self.escape()?,
                '^' | '$' | '.' => self.push(&c.to_string(), 1, Last::Item),
                other => self.push(&regex::escape(&other.to_string()), 1, Last::Item),
            }
        }
        if self.depth > 0 { Err(format!("missing closing ): `{}`", self.source)) } else { Ok(()) }
    }

    fn push(&mut self, output: &str, length: usize, last: Last) {
        self.output.push_str(output);
        self.at += length;
        self.last = last;
        if last == Last::Item {
            self.repeats = 1;
        }
    }

    fn note_repeats(&mut self) {
        if let Some(group) = self.groups.last_mut() {
            *group = self.repeats.max(*group);
        }
    }

    /// Records the start of a group.
    fn enter(&mut self) -> Result<(), String> {
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
        self.groups.push(1);
        if self.depth >= DEEPEST { Err(format!("expression nests too deeply: `{}`", self.source)) } else { Ok(()) }
    }

    fn open(&mut self) -> Result<(), String> {
        if !self.starts_with("(?") {
            self.enter()?;
            self.names.push(None);
            self.push("(", 1, Last::Nothing);
            return Ok(());
        }
        for start in ["(?P<", "(?<"] {
            if self.starts_with(start) && self.peek(start.len()).is_some() {
                return self.open_named(start.len());
            }
        }
        let start = self.at;
        let mut length = 2;
        loop {
            let Some(c) = self.peek(length) else {
                return Err(format!("invalid or unsupported Perl syntax: `{}`", self.text(start, start + length)));
            };
            length += 1;
            match c {
                'i' | 'm' | 's' | 'U' | '-' => {}
                ':' | ')' => {
                    let flags = self.text(start, start + length);
                    if c == ':' {
                        self.enter()?;
                    }
                    // A group of flags without flags is nothing, which the regex crate does not accept.
                    self.push(if flags == "(?)" { "" } else { &flags }, length, Last::Nothing);
                    return Ok(());
                }
                _ => return Err(format!("invalid or unsupported Perl syntax: `{}`", self.text(start, start + length))),
            }
        }
    }

    fn open_named(&mut self, prefix: usize) -> Result<(), String> {
        let start = self.at;
        let Some(length) = self.characters[start..].iter().position(|c| *c == '>') else {
            return Err(format!("invalid named capture: `{}`", self.text(start, self.characters.len())));
        };
        let name = self.text(start + prefix, start + length);
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(format!("invalid named capture: `{}`", self.text(start, start + length + 1)));
        }
        self.enter()?;
        // In Go a group name may start with a digit, in the regex crate it may not; so the regex crate gets no names.
        self.names.push(Some(name));
        self.push("(", length + 1, Last::Nothing);
        Ok(())
    }

    fn repeat(&mut self, output: &str, length: usize) -> Result<(), String> {
        let start = self.at;
        let lazy = usize::from(self.peek(length) == Some('?'));
        let end = start + length + lazy;
        match self.last {
            Last::Nothing => {
                return Err(format!("missing argument to repetition operator: `{}`", self.text(start, end)));
            }
            Last::Repetition(before) => {
                return Err(format!("invalid nested repetition operator: `{}`", self.text(before, end)));
            }
            Last::Item => {}
        }
        let output = if lazy == 1 { format!("{output}?") } else { output.to_owned() };
        self.push(&output, length + lazy, Last::Repetition(start));
        Ok(())
    }

    /// Returns the length of a count in braces, if the text is one.
    fn count(&self) -> Option<usize> {
        let inside = self.characters[self.at + 1..].iter().take_while(|c| c.is_ascii_digit() || **c == ',').count();
        let length = inside + 2;
        self.peek(length - 1).filter(|c| *c == '}')?;
        let inner = self.text(self.at + 1, self.at + length - 1);
        let (least, most) = inner.split_once(',').unwrap_or((&inner, &inner));
        let number =
            |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
        (number(least) && (most.is_empty() || number(most))).then_some(length)
    }

    fn counted(&mut self, length: usize) -> Result<(), String> {
        let text = self.text(self.at, self.at + length);
        let inner = text.trim_matches(['{', '}']);
        let (least, most) = inner.split_once(',').unwrap_or((inner, inner));
        let number = |text: &str| text.parse::<u32>().unwrap_or(u32::MAX);
        let most = if most.is_empty() { number(least) } else { number(most) };
        if number(least) > MOST_REPETITIONS || most > MOST_REPETITIONS || most < number(least) {
            return Err(format!("invalid repeat count: `{text}`"));
        }
        self.repeat(&text, length)?;
        self.repeats *= u64::from(most.max(1));
        if self.repeats > u64::from(MOST_REPETITIONS) {
            return Err(format!("invalid repeat count: `{text}`"));
        }
        self.note_repeats();
        Ok(())
    }

    fn escape(&mut self) -> Result<(), String> {
        let Some(c) = self.peek(1) else {
            return Err("trailing backslash at end of expression: ``".to_owned());
        };
        match c {
            'A' | 'z' | 'B' => self.push(&format!("\\{c}"), 2, Last::Item),
            'b' => self.push("(?-u:\\b)", 2, Last::Item),
            'Q' => {
                self.at += 2;
                while self.at < self.characters.len() && !self.starts_with("\\E") {
                    let literal = regex::escape(&self.text(self.at, self.at + 1));
                    self.push(&literal, 1, Last::Item);
                }
                self.at += 2;
            }
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => {
                let (class, negated) = shorthand(c);
                self.push(&format!("[{}{class}]", if negated { "^" } else { "" }), 2, Last::Item);
            }
            'p' | 'P' => {
                let (class, length) = self.property()?;
                self.push(&class, length, Last::Item);
            }
            _ => {
                let (literal, length) = self.escaped()?;
                self.push(&regex::escape(&literal.to_string()), length, Last::Item);
            }
        }
        Ok(())
    }

    /// Returns a Unicode class such as `\pL` or `\p{Greek}`, and its length.
    fn property(&self) -> Result<(String, usize), String> {
        let length = if self.peek(2) == Some('{') {
            self.characters[self.at..].iter().position(|c| *c == '}').map_or(self.characters.len() - self.at, |end| end + 1)
        } else {
            3
        };
        let class = self.text(self.at, self.at + length);
        // A name after ^ is negated, which the regex crate writes with the other case of the letter.
        let (name, negated) = match class.split_once("{^") {
            Some((letter, name)) => (format!("{{{name}"), letter == "\\p"),
            None => (self.text(self.at + 2, self.at + length), class.starts_with("\\P")),
        };
        let translated = format!("\\{}{name}", if negated { 'P' } else { 'p' });
        if Regex::new(&translated).is_err() {
            return Err(format!("invalid character class range: `{class}`"));
        }
        Ok((translated, length))
    }

    /// Returns the character that an escape stands for, and the length of the escape.
    fn escaped(&self) -> Result<(char, usize), String> {
        let invalid = |length: usize| Err(format!("invalid escape sequence: `{}`", self.text(self.at, self.at + length)));
        let Some(c) = self.peek(1) else {
            return Err("trailing backslash at end of expression: ``".to_owned());
        };
        let plain = match c {
            'a' => Some('\u{7}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\u{b}'),
            c if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(c),
            _ => None,
        };
        if let Some(plain) = plain {
            return Ok((plain, 2));
        }
        match c {
            '0'..='7' if c == '0' || self.peek(2).is_some_and(|next| ('0'..='7').contains(&next)) => {
                let digits: String = (1..=3).map_while(|n| self.peek(n).filter(|c| ('0'..='7').contains(c))).collect();
                let code = u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32);
                code.map_or_else(|| invalid(2), |code| Ok((code, digits.len() + 1)))
            }
            'x' if self.peek(2) == Some('{') => {
                let digits: String = (3..).map_while(|n| self.peek(n).filter(char::is_ascii_hexdigit)).collect();
                let code = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                match code.filter(|_| self.peek(3 + digits.len()) == Some('}')) {
                    Some(code) => Ok((code, digits.len() + 4)),
                    None => invalid(3 + digits.len()),
                }
            }
            'x' => {
                let digits: String = (2..4).map_while(|n| self.peek(n).filter(char::is_ascii_hexdigit)).collect();
                match u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).filter(|_| digits.len() == 2) {
                    Some(code) => Ok((code, 4)),
                    None => invalid(3 + digits.len()),
                }
            }
            _ => invalid(2),
        }
    }

    fn class(&mut self) -> Result<(), String> {
        let start = self.at;
        self.at += 1;
        let mut output = String::from("[");
        if self.peek(0) == Some('^') {
            output.push('^');
            self.at += 1;
        }
        let mut first = true;
        loop {
            let Some(c) = self.peek(0) else {
                return Err(format!("missing closing ]: `{}`", self.text(start, self.characters.len())));
            };
            if c == ']' && !first {
                break;
            }
            first = false;
            if self.starts_with("[:")
                && self.last_name_end.is_some_and(|end| end > self.at)
                && let Some(length) =
                    self.characters[self.at + 1..].windows(2).position(|pair| pair == NAME_END).map(|end| end + 3)
            {
                let name = self.text(self.at, self.at + length);
                if !POSIX.contains(&name.trim_matches(['[', ':', ']', '^'])) {
                    return Err(format!("invalid character class range: `{name}`"));
                }
                output.push_str(&name);
                self.at += length;
                continue;
            }
            if c == '\\' && matches!(self.peek(1), Some('p' | 'P')) {
                let (class, length) = self.property()?;
                output.push_str(&class);
                self.at += length;
                continue;
            }
            if c == '\\'
                && let Some(letter @ ('d' | 'D' | 's' | 'S' | 'w' | 'W')) = self.peek(1)
            {
                let (class, negated) = shorthand(letter);
                if negated {
                    output.extend(["[^", class, "]"]);
                } else {
                    output.push_str(class);
                }
                self.at += 2;
                continue;
            }
            let range = self.at;
            let low = self.class_character(start)?;
            output.push_str(&in_class(low));
            if self.peek(0) == Some('-') && self.peek(1).is_some_and(|next| next != ']') {
                self.at += 1;
                let high = self.class_character(start)?;
                if high < low {
                    return Err(format!("invalid character class range: `{}`", self.text(range, self.at)));
                }
                output.push('-');
                output.push_str(&in_class(high));
            }
        }
        output.push(']');
        self.push(&output, 1, Last::Item);
        Ok(())
    }

    fn class_character(&mut self, start: usize) -> Result<char, String> {
        match self.peek(0) {
            None => Err(format!("missing closing ]: `{}`", self.text(start, self.characters.len()))),
            Some('\\') => {
                let (c, length) = self.escaped()?;
                self.at += length;
                Ok(c)
            }
            Some(c) => {
                self.at += 1;
                Ok(c)
            }
        }
    }
}

/// Returns the ASCII class of a letter, and true if the letter stands for all characters outside of the class.
fn shorthand(letter: char) -> (&'static str, bool) {
    let class = match letter.to_ascii_lowercase() {
        'd' => DIGITS,
        's' => SPACES,
        _ => WORDS,
    };
    (class, letter.is_ascii_uppercase())
}

/// Escapes a character in a class, where brackets, dashes and set operators have a meaning.
fn in_class(c: char) -> String {
    if c.is_ascii_punctuation() { format!("\\{c}") } else { c.to_string() }
}

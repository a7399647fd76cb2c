//! The functions of the language and of the Kubernetes libraries, as data.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::types::{CelType, LIBRARY_TYPES, Variable};

/// A signature of a function.
#[derive(Debug)]
pub(super) struct Overload {
    /// True if the function is called on a value, which is the first of the parameters.
    pub(super) member: bool,
    pub(super) parameters: Vec<CelType>,
    pub(super) result: CelType,
}

/// Returns the signatures of a function, or `None` if there is no function of that name.
pub(super) fn overloads(name: &str) -> Option<&'static [Overload]> {
    FUNCTIONS.get(name).map(Vec::as_slice)
}

/// The declarations of functions in the form `name (parameters) result`, with `target.` before the parameters of a member; `|` separates types
/// that yield one overload each. Capital letters stand for any type.
const DECLARATIONS: &str = "
_?_:_ (bool, A, A) A
_&&_ (bool, bool) bool
_||_ (bool, bool) bool
!_ (bool) bool
@not_strictly_false (bool) bool
_==_ (A, A) bool
_!=_ (A, A) bool
_+_ (bytes, bytes) bytes
_+_ (double, double) double
_+_ (duration, duration) duration
_+_ (duration, timestamp) timestamp
_+_ (timestamp, duration) timestamp
_+_ (int, int) int
_+_ (list(A), list(A)) list(A)
_+_ (string, string) string
_+_ (uint, uint) uint
_-_ (double, double) double
_-_ (duration, duration) duration
_-_ (int, int) int
_-_ (timestamp, duration) timestamp
_-_ (timestamp, timestamp) duration
_-_ (uint, uint) uint
-_ (double) double
-_ (int) int
_*_ (double, double) double
_*_ (int, int) int
_*_ (uint, uint) uint
_/_ (double, double) double
_/_ (int, int) int
_/_ (uint, uint) uint
_%_ (int, int) int
_%_ (uint, uint) uint
_[_] (list(A), int) A
_[_] (map(A, B), A) B
_[_] (optional(list(A)), int) optional(A)
_[_] (optional(map(A, B)), A) optional(B)
_[?_] (list(A), int) optional(A)
_[?_] (optional(list(A)), int) optional(A)
_[?_] (map(A, B), A) optional(B)
_[?_] (optional(map(A, B)), A) optional(B)
@in (A, list(A)) bool
@in (A, map(A, B)) bool
size (bytes|list(A)|map(A, B)|string) int
size bytes|list(A)|map(A, B)|string.() int
type (A) type(A)
bool (bool|string) bool
bytes (bytes|string) bytes
double (double|int|string|uint) double
duration (duration|int|string) duration
dyn (A) dyn
int (int|double|duration|string|timestamp|uint) int
string (string|bool|bytes|double|duration|int|timestamp|uint) string
timestamp (timestamp|int|string) timestamp
uint (uint|double|int|string) uint
contains string.(string) bool
endsWith string.(string) bool
startsWith string.(string) bool
matches (string, string) bool
matches string.(string) bool
getDate timestamp.() int
getDate timestamp.(string) int
getDayOfMonth timestamp.() int
getDayOfMonth timestamp.(string) int
getDayOfWeek timestamp.() int
getDayOfWeek timestamp.(string) int
getDayOfYear timestamp.() int
getDayOfYear timestamp.(string) int
getFullYear timestamp.() int
getFullYear timestamp.(string) int
getMonth timestamp.() int
getMonth timestamp.(string) int
getHours timestamp|duration.() int
getHours timestamp.(string) int
getMinutes timestamp|duration.() int
getMinutes timestamp.(string) int
getSeconds timestamp|duration.() int
getSeconds timestamp.(string) int
getMilliseconds timestamp|duration.() int
getMilliseconds timestamp.(string) int
optional.of (A) optional(A)
optional.ofNonZeroValue (A) optional(A)
optional.none () optional(A)
value optional(A).() A
hasValue optional(A).() bool
or optional(A).(optional(A)) optional(A)
orValue optional(A).(A) A
optional.unwrap (list(optional(A))) list(A)
unwrapOpt list(optional(A)).() list(A)
first list(A).() optional(A)
last list(A).() optional(A)
cel.@mapInsert (map(A, B), A, B) map(A, B)
cel.@mapInsert (map(A, B), map(A, B)) map(A, B)
charAt string.(int) string
indexOf string.(string) int
indexOf string.(string, int) int
indexOf list(A).(A) int
lastIndexOf string.(string) int
lastIndexOf string.(string, int) int
lastIndexOf list(A).(A) int
lowerAscii string.() string
upperAscii string.() string
replace string.(string, string) string
replace string.(string, string, int) string
split string.(string) list(string)
split string.(string, int) list(string)
substring string.(int) string
substring string.(int, int) string
trim string.() string
format string.(list(dyn)) string
strings.quote (string) string
join list(string).() string
join list(string).(string) string
sets.contains (list(A), list(A)) bool
sets.equivalent (list(A), list(A)) bool
sets.intersects (list(A), list(A)) bool
isSorted list(int)|list(uint)|list(double)|list(bool)|list(duration)|list(timestamp)|list(string)|list(bytes).() bool
sum list(int).() int
sum list(uint).() uint
sum list(double).() double
sum list(duration).() duration
slice list(A).(int, int) list(A)
flatten list(list(A)).() list(A)
flatten list(dyn).(int) list(dyn)
lists.range (int) list(int)
distinct list(A).() list(A)
reverse list(A).() list(A)
url (string) kubernetes.URL
isURL (string) bool
getScheme kubernetes.URL.() string
getHost kubernetes.URL.() string
getHostname kubernetes.URL.() string
getPort kubernetes.URL.() string
getEscapedPath kubernetes.URL.() string
getQuery kubernetes.URL.() map(string, list(string))
find string.(string) string
findAll string.(string) list(string)
findAll string.(string, int) list(string)
quantity (string) kubernetes.Quantity
isQuantity (string) bool
sign (kubernetes.Quantity) int
isGreaterThan kubernetes.Quantity.(kubernetes.Quantity) bool
isGreaterThan kubernetes.Semver.(kubernetes.Semver) bool
isLessThan kubernetes.Quantity.(kubernetes.Quantity) bool
isLessThan kubernetes.Semver.(kubernetes.Semver) bool
compareTo kubernetes.Quantity.(kubernetes.Quantity) int
compareTo kubernetes.Semver.(kubernetes.Semver) int
asApproximateFloat kubernetes.Quantity.() double
asInteger kubernetes.Quantity.() int
isInteger kubernetes.Quantity.() bool
add kubernetes.Quantity.(kubernetes.Quantity|int) kubernetes.Quantity
sub kubernetes.Quantity.(kubernetes.Quantity|int) kubernetes.Quantity
semver (string) kubernetes.Semver
semver (string, bool) kubernetes.Semver
isSemver (string) bool
isSemver (string, bool) bool
major kubernetes.Semver.() int
minor kubernetes.Semver.() int
patch kubernetes.Semver.() int
ip (string) net.IP
ip net.CIDR.() net.IP
isIP (string) bool
ip.isCanonical (string) bool
family net.IP.() int
isUnspecified net.IP.() bool
isLoopback net.IP.() bool
isLinkLocalMulticast net.IP.() bool
isLinkLocalUnicast net.IP.() bool
isGlobalUnicast net.IP.() bool
string (net.IP|net.CIDR) string
cidr (string) net.CIDR
isCIDR (string) bool
containsIP net.CIDR.(string|net.IP) bool
containsCIDR net.CIDR.(string|net.CIDR) bool
prefixLength net.CIDR.() int
masked net.CIDR.() net.CIDR
format.named (string) optional(kubernetes.NamedFormat)
validate kubernetes.NamedFormat.(string) optional(list(string))
";

/// Functions with the same overload for each type that can be compared.
const COMPARED: &str = "
min list(T).() T
max list(T).() T
sort list(T).() list(T)
@sortByAssociatedKeys list(A).(list(T)) list(A)
";

/// Named formats, each of which is a function.
const FORMATS: [&str; 13] = [
    "dns1123Label",
    "dns1123Subdomain",
    "dns1035Label",
    "qualifiedName",
    "dns1123LabelPrefix",
    "dns1123SubdomainPrefix",
    "dns1035LabelPrefix",
    "labelValue",
    "uri",
    "uuid",
    "byte",
    "date",
    "datetime",
];

static FUNCTIONS: LazyLock<HashMap<String, Vec<Overload>>> = LazyLock::new(|| {
    let mut functions: HashMap<String, Vec<Overload>> = HashMap::new();
    let mut declare = |line: &str| {
        if let Some((name, overloads)) = declaration(line) {
            functions.entry(name).or_default().extend(overloads);
        }
    };
    DECLARATIONS.lines().for_each(&mut declare);
    for type_name in ["bool", "int", "uint", "double", "string", "bytes", "duration", "timestamp"] {
        COMPARED.lines().for_each(|line| declare(&line.replace('T', type_name)));
    }
    for operator in ["_<_", "_<=_", "_>_", "_>=_"] {
        for type_name in ["bool", "string", "bytes", "timestamp", "duration"] {
            declare(&format!("{operator} ({type_name}, {type_name}) bool"));
        }
        for left in ["int", "uint", "double"] {
            declare(&format!("{operator} ({left}, int|uint|double) bool"));
        }
    }
    for format in FORMATS {
        declare(&format!("format.{format} () kubernetes.NamedFormat"));
    }
    functions
});

/// Returns the overloads that a line declares; an empty line declares none.
fn declaration(line: &str) -> Option<(String, Vec<Overload>)> {
    let (name, rest) = line.split_once(' ')?;
    let open = rest.find(".(").map(|dot| dot + 1).or_else(|| rest.starts_with('(').then_some(0))?;
    let close = rest.rfind(") ").filter(|close| *close > open)?;
    let (target, parameters, result) = (&rest[..open], &rest[open + 1..close], &rest[close + 2..]);
    let target = target.strip_suffix('.');
    let result = parse_type(result)?;
    let columns = target.into_iter().chain(split(parameters, ',')).map(alternatives).collect::<Option<Vec<_>>>()?;
    let mut rows: Vec<Vec<CelType>> = vec![Vec::new()];
    for column in columns {
        rows = rows
            .into_iter()
            .flat_map(|row| column.iter().map(move |type_| row.iter().cloned().chain([type_.clone()]).collect()))
            .collect();
    }
    let member = target.is_some();
    let overloads = rows.into_iter().map(|parameters| Overload { member, parameters, result: result.clone() });
    Some((name.to_owned(), overloads.collect()))
}

fn alternatives(text: &str) -> Option<Vec<CelType>> {
    split(text, '|').map(parse_type).collect()
}

/// Splits a text at separators outside of brackets.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut depth = 0;
    let parts = text.split(move |c| {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        c == separator && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

fn parse_type(text: &str) -> Option<CelType> {
    if let Some((name, parameters)) = text.strip_suffix(')').and_then(|text| text.split_once('(')) {
        let mut parameters = split(parameters, ',').map(parse_type);
        let first = parameters.next()??;
        return Some(match name {
            "list" => CelType::list(first),
            "optional" => CelType::optional(first),
            "map" => CelType::map(first, parameters.next()??),
            _ => CelType::Type(Some(first.into())),
        });
    }
    let mut characters = text.chars();
    if let (Some(letter), None) = (characters.next(), characters.next()) {
        return Some(CelType::Variable(Variable::Declared(letter)));
    }
    match text {
        "timestamp" => Some(CelType::Timestamp),
        "duration" => Some(CelType::Duration),
        _ => CelType::named(text).or_else(|| LIBRARY_TYPES.iter().find(|name| **name == text).map(|name| CelType::Opaque(name))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declaration_is_read() {
        for line in DECLARATIONS.lines().chain(COMPARED.lines()).filter(|line| !line.is_empty()) {
            assert!(declaration(line).is_some_and(|(_, overloads)| !overloads.is_empty()), "{line}");
        }
        assert_eq!(overloads("size").unwrap().len(), 8);
        assert_eq!(overloads("getQuery").unwrap()[0].result.to_string(), "map(string, list(string))");
        assert_eq!(overloads("min").unwrap().len(), 8);
    }
}

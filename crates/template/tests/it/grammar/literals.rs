//! Literals of templates, by their use.
//!
//! Left out: imaginary numbers, which the crate does not have; `%p`, which prints addresses; characters that are newer than Unicode 15, the version of
//! Go's tables.

pub(super) const TEXTS: [&str; 29] = [
    r#""""#,
    r#""a""#,
    r#""Hello World""#,
    r#""foo-bar_baz.qux""#,
    r#""é日本 ñ ß İ""#,
    r#""a,b,,c""#,
    r#""  x y  ""#,
    r#""line1\nline2\r\n""#,
    r#""12""#,
    r#""-3.7""#,
    r#""0x1F""#,
    r#""010""#,
    r#""1e3""#,
    r#""true""#,
    r#""<a href='x'>&\"q\"</a>""#,
    "`raw \\n {{ x }}`",
    r#""\x00\u200b\t""#,
    r#""\xff\xfe""#,
    r#""HTTPServer2XMLv3""#,
    r#""a/b/../c.tar.gz""#,
    r#""null""#,
    r#""yes""#,
    r#""- a\n- b""#,
    r#""key: value""#,
    r#""a\\b""#,
    r#""aGVsbG8=""#,
    r#""NBSWY3DP""#,
    r#""%d%%""#,
    r#""s""#,
];
pub(super) const FORMATS: [&str; 44] = [
    "%v",
    "%d",
    "%s",
    "%q",
    "%5d|%-5d|%05d",
    "%x",
    "%X",
    "%+v",
    "%#v",
    "%T",
    "%t",
    "%6.2f",
    "%e",
    "%g",
    "%G",
    "%c",
    "%U",
    "%#U",
    "%b",
    "%o",
    "%O",
    "%[2]v %[1]v",
    "%*d",
    "%%",
    "%!",
    "%z",
    "%d %d",
    "%.3s",
    "%10.4v",
    "% d",
    "%+d",
    "%+q",
    "%#x",
    "%#q",
    "% x",
    "%8.3e",
    "%[3]d",
    "%[x]d",
    "%w",
    "%",
    "a %v b",
    "%-8v|",
    "%08.3f",
    "%+.2e",
];
pub(super) const INTEGERS: [&str; 14] = [
    "0",
    "1",
    "2",
    "-7",
    "'x'",
    "1e3",
    "0x1F",
    "0b11",
    "0o17",
    "1_000",
    "9223372036854775807",
    "-9223372036854775808",
    "70000",
    "017",
];
pub(super) const SMALL_INTEGERS: [&str; 9] = ["0", "1", "2", "3", "5", "-1", "-2", "2.0", "0x3"];
pub(super) const FLOATS: [&str; 8] = ["1.5", "-0.0", "3.0", "1e300", ".5", "-2.5", "0x1p-2", "2.675"];
pub(super) const PATTERNS: [&str; 22] = [
    r"[a-z]+",
    r"(a)(b)?",
    r"^\s*",
    r"\d{2,}",
    r"(?i)HELLO",
    r"[",
    r"a|b|",
    r"(?P<n>\w+)-(\w+)",
    r".",
    r"",
    r"\bfoo\b",
    r"[[:upper:]]",
    r"\p{L}",
    r"(?m)^l",
    r"x*",
    r"[^,]*",
    r"(?U)a+",
    r"(?<n>a)",
    r"a**",
    r"\Q.\E",
    r"(?s).+",
    r"\.",
];
pub(super) const REPLACEMENTS: [&str; 8] =
    [r#""$1""#, r#""${1}x""#, r#""$1x""#, r#""$$""#, r#""$n""#, r#""\\1""#, r#""-""#, r#""""#];
pub(super) const VERSIONS: [&str; 8] =
    [r#""1.2.3""#, r#""v1.2""#, r#""1.2.3-rc.1+b""#, r#""x""#, r#""0.0.0""#, r#""1.20.5-gke.1""#, r#""2""#, r#""01.2.3""#];
pub(super) const CONSTRAINTS: [&str; 12] = [
    r#"">=1.2""#,
    r#""^1.2.3""#,
    r#""~1.2""#,
    r#""1.x""#,
    r#"">=1.0.0-0 <2""#,
    r#""1 - 2""#,
    r#""!=1.2.3 || 2""#,
    r#""*""#,
    r#""bad!!""#,
    r#""=>1""#,
    r#""~>1.2.3-rc.1""#,
    r#""<1.2.3, >0""#,
];
pub(super) const URLS: [&str; 8] = [
    r#""https://u:p@h.example:80/p/q?a=b&c#f""#,
    r#""/path only""#,
    r#""mailto:a@b""#,
    r#""http://[::1]:8080/""#,
    r#""%zz""#,
    r#""//host/p%20q""#,
    r#""""#,
    r#""a:b:c""#,
];
pub(super) const LAYOUTS: [&str; 9] = [
    r#""2006-01-02""#,
    r#""15:04:05.000 MST""#,
    r#""Mon Jan _2 2006""#,
    r#""02.01.06 3PM""#,
    r#""2006-01-02T15:04:05Z07:00""#,
    r#""x""#,
    r#""Monday, 2 January""#,
    r#""15h .999 __2 002""#,
    r#""""#,
];
pub(super) const DATES: [&str; 6] =
    [r#""2024-02-29""#, r#""2023-12-31""#, r#""2024-13-01""#, r#""""#, r#""1999-01-01""#, r#""2024-02-30""#];
pub(super) const ZONES: [&str; 6] =
    [r#""UTC""#, r#""Europe/Berlin""#, r#""America/New_York""#, r#""Asia/Kolkata""#, r#""Nope/Zone""#, r#""""#];
pub(super) const DURATIONS: [&str; 8] =
    [r#""1h30m""#, r#""-2h""#, r#""90s""#, r#""x""#, r#""1.5h""#, r#""100ms""#, r#""2540400s""#, r#""400000h""#];
pub(super) const SECONDS: [&str; 5] = ["0", "1700000000", "-1", "951782400", "86399"];
/// Texts of data are well-formed: errors of readers are data whose words are not those of Go in every case.
pub(super) const YAML_TEXTS: [&str; 9] = [
    r#""a: 1\nb: [x, {y: null}]\n""#,
    r#""a: 0755\nb: yes\nc: 1e3\nd: 1_000""#,
    r#""a: |\n  x\n  y\nb: >-\n  p\n  q""#,
    r#""""#,
    r#""a: &x {b: 1}\nc: *x""#,
    r#""{}""#,
    r#""y: 2024-01-01\nn: ~\n'on': .5""#,
    r#""a: \"q\\n\"\nb: 'it''s'""#,
    r##""# comment\nk:\n- 1\n- - 2\n""##,
];
pub(super) const YAML_LISTS: [&str; 4] = [r#""- a\n- b: 1""#, r#""[]""#, r#""[1, x, null]""#, r#""""#];
pub(super) const JSON_TEXTS: [&str; 5] = [
    r#""{}""#,
    r#""{\"a\": [1, null, true], \"b\": {\"c\": \"\\u00e9\"}}""#,
    r#""{\"n\": 1e21, \"m\": -0}""#,
    "`{\"a\":\"<\"}`",
    "`{\"a\":12345678901}`",
];
pub(super) const JSON_LISTS: [&str; 3] = [r#""[]""#, r#""[1, \"a\", null]""#, "`[{\"a\":1}]`"];
pub(super) const TOML_TEXTS: [&str; 3] = [r#""a = 1\n[b]\nc = [1, 2]""#, r#""x = \"y\"\nf = 1.5""#, r#""""#];
pub(super) const NESTED_TEMPLATES: [&str; 6] = [
    "\"{{ .s }}\"",
    "\"a{{ range .l }}<{{ . }}>{{ end }}\"",
    "\"{{ $x := 1 }}{{ $x }}{{ .missing }}\"",
    "\"{{ end }}\"",
    "\"{{ fail .s }}\"",
    "\"plain\"",
];

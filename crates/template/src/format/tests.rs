use super::*;
use crate::value::{ElementType, GoList, GoMap, GoObject, IntegerType};

#[track_caller]
fn assert_printf(format: &str, arguments: &[GoValue], expected: &str) {
    assert_eq!(&*printf(&format.into(), arguments).unwrap().to_text(), expected, "{format}");
}

fn map(entries: impl IntoIterator<Item = (&'static str, GoValue)>) -> GoValue {
    GoMap::from_pairs(entries).into()
}

fn bytes(bytes: &[u8]) -> GoValue {
    let items = bytes.iter().map(|byte| GoValue::Integer(i128::from(*byte), IntegerType::Uint8)).collect();
    GoValue::List(GoList::new(items, ElementType::Byte))
}

#[derive(Debug)]
struct Pair {
    kind: &'static str,
    text: Option<&'static str>,
}

impl GoObject for Pair {
    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn type_name(&self) -> &'static str {
        "test.Pair"
    }

    fn kind(&self) -> &'static str {
        self.kind
    }

    fn field(&self, name: &str) -> Option<GoValue> {
        match name {
            "Left" => Some(GoValue::int(1)),
            "Right" => Some("b".into()),
            _ => None,
        }
    }

    fn field_names(&self) -> &[&'static str] {
        &["Left", "Right"]
    }

    fn text(&self) -> Option<String> {
        self.text.map(str::to_owned)
    }
}

#[test]
fn values_print_as_go_prints_them() {
    let list = GoValue::list([GoValue::int(1), "a".into(), GoValue::Nil, true.into(), 1.5.into()]);
    for (value, text) in [
        (GoValue::Nil, "<nil>"),
        (true.into(), "true"),
        (GoValue::int(-5), "-5"),
        (1e6.into(), "1e+06"),
        ("text".into(), "text"),
        (list, "[1 a <nil> true 1.5]"),
        (GoValue::list([]), "[]"),
        (bytes(b"ab"), "[97 98]"),
        (map([("b", GoValue::int(2)), ("a", GoValue::list([map([])])), ("c", GoValue::Nil)]), "map[a:[map[]] b:2 c:<nil>]"),
        (GoValue::object(Pair { kind: "struct", text: None }), "{1 b}"),
        (GoValue::object(Pair { kind: "ptr", text: None }), "&{1 b}"),
        (GoValue::object(Pair { kind: "ptr", text: Some("pair") }), "pair"),
        (GoValue::list([GoValue::object(Pair { kind: "struct", text: Some("pair") })]), "[pair]"),
    ] {
        assert_printf("%v", &[value], text);
    }
}

#[test]
fn an_action_prints_nil_as_no_value() {
    let mut output = b"a: ".to_vec();
    print_value(&mut output, &GoValue::Nil);
    print_value(&mut output, &GoValue::list([GoValue::Nil]));
    print_value(&mut output, &GoValue::string(&b"\xff"[..]));
    assert_eq!(output, b"a: <no value>[<nil>]\xff");
}

#[test]
fn operands_are_joined_with_blanks_unless_one_is_a_string() {
    let operands = [GoValue::int(1), GoValue::int(2), "a".into(), "b".into(), GoValue::int(3), GoValue::Nil];
    assert_eq!(&*print(&operands).to_text(), "1 2ab3 <nil>");
    assert_eq!(&*println(&operands).to_text(), "1 2 a b 3 <nil>\n");
    assert_eq!(&*println(&[]).to_text(), "\n");
}

#[test]
fn integers_have_the_forms_of_their_verbs() {
    for (format, value, text) in [
        ("%5d|", 42, "   42|"),
        ("%-5d|", 42, "42   |"),
        ("%05d", -42, "-0042"),
        ("%+d", 42, "+42"),
        ("% d", 42, " 42"),
        ("%.5d", 42, "00042"),
        ("%8.3d", -42, "    -042"),
        ("%.0d|", 0, "|"),
        ("%x", -255, "-ff"),
        ("%#X", 255, "0XFF"),
        ("%#08x", 255, "0x000000ff"),
        ("%o", 8, "10"),
        ("%#o", 8, "010"),
        ("%O", 8, "0o10"),
        ("%b", 5, "101"),
        ("%#b", 5, "0b101"),
        ("%c", 0x1f600, "😀"),
        ("%c", -1, "\u{fffd}"),
        ("%q", 65, "'A'"),
        ("%U", 65, "U+0041"),
        ("%#U", 0x1f600, "U+1F600 '😀'"),
        ("%#v", 5, "5"),
        ("%s", 5, "%!s(int=5)"),
    ] {
        assert_printf(format, &[GoValue::int(value)], text);
    }
    assert_printf("%#v", &[GoValue::Integer(5, IntegerType::Uint64)], "0x5");
}

#[test]
fn floats_have_the_forms_of_their_verbs() {
    for (format, value, text) in [
        ("%f", 1.5, "1.500000"),
        ("%.2f", 1.23456, "1.23"),
        ("%8.3f|", 1.23456, "   1.235|"),
        ("%-8.2f|", 1.23456, "1.23    |"),
        ("%06.2f", -1.23456, "-01.23"),
        ("%+.1f", 1.0, "+1.0"),
        ("%e", 12345.678, "1.234568e+04"),
        ("%G", 1e-7, "1E-07"),
        ("%.3g", 12345.678, "1.23e+04"),
        ("%#g", 1.0, "1.00000"),
        ("%#.3v|", 1.0, "1|"),
        ("%#v", 1e6, "1e+06"),
        ("%5.1f|", f64::INFINITY, " +Inf|"),
        ("%06f", f64::NAN, "   NaN"),
        ("%d", 1.5, "%!d(float64=1.5)"),
    ] {
        assert_printf(format, &[value.into()], text);
    }
}

#[test]
fn texts_have_the_forms_of_their_verbs() {
    for (format, value, text) in [
        ("%10s|", "ab", "        ab|"),
        ("%-10s|", "ab", "ab        |"),
        ("%7s|", "héllo", "  héllo|"),
        ("%.2s", "héllo", "hé"),
        ("%5.1s|", "abc", "    a|"),
        ("%x", "hi", "6869"),
        ("% X", "hi", "68 69"),
        ("%#x", "hi", "0x6869"),
        ("%# x", "hi", "0x68 0x69"),
        ("%q", "a\"b\n", r#""a\"b\n""#),
        ("%+q", "é", r#""\u00e9""#),
        ("%#q", "ab", "`ab`"),
        ("%#q", "a`b", "\"a`b\""),
        ("%#v", "web", "\"web\""),
        ("%d", "x", "%!d(string=x)"),
    ] {
        assert_printf(format, &[value.into()], text);
    }
    assert_printf("%s %x %q", &[bytes(b"ab"), bytes(b"ab"), bytes(b"ab")], "ab 6162 \"ab\"");
}

#[test]
fn verbs_apply_to_the_elements_of_lists_and_maps() {
    assert_printf("%s", &[GoValue::list(["a".into(), GoValue::int(1)])], "[a %!s(int=1)]");
    assert_printf("%q", &[map([("a", "b".into())])], r#"map["a":"b"]"#);
    assert_printf("%02d", &[GoValue::list([GoValue::int(1), GoValue::int(2)])], "[01 02]");
    let nested = map([("a", GoValue::list([GoValue::int(1), GoValue::Nil])), ("b", GoValue::strings(["x"]))]);
    assert_printf("%#v", &[nested], r#"map[string]interface {}{"a":[]interface {}{1, interface {}(nil)}, "b":[]string{"x"}}"#);
    assert_printf("%+v", &[GoValue::object(Pair { kind: "struct", text: None })], "{Left:1 Right:b}");
    assert_printf("%#v", &[GoValue::object(Pair { kind: "ptr", text: Some("x") })], "&test.Pair{Left:1, Right:\"b\"}");
    assert_printf("%T %T", &[GoValue::list([]), GoValue::Nil], "[]interface {} <nil>");
}

#[test]
fn mistakes_are_noted_in_the_text() {
    let (one, a) = (GoValue::int(1), GoValue::from("a"));
    for (format, arguments, text) in [
        ("%s", vec![], "%!s(MISSING)"),
        ("%s", vec![a.clone(), one.clone()], "a%!(EXTRA int=1)"),
        ("", vec![GoValue::Nil, a.clone()], "%!(EXTRA <nil>, string=a)"),
        ("%z", vec![one.clone()], "%!z(int=1)"),
        ("%!", vec![], "%!!(MISSING)"),
        ("%", vec![], "%!(NOVERB)"),
        ("%d", vec![GoValue::Nil], "%!d(<nil>)"),
        ("%[2]s %[1]s", vec![a.clone(), "b".into()], "b a"),
        ("%[3]s", vec![a.clone()], "%!s(BADINDEX)"),
        ("%[x]s", vec![a.clone()], "%!s(BADINDEX)"),
        ("%*d", vec![GoValue::int(5), GoValue::int(42)], "   42"),
        ("%-*d|", vec![GoValue::int(5), GoValue::int(42)], "42   |"),
        ("%*d|", vec![GoValue::int(-5), GoValue::int(42)], "42   |"),
        ("%*d", vec![a, one.clone()], "%!(BADWIDTH)1"),
        ("%.*d", vec![GoValue::int(-1), one.clone()], "%!(BADPREC)1"),
        ("%*d", vec![GoValue::int(1_000_001), one.clone()], "%!(BADWIDTH)1"),
        ("%99999999d", vec![one.clone()], "%!(NOVERB)%!(EXTRA int=1)"),
        ("%%|%5%", vec![], "%|%"),
        ("%é", vec![one.clone()], "%!é(int=1)"),
        ("%w", vec![GoValue::list([one.clone()])], "%!w([]interface {}=[1])"),
        ("%t", vec![one], "%!t(int=1)"),
    ] {
        assert_printf(format, &arguments, text);
    }
}

#[test]
fn a_map_that_contains_itself_does_not_print_forever() {
    let endless = GoMap::from_pairs([("a", GoValue::int(1))]);
    endless.set("b".into(), endless.clone().into());
    endless.set("c".into(), endless.clone().into());
    let mut output = Vec::new();
    print_value(&mut output, &endless.clone().into());
    assert!(output.ends_with(b"%!(the value is nested more than 1000 levels deep)"));
    assert!(printf(&"%v".into(), &[endless.clone().into()]).is_err());
    endless.remove(&"b".into());
    endless.remove(&"c".into());
}

#[test]
fn texts_beyond_the_limit_are_an_error() {
    let format = "%1000000d".repeat(70);
    assert!(printf(&format.into(), &vec![GoValue::int(1); 70]).is_err());
}

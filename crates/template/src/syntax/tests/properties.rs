use proptest::prelude::*;

use super::{functions, parse_text, printed};
use crate::function::FunctionSet;

/// Returns texts of pieces of templates, most of which are malformed.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        prop::sample::select(vec![
            "{{",
            "}}",
            "{{-",
            "{{- ",
            "-}}",
            " -}}",
            "{{/*",
            "*/}}",
            "*/",
            "(",
            ")",
            "|",
            ":=",
            "=",
            ",",
            " ",
            "\n",
            "$",
            "$x",
            ".",
            ".a",
            "..",
            "\"",
            "`",
            "'",
            "\\",
            "1",
            "0x",
            "1e5",
            "+",
            "-",
            "1i",
            "_",
            "i",
            "if",
            "else",
            "end",
            "range",
            "with",
            "define",
            "template",
            "block",
            "break",
            "continue",
            "nil",
            "true",
            "print",
            "\"a\"",
            "é",
            "½",
            "\u{7}",
            "😀",
            "{{end}}",
            "{{if 1}}",
            "{{range $i, $x := .}}",
            "{{define \"a\"}}",
            "{{block \"b\" .}}",
            "{{else}}",
            "text",
        ])
        .prop_map(str::to_owned),
        any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// Returns well-formed pipelines, written with more white space and parentheses than needed.
fn pipelines() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        ".",
        "$",
        "$.a",
        ".a",
        ".a.b_1.é",
        "nil",
        "true",
        "1",
        "-0x1F",
        "1.5e3",
        "'c'",
        r"'\''",
        r#""a\tb\"é""#,
        "`raw\n\\`",
        "f",
        "f.a",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 24, 4, |inner| {
        let arguments = prop::collection::vec(inner.clone(), 1..4);
        let command = (prop::sample::select(vec!["f", "print", ".a.b", "$.x", "(f).y"]), arguments)
            .prop_map(|(first, rest)| format!("{first}  {}", rest.join(" \n")));
        let stages = (inner, prop::collection::vec(command, 0..3), prop::sample::select(vec!["", ".f", ".f.g"]));
        stages.prop_map(|(first, rest, fields)| {
            let pipeline = std::iter::once(first).chain(rest).collect::<Vec<_>>().join("|");
            format!("( {pipeline} ){fields}")
        })
    })
}

proptest! {
    #[test]
    fn any_text_parses_or_fails(text in any::<String>()) {
        let _ = parse_text(&text, &FunctionSet::new());
    }

    #[test]
    fn any_pieces_of_templates_parse_or_fail(text in pieces()) {
        let _ = parse_text(&text, &FunctionSet::new());
    }

    #[test]
    fn a_printed_pipeline_parses_to_itself(pipeline in pipelines(), declares in any::<bool>()) {
        let functions = functions(&["f"]);
        let text = format!("{{{{ {} {pipeline} }}}}", if declares { "$v :=" } else { "" });
        let once = printed(&parse_text(&text, &functions).unwrap()[0]);
        let twice = printed(&parse_text(&once, &functions).unwrap()[0]);
        prop_assert_eq!(once, twice);
    }
}

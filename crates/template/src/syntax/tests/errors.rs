use super::{error, parse_text};
use crate::function::FunctionSet;
use crate::syntax::parser::NESTING_LIMIT;

#[test]
fn errors_have_the_line_and_the_words_of_go() {
    for (text, line, message) in [
        ("a\n{{ end }}", 2, "unexpected {{end}}"),
        ("{{ if 1 }}\n\n", 3, "unexpected EOF"),
        ("{{ if 1 }}\n\n{{ 1 }}\n", 4, "unexpected EOF"),
        ("{{ 1\n\n", 3, "unclosed action started at file:1"),
        ("{{ \"a\n", 1, "unterminated quoted string"),
        ("{{ print 1\n  `a", 2, "unterminated raw quoted string in action started at file:1"),
        ("{{ (1 }}", 1, "unclosed left paren"),
        ("{{/* a", 1, "unclosed comment"),
        ("{{/* a */ }}", 1, "comment ends before closing delimiter"),
        ("{{ : }}", 1, "expected :="),
        ("{{ é½ }}", 1, "bad character U+00BD '½'"),
        ("{{ \u{7} }}", 1, "unrecognized character in action: U+0007"),
        ("{{ 1a }}", 1, "bad number syntax: \"1a\""),
        ("{{ 1+2 }}", 1, "bad number syntax: \"1+2\""),
        ("{{ '\n' }}", 1, "unterminated character constant"),
        ("{{ 'ab' }}", 1, "malformed character constant: 'ab'"),
        ("{{ () }}", 1, "missing value for parenthesized pipeline"),
        ("{{ (1 }) }}", 1, "unexpected \"}\" in operand"),
        ("{{ print 1 | | print }}", 1, "unexpected \"|\" in command"),
        ("{{ 1 | true }}", 1, "non executable command in pipeline stage 2"),
        ("{{ print | print | \"s\" }}", 1, "non executable command in pipeline stage 3"),
        ("{{ \"012345678901\" 1 := }}", 1, "unexpected \":=\" in operand"),
        ("{{ template \"a\" \"b\"\"0123456789\" }}", 1, "unexpected \"\\\"012345678\"... in operand"),
        ("{{ range $a, .b }}{{ end }}", 1, "range can only initialize variables"),
        ("{{ range $a, $b, $c := . }}{{ end }}", 1, "too many declarations in range"),
        ("{{ if $a, $b := . }}{{ end }}", 1, "too many declarations in if"),
        ("{{ with 1 }}{{ else if 1 }}{{ end }}", 1, "unexpected <if> in input"),
        ("{{ else 1 }}", 1, "unexpected \"1\" in else"),
        ("{{ end 1 }}", 1, "unexpected \"1\" in end"),
        ("{{ break 1 }}", 1, "unexpected \"1\" in {{break}}"),
        ("{{ range . }}{{ block \"a\" . }}{{ continue }}{{ end }}{{ end }}", 1, "{{continue}} outside {{range}}"),
        ("{{ define \"a\" }}{{ else }}", 1, "unexpected {{else}} in define clause"),
        ("{{ block \"a\" . }}\n{{ else }}", 1, "unexpected {{else}} in block clause"),
        ("{{ define \"a\" . }}{{ end }}", 1, "unexpected <.> in define clause"),
        ("{{ define \"a\" }}\n{{ define \"b\" }}{{ end }}{{ end }}", 2, "unexpected <define> in command"),
        ("{{ define \"a\" }}1{{ end }}\n{{ block \"a\" . }}2{{ end }}", 2, "template: multiple definition of template \"a\""),
        ("{{ define \"file\" }}1{{ end }}\n2", 2, "template: multiple definition of template \"file\""),
        ("{{ .a.b.\"c\" }}", 1, "bad character U+0022 '\"'"),
        ("{{ 1.5.a }}", 1, "unexpected . after term \"1.5\""),
        ("{{ nosuch }}", 1, "function \"nosuch\" not defined"),
    ] {
        assert_eq!(error(text), (line, message.to_owned()), "{text:?}");
    }
}

#[test]
fn forbidden_functions_are_refused_with_their_reason() {
    let mut functions = FunctionSet::new();
    functions.forbid("env", "function env is not available in operators");
    let error = parse_text("\n{{ env \"HOME\" }}", &functions).unwrap_err();
    assert_eq!(error.to_string(), "parse error at (file:2): function env is not available in operators");
}

#[test]
fn errors_display_as_helm_prints_them() {
    let error = parse_text("{{ 1a }}", &FunctionSet::new()).unwrap_err();
    assert_eq!(error.to_string(), "parse error at (file:1): \"1a\"");
}

#[test]
fn nesting_is_limited() {
    let parentheses = |depth: usize| format!("{{{{ {}1{} }}}}", "(".repeat(depth), ")".repeat(depth));
    let structures = |depth: usize| "{{if 1}}".repeat(depth) + &"{{end}}".repeat(depth);
    let alternatives = |depth: usize| format!("{{{{if 1}}}}{}{{{{end}}}}", "{{else if 1}}".repeat(depth - 1));
    let blocks = |depth: usize| {
        let starts: Vec<_> = (0..depth).map(|name| format!("{{{{block \"{name}\" 1}}}}")).collect();
        starts.concat() + &"{{end}}".repeat(depth)
    };
    let limit = format!("control structures and parentheses nest deeper than {NESTING_LIMIT}");
    for text in [parentheses, structures, alternatives, blocks] as [fn(usize) -> String; 4] {
        assert!(parse_text(&text(NESTING_LIMIT), &FunctionSet::new()).is_ok());
        assert_eq!(error(&text(NESTING_LIMIT + 1)).1, limit);
        assert_eq!(error(&text(100_000)).1, limit);
    }
}

use super::{functions, parse_text, parsed, printed};
use crate::function::FunctionSet;
use crate::syntax::{Delimiters, Operand, OperandTerm, SourceFile, TemplateNode, parse};

fn content(text: &str) -> String {
    printed(&parsed(text)[0])
}

fn operands(text: &str) -> Box<[Operand]> {
    let mut trees = parse_text(text, &functions(&["f"])).unwrap();
    match &mut *trees.remove(0).root {
        [TemplateNode::Action(pipeline)] => std::mem::take(&mut pipeline.commands[0].operands),
        other => panic!("{other:?}"),
    }
}

#[test]
fn trim_markers_remove_the_white_space_beside_the_action() {
    for (text, expected) in [
        ("a {{- 1 -}} b", "a{{1}}b"),
        ("a \r\n\t{{-\t1\n-}}\n\n b", "a{{1}}b"),
        (" {{- 1 -}} {{- 2 -}} ", "{{1}}{{2}}"),
        ("a {{-1}} b", "a {{-1}} b"),
        ("a {{1 -}} {{/* c */ -}} b", "a {{1}}b"),
        ("a {{- /* c */ -}} b", "ab"),
        ("a {{- /* c */}} b", "a b"),
        ("\u{a0}{{- 1 -}}\u{a0}", "\u{a0}{{1}}\u{a0}"),
    ] {
        assert_eq!(content(text), expected, "{text:?}");
    }
}

#[test]
fn comments_are_no_part_of_the_tree() {
    assert_eq!(content("a{{/* {{ 1 }} \n */}}b"), "ab");
}

#[test]
fn text_without_actions_is_kept() {
    for text in ["", "}} { { }", "é\n\n"] {
        assert_eq!(content(text), text);
    }
}

#[test]
fn structures_print_as_they_are() {
    for text in [
        "{{if .a}}1{{else}}{{if .b}}2{{else}}3{{end}}{{end}}",
        "{{with $x := .a}}{{$x}}{{else}}{{with .b}}{{.}}{{end}}{{end}}",
        "{{range $i, $e := .a}}{{if $i}}{{break}}{{end}}{{continue}}{{else}}0{{end}}",
        "{{template \"a\\\"b\"}}{{template \"c\" .x | print 1}}",
        "{{$x := 1}}{{$x = 2 | print `raw` \"\\n\" 'c' 0x1F nil true . $ $x.a.b .c.d (print).e}}",
    ] {
        assert_eq!(content(text), text);
    }
}

#[test]
fn else_if_and_else_with_are_structures_inside_of_else() {
    assert_eq!(
        content("{{if 1}}a{{else if 2}}b{{else if 3}}c{{else}}d{{end}}"),
        "{{if 1}}a{{else}}{{if 2}}b{{else}}{{if 3}}c{{else}}d{{end}}{{end}}{{end}}"
    );
    assert_eq!(content("{{with 1}}a{{else with 2}}b{{end}}"), "{{with 1}}a{{else}}{{with 2}}b{{end}}{{end}}");
}

#[test]
fn definitions_and_blocks_are_trees_of_their_own() {
    let trees = parsed("a{{define \"x\"}}b{{end}}c{{block \"y\" .}}d{{block `z` 1}}e{{end}}{{end}}");
    let found: Vec<_> = trees.iter().map(|tree| (&*tree.name, printed(tree))).collect();
    let expected = [("file", "ac{{template \"y\" .}}"), ("x", "b"), ("z", "e"), ("y", "d{{template \"z\" 1}}")];
    assert_eq!(found, expected.map(|(name, text)| (name, text.to_owned())));
}

#[test]
fn a_definition_of_the_name_of_an_empty_file_is_the_first_tree() {
    let trees = parsed("{{define \"x\"}}b{{end}}{{define \"file\"}}c{{end}} ");
    let found: Vec<_> = trees.iter().map(|tree| (&*tree.name, printed(tree))).collect();
    assert_eq!(found, [("file", "c".to_owned()), ("x", "b".to_owned())]);
}

#[test]
fn definitions_without_content_can_be_repeated() {
    let trees = parsed("{{define \"x\"}} {{end}}{{define \"x\"}}b{{end}}{{define \"x\"}}\n{{/**/}}{{end}}");
    assert_eq!(printed(&trees[1]), "b");
}

#[test]
fn delimiters_can_be_chosen() {
    let delimiters = Delimiters { left: "<%".to_owned(), right: "»".to_owned() };
    let file = SourceFile { name: "file".into(), text: "{{ 1 }} <%- .a» <%/* c */»<% `»` -» x".to_owned() };
    let trees = parse(file.into(), &delimiters, &FunctionSet::new()).unwrap();
    assert_eq!(printed(&trees[0]), "{{ 1 }}{{.a}} {{`»`}}x");
}

#[test]
fn places_are_those_of_go() {
    let text = "{{ f .a .b.c $ $.d (f 1).e (f) }}";
    let offsets = operands(text).into_iter().map(|operand| &text[operand.offset as usize..]);
    let places: Vec<_> = offsets.map(|rest| &rest[..2]).collect();
    assert_eq!(places, ["f ", ".a", ".c", "$ ", ".d", ".e", "f)"]);
}

#[test]
fn a_function_named_break_hides_the_keyword() {
    let trees = parse_text("{{ break }}{{ print continue break.a }}", &functions(&["break", "continue"])).unwrap();
    assert_eq!(printed(&trees[0]), "{{break}}{{print continue break.a}}");
    assert!(matches!(&trees[0].root[0], TemplateNode::Action(_)));
}

#[test]
fn operands_are_of_their_kinds() {
    let operands = operands("{{ f .a $ $.b nil true 1 `s` f.x (1).y . }}");
    let kinds = operands.iter().map(|operand| match &operand.term {
        OperandTerm::Dot => "dot",
        OperandTerm::Nil => "nil",
        OperandTerm::Bool(true) => "true",
        OperandTerm::Bool(false) => "false",
        OperandTerm::Number(_) => "number",
        OperandTerm::String { .. } => "string",
        OperandTerm::Function(_) => "function",
        OperandTerm::Fields(_) => "fields",
        OperandTerm::Variable(_, fields) if fields.is_empty() => "variable",
        OperandTerm::Variable(..) => "variable with fields",
        OperandTerm::Chain(..) => "chain",
        OperandTerm::Pipeline(_) => "pipeline",
    });
    let expected =
        ["function", "fields", "variable", "variable with fields", "nil", "true", "number", "string", "chain", "chain", "dot"];
    assert_eq!(kinds.collect::<Vec<_>>(), expected);
}

#[test]
fn offsets_have_lines_and_columns_of_bytes() {
    let file = SourceFile { name: "file".into(), text: "é{{\n\n 1".to_owned() };
    for (offset, line, column) in [(0, 1, 0), (2, 1, 2), (4, 1, 4), (5, 2, 0), (7, 3, 1), (100, 3, 2)] {
        let place = file.position(offset);
        assert_eq!((place.line, place.column), (line, column), "{offset}");
    }
}

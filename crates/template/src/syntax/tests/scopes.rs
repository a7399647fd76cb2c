use super::{error, parsed};
use crate::syntax::{Branch, OperandTerm, TemplateNode, TemplatePipeline, TemplateVariable};

/// Returns the names and slots of all variables of a text in the order of the text; a use of a variable has no sign, a declaration has `:`.
fn slots(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    parsed(text)[0].root.iter().for_each(|node| collect(node, &mut found));
    found
}

fn collect(node: &TemplateNode, found: &mut Vec<String>) {
    match node {
        TemplateNode::Action(pipeline) | TemplateNode::Template { data: Some(pipeline), .. } => collect_pipeline(pipeline, found),
        TemplateNode::If(branch) | TemplateNode::With(branch) | TemplateNode::Range(branch) => {
            let Branch { pipeline, body, otherwise } = branch;
            collect_pipeline(pipeline, found);
            body.iter().chain(otherwise.iter().flatten()).for_each(|node| collect(node, found));
        }
        _ => {}
    }
}

fn collect_pipeline(pipeline: &TemplatePipeline, found: &mut Vec<String>) {
    for operand in pipeline.commands.iter().flat_map(|command| &command.operands) {
        match &operand.term {
            OperandTerm::Variable(variable, _) => found.push(slot(variable)),
            OperandTerm::Pipeline(pipeline) => collect_pipeline(pipeline, found),
            _ => {}
        }
    }
    let sign = if pipeline.assigns { "=" } else { ":" };
    found.extend(pipeline.variables.iter().map(|variable| slot(variable) + sign));
}

fn slot(variable: &TemplateVariable) -> String {
    match variable.slot {
        TemplateVariable::UNDECLARED => format!("{}-", variable.name),
        slot => format!("{}{slot}", variable.name),
    }
}

#[test]
fn declarations_push_and_ends_pop() {
    for (text, expected) in [
        ("{{$}}{{$a := 1}}{{$b := $a}}{{$b}}", "$0$a1:$a1$b2:$b2"),
        ("{{if $a := 1}}{{$b := 2}}{{end}}{{$c := 3}}", "$a1:$b2:$c1:"),
        ("{{with $a := 1}}{{$b := 2}}{{else}}{{$c := $a}}{{end}}", "$a1:$b2:$a1$c2:"),
        ("{{range $i, $e := .}}{{$x := $e}}{{else}}{{$y := $i}}{{end}}", "$i1:$e2:$e2$x3:$i1$y3:"),
        ("{{$a := 1}}{{$a := 2}}{{$a}}{{if 1}}{{$a = 3}}{{end}}", "$a1:$a2:$a2$a2="),
        ("{{$i := 0}}{{$e := 0}}{{range $i, $e = .}}{{end}}", "$i1:$e2:$i1=$e2="),
        ("{{template \"t\" $a := 1}}{{$a}}", "$a1:$a1"),
        ("{{print ($a := 1) ($b := $a)}}{{$b}}", "$a1:$a1$b2:$b2"),
    ] {
        assert_eq!(slots(text).concat(), expected, "{text}");
    }
}

#[test]
fn a_declaration_sees_the_variable_that_it_hides() {
    assert_eq!(slots("{{$x := 1}}{{if 1}}{{$x := print $x}}{{$x}}{{end}}"), ["$x1:", "$x1", "$x2:", "$x2"]);
}

#[test]
fn declarations_inside_of_a_declaration_come_first() {
    assert_eq!(slots("{{$a := ($b := 1)}}{{$a}}{{$b}}"), ["$b1:", "$a2:", "$a2", "$b1"]);
}

#[test]
fn variables_that_are_only_known_to_the_parser_have_no_slot() {
    for (text, expected) in [
        ("{{$x = 1}}{{$x}}", "$x-=$x-"),
        ("{{$x := $x}}", "$x-$x1:"),
        ("{{if 1}}{{$x := 1}}{{else}}{{$x}}{{end}}", "$x1:$x-"),
        ("{{$x := 0}}{{if 1}}{{$x := 1}}{{else}}{{$x}}{{end}}", "$x1:$x2:$x1"),
    ] {
        assert_eq!(slots(text).concat(), expected, "{text}");
    }
}

#[test]
fn definitions_and_blocks_see_no_variables_of_the_outside() {
    for text in ["{{$x := 1}}{{define \"a\"}}{{$x}}{{end}}", "{{$x := 1}}{{block \"a\" $x}}{{$x}}{{end}}"] {
        assert_eq!(error(text), (1, "undefined variable \"$x\"".to_owned()));
    }
}

//! Values of other Go types: fields, methods, elements.

use std::any::Any;

use super::assert_rendered;
use crate::error::FunctionError;
use crate::function::{Parameter, Signature};
use crate::value::{ElementType, GoList, GoMap, GoObject, GoValue};

/// A struct with a field and methods.
#[derive(Debug)]
struct Release;

impl GoObject for Release {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        "release.Release"
    }

    fn field(&self, name: &str) -> Option<GoValue> {
        (name == "Name").then(|| "rel".into())
    }

    fn field_names(&self) -> &[&'static str] {
        &["Name"]
    }

    fn method(&self, name: &str) -> Option<Signature> {
        match name {
            "Join" => Some(Signature::variadic(&[Parameter::String], Parameter::String)),
            "Self" | "Broken" => Some(Signature::of(&[])),
            _ => None,
        }
    }

    fn call(&self, name: &str, arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
        let text = |value: &GoValue| if let GoValue::String(text) = value { text.to_text().into_owned() } else { String::new() };
        match name {
            "Join" => Ok(arguments.iter().map(text).collect::<Vec<_>>().join("+").into()),
            "Self" => Ok(GoValue::object(Self)),
            _ => Err(FunctionError::new("broken")),
        }
    }
}

/// A named type over a map or a list or a number.
#[derive(Debug)]
struct Named(&'static str, GoValue);

impl GoObject for Named {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        self.0
    }

    fn kind(&self) -> &'static str {
        self.1.kind()
    }

    fn elements(&self) -> Option<GoValue> {
        Some(self.1.clone())
    }

    fn method(&self, name: &str) -> Option<Signature> {
        (name == "Kind").then(|| Signature::of(&[]))
    }

    fn call(&self, _: &str, _: &[GoValue]) -> Result<GoValue, FunctionError> {
        Ok(self.kind().into())
    }
}

fn objects() -> GoValue {
    let map = GoMap::from_pairs([("b", GoValue::int(2)), ("a", GoValue::int(1))]).into();
    GoMap::from_pairs([
        ("Release", GoValue::object(Release)),
        ("Map", GoValue::object(Named("pkg.Map", map))),
        ("List", GoValue::object(Named("pkg.List", GoValue::list([GoValue::int(7), GoValue::int(8)])))),
        ("Month", GoValue::object(Named("time.Month", GoValue::int(3)))),
    ])
    .into()
}

#[test]
fn fields_and_methods_of_a_struct_are_found() {
    assert_rendered(
        &objects(),
        &[
            ("{{ .Release.Name }}{{ .Release.Self.Self.Name }}", "relrel"),
            ("{{ .Release.Join \"a\" \"b\" }} {{ \"c\" | .Release.Self.Join \"a\" }} {{ $.Release.Join \"x\" }}", "a+b a+c x"),
            ("{{ (.Release).Join \"a\" (upper \"b\") }}", "a+B"),
            ("{{ upper .Release.Name }}{{ .Release.Self.Name | upper }}", "RELREL"),
        ],
    );
}

#[test]
fn wrong_uses_of_a_struct_are_errors() {
    assert_rendered(
        &objects(),
        &[
            ("{{ .Release.Nope }}", "at <.Release.Nope>: can't evaluate field Nope in type interface {}"),
            ("{{ with .Release }}{{ .Nope }}{{ end }}", "can't evaluate field Nope in type release.Release"),
            ("{{ .Release.Name 1 }}", "Name has arguments but cannot be invoked as function"),
            ("{{ .Release.Join }}", "wrong number of args for Join: want at least 1 got 0"),
            ("{{ .Release.Join 1 }}", "at <1>: expected string; found 1"),
            ("{{ .Release.Broken }}", "at <.Release.Broken>: error calling Broken: broken"),
            ("{{ range .Release }}{{ end }}", "range can't iterate over {rel}"),
            ("{{ index .Release 1 }}", "can't index item of type release.Release"),
            ("{{ len .Release }}", "len of type release.Release"),
        ],
    );
}

#[test]
fn named_lists_and_maps_are_visited_and_indexed() {
    assert_rendered(
        &objects(),
        &[
            ("{{ range $k, $v := .Map }}{{ $k }}{{ $v }}{{ end }}{{ range .List }}{{ . }}{{ end }}", "a1b278"),
            ("{{ .Map.a }}[{{ .Map.q }}]{{ .Map.Kind }}{{ index .Map \"b\" }}{{ index .List 1 }}", "1[]map28"),
            ("{{ len .Map }}{{ len .List }}{{ size .Map }}{{ count .List }}{{ slice .List 1 }}", "2222[8]"),
            ("{{ .Map.a 1 }}", "a is not a method but has arguments"),
            ("{{ .List.a }}", "can't evaluate field a in type interface {}"),
        ],
    );
}

#[test]
fn named_numbers_compare_as_numbers() {
    assert_rendered(
        &objects(),
        &[
            ("{{ eq .Month 3 }}{{ lt .Month 3 }}{{ if .Month }}yes{{ end }}", "truefalseyes"),
            ("{{ eq .Month \"3\" }}", "incompatible types for comparison: time.Month and string"),
            ("{{ eq .Release .Release }}{{ eq .Release .Release.Self }}", "truetrue"),
        ],
    );
}

#[test]
fn a_nil_slice_equals_nil() {
    let nil = GoValue::List(GoList::nil(ElementType::Any));
    let data = GoMap::from_pairs([("nil", nil), ("empty", GoValue::list([]))]).into();
    assert_rendered(
        &data,
        &[("{{ eq .nil nil }}{{ eq .nil .nil }}{{ eq .nil .empty }}{{ eq .empty nil }}", "truetruefalsefalse")],
    );
}

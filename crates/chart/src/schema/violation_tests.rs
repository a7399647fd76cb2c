//! Violations beside those that Helm prints.

use serde_json::Value;

use super::violation::violations;

/// A schema, values, and the lines that Helm 4.3.1 prints; an empty line ends each case. What Go prints in the order of a map is not among them.
const CASES: &str = r##"
{"allOf": [{"required": ["a"]}, {"type": "object"}]}
{}
- at '': 'allOf' failed
  - at '': missing property 'a'

{"allOf": [{"required": ["a"]}, {"required": ["b"]}]}
{}
- at '': 'allOf' failed
  - at '': missing property 'a'
  - at '': missing property 'b'

{"required": ["c"], "allOf": [{"required": ["a"]}]}
{}
- at '': missing property 'c'
- at '': 'allOf' failed
  - at '': missing property 'a'

{"properties": {"x": {"allOf": [{"type": "string"}]}}}
{"x": 1}
- at '/x': 'allOf' failed
  - at '/x': got number, want string

{"properties": {"x": {"allOf": [{"properties": {"y": {"type": "string"}}}]}}}
{"x": {"y": 1}}
- at '/x': 'allOf' failed
  - at '/x/y': got number, want string

{"properties": {"x": {"allOf": [{"properties": {"y": {"type": "string"}}}, {"properties": {"z": {"type": "string"}}}]}}}
{"x": {"y": 1, "z": 2}}
- at '/x': 'allOf' failed
  - at '/x/y': got number, want string
  - at '/x/z': got number, want string

{"allOf": [{"allOf": [{"required": ["a"]}]}]}
{}
- at '': 'allOf' failed
  - at '': 'allOf' failed
    - at '': missing property 'a'

{"properties": {"x": {"$ref": "#/$defs/s"}}, "$defs": {"s": {"type": "string"}}}
{"x": 1}
- at '/x': got number, want string

{"properties": {"x": {"$ref": "#/$defs/s"}}, "$defs": {"s": {"required": ["q"], "properties": {"y": {"type": "string"}}}}}
{"x": {"y": 1}}
- at '/x': validation failed
  - at '/x': missing property 'q'
  - at '/x/y': got number, want string

{"properties": {"x": {"allOf": [{"$ref": "#/$defs/s"}]}}, "$defs": {"s": {"type": "string"}}}
{"x": 1}
- at '/x': 'allOf' failed
  - at '/x': got number, want string

{"properties": {"x": {"allOf": [{"$ref": "#/$defs/s"}, {"$ref": "#/$defs/t"}]}}, "$defs": {"s": {"type": "string"}, "t": {"minimum": 5}}}
{"x": 1}
- at '/x': 'allOf' failed
  - at '/x': got number, want string
  - at '/x': minimum: got 1, want 5

{"allOf": [{"if": {"required": ["a"]}, "then": {"required": ["b"]}}]}
{"a": 1}
- at '': 'allOf' failed
  - at '': missing property 'b'

{"if": {"required": ["a"]}, "else": {"required": ["b"]}}
{}
- at '': missing property 'b'

{"properties": {"x": {"anyOf": [{"allOf": [{"type": "string"}]}, {"type": "boolean"}]}}}
{"x": 1}
- at '/x': 'anyOf' failed
  - at '/x': 'allOf' failed
    - at '/x': got number, want string
  - at '/x': got number, want boolean

{"properties": {"x": {"oneOf": [{"allOf": [{"type": "string"}, {"minimum": 3}]}, {"type": "boolean"}]}}}
{"x": 1}
- at '/x': 'oneOf' failed, none matched
  - at '/x': 'allOf' failed
    - at '/x': got number, want string
    - at '/x': minimum: got 1, want 3
  - at '/x': got number, want boolean

{"properties": {"x": {"items": {"allOf": [{"type": "string"}]}}}}
{"x": [1, "a", 2]}
- at '/x/0': 'allOf' failed
  - at '/x/0': got number, want string
- at '/x/2': 'allOf' failed
  - at '/x/2': got number, want string

{"properties": {"x": {"not": {"type": "integer"}}}}
{"x": 1}
- at '/x': 'not' failed

{"dependentRequired": {"a": ["b", "c"]}}
{"a": 1}
- at '': properties 'b', 'c' required, if 'a' exists

{"properties": {"x": {"uniqueItems": true}}}
{"x": [1, 2, 1]}
- at '/x': items at 0 and 2 are equal

{"properties": {"x": {"propertyNames": {"pattern": "^a"}}}}
{"x": {"b": 1}}
- at '/x': invalid propertyName 'b'
  - at '': 'b' does not match pattern '^a'

{"properties": {"x": {"patternProperties": {"^a": {"type": "string"}}}}}
{"x": {"ab": 1}}
- at '/x/ab': got number, want string

{"properties": {"x": {"additionalProperties": {"type": "string"}}}}
{"x": {"ab": 1}}
- at '/x/ab': got number, want string

{"properties": {"x": {"allOf": [{"properties": {"a": {}}}], "unevaluatedProperties": false}}}
{"x": {"ab": 1}}
- at '/x/ab': false schema

{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"x": {"items": [{"type": "string"}], "additionalItems": false}}}
{"x": ["a", 1, 2]}
- at '/x': last 2 additionalItem(s) not allowed

{"properties": {"x": false}}
{"x": 1}
- at '/x': false schema

{"properties": {"x": {"const": {"a": 1}}}}
{"x": 1}
- at '/x': 'const' failed

{"$id": "https://e.x/t", "$dynamicAnchor": "n", "properties": {"c": {"$dynamicRef": "#n"}, "v": {"type": "string"}}}
{"c": {"v": 1}}
- at '/c/v': got number, want string

{"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"required": ["q"]}}}
{}
- at '': 'allOf' failed
  - at '': missing property 'q'

{"properties": {"y": {"type": "string"}}, "allOf": [{"required": ["a"]}]}
{"y": 1}
- at '/y': got number, want string
- at '': 'allOf' failed
  - at '': missing property 'a'

{"properties": {"y": {"type": "string"}}, "allOf": [{"properties": {"z": {"type": "string"}}}]}
{"y": 1, "z": 1}
- at '/y': got number, want string
- at '': 'allOf' failed
  - at '/z': got number, want string

{"allOf": [{"if": {"properties": {"m": {"const": "a"}}}, "then": {"properties": {"q": {"type": "string"}}}}]}
{"m": "a", "q": 1}
- at '': 'allOf' failed
  - at '/q': got number, want string

{"properties": {"x": {"propertyNames": {"pattern": "^a", "maxLength": 2}}}}
{"x": {"bbb": 1}}
- at '/x': invalid propertyName 'bbb'
  - at '': maxLength: got 3, want 2
  - at '': 'bbb' does not match pattern '^a'

{"minProperties": 3, "required": ["q"], "properties": {"x": {"type": "string"}}, "additionalProperties": false, "not": {"required": ["x"]}, "allOf": [{"required": ["m"]}], "anyOf": [{"required": ["n"]}, {"required": ["o"]}], "oneOf": [{"required": ["p"]}], "if": {}, "then": {"required": ["t"]}}
{"x": 1, "y": 2}
- at '': minProperties: got 2, want 3
- at '': missing property 'q'
- at '/x': got number, want string
- at '': additional properties 'y' not allowed
- at '': 'not' failed
- at '': 'allOf' failed
  - at '': missing property 'm'
- at '': 'anyOf' failed
  - at '': missing property 'n'
  - at '': missing property 'o'
- at '': 'oneOf' failed, none matched
  - at '': missing property 'p'
- at '': missing property 't'

{"properties": {"x": {"type": "string", "minLength": 3, "enum": ["q"]}}}
{"x": "a"}
- at '/x': value must be 'q'

{"properties": {"x": {"anyOf": [{"required": ["a", "b"], "minProperties": 4}, {"$ref": "#/$defs/s"}]}}, "$defs": {"s": {"required": ["z"], "maxProperties": 0}}}
{"x": {"q": 1}}
- at '/x': 'anyOf' failed
  - at '/x': validation failed
    - at '/x': minProperties: got 1, want 4
    - at '/x': missing properties 'a', 'b'
  - at '/x': validation failed
    - at '/x': maxProperties: got 1, want 0
    - at '/x': missing property 'z'

{"properties": {"x": {"$ref": "#/$defs/s", "unevaluatedProperties": false}}, "$defs": {"s": {"properties": {"a": {"type": "string"}}}}}
{"x": {"q/r": 1}}
- at '/x/q~1r': false schema

{"$schema": "http://json-schema.org/draft-07/schema#", "dependencies": {"a": ["b", "c"]}}
{"a": 1, "c": 2}
- at '': properties 'b' required, if 'a' exists

{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"x": {"$ref": "#/definitions/s", "required": ["w"]}}, "definitions": {"s": {"required": ["z", "y"], "minProperties": 9}}}
{"x": {}}
- at '/x': validation failed
  - at '/x': minProperties: got 0, want 9
  - at '/x': missing properties 'z', 'y'

{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"x": {"items": {"required": ["a"], "minProperties": 2}}}}
{"x": [{}, {"a": 1}]}
- at '/x/0': validation failed
  - at '/x/0': minProperties: got 0, want 2
  - at '/x/0': missing property 'a'
- at '/x/1': minProperties: got 1, want 2

{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"x": {"items": [{"type": "string"}, false]}}}
{"x": [1, 2]}
- at '/x/0': got number, want string
- at '/x/1': false schema

{"type": "array"}
{"a": 1}
- at '': got object, want array

{"$ref": "#/$defs/a", "$defs": {"a": {"properties": {"x": {"$ref": "#/$defs/b"}}}, "b": {"required": ["q"], "minProperties": 3}}}
{"x": {}}
- at '/x': validation failed
  - at '/x': minProperties: got 0, want 3
  - at '/x': missing property 'q'
"##;

fn listed(schema: &str, values: &str) -> String {
    let json = |text| -> Value { serde_json::from_str(text).unwrap() };
    let validator = jsonschema::options().build(&json(schema)).unwrap();
    violations(&validator, schema.as_bytes(), &json(values)).unwrap()
}

#[test]
fn violations_are_listed_below_the_keywords_of_their_schemas_as_helm_lists_them() {
    for case in CASES.trim().split("\n\n") {
        let (schema, rest) = case.split_once('\n').unwrap();
        let (values, expected) = rest.split_once('\n').unwrap();
        assert_eq!(listed(schema, values).trim_end(), expected, "{schema} {values}");
    }
}

#[test]
fn violations_in_parts_of_a_value_are_listed_below_it() {
    let inner = r#"{"required": ["r"], "properties": {"x": {"type": "number"}, "y": {"type": "number"}}}"#;
    let outer = format!(r#"{{"properties": {{"inner": {inner}, "z": {{"type": "number"}}}}}}"#);
    let schema = format!(r#"{{"properties": {{"alone": {{"properties": {{"inner": {inner}}}}}, "several": {outer}}}}}"#);
    let text =
        listed(&schema, r#"{"alone": {"inner": {"r": 1, "x": "a"}}, "several": {"inner": {"x": "a", "y": "b"}, "z": "c"}}"#);
    let expected = [
        "- at '/alone/inner/x': got string, want number",
        "- at '/several': validation failed",
        "  - at '/several/inner': validation failed",
        "    - at '/several/inner': missing property 'r'",
        "    - at '/several/inner/x': got string, want number",
        "    - at '/several/inner/y': got string, want number",
        "  - at '/several/z': got string, want number",
    ];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    // A value with all violations needs no line of its own.
    let text = listed(&schema, r#"{"several": {"inner": {"r": 1, "x": "a", "y": "b"}}}"#);
    let expected = ["- at '/several/inner/x': got string, want number", "- at '/several/inner/y': got string, want number"];
    assert_eq!(text.lines().collect::<Vec<_>>(), expected);
}

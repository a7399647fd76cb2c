//! The violations of a schema as the tree that Helm's validator prints.

use std::fmt::Write;

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::messages::{message, quoted};

const GROUP: &str = "validation failed";

/// The keywords in the order in which the validator of Helm reports their violations; others come between.
const FIRST_KEYWORDS: [&str; 5] = ["$ref", "minProperties", "maxProperties", "required", "dependencies"];
const LAST_KEYWORDS: [&str; 14] = [
    "additionalProperties",
    "propertyNames",
    "dependentSchemas",
    "dependentRequired",
    "$recursiveRef",
    "$dynamicRef",
    "not",
    "allOf",
    "anyOf",
    "oneOf",
    "then",
    "else",
    "unevaluatedProperties",
    "unevaluatedItems",
];

/// A violation of a keyword at a value, with those of the keyword's schemas.
struct SchemaViolation {
    /// The path of the value as a JSON pointer.
    path: String,
    message: String,
    causes: Vec<Self>,
    kind: SchemaViolationKind,
}

#[derive(PartialEq)]
enum SchemaViolationKind {
    Keyword,
    /// Several violations of one schema.
    Group,
    /// The violations of a schema that is referred to. It has a line of its own if there are several.
    Reference,
}

/// An error, and the keywords, names and indexes that lead to it.
struct FoundError<'a, 'i> {
    error: &'a ValidationError<'i>,
    steps: Vec<&'a str>,
}

/// The errors of a part of a schema.
type FoundErrors<'f, 'a, 'i> = Vec<&'f FoundError<'a, 'i>>;

/// Returns the violations, one per line, those of the schemas of a keyword below that of the keyword; None if there are none.
pub(super) fn violations(validator: &Validator, schema: &[u8], values: &Value) -> Option<String> {
    let errors: Vec<ValidationError<'_>> = validator.iter_errors(values).collect();
    if errors.is_empty() {
        return None;
    }
    let found = found(&errors);
    // The schema was valid JSON when it was compiled.
    let schema: Value = serde_json::from_slice(schema).unwrap_or_default();
    let mut text = String::new();
    for violation in (ViolationTree { schema: &schema }).of_schema(found.iter().collect(), 0, "").parts() {
        violation.print(0, &mut text);
    }
    Some(text)
}

fn found<'a, 'i>(errors: &'a [ValidationError<'i>]) -> Vec<FoundError<'a, 'i>> {
    let steps = |error: &'a ValidationError<'i>| error.evaluation_path().as_str().split('/').skip(1).collect();
    errors.iter().map(|error| FoundError { error, steps: steps(error) }).collect()
}

/// The construction of the tree of a schema, which the texts of some keywords need.
struct ViolationTree<'s> {
    schema: &'s Value,
}

impl ViolationTree<'_> {
    /// Returns the violation of a schema at a value. The first steps of the errors, as many as `depth`, lead to the schema.
    fn of_schema(&self, errors: FoundErrors<'_, '_, '_>, depth: usize, path: &str) -> SchemaViolation {
        // The schema `false`, or a keyword that ends the validation of its schema.
        let whole = errors.iter().find(|found| found.steps.len() <= depth);
        let own = errors.iter().filter(|found| found.steps.len() == depth + 1);
        let ending = own.filter_map(|found| Some((ending_rank(found.error.kind())?, found)));
        if let Some(found) = whole.or_else(|| Some(ending.min_by_key(|(rank, _)| *rank)?.1)) {
            return SchemaViolation::keyword(path, message(&[found.error]), Vec::new());
        }
        let mut keywords = grouped(errors, |found| found.step(depth));
        keywords.sort_by_key(|(keyword, _)| rank_of(keyword));
        let mut violations = Vec::new();
        for (keyword, errors) in keywords {
            self.of_keyword(keyword, errors, depth + 1, path, &mut violations);
        }
        match violations.pop() {
            Some(violation) if violations.is_empty() => violation,
            last => {
                violations.extend(last);
                SchemaViolation {
                    kind: SchemaViolationKind::Group,
                    ..SchemaViolation::keyword(path, GROUP.to_owned(), violations)
                }
            }
        }
    }

    /// Adds the violations of a keyword at a value. The first steps of the errors, as many as `depth`, lead to the value of the keyword.
    fn of_keyword(
        &self,
        keyword: &str,
        errors: FoundErrors<'_, '_, '_>,
        depth: usize,
        path: &str,
        violations: &mut Vec<SchemaViolation>,
    ) {
        let (own, deeper): (FoundErrors<'_, '_, '_>, _) = errors.into_iter().partition(|found| found.steps.len() <= depth);
        if !own.is_empty() {
            self.of_own(keyword, &own, depth, path, violations);
        }
        if deeper.is_empty() {
            return;
        }
        match keyword {
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                let causes = self.of_schema(deeper, depth, path).parts();
                let reference = SchemaViolation::keyword(path, GROUP.to_owned(), causes);
                violations.push(SchemaViolation { kind: SchemaViolationKind::Reference, ..reference });
            }
            "allOf" => {
                let parts = grouped(deeper, |found| found.step(depth));
                let causes = parts.into_iter().map(|(_, errors)| self.of_schema(errors, depth + 1, path)).collect();
                violations.push(SchemaViolation::keyword(path, "'allOf' failed".to_owned(), causes));
            }
            "then" | "else" => violations.push(self.of_schema(deeper, depth, path)),
            "dependentSchemas" | "dependencies" => {
                let schemas = grouped(deeper, |found| found.step(depth));
                violations.extend(schemas.into_iter().map(|(_, errors)| self.of_schema(errors, depth + 1, path)));
            }
            "propertyNames" => violations.extend(names(&deeper, path)),
            "properties" | "patternProperties" | "prefixItems" => self.of_children(deeper, depth, 1, path, violations),
            // Before draft 2020-12 there is a list of schemas.
            "items" if deeper.iter().all(|found| found.step(depth).parse::<usize>().is_ok()) => {
                self.of_children(deeper, depth, 1, path, violations);
            }
            _ => self.of_children(deeper, depth, 0, path, violations),
        }
    }

    /// Adds the violations in the parts of a value, of schemas that are one or no step below the value of the keyword.
    fn of_children(
        &self,
        errors: FoundErrors<'_, '_, '_>,
        depth: usize,
        steps: usize,
        path: &str,
        violations: &mut Vec<SchemaViolation>,
    ) {
        let step = |found: &FoundError<'_, '_>| if steps == 0 { String::new() } else { found.step(depth).to_owned() };
        let children = grouped(errors, |found| (step(found), child_of(path, found.error)));
        violations.extend(children.into_iter().map(|((_, child), errors)| self.of_schema(errors, depth + steps, child)));
    }

    /// Adds the violations of a keyword that the validator reports at the keyword itself.
    fn of_own(
        &self,
        keyword: &str,
        errors: &FoundErrors<'_, '_, '_>,
        depth: usize,
        path: &str,
        violations: &mut Vec<SchemaViolation>,
    ) {
        let first = errors[0].error;
        match first.kind() {
            ValidationErrorKind::Required { .. } if keyword != "required" => {
                let texts = self.missing_dependencies(first);
                violations.extend(texts.into_iter().map(|text| SchemaViolation::keyword(path, text, Vec::new())));
            }
            // The schema of the parts is `false`.
            ValidationErrorKind::FalseSchema => {
                let parts = errors.iter().map(|found| {
                    SchemaViolation::keyword(found.error.instance_path().as_str(), message(&[found.error]), Vec::new())
                });
                violations.extend(parts);
            }
            ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let part = |name: &String| format!("{path}/{}", name.replace('~', "~0").replace('/', "~1"));
                violations.extend(
                    unexpected.iter().map(|name| SchemaViolation::keyword(&part(name), "false schema".to_owned(), Vec::new())),
                );
            }
            ValidationErrorKind::PropertyNames { .. } => violations.extend(names(errors, path)),
            ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
                let causes = context.iter().filter(|errors| !errors.is_empty()).map(|errors| {
                    let found = found(errors);
                    self.of_schema(found.iter().collect(), depth + 1, path)
                });
                violations.push(SchemaViolation::keyword(path, message(&[first]), causes.collect()));
            }
            _ => {
                let errors: Vec<&ValidationError<'_>> = errors.iter().map(|found| found.error).collect();
                violations.push(SchemaViolation::keyword(path, message(&errors), Vec::new()));
            }
        }
    }

    /// Returns a text for each property of a value that demands other ones, which are missing. The error names one of these alone.
    fn missing_dependencies(&self, error: &ValidationError<'_>) -> Vec<String> {
        let value = error.instance();
        let dependencies = self.schema.pointer(error.schema_path().as_str()).and_then(Value::as_object);
        let present = dependencies.into_iter().flatten().filter(|(property, _)| value.get(property).is_some());
        let texts = present.filter_map(|(property, demanded)| {
            let demanded = demanded.as_array()?.iter().filter_map(Value::as_str);
            let missing: Vec<String> = demanded.filter(|name| value.get(name).is_none()).map(quoted).collect();
            let is_violated = !missing.is_empty();
            is_violated.then(|| format!("properties {} required, if {} exists", missing.join(", "), quoted(property)))
        });
        let texts: Vec<String> = texts.collect();
        if texts.is_empty() { vec![message(&[error])] } else { texts }
    }
}

/// Returns the violations of the names of properties, each with those of the schema of names, whose value is the name alone.
fn names(errors: &FoundErrors<'_, '_, '_>, path: &str) -> Vec<SchemaViolation> {
    let mut violations: Vec<SchemaViolation> = Vec::new();
    for found in errors {
        let ValidationErrorKind::PropertyNames { error } = found.error.kind() else { continue };
        let text = message(&[found.error]);
        let cause = SchemaViolation::keyword("", message(&[error]), Vec::new());
        match violations.iter_mut().find(|violation| violation.message == text) {
            Some(violation) => violation.causes.push(cause),
            None => violations.push(SchemaViolation::keyword(path, text, vec![cause])),
        }
    }
    violations
}

impl SchemaViolation {
    fn keyword(path: &str, message: String, causes: Vec<Self>) -> Self {
        Self { path: path.to_owned(), message, causes, kind: SchemaViolationKind::Keyword }
    }

    /// Returns the violations of a group, or the only violation.
    fn parts(self) -> Vec<Self> {
        if self.kind == SchemaViolationKind::Group { self.causes } else { vec![self] }
    }

    fn print(&self, depth: usize, text: &mut String) {
        let has_line = self.kind != SchemaViolationKind::Reference || self.causes.len() != 1;
        if has_line {
            let _ = writeln!(text, "{}- at {}: {}", "  ".repeat(depth), quoted(&self.path), self.message);
        }
        for cause in &self.causes {
            cause.print(depth + usize::from(has_line), text);
        }
    }
}

/// Groups errors by a key, in the order of the first ones.
fn grouped<'f, 'a, 'i, K: PartialEq>(
    errors: FoundErrors<'f, 'a, 'i>,
    key: impl Fn(&'f FoundError<'a, 'i>) -> K,
) -> Vec<(K, FoundErrors<'f, 'a, 'i>)> {
    let mut groups: Vec<(K, FoundErrors<'f, 'a, 'i>)> = Vec::new();
    for found in errors {
        let key = key(found);
        match groups.iter_mut().find(|(own, _)| *own == key) {
            Some((_, group)) => group.push(found),
            None => groups.push((key, vec![found])),
        }
    }
    groups
}

/// Returns the path of the part of a value in which an error is.
fn child_of<'a>(path: &str, error: &'a ValidationError<'_>) -> &'a str {
    let at = error.instance_path().as_str();
    let rest = at.get(path.len() + 1..).unwrap_or_default();
    let end = rest.find('/').map_or(at.len(), |end| path.len() + 1 + end);
    &at[..end]
}

impl<'a> FoundError<'a, '_> {
    /// Returns a step; the empty text behind the last one.
    fn step(&self, depth: usize) -> &'a str {
        self.steps.get(depth).copied().unwrap_or_default()
    }
}

/// Returns the order of the keywords that end the validation of their schema.
const fn ending_rank(kind: &ValidationErrorKind) -> Option<usize> {
    match kind {
        ValidationErrorKind::Type { .. } => Some(0),
        ValidationErrorKind::Constant { .. } => Some(1),
        ValidationErrorKind::Enum { .. } => Some(2),
        ValidationErrorKind::Format { .. } => Some(3),
        _ => None,
    }
}

fn rank_of(keyword: &str) -> usize {
    let place = |keywords: &[&str]| keywords.iter().position(|known| *known == keyword);
    let first = place(&FIRST_KEYWORDS);
    let last = place(&LAST_KEYWORDS).map(|place| FIRST_KEYWORDS.len() + 1 + place);
    first.or(last).unwrap_or(FIRST_KEYWORDS.len())
}

//! Checks that many kinds have in common. Each takes the path of the field that it checks.

use std::collections::HashSet;
use std::net::IpAddr;

use kubewright_machinery::object::names;
use kubewright_machinery::selector::LabelSelector;
use kubewright_schema::FieldError;
use serde_json::Value;

/// The protocols of ports.
pub(super) const PROTOCOLS: [&str; 3] = ["SCTP", "TCP", "UDP"];

/// The errors found so far.
#[derive(Debug, Default)]
pub(super) struct FieldChecks {
    errors: Vec<FieldError>,
}

impl FieldChecks {
    pub(super) fn add(&mut self, error: FieldError) {
        self.errors.push(error);
    }

    pub(super) fn into_errors(self) -> Vec<FieldError> {
        self.errors
    }

    /// Requires a non-empty string; returns true if there is one.
    pub(super) fn required(&mut self, path: &str, value: &Value) -> bool {
        let is_there = !is_blank(value);
        if !is_there {
            self.add(FieldError::required(path, ""));
        }
        is_there
    }

    /// Checks that a string, if set, is one of the allowed values.
    pub(super) fn one_of(&mut self, path: &str, value: &Value, allowed: &[&str]) {
        if !is_blank(value) && !value.as_str().is_some_and(|text| allowed.contains(&text)) {
            self.add(FieldError::not_supported(path, value, allowed));
        }
    }

    /// Requires a string that is one of the allowed values.
    pub(super) fn required_one_of(&mut self, path: &str, value: &Value, allowed: &[&str]) {
        if self.required(path, value) {
            self.one_of(path, value, allowed);
        }
    }

    /// Checks that a number, if set, is not negative.
    pub(super) fn not_negative(&mut self, path: &str, value: &Value) {
        if value.as_i64().is_some_and(|number| number < 0) {
            self.add(FieldError::invalid(path, value, "must be greater than or equal to 0"));
        }
    }

    /// Checks that a number, if set, is greater than zero.
    pub(super) fn positive(&mut self, path: &str, value: &Value) {
        if value.as_i64().is_some_and(|number| number <= 0) {
            self.add(FieldError::invalid(path, value, "must be greater than 0"));
        }
    }

    /// Checks that a number, if set, lies between two bounds, inclusive.
    pub(super) fn within(&mut self, path: &str, value: &Value, least: i64, most: i64) {
        if value.as_i64().is_some_and(|number| !(least..=most).contains(&number)) {
            self.add(FieldError::invalid(path, value, format!("must be between {least} and {most}, inclusive")));
        }
    }

    /// Requires an IP address.
    pub(super) fn address(&mut self, path: &str, value: &Value) {
        if value.as_str().is_none_or(|text| text.parse::<IpAddr>().is_err()) {
            let detail = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
            self.add(FieldError::invalid(path, value, detail));
        }
    }

    /// Checks that a port is a port number or the name of a port.
    pub(super) fn port(&mut self, path: &str, value: &Value) {
        match value {
            Value::String(_) => self.name(path, value, port_name),
            number => self.within(path, number, 1, 65_535),
        }
    }

    /// Checks that a string, if set, follows the grammar of a name.
    pub(super) fn name(&mut self, path: &str, value: &Value, grammar: fn(&str) -> Vec<String>) {
        for problem in value.as_str().filter(|name| !name.is_empty()).map(grammar).unwrap_or_default() {
            self.add(FieldError::invalid(path, value, problem));
        }
    }

    /// Checks that a string, if set, is a percentage; with `limited`, of at most 100 percent.
    pub(super) fn percentage(&mut self, path: &str, value: &Value, limited: bool) {
        let Some(text) = value.as_str() else { return };
        let digits =
            text.strip_suffix('%').filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()));
        match digits {
            None => {
                let detail = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used \
                              for validation is '[0-9]+%')";
                self.add(FieldError::invalid(path, value, detail));
            }
            Some(digits) if limited && digits.parse::<u64>().map_or(true, |share| share > 100) => {
                self.add(FieldError::invalid(path, value, "must not be greater than 100%"));
            }
            Some(_) => {}
        }
    }

    /// Checks that a value, if set, was not seen before.
    pub(super) fn unique(&mut self, path: &str, value: &Value, seen: &mut HashSet<String>) {
        if !is_blank(value) && !seen.insert(value.to_string()) {
            self.add(FieldError::duplicate(path, value));
        }
    }

    /// Checks that a value equals the stored one.
    pub(super) fn immutable(&mut self, path: &str, value: &Value, stored: &Value) {
        if value != stored {
            self.add(FieldError::immutable(path, value));
        }
    }

    /// Checks the syntax of labels.
    pub(super) fn labels(&mut self, path: &str, labels: &Value) {
        for (key, value) in labels.as_object().into_iter().flatten() {
            self.name(path, &key.as_str().into(), names::qualified_name);
            self.name(path, value, names::label_value);
        }
    }

    /// Checks a label selector; returns it if it is well-formed.
    pub(super) fn selector(&mut self, path: &str, selector: &Value) -> Option<LabelSelector> {
        let before = self.errors.len();
        self.labels(&format!("{path}.matchLabels"), &selector["matchLabels"]);
        for (index, expression) in selector["matchExpressions"].as_array().into_iter().flatten().enumerate() {
            self.expression(&format!("{path}.matchExpressions[{index}]"), expression);
        }
        if self.errors.len() > before { None } else { LabelSelector::from_json(selector).ok() }
    }

    fn expression(&mut self, path: &str, expression: &Value) {
        let has_values = expression["values"].as_array().is_some_and(|values| !values.is_empty());
        match expression["operator"].as_str().unwrap_or_default() {
            "In" | "NotIn" if !has_values => {
                self.add(FieldError::required(format!("{path}.values"), "must be specified when `operator` is 'In' or 'NotIn'"));
            }
            "Exists" | "DoesNotExist" if has_values => {
                self.add(FieldError::forbidden(
                    format!("{path}.values"),
                    "may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
                ));
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => self.add(FieldError::invalid(
                format!("{path}.operator"),
                &expression["operator"],
                "not a valid selector operator",
            )),
        }
        self.name(&format!("{path}.key"), &expression["key"], names::qualified_name);
    }
}

/// Returns the problems of the name of a container port.
pub(super) fn port_name(name: &str) -> Vec<String> {
    let mut problems = Vec::new();
    if name.len() > 15 {
        problems.push("must be no more than 15 characters".to_owned());
    }
    if !name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-') {
        problems.push("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)".to_owned());
    }
    if !name.bytes().any(|byte| byte.is_ascii_lowercase()) {
        problems.push("must contain at least one letter (a-z)".to_owned());
    }
    if name.contains("--") {
        problems.push("must not contain consecutive hyphens".to_owned());
    }
    if name.starts_with('-') || name.ends_with('-') {
        problems.push("must not begin or end with a hyphen".to_owned());
    }
    problems
}

/// Returns true if a value is absent or an empty string.
pub(super) fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

/// Returns true if a value is absent or an empty list or map.
pub(super) fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// Iterates over the items of a list, each with its path.
pub(in crate::types) fn items<'a>(path: &str, list: &'a Value) -> impl Iterator<Item = (String, &'a Value)> + use<'a> {
    let path = path.to_owned();
    list.as_array().into_iter().flatten().enumerate().map(move |(index, item)| (format!("{path}[{index}]"), item))
}

/// Returns a copy of an object without some of its fields.
pub(super) fn without(value: &Value, fields: &[&str]) -> Value {
    let mut copy = value.clone();
    if let Some(members) = copy.as_object_mut() {
        members.retain(|field, _| !fields.contains(&field.as_str()));
    }
    copy
}

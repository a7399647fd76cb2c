//! Fields of maps and objects, and methods.

use std::rc::Rc;

use super::arguments::CallArguments;
use super::noted_host::NotedHost;
use super::place::FailingNode;
use super::run::{Outcome, TreeExecution};
use super::seen::SeenValue;
use crate::error::TemplateError;
use crate::function::{FunctionCall, Signature, TemplateFunction};
use crate::value::{GoMap, GoObject, GoValue, MapType};

impl<'a> TreeExecution<'a> {
    /// Returns a field of a value, or the result of its method. Only a method has arguments.
    pub(super) fn field(
        &mut self,
        receiver: &SeenValue,
        name: &str,
        node: FailingNode<'a>,
        arguments: CallArguments<'a, '_>,
    ) -> Outcome<SeenValue> {
        let has_arguments = !arguments.is_empty();
        match &receiver.value {
            // An absent value has absent fields, but nil in a map or list has none.
            GoValue::Nil if !receiver.is_element => Ok(SeenValue::default()),
            GoValue::Nil => Err(self.error(format!("nil pointer evaluating interface {{}}.{name}")).into()),
            GoValue::Map(map) => {
                let set = self.scope.set;
                match map.map_type() {
                    MapType::Named(named) => match set.functions.method(named.name, name) {
                        Some(method) => self.map_method(method, map, name, node, arguments),
                        None => self.key(map, name, has_arguments),
                    },
                    _ => self.key(map, name, has_arguments),
                }
            }
            GoValue::Object(object) => {
                if let Some(signature) = object.method(name) {
                    return self.method(object, name, &signature, node, arguments);
                }
                if let Some(value) = object.field(name) {
                    if has_arguments {
                        return Err(self.error(format!("{name} has arguments but cannot be invoked as function")).into());
                    }
                    let is_element = matches!(value, GoValue::Nil);
                    return Ok(SeenValue { value, is_element });
                }
                match object.elements() {
                    Some(GoValue::Map(map)) => self.key(&map, name, has_arguments),
                    _ => Err(self.no_field(receiver, name).into()),
                }
            }
            _ => Err(self.no_field(receiver, name).into()),
        }
    }

    fn key(&self, map: &GoMap, name: &str, has_arguments: bool) -> Outcome<SeenValue> {
        if has_arguments {
            return Err(self.error(format!("{name} is not a method but has arguments")).into());
        }
        Ok(SeenValue::of_map(map, map.field(name)))
    }

    fn method(
        &mut self,
        object: &Rc<dyn GoObject>,
        name: &str,
        signature: &Signature,
        node: FailingNode<'a>,
        arguments: CallArguments<'a, '_>,
    ) -> Outcome<SeenValue> {
        let written = arguments.written;
        let values = self.arguments(name, signature, arguments)?;
        let result = object.call(name, &values);
        self.result(result, name, node, written)
    }

    /// Calls a method of a named map type.
    fn map_method(
        &mut self,
        method: &TemplateFunction,
        map: &GoMap,
        name: &str,
        node: FailingNode<'a>,
        arguments: CallArguments<'a, '_>,
    ) -> Outcome<SeenValue> {
        let written = arguments.written;
        let mut values = vec![GoValue::Map(map.clone())];
        values.extend(self.arguments(name, &method.signature, arguments)?);
        let host = NotedHost::new(self.host);
        let result = method.call(&mut FunctionCall { arguments: values, engine: self, host: &host });
        if host.is_asked() || !method.is_repeatable() {
            self.usage.included.note_unrepeatable();
        }
        self.result(result, name, node, written)
    }

    fn no_field(&self, receiver: &SeenValue, name: &str) -> TemplateError {
        self.error(format!("can't evaluate field {name} in type {}", receiver.type_name()))
    }
}

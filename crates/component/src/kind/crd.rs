use std::any::TypeId;
use std::collections::HashMap;
use std::sync::LazyLock;

use kubewright_runtime::definition;
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::Component;

/// The CRDs built so far, by type. A type has one definition, and building it takes longer than the rest of an operator's start.
static MADE: LazyLock<Mutex<HashMap<TypeId, Value>>> = LazyLock::new(Mutex::default);

/// Returns the CRD of a component type: the result of [`definition::custom_resource_definition`], plus the default of the status and the print
/// columns State, Reason and Age.
///
/// Columns that the type declares itself are placed between Reason and Age. A declared column replaces a default column of the same name.
pub fn custom_resource_definition<C: Component>() -> Result<Value, serde_json::Error> {
    if let Some(made) = MADE.lock().get(&TypeId::of::<C>()) {
        return Ok(made.clone());
    }
    let mut crd = definition::custom_resource_definition::<C>()?;
    if let Some(versions) = crd.pointer_mut("/spec/versions").and_then(Value::as_array_mut) {
        versions.iter_mut().for_each(complete_version);
    }
    MADE.lock().insert(TypeId::of::<C>(), crd.clone());
    Ok(crd)
}

fn complete_version(version: &mut Value) {
    if let Some(status) = version.pointer_mut("/schema/openAPIV3Schema/properties/status").and_then(Value::as_object_mut) {
        status.insert("default".to_owned(), json!({ "observedGeneration": -1 }));
    }
    let declared = match version.get_mut("additionalPrinterColumns").map(Value::take) {
        Some(Value::Array(columns)) => columns,
        _ => Vec::new(),
    };
    let name = |column: &Value| column["name"].as_str().map(str::to_owned);
    let ours = [
        json!({ "name": "State", "type": "string", "jsonPath": ".status.state" }),
        json!({ "name": "Reason", "type": "string", "jsonPath": ".status.conditions[?(@.type==\"Ready\")].reason" }),
    ];
    let age = json!({ "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" });
    let undeclared = |column: &Value| !declared.iter().any(|other| name(other) == name(column));
    let mut columns: Vec<Value> = ours.into_iter().filter(undeclared).collect();
    let age = Some(age).filter(undeclared);
    columns.extend(declared);
    columns.extend(age);
    if let Some(version) = version.as_object_mut() {
        version.insert("additionalPrinterColumns".to_owned(), Value::Array(columns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // COM-2
    #[test]
    fn columns_and_status_default_are_added() {
        let mut version = json!({
            "additionalPrinterColumns": [{ "name": "Url", "type": "string", "jsonPath": ".status.url" }],
            "schema": { "openAPIV3Schema": { "properties": { "status": { "type": "object" } } } }
        });
        complete_version(&mut version);
        let names: Vec<_> =
            version["additionalPrinterColumns"].as_array().unwrap().iter().map(|column| &column["name"]).collect();
        assert_eq!(names, ["State", "Reason", "Url", "Age"]);
        assert_eq!(
            version.pointer("/schema/openAPIV3Schema/properties/status/default").unwrap(),
            &json!({ "observedGeneration": -1 })
        );
    }
}

//! Values of a type of the operator's author.

use serde::Serialize;
use serde_json::Value;

use super::{Parameters, parameters_of};

/// A struct in a spec whose fields are the parameters of the generator, such as the values of a chart. Derived with `#[derive(Values)]`.
///
/// The field of the spec may be flattened or not. There is one of it, or one of the untyped [`Values`](super::Values).
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no typed values",
    note = "add `#[derive(Values)]` to the struct whose fields are the parameters of the generator"
)]
pub trait TypedValues: Serialize {
    /// Returns the parameters: the fields in their JSON form. Absent options are absent, so that the defaults of a chart hold; as nulls, they would
    /// delete them.
    fn parameters(&self) -> Parameters {
        let mut parameters = parameters_of(self);
        remove_nulls(&mut parameters);
        parameters
    }
}

fn remove_nulls(members: &mut Parameters) {
    members.retain(|_, value| !value.is_null());
    members.values_mut().for_each(remove_nulls_inside);
}

fn remove_nulls_inside(value: &mut Value) {
    match value {
        Value::Object(members) => remove_nulls(members),
        Value::Array(items) => items.iter_mut().for_each(remove_nulls_inside),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Serialize)]
    struct ImageValues {
        tag: Option<String>,
        name: Option<String>,
    }

    #[derive(Serialize)]
    struct WebValues {
        replicas: Option<u32>,
        image: ImageValues,
        mirrors: Vec<ImageValues>,
        list: Vec<Option<u32>>,
    }

    impl TypedValues for WebValues {}

    // VALUES-1
    #[test]
    fn absent_options_are_absent_at_any_depth_and_items_keep_their_places() {
        let image = || ImageValues { tag: Some("1".to_owned()), name: None };
        let values = WebValues { replicas: None, image: image(), mirrors: vec![image()], list: vec![None, Some(1)] };
        let expected = json!({ "image": { "tag": "1" }, "mirrors": [{ "tag": "1" }], "list": [null, 1] });
        assert_eq!(Value::Object(values.parameters()), expected);
    }
}

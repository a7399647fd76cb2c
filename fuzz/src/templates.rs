//! Templates that strangers wrote. A file of its own, since the tests of `kubewright-template` use it without the other decoders.

use std::any::Any;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use jiff::Timestamp;
use kubewright_template::library::data::{self, DataFlavour};
use kubewright_template::library::{add_helm, add_sprig};
use kubewright_template::{Delimiters, FunctionSet, GoMap, GoValue, TemplateError, TemplateHost, TemplateLimits, TemplateSet};

const LIMITS: TemplateLimits =
    TemplateLimits { output: 100_000, values: 100_000_000, depth: 20, steps: 20_000, time: Duration::from_secs(10) };

static FUNCTIONS: LazyLock<Arc<FunctionSet>> = LazyLock::new(|| {
    let mut functions = FunctionSet::new();
    add_sprig(&mut functions);
    add_helm(&mut functions);
    data::add(&mut functions, DataFlavour::Helm);
    for name in ["bcrypt", "derivePassword", "htpasswd"] {
        functions.forbid(name, "the function is slow on purpose");
    }
    Arc::new(functions)
});

/// A host whose time stands still and whose random bytes are all equal.
struct StillHost;

impl TemplateHost for StillHost {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        buffer.fill(7);
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn values() -> GoValue {
    let map = GoMap::from_pairs([("a", GoValue::int(1)), ("b", GoValue::Nil), ("s", "text".into())]);
    let list = GoValue::list([GoValue::from("x"), GoValue::Float(2.5), map.clone().into()]);
    GoMap::from_pairs([("m", map.into()), ("l", list), ("s", "a-b".into()), ("n", GoValue::Float(3.0)), ("b", true.into())])
        .into()
}

/// A template: its text is compiled, and executed twice if it is one. Both executions end alike, within the limits.
pub fn templates(data: &[u8]) {
    let mut set = TemplateSet::new(FUNCTIONS.clone(), Delimiters::default());
    if let Err(error) = set.add("t", &String::from_utf8_lossy(data)) {
        assert!(matches!(error, TemplateError::Parse { .. }), "{error}");
        return;
    }
    let rendered = || set.execute("t", &values(), &StillHost, &LIMITS).map_err(|error| error.to_string());
    let first = rendered();
    assert!(first.as_ref().is_ok_and(|text| text.len() <= LIMITS.output) || first.is_err());
    assert_eq!(first, rendered());
}

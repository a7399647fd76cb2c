//! Name and age of any object as table cells.

use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

use crate::kinds::KindSpec;

/// Columns and the cells of each row.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) columns: Vec<Value>,
    pub(crate) rows: Vec<Vec<Value>>,
}

/// Prints objects of one kind.
pub(crate) fn print(_kind: &KindSpec, objects: &[&Value], now: jiff::Timestamp) -> Printed {
    let columns = vec![
        json!({"name": "Name", "type": "string", "format": "name", "description": "", "priority": 0}),
        json!({"name": "Age", "type": "date", "format": "", "description": "", "priority": 0}),
    ];
    let rows = objects.iter().map(|object| vec![json!(object.name()), json!(age(object, now))]).collect();
    Printed { columns, rows }
}

fn age(object: &Value, now: jiff::Timestamp) -> String {
    let Some(created) = object.creation_timestamp().and_then(|time| time.parse::<jiff::Timestamp>().ok()) else { return "<unknown>".into() };
    let seconds = now.duration_since(created).as_secs().max(0);
    match seconds {
        0..120 => format!("{seconds}s"),
        120..7200 => format!("{}m", seconds / 60),
        7200..172_800 => format!("{}h", seconds / 3600),
        _ => format!("{}d", seconds / 86_400),
    }
}

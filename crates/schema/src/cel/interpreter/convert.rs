//! Conversions between types.

use std::sync::Arc;

use kube_cel::cel::Value as Cel;

use super::failure::EvaluationFailure;
use super::library;
use super::types::name_of;

type Outcome = Result<Cel, EvaluationFailure>;

/// Calls a conversion function; returns `None` for other functions.
pub(super) fn call(name: &str, member: bool, arguments: &[Cel]) -> Option<Outcome> {
    let [value] = arguments else {
        return None;
    };
    if member {
        return None;
    }
    Some(match name {
        "bool" => boolean(value),
        "bytes" => bytes(value),
        "double" => double(value),
        "int" => integer(value),
        "uint" => unsigned(value),
        "string" => text(value),
        "duration" => duration(value),
        "timestamp" => timestamp(value),
        _ => return None,
    })
}

fn impossible(value: &Cel, wanted: &str) -> EvaluationFailure {
    EvaluationFailure::new(format!("type conversion error from '{}' to '{wanted}'", name_of(value)))
}

fn boolean(value: &Cel) -> Outcome {
    match value {
        Cel::Bool(_) => Ok(value.clone()),
        Cel::String(text) => match text.as_str() {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Cel::Bool(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Cel::Bool(false)),
            _ => Err(impossible(value, "bool")),
        },
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}

fn bytes(value: &Cel) -> Outcome {
    match value {
        Cel::Bytes(_) => Ok(value.clone()),
        Cel::String(text) => Ok(Cel::Bytes(Arc::new(text.as_bytes().to_vec()))),
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}

fn double(value: &Cel) -> Outcome {
    match value {
        Cel::Float(_) => Ok(value.clone()),
        Cel::Int(number) => Ok(Cel::Float(*number as f64)),
        Cel::UInt(number) => Ok(Cel::Float(*number as f64)),
        Cel::String(text) => text.parse().map(Cel::Float).map_err(|_| impossible(value, "double")),
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}

fn integer(value: &Cel) -> Outcome {
    let overflow = || EvaluationFailure::new("integer overflow");
    match value {
        Cel::Int(_) => Ok(value.clone()),
        Cel::UInt(number) => i64::try_from(*number).map(Cel::Int).map_err(|_| overflow()),
        // The bounds of the range cannot be represented exactly as floats.
        Cel::Float(number) if *number > i64::MIN as f64 && *number < i64::MAX as f64 => Ok(Cel::Int(*number as i64)),
        Cel::Float(_) => Err(overflow()),
        Cel::String(text) => text.parse().map(Cel::Int).map_err(|_| impossible(value, "int")),
        Cel::Timestamp(time) => Ok(Cel::Int(time.timestamp())),
        Cel::Duration(duration) => duration.num_nanoseconds().map(Cel::Int).ok_or_else(overflow),
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}

fn unsigned(value: &Cel) -> Outcome {
    let overflow = || EvaluationFailure::new("unsigned integer overflow");
    match value {
        Cel::UInt(_) => Ok(value.clone()),
        Cel::Int(number) => u64::try_from(*number).map(Cel::UInt).map_err(|_| overflow()),
        Cel::Float(number) if *number >= 0.0 && *number < u64::MAX as f64 => Ok(Cel::UInt(*number as u64)),
        Cel::Float(_) => Err(overflow()),
        Cel::String(text) => text.parse().map(Cel::UInt).map_err(|_| impossible(value, "uint")),
        _ => Err(EvaluationFailure::NoSuchOverload),
    }
}

fn text(value: &Cel) -> Outcome {
    let text = match value {
        Cel::String(_) => return Ok(value.clone()),
        Cel::Bool(value) => value.to_string(),
        Cel::Int(number) => number.to_string(),
        Cel::UInt(number) => number.to_string(),
        Cel::Float(number) => shortest(*number),
        Cel::Bytes(bytes) => String::from_utf8(bytes.to_vec())
            .map_err(|_| EvaluationFailure::new("invalid UTF-8 in bytes, cannot convert to string"))?,
        Cel::Timestamp(time) => {
            let nanos = i32::try_from(time.timestamp_subsec_nanos()).unwrap_or_default();
            jiff::Timestamp::new(time.timestamp(), nanos).map_err(|_| EvaluationFailure::new("timestamp overflow"))?.to_string()
        }
        Cel::Duration(duration) => {
            let seconds = duration.num_seconds();
            let nanos = duration.subsec_nanos().unsigned_abs();
            let sign = if *duration < -*duration { "-" } else { "" };
            let fraction = if nanos == 0 { String::new() } else { format!(".{nanos:09}").trim_end_matches('0').to_owned() };
            format!("{sign}{}{fraction}s", seconds.unsigned_abs())
        }
        Cel::Opaque(_) => return library::call("string", false, std::slice::from_ref(value)),
        _ => return Err(EvaluationFailure::NoSuchOverload),
    };
    Ok(Cel::String(Arc::new(text)))
}

/// Returns the shortest text of a number, with an exponent if the number is very large or small.
fn shortest(number: f64) -> String {
    let scientific = format!("{number:e}");
    match scientific.split_once('e').and_then(|(mantissa, exponent)| Some((mantissa, exponent.parse::<i32>().ok()?))) {
        Some((mantissa, exponent)) if number != 0.0 && !(-4..21).contains(&exponent) => {
            format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
        }
        _ if number.is_infinite() => if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned(),
        _ => number.to_string(),
    }
}

fn duration(value: &Cel) -> Outcome {
    match value {
        Cel::Duration(_) => Ok(value.clone()),
        Cel::String(text) if crate::format::go_duration(text) => library::call("duration", false, std::slice::from_ref(value))
            .map_err(|_| impossible(value, "google.protobuf.Duration")),
        _ => Err(impossible(value, "google.protobuf.Duration")),
    }
}

fn timestamp(value: &Cel) -> Outcome {
    match value {
        Cel::Timestamp(_) => Ok(value.clone()),
        Cel::Int(seconds) => {
            let time = jiff::Timestamp::from_second(*seconds).map_err(|_| EvaluationFailure::new("timestamp overflow"))?;
            library::call("timestamp", false, &[Cel::String(Arc::new(time.to_string()))])
        }
        Cel::String(_) => library::call("timestamp", false, std::slice::from_ref(value))
            .map_err(|_| impossible(value, "google.protobuf.Timestamp")),
        _ => Err(impossible(value, "google.protobuf.Timestamp")),
    }
}

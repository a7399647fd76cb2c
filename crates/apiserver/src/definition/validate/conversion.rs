//! Validation of the conversion between versions.

use std::collections::HashSet;

use kubewright_machinery::object::names;
use kubewright_schema::FieldError;
use serde_json::{Map, Value};

use super::{is_established, text};

const REVIEW_VERSIONS: [&str; 2] = ["v1", "v1beta1"];

pub(super) fn check(spec: &Map<String, Value>, stored: Option<&Value>, errors: &mut Vec<FieldError>) {
    let Some(conversion) = spec.get("conversion").and_then(Value::as_object) else {
        return;
    };
    let webhook = conversion.get("webhook").and_then(Value::as_object);
    let client = webhook.and_then(|webhook| webhook.get("clientConfig")).and_then(Value::as_object);
    let reviews = webhook.and_then(|webhook| webhook.get("conversionReviewVersions")).and_then(Value::as_array);
    let strategy = text(conversion, "strategy");
    match strategy {
        "None" | "Webhook" => {}
        "" => errors.push(FieldError::required("spec.conversion.strategy", "")),
        other => errors.push(FieldError::not_supported("spec.conversion.strategy", &other.into(), &["None", "Webhook"])),
    }
    if strategy == "Webhook" {
        match client {
            None => {
                let detail = "required when strategy is set to Webhook";
                errors.push(FieldError::required("spec.conversion.webhookClientConfig", detail));
            }
            Some(client) => client_config(client, stored.is_some_and(is_established), errors),
        }
        review_versions(reviews.map(Vec::as_slice).unwrap_or_default(), errors);
        return;
    }
    let unused = "should not be set when strategy is not set to Webhook";
    if client.is_some() {
        errors.push(FieldError::forbidden("spec.conversion.webhookClientConfig", unused));
    }
    if reviews.is_some_and(|reviews| !reviews.is_empty()) {
        errors.push(FieldError::forbidden("spec.conversion.conversionReviewVersions", unused));
    }
}

fn client_config(client: &Map<String, Value>, established: bool, errors: &mut Vec<FieldError>) {
    const FIELD_PATH: &str = "spec.conversion.webhookClientConfig";
    let url = client.get("url").and_then(Value::as_str);
    let service = client.get("service").and_then(Value::as_object);
    match (url, service) {
        (Some(url), None) => web_address(url, errors),
        (None, Some(service)) => {
            // The real server swaps the two fields in its errors.
            for (field, reported) in [("name", "namespace"), ("namespace", "name")] {
                if text(service, field).is_empty() {
                    errors.push(FieldError::required(format!("{FIELD_PATH}.service.{reported}"), ""));
                }
            }
            if let Some(port) = service.get("port").filter(|port| !port.as_i64().is_some_and(|port| (1..=65535).contains(&port)))
            {
                let detail = "port is not valid: must be between 1 and 65535, inclusive";
                errors.push(FieldError::invalid(format!("{FIELD_PATH}.service.port"), port, detail));
            }
            if let Some(path) = service.get("path").and_then(Value::as_str) {
                web_path(path, errors);
            }
        }
        _ => errors.push(FieldError::required(FIELD_PATH, "exactly one of url or service is required")),
    }
    // The bundle of a new definition is not checked, because a controller often fills it in later.
    let bundle = text(client, "caBundle");
    if established && !bundle.is_empty() && !is_certificate(bundle) {
        let detail = "unable to load root certificates: unable to parse bytes as PEM block";
        errors.push(FieldError::invalid(format!("{FIELD_PATH}.caBundle"), &bundle.into(), detail));
    }
}

fn is_certificate(bundle: &str) -> bool {
    use base64::Engine as _;
    let decoded = base64::engine::general_purpose::STANDARD.decode(bundle).unwrap_or_default();
    decoded.windows("-----BEGIN CERTIFICATE-----".len()).any(|window| window == b"-----BEGIN CERTIFICATE-----")
}

fn web_address(url: &str, errors: &mut Vec<FieldError>) {
    const FORM: &str = "; desired format: https://host[/path]";
    let mut invalid = |value: &str, detail: String| {
        errors.push(FieldError::invalid("spec.conversion.webhookClientConfig.url", &value.into(), detail));
    };
    let (rest, fragment) = url.split_once('#').unwrap_or((url, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (scheme, rest) = rest.split_once("://").unwrap_or(("", rest));
    let authority = if scheme.is_empty() { "" } else { rest.split('/').next().unwrap_or_default() };
    let (user, host) = authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    if scheme != "https" {
        invalid(scheme, format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if host.is_empty() {
        invalid(host, format!("host must be specified{FORM}"));
    }
    if let Some(user) = user {
        invalid(user, "user information is not permitted in the URL".to_owned());
    }
    if !fragment.is_empty() {
        invalid(fragment, "fragments are not permitted in the URL".to_owned());
    }
    if !query.is_empty() {
        invalid(query, "query parameters are not permitted in the URL".to_owned());
    }
}

fn web_path(path: &str, errors: &mut Vec<FieldError>) {
    let mut invalid = |detail: String| {
        errors.push(FieldError::invalid("spec.conversion.webhookClientConfig.service.path", &path.into(), detail));
    };
    match path {
        "" | "/" => return,
        "//" => return invalid("segment[0] may not be empty".to_owned()),
        _ => {}
    }
    if !path.starts_with('/') {
        invalid("must start with a '/'".to_owned());
    }
    let mut characters = path.chars();
    characters.next();
    let steps = characters.as_str();
    for (index, step) in steps.strip_suffix('/').unwrap_or(steps).split('/').enumerate() {
        if step.is_empty() {
            invalid(format!("segment[{index}] may not be empty"));
        } else {
            for detail in names::dns_1123_subdomain(step) {
                invalid(format!("segment[{index}]: {detail}"));
            }
        }
    }
}

fn review_versions(versions: &[Value], errors: &mut Vec<FieldError>) {
    const FIELD_PATH: &str = "spec.conversion.conversionReviewVersions";
    if versions.is_empty() {
        errors.push(FieldError::required(FIELD_PATH, ""));
        return;
    }
    let mut seen = HashSet::new();
    for (index, version) in versions.iter().enumerate() {
        let item_path = format!("{FIELD_PATH}[{index}]");
        if !seen.insert(version.as_str().unwrap_or_default()) {
            errors.push(FieldError::invalid(item_path, version, "duplicate version"));
            continue;
        }
        for detail in names::dns_1035_label(version.as_str().unwrap_or_default()) {
            errors.push(FieldError::invalid(&item_path, version, detail));
        }
    }
    if !versions.iter().any(|version| REVIEW_VERSIONS.iter().any(|known| version == known)) {
        let detail = format!("must include at least one of {}", REVIEW_VERSIONS.join(", "));
        errors.push(FieldError::invalid(FIELD_PATH, &Value::Array(versions.to_vec()), detail));
    }
}

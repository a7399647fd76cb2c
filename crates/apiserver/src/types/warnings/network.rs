//! Warnings about services and ingresses.

use std::net::IpAddr;

use serde_json::Value;

use super::is_annotated;
use crate::types::validate::items;

pub(super) fn service(warnings: &mut Vec<String>, object: &Value, _: Option<&Value>) {
    const HINTS: &str = "service.kubernetes.io/topology-aware-hints";
    let spec = &object["spec"];
    if is_annotated(object, HINTS) {
        warnings.push(format!("annotation {HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead"));
    }
    let is_external_name = spec["type"] == "ExternalName";
    let is_headless = spec["clusterIP"] == "None";
    for (path, address) in items("spec.clusterIPs", &spec["clusterIPs"]) {
        self::address(warnings, &path, address);
    }
    let has_outside = items("", &spec["externalIPs"]).next().is_some();
    if is_headless {
        if !spec["loadBalancerIP"].is_null() {
            warnings.push("spec.loadBalancerIP is ignored for headless services".to_owned());
        }
        if has_outside {
            warnings.push("spec.externalIPs is ignored for headless services".to_owned());
        }
        if spec["sessionAffinity"] != "None" {
            warnings.push("spec.SessionAffinity is ignored for headless services".to_owned());
        }
    }
    for (path, outside) in items("spec.externalIPs", &spec["externalIPs"]) {
        address(warnings, &path, outside);
    }
    if has_outside && !is_headless && !is_external_name {
        warnings.push("spec.externalIPs is deprecated and may no longer be implemented in some clusters".to_owned());
    }
    address(warnings, "spec.loadBalancerIP", &spec["loadBalancerIP"]);
    if has_outside && is_external_name {
        warnings.push("spec.externalIPs is ignored when spec.type is \"ExternalName\"".to_owned());
    }
    if !is_external_name && !spec["externalName"].is_null() {
        warnings.push("spec.externalName is ignored when spec.type is not \"ExternalName\"".to_owned());
    }
    if spec["trafficDistribution"] == "PreferClose" {
        warnings.push("spec.trafficDistribution: \"PreferClose\" is deprecated; use \"PreferSameZone\"".to_owned());
    }
}

pub(super) fn ingress(warnings: &mut Vec<String>, object: &Value, stored: Option<&Value>) {
    const CLASS: &str = "kubernetes.io/ingress.class";
    if stored.is_none() && is_annotated(object, CLASS) && object["spec"]["ingressClassName"].is_null() {
        warnings.push(format!("annotation {CLASS:?} is deprecated, please use 'spec.ingressClassName' instead"));
    }
}

/// Warns about an address that is not in canonical form.
pub(super) fn address(warnings: &mut Vec<String>, path: &str, address: &Value) {
    let text = address.as_str().unwrap_or_default();
    match text.parse::<IpAddr>() {
        Ok(IpAddr::V6(address)) => match address.to_ipv4_mapped() {
            Some(mapped) => {
                warnings.push(format!("{path}: non-standard IP address {text:?} is invalid: use {:?}", mapped.to_string()))
            }
            None if address.to_string() != text => warnings.push(format!(
                "{path}: IPv6 address {text:?} should be in RFC 5952 canonical format ({:?})",
                address.to_string()
            )),
            None => {}
        },
        Ok(IpAddr::V4(_)) | Err(_) => {}
    }
}

//! Warnings about Services.

use serde_json::Value;

use crate::types::validate::items;
use crate::types::warnings::addresses::address;
use crate::types::warnings::is_annotated;

pub(in crate::types::warnings) fn service(warnings: &mut Vec<String>, object: &Value, _: Option<&Value>) {
    const HINTS: &str = "service.kubernetes.io/topology-aware-hints";
    let spec = &object["spec"];
    if is_annotated(object, HINTS) {
        warnings.push(format!("annotation {HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead"));
    }
    let is_external_name = spec["type"] == "ExternalName";
    let is_headless = spec["clusterIP"] == "None";
    for (path, item) in items("spec.clusterIPs", &spec["clusterIPs"]) {
        address(warnings, &path, item);
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

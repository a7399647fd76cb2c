use super::*;
use crate::finalizer::{FinalizerForm, FinalizerName};

fn finalizers(format: &Format) -> Vec<String> {
    let mut names = vec![format.own_finalizer(SERVER).unwrap()];
    names.extend(format.legacy_finalizer(SERVER).unwrap());
    names.push(format.dependency_finalizer(SERVER).unwrap());
    names.push(format.owner_finalizer("ManagedControlPlane").unwrap());
    names.iter().map(ToString::to_string).collect()
}

// FIN-04, FZ-1, FZ-2
#[test]
fn finalizers_have_the_names_of_their_form() {
    let expected = ["example.com/server", "dependency.example.com/server", "example.com/managedcontrolplane"];
    assert_eq!(finalizers(&format()), expected);
    let dotted = format().finalizer_form(FinalizerForm::DomainDotKind);
    let expected =
        ["example.com.server", "server.example.com", "dependency.example.com/server", "example.com.managedcontrolplane"];
    assert_eq!(finalizers(&dotted), expected);
    let instance = FinalizerName::dependency("example.com", "Server", Some("02c8c86b")).unwrap();
    assert_eq!(instance.as_str(), "dependency.example.com/server.02c8c86b");
}

// PROV-02, FIN-04
#[test]
fn the_preset_openmcp_has_the_names_of_its_operator() {
    let openmcp = Format::openmcp();
    let expected = [
        "server.openmcp.cloud",
        "openmcp.cloud.server",
        "dependency.openmcp.cloud/server",
        "finalizer.managedcontrolplane.openmcp.cloud",
    ];
    assert_eq!(finalizers(&openmcp), expected);
    let swapped = openmcp.clone().finalizer_form(FinalizerForm::DomainDotKind);
    assert_eq!(
        finalizers(&swapped).get(..2),
        Some(["openmcp.cloud.server", "server.openmcp.cloud"].map(String::from).as_slice())
    );
    let owner = openmcp.owner_labels();
    let labels = (owner.name.as_str(), owner.namespace.as_str(), openmcp.owner_generation(), openmcp.internal_generation());
    let expected =
        ("openmcp.cloud/mcp-name", "openmcp.cloud/mcp-namespace", "openmcp.cloud/mcp-generation", "openmcp.cloud/ic-generation");
    assert_eq!(labels, expected);
    assert_eq!((&owner.kind, openmcp.component(), openmcp.managed_by()), (&None, None, None));
    assert_eq!((openmcp.operation(), openmcp.max_owner_name()), ("openmcp.cloud/operation", 36));
    assert_eq!(openmcp.internal_condition("ClusterReady"), "clusterReady");
    assert_eq!(format().internal_condition("ClusterReady"), "ClusterReady");
}

#[test]
fn a_domain_that_is_no_dns_subdomain_is_refused() {
    assert!(Format::standard("Example.com").is_err() && Format::standard("").is_err());
}

#[test]
fn the_longest_owner_name_fits_a_label() {
    assert_eq!(format().with_max_owner_name(40).max_owner_name(), 40);
    assert_eq!(format().with_max_owner_name(400).max_owner_name(), 63);
}

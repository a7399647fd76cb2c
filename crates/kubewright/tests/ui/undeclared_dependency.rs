//! A component controller asks for a component to which no edge is declared (EDGE-4, DEP-17).

use kubewright::contract::{ContractComponent, DependsOn, Maybe, Needs, Ready};

fn ready<From: ContractComponent, To: ContractComponent>(deps: &Ready<From>) {
    deps.get::<To>();
}

fn maybe<From: ContractComponent, To: ContractComponent>(deps: &Maybe<From>) {
    deps.get::<To>();
}

fn outlived<From: DependsOn<To>, To: ContractComponent>(deps: &Ready<From>) {
    deps.get::<To>();
}

fn needed<From: Needs<To>, To: ContractComponent>(deps: &Ready<From>) {
    deps.get::<To>();
}

fn main() {}

use std::borrow::Cow;

use k8s_openapi::NamespaceResourceScope;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::Resource;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, Serializer};

/// The internal configuration of a contract without one: a kind that has no objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoInternal {}

impl Resource for NoInternal {
    type DynamicType = ();
    type Scope = NamespaceResourceScope;

    fn kind((): &()) -> Cow<'_, str> {
        "NoInternal".into()
    }

    fn group((): &()) -> Cow<'_, str> {
        "".into()
    }

    fn version((): &()) -> Cow<'_, str> {
        "".into()
    }

    fn plural((): &()) -> Cow<'_, str> {
        "".into()
    }

    fn meta(&self) -> &ObjectMeta {
        match *self {}
    }

    fn meta_mut(&mut self) -> &mut ObjectMeta {
        match *self {}
    }
}

impl Serialize for NoInternal {
    fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
        match *self {}
    }
}

impl<'de> Deserialize<'de> for NoInternal {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("the contract has no internal configuration"))
    }
}

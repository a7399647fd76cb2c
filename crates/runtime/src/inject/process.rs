//! Configuration and leadership of the process as arguments of constructors.

use std::any::type_name;

use kubewright_core::config::FromConfigMap;
use kubewright_core::flow::BoxError;

use super::{FromOperator, Missing};
use crate::config::Config;
use crate::leadership::LeadershipChanges;
use crate::operator::{Declarations, OperatorContext};

impl<T: FromConfigMap> FromOperator for Config<T> {
    fn declare(declarations: &mut Declarations) {
        declarations.config::<T>();
    }

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        let channel = context.configs.channel().ok_or_else(|| Missing::new(format!("Config<{}>", type_name::<T>())))?;
        Ok(Self::following(context.configs.clone(), channel))
    }
}

impl FromOperator for LeadershipChanges {
    fn declare(_: &mut Declarations) {}

    fn extract(context: &OperatorContext) -> Result<Self, BoxError> {
        Ok(Self::new(context.leadership.clone()))
    }
}

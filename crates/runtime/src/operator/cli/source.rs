//! The operator of a program, and how further ones like it are made.

use std::fmt;

use crate::operator::Operator;

/// Makes an operator each time that it is called.
pub type MakeOperator = Box<dyn Fn() -> Operator + Send>;

/// The operator of a program. A program that names the function that makes it can run several replicas (`dev --replicas`).
pub struct OperatorSource {
    operator: Operator,
    make: Option<MakeOperator>,
}

impl OperatorSource {
    /// The operator that this function makes, each time anew.
    pub fn of(make: impl Fn() -> Operator + Send + 'static) -> Self {
        Self { operator: make(), make: Some(Box::new(make)) }
    }

    /// The operator, without taking it.
    pub(super) fn operator(&self) -> &Operator {
        &self.operator
    }

    /// The operator.
    pub fn into_operator(self) -> Operator {
        self.operator
    }

    /// The operator, and the function that makes further ones; none if the program made its operator once.
    pub fn into_parts(self) -> (Operator, Option<MakeOperator>) {
        (self.operator, self.make)
    }

    /// Whether there can be more than one operator.
    pub(super) fn is_repeatable(&self) -> bool {
        self.make.is_some()
    }
}

impl From<Operator> for OperatorSource {
    fn from(operator: Operator) -> Self {
        Self { operator, make: None }
    }
}

impl fmt::Debug for OperatorSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OperatorSource").field("operator", &self.operator).finish_non_exhaustive()
    }
}

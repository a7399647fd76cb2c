//! The source of a program's operator, which may be able to make further ones.

use std::fmt;

use crate::operator::Operator;

/// A function that makes an operator at each call.
pub type MakeOperator = Box<dyn Fn() -> Operator + Send>;

/// The operator of a program. A program that gives the function that makes it can run several replicas (`dev --replicas`).
pub struct OperatorSource {
    operator: Operator,
    make: Option<MakeOperator>,
}

impl OperatorSource {
    /// Creates a source from a function that makes a new operator at each call.
    pub fn of(make: impl Fn() -> Operator + Send + 'static) -> Self {
        Self { operator: make(), make: Some(Box::new(make)) }
    }

    /// Returns the operator, without taking it.
    pub(super) fn operator(&self) -> &Operator {
        &self.operator
    }

    /// Returns the operator.
    pub fn into_operator(self) -> Operator {
        self.operator
    }

    /// Returns the operator, and the function that makes further ones, or None if the program made its operator only once.
    pub fn into_parts(self) -> (Operator, Option<MakeOperator>) {
        (self.operator, self.make)
    }

    /// Returns true if further operators can be made.
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

//! The form of an expression after its macros are expanded.

/// An expression; the id says where it stands and which type it has.
#[derive(Clone, Debug)]
pub(in crate::schema::cel) struct Expression {
    pub(in crate::schema::cel) id: usize,
    pub(in crate::schema::cel) kind: Kind,
}

impl Expression {
    /// Visits the expression and all its parts.
    pub(in crate::schema::cel) fn visit<'e>(&'e self, see: &mut dyn FnMut(&'e Self)) {
        see(self);
        match &self.kind {
            Kind::Literal(_) | Kind::Ident(_) => {}
            Kind::Select { operand, .. } => operand.visit(see),
            Kind::Call { target, arguments, .. } => {
                target.iter().map(Box::as_ref).chain(arguments).for_each(|part| part.visit(see));
            }
            Kind::List(elements) => elements.iter().for_each(|(element, _)| element.visit(see)),
            Kind::Map(entries) => entries.iter().for_each(|(key, value, _)| {
                key.visit(see);
                value.visit(see);
            }),
            Kind::Struct { fields, .. } => fields.iter().for_each(|field| field.visit(see)),
            Kind::Comprehension(comprehension) => {
                let parts = [
                    &comprehension.range,
                    &comprehension.start,
                    &comprehension.condition,
                    &comprehension.step,
                    &comprehension.result,
                ];
                for part in parts {
                    part.visit(see);
                }
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(in crate::schema::cel) enum Kind {
    Literal(Literal),
    Ident(String),
    /// `operand.field`, or the test whether it is there.
    Select {
        operand: Box<Expression>,
        field: String,
        test: bool,
    },
    /// Operators are calls too.
    Call {
        function: String,
        target: Option<Box<Expression>>,
        arguments: Vec<Expression>,
    },
    /// Each element, with whether it is left out when it is an empty optional.
    List(Vec<(Expression, bool)>),
    /// Key, value, and whether the entry is optional.
    Map(Vec<(Expression, Expression, bool)>),
    /// A message of a named type.
    Struct {
        name: String,
        fields: Vec<Expression>,
    },
    Comprehension(Box<Comprehension>),
}

/// A loop over a list or map with an accumulator: what macros become.
#[derive(Clone, Debug)]
pub(in crate::schema::cel) struct Comprehension {
    pub(in crate::schema::cel) range: Expression,
    pub(in crate::schema::cel) variable: String,
    pub(in crate::schema::cel) second_variable: Option<String>,
    pub(in crate::schema::cel) accumulator: String,
    pub(in crate::schema::cel) start: Expression,
    pub(in crate::schema::cel) condition: Expression,
    pub(in crate::schema::cel) step: Expression,
    pub(in crate::schema::cel) result: Expression,
}

#[derive(Clone, Debug, PartialEq)]
pub(in crate::schema::cel) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// The accumulator of macros; no identifier that a user can write.
pub(in crate::schema::cel) const ACCUMULATOR: &str = "@result";

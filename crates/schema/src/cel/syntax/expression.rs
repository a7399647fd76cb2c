//! The form of an expression after its macros are expanded.

/// An expression; its id identifies its position and its type.
#[derive(Clone, Debug)]
pub(crate) struct Expression {
    pub(crate) id: usize,
    pub(crate) kind: ExpressionKind,
    pub(crate) extent: Extent,
}

/// The extent of an expression.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    /// The length of the longest path down, which determines the stack that walking the expression takes.
    pub(crate) depth: usize,
    /// The number of expressions in it, including itself.
    pub(crate) parts: usize,
    /// The number of steps on the longest path down that the real server counts.
    pub(super) steps: usize,
}

impl Extent {
    fn include(&mut self, part: Self) {
        self.depth = self.depth.max(part.depth);
        self.parts = self.parts.saturating_add(part.parts);
        self.steps = self.steps.max(part.steps);
    }
}

impl Expression {
    /// Creates an expression of this kind. `counted` is true if the real server counts it when it limits the depth of expressions.
    pub(super) fn new(id: usize, kind: ExpressionKind, counted: bool) -> Self {
        let mut extent = Extent::default();
        kind.parts(&mut |part| extent.include(part.extent));
        extent.depth += 1;
        extent.parts = extent.parts.saturating_add(1);
        extent.steps += usize::from(counted);
        Self { id, kind, extent }
    }

    /// Visits the expression and all its parts.
    pub(crate) fn visit<'e>(&'e self, see: &mut dyn FnMut(&'e Self)) {
        see(self);
        self.kind.parts(&mut |part| part.visit(see));
    }
}

impl ExpressionKind {
    /// Visits the expressions directly below.
    pub(crate) fn parts<'e>(&'e self, see: &mut dyn FnMut(&'e Expression)) {
        match self {
            Self::Literal(_) | Self::Ident(_) => {}
            Self::Select { operand, .. } => see(operand),
            Self::Call { target, arguments, .. } => target.iter().map(Box::as_ref).chain(arguments).for_each(see),
            Self::List(elements) => elements.iter().for_each(|(element, _)| see(element)),
            Self::Map(entries) => entries.iter().for_each(|(key, value, _)| {
                see(key);
                see(value);
            }),
            Self::Struct { fields, .. } => fields.iter().for_each(see),
            Self::Comprehension(comprehension) => {
                let Comprehension { range, start, condition, step, result, .. } = comprehension.as_ref();
                [range, start, condition, step, result].into_iter().for_each(see);
            }
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum ExpressionKind {
    Literal(Literal),
    Ident(String),
    /// `operand.field`, or with `test` the check that the field is present.
    Select {
        operand: Box<Expression>,
        field: String,
        test: bool,
    },
    /// A call of a function or an operator.
    Call {
        function: String,
        target: Option<Box<Expression>>,
        arguments: Vec<Expression>,
    },
    /// The elements, each with a flag that is true if an empty optional is left out.
    List(Vec<(Expression, bool)>),
    /// The key and value of each entry, and a flag that is true if the entry is optional.
    Map(Vec<(Expression, Expression, bool)>),
    /// A message of a named type.
    Struct {
        name: String,
        fields: Vec<Expression>,
    },
    Comprehension(Box<Comprehension>),
}

/// A loop over a list or map with an accumulator, to which macros are expanded.
#[derive(Clone, Debug)]
pub(crate) struct Comprehension {
    pub(crate) range: Expression,
    pub(crate) variable: String,
    pub(crate) second_variable: Option<String>,
    pub(crate) accumulator: String,
    pub(crate) start: Expression,
    pub(crate) condition: Expression,
    pub(crate) step: Expression,
    pub(crate) result: Expression,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    Null,
    Bool(bool),
    Int(i64),
    Uint(u64),
    Double(f64),
    Text(String),
    Bytes(Vec<u8>),
}

/// The accumulator of macros, which is no identifier that a user can write.
pub(crate) const ACCUMULATOR: &str = "@result";

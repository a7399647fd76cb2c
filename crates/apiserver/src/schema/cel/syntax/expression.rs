//! The form of an expression after its macros are expanded.

/// An expression; the id says where it stands and which type it has.
#[derive(Clone, Debug)]
pub(in crate::schema::cel) struct Expression {
    pub(in crate::schema::cel) id: usize,
    pub(in crate::schema::cel) kind: Kind,
    pub(in crate::schema::cel) extent: Extent,
}

/// How far an expression reaches.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::schema::cel) struct Extent {
    /// The longest way down, which is the stack that walking it takes.
    pub(in crate::schema::cel) depth: usize,
    /// How many expressions it has, with itself.
    pub(in crate::schema::cel) parts: usize,
    /// The steps of the longest way down that the real server counts.
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
    /// An expression of this kind; `counted` says that the real server counts it when it limits how deep expressions are.
    pub(super) fn new(id: usize, kind: Kind, counted: bool) -> Self {
        let mut extent = Extent::default();
        kind.parts(&mut |part| extent.include(part.extent));
        extent.depth += 1;
        extent.parts = extent.parts.saturating_add(1);
        extent.steps += usize::from(counted);
        Self { id, kind, extent }
    }

    /// Visits the expression and all its parts.
    pub(in crate::schema::cel) fn visit<'e>(&'e self, see: &mut dyn FnMut(&'e Self)) {
        see(self);
        self.kind.parts(&mut |part| part.visit(see));
    }
}

impl Kind {
    /// The expressions directly below.
    pub(in crate::schema::cel) fn parts<'e>(&'e self, see: &mut dyn FnMut(&'e Expression)) {
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

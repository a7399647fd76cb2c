//! Parsing of tokens to expressions.

use std::fmt;

use super::expression::{Expression, ExpressionKind, Literal};
use super::macros;
use super::tokens::{CelToken, TokenKind, tokens};
use crate::cel::typing::is_function;

/// The maximal nesting depth of expressions, as on the real server.
const DEPTH: usize = 250;
/// The maximal length of an expression in characters, as on the real server.
const LONGEST: usize = 100_000;
/// The maximal number of parts of an expression after its macros are expanded. Some macros repeat their target, so that a short text could expand
/// to more parts than fit into memory.
const PARTS: usize = 500_000;

/// An expression and the positions of its parts.
#[derive(Debug)]
pub(crate) struct ParsedExpression {
    pub(crate) root: Expression,
    /// The position of the character that errors point at, for each id.
    pub(crate) positions: Vec<usize>,
}

/// The reason for which a text is not accepted as an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// The text has a syntax error; `tokens` is the number of its tokens.
    Syntax { tokens: usize },
    /// The text has too many characters; their number is given.
    Long(usize),
    /// Expressions are nested too deep.
    Nested,
    /// The chain of operators and members is too long.
    Deep,
    /// The expanded expression has too many parts.
    Large,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { .. } => f.write_str("Syntax error"),
            Self::Long(size) => write!(f, "expression code point size exceeds limit: size: {size}, limit {LONGEST}"),
            Self::Nested => write!(f, "expression recursion limit exceeded: {DEPTH}"),
            Self::Deep => f.write_str("max recursion depth exceeded"),
            Self::Large => write!(f, "expression has more than {PARTS} parts"),
        }
    }
}

/// Parses an expression.
pub(crate) fn parse(source: &str) -> Result<ParsedExpression, Refused> {
    let size = source.chars().count();
    if size > LONGEST {
        return Err(Refused::Long(size));
    }
    let tokens = tokens(source).ok_or(Refused::Syntax { tokens: size })?;
    let count = tokens.len();
    let mut parser = ExpressionParser {
        tokens,
        next: 0,
        depth: Depth::default(),
        nodes: ExpressionBuilder { positions: Vec::new(), refused: None },
    };
    let root = parser.expression();
    let root = match (root, parser.nodes.refused) {
        (_, Some(refused)) => return Err(refused),
        (Some(root), None) if parser.next == count => root,
        _ => return Err(Refused::Syntax { tokens: count }),
    };
    if root.extent.steps > DEPTH { Err(Refused::Deep) } else { Ok(ParsedExpression { root, positions: parser.nodes.positions }) }
}

/// Creates expressions and records their positions.
pub(super) struct ExpressionBuilder {
    positions: Vec<usize>,
    /// The reason for which parsing has ended, unless it is a syntax error.
    refused: Option<Refused>,
}

impl ExpressionBuilder {
    pub(super) fn make(&mut self, at: usize, kind: ExpressionKind) -> Expression {
        self.node(at, kind, false)
    }

    /// Creates an expression that the real server counts when it limits the depth of expressions.
    fn counted(&mut self, at: usize, kind: ExpressionKind) -> Expression {
        self.node(at, kind, true)
    }

    fn node(&mut self, at: usize, kind: ExpressionKind, counted: bool) -> Expression {
        self.positions.push(at);
        let node = Expression::new(self.positions.len() - 1, kind, counted);
        if node.extent.parts > PARTS {
            self.refused = Some(Refused::Large);
        }
        node
    }

    /// Returns true if an expression is small enough to be repeated.
    pub(super) fn has_room_for(&mut self, twice: &Expression) -> bool {
        let fits = twice.extent.parts <= PARTS / 2;
        if !fits {
            self.refused = Some(Refused::Large);
        }
        fits
    }

    pub(super) fn call(&mut self, at: usize, function: &str, arguments: Vec<Expression>) -> Expression {
        self.make(at, ExpressionKind::Call { function: function.to_owned(), target: None, arguments })
    }
}

struct ExpressionParser {
    tokens: Vec<CelToken>,
    next: usize,
    depth: Depth,
    nodes: ExpressionBuilder,
}

/// The number of times that each rule of the grammar is currently being read.
#[derive(Default)]
struct Depth {
    expressions: usize,
    relations: usize,
    sums: usize,
}

/// The levels of comparisons, and of sums and products; sums and products are one rule of the grammar.
const RELATION: usize = 2;
const SUM: usize = 3;

/// The left-associative operators of each level, from the lowest precedence to the highest.
const LEVELS: [&[&str]; 5] = [&["||"], &["&&"], &["<", "<=", ">=", ">", "==", "!=", "in"], &["+", "-"], &["*", "/", "%"]];

impl ExpressionParser {
    fn symbol(&self) -> Option<&'static str> {
        match self.tokens.get(self.next)?.kind {
            TokenKind::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    fn position(&self) -> usize {
        self.tokens.get(self.next).map_or(0, |token| token.at)
    }

    /// Consumes a symbol if it is the next token, and returns its position.
    fn take(&mut self, symbol: &str) -> Option<usize> {
        let at = self.position();
        (self.symbol() == Some(symbol)).then(|| {
            self.next += 1;
            at
        })
    }

    fn expression(&mut self) -> Option<Expression> {
        self.depth.expressions += 1;
        self.check_depth()?;
        let condition = self.binary(0)?;
        let result = match self.take("?") {
            None => condition,
            Some(at) => {
                let positive = self.binary(0)?;
                self.take(":")?;
                let negative = self.expression()?;
                let arguments = vec![condition, positive, negative];
                self.nodes.counted(at, ExpressionKind::Call { function: "_?_:_".to_owned(), target: None, arguments })
            }
        };
        self.depth.expressions -= 1;
        Some(result)
    }

    fn check_depth(&mut self) -> Option<()> {
        let Depth { expressions, relations, sums } = self.depth;
        if expressions.max(relations).max(sums) > DEPTH {
            self.nodes.refused = Some(Refused::Nested);
            return None;
        }
        Some(())
    }

    /// Ends the parsing of a chain that is already too long.
    fn check_steps(&mut self, so_far: &Expression) -> Option<()> {
        if so_far.extent.steps > DEPTH {
            self.nodes.refused = Some(Refused::Deep);
            return None;
        }
        Some(())
    }

    fn binary(&mut self, level: usize) -> Option<Expression> {
        match level {
            0 | 1 => self.logical(level),
            RELATION => self.counting(level, |parser| parser.operators(level)),
            SUM => self.counting(level, |parser| parser.operators(level)),
            level if level < LEVELS.len() => self.operators(level),
            _ => self.unary(),
        }
    }

    /// Parses a part while its grammar rule is counted as being read once more.
    fn counting(&mut self, level: usize, read: impl FnOnce(&mut Self) -> Option<Expression>) -> Option<Expression> {
        let count = |depth: &mut Depth, by: isize| {
            let rule = if level == RELATION { &mut depth.relations } else { &mut depth.sums };
            *rule = rule.saturating_add_signed(by);
        };
        count(&mut self.depth, 1);
        self.check_depth()?;
        let found = read(self);
        count(&mut self.depth, -1);
        found
    }

    fn operators(&mut self, level: usize) -> Option<Expression> {
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.symbol().filter(|symbol| LEVELS[level].contains(symbol)) {
            let at = self.take(operator)?;
            let right = self.counting(level, |parser| parser.binary(level + 1))?;
            let function = if operator == "in" { "@in".to_owned() } else { format!("_{operator}_") };
            left = self.nodes.counted(at, ExpressionKind::Call { function, target: None, arguments: vec![left, right] });
            self.check_steps(&left)?;
        }
        Some(left)
    }

    /// Parses a chain of conditions into a tree of minimal height.
    fn logical(&mut self, level: usize) -> Option<Expression> {
        let [operator] = LEVELS[level] else { return None };
        let mut terms = vec![Some(self.binary(level + 1)?)];
        let mut positions = Vec::new();
        while let Some(at) = self.take(operator) {
            positions.push(at);
            terms.push(Some(self.binary(level + 1)?));
        }
        self.balanced(&format!("_{operator}_"), &positions, &mut terms)
    }

    fn balanced(&mut self, function: &str, positions: &[usize], terms: &mut [Option<Expression>]) -> Option<Expression> {
        let Some(at) = positions.get(positions.len() / 2) else {
            return terms.first_mut()?.take();
        };
        let (left, right) = terms.split_at_mut(positions.len() / 2 + 1);
        let left = self.balanced(function, &positions[..positions.len() / 2], left)?;
        let right = self.balanced(function, &positions[positions.len() / 2 + 1..], right)?;
        Some(self.nodes.call(*at, function, vec![left, right]))
    }

    fn unary(&mut self) -> Option<Expression> {
        for (operator, function) in [("!", "!_"), ("-", "-_")] {
            if self.symbol() != Some(operator) || (operator == "-" && self.negative_number().is_some()) {
                continue;
            }
            let mut count = 0;
            let at = self.position();
            while self.symbol() == Some(operator) && !(operator == "-" && count > 0 && self.negative_number().is_some()) {
                self.next += 1;
                count += 1;
            }
            let operand = self.member()?;
            return Some(if count % 2 == 1 { self.nodes.call(at, function, vec![operand]) } else { operand });
        }
        self.member()
    }

    /// Returns the literal of a minus sign followed by a number.
    fn negative_number(&self) -> Option<Literal> {
        if self.symbol() != Some("-") {
            return None;
        }
        match &self.tokens.get(self.next + 1)?.kind {
            TokenKind::Literal(Literal::Int(number)) => Some(Literal::Int(number.wrapping_neg())),
            TokenKind::Literal(Literal::Double(number)) => Some(Literal::Double(-number)),
            _ => None,
        }
    }

    fn member(&mut self) -> Option<Expression> {
        let mut operand = self.primary()?;
        loop {
            self.check_steps(&operand)?;
            if let Some(at) = self.take(".") {
                let optional = self.take("?").is_some();
                let token = self.tokens.get(self.next)?.clone();
                self.next += 1;
                let field = match token.kind {
                    TokenKind::Ident(name) | TokenKind::Quoted(name) => name,
                    TokenKind::Symbol("in") => "in".to_owned(),
                    _ => return None,
                };
                operand = if optional {
                    let field = self.nodes.make(token.at, ExpressionKind::Literal(Literal::Text(field)));
                    let arguments = vec![operand, field];
                    self.nodes.counted(at, ExpressionKind::Call { function: "_?._".to_owned(), target: None, arguments })
                } else if let Some(open) = self.take("(") {
                    let arguments = self.list(")")?;
                    // An apparent value may be the namespace of a function.
                    let name = qualified_name(&operand).map(|space| format!("{space}.{field}"));
                    if let Some(name) = name.filter(|name| is_function(name)) {
                        self.nodes.call(open, &name, arguments)
                    } else {
                        // An expanded macro counts as the one call that was written.
                        let steps = arguments.iter().chain([&operand]).map(|part| part.extent.steps).max().unwrap_or_default();
                        let mut call = macros::member_call(&mut self.nodes, open, &field, operand, arguments)?;
                        call.extent.steps = steps + 1;
                        call
                    }
                } else {
                    self.nodes.counted(at, ExpressionKind::Select { operand: Box::new(operand), field, test: false })
                };
            } else if let Some(at) = self.take("[") {
                let function = if self.take("?").is_some() { "_[?_]" } else { "_[_]" };
                let index = self.expression()?;
                self.take("]")?;
                let arguments = vec![operand, index];
                operand = self.nodes.counted(at, ExpressionKind::Call { function: function.to_owned(), target: None, arguments });
            } else if let Some(at) = self.struct_start(&operand) {
                let name = qualified_name(&operand)?;
                operand = self.fields(at, name)?;
            } else {
                return Some(operand);
            }
        }
    }

    fn struct_start(&mut self, operand: &Expression) -> Option<usize> {
        qualified_name(operand)?;
        self.take("{")
    }

    fn fields(&mut self, at: usize, name: String) -> Option<Expression> {
        let mut fields = Vec::new();
        while self.take("}").is_none() {
            self.take("?");
            self.next += 1;
            self.take(":")?;
            fields.push(self.expression()?);
            if self.take(",").is_none() {
                self.take("}")?;
                break;
            }
        }
        Some(self.nodes.make(at, ExpressionKind::Struct { name, fields }))
    }

    fn primary(&mut self) -> Option<Expression> {
        let at = self.position();
        if let Some(literal) = self.negative_number() {
            self.next += 2;
            return Some(self.nodes.make(at, ExpressionKind::Literal(literal)));
        }
        self.take(".");
        let token = self.tokens.get(self.next)?.clone();
        self.next += 1;
        match token.kind {
            TokenKind::Literal(literal) => Some(self.nodes.make(at, ExpressionKind::Literal(literal))),
            TokenKind::Ident(name) => match self.take("(") {
                Some(open) => {
                    let arguments = self.list(")")?;
                    macros::call(&mut self.nodes, open, &name, arguments)
                }
                None => Some(self.nodes.make(at, ExpressionKind::Ident(name))),
            },
            TokenKind::Symbol("(") => {
                let inner = self.expression()?;
                self.take(")")?;
                Some(inner)
            }
            TokenKind::Symbol("[") => {
                let mut elements = Vec::new();
                while self.take("]").is_none() {
                    let optional = self.take("?").is_some();
                    elements.push((self.expression()?, optional));
                    if self.take(",").is_none() {
                        self.take("]")?;
                        break;
                    }
                }
                Some(self.nodes.make(at, ExpressionKind::List(elements)))
            }
            TokenKind::Symbol("{") => {
                let mut entries = Vec::new();
                while self.take("}").is_none() {
                    let optional = self.take("?").is_some();
                    let key = self.expression()?;
                    self.take(":")?;
                    entries.push((key, self.expression()?, optional));
                    if self.take(",").is_none() {
                        self.take("}")?;
                        break;
                    }
                }
                Some(self.nodes.make(at, ExpressionKind::Map(entries)))
            }
            TokenKind::Quoted(_) | TokenKind::Symbol(_) => None,
        }
    }

    /// Parses expressions up to a closing symbol.
    fn list(&mut self, end: &str) -> Option<Vec<Expression>> {
        let mut items = Vec::new();
        if self.take(end).is_some() {
            return Some(items);
        }
        loop {
            items.push(self.expression()?);
            if self.take(",").is_none() {
                self.take(end)?;
                return Some(items);
            }
        }
    }
}

/// Returns an expression such as `a.b.c` as a name.
pub(crate) fn qualified_name(expression: &Expression) -> Option<String> {
    match &expression.kind {
        ExpressionKind::Ident(name) => Some(name.clone()),
        ExpressionKind::Select { operand, field, test: false } => Some(format!("{}.{field}", qualified_name(operand)?)),
        _ => None,
    }
}

//! From tokens to expressions.

use crate::schema::cel::typing::is_function;

use super::expression::{Expression, Kind, Literal};
use super::macros;
use super::tokens::{Token, TokenKind, tokens};

/// How deep expressions may be nested: deeper ones are left to the library, which has a limit of its own.
const DEPTH: usize = 250;

/// An expression and the places of its parts.
#[derive(Debug)]
pub(in crate::schema::cel) struct Parsed {
    pub(in crate::schema::cel) root: Expression,
    /// For each id the place of the character that errors point at.
    pub(in crate::schema::cel) places: Vec<usize>,
}

/// Parses an expression; absent when this parser does not understand it.
pub(in crate::schema::cel) fn parse(source: &str) -> Option<Parsed> {
    let mut parser = Parser { tokens: tokens(source)?, next: 0, depth: 0, nodes: Nodes { places: Vec::new() } };
    let root = parser.expression()?;
    (parser.next == parser.tokens.len()).then_some(Parsed { root, places: parser.nodes.places })
}

/// Makes expressions and notes their places.
pub(super) struct Nodes {
    places: Vec<usize>,
}

impl Nodes {
    pub(super) fn make(&mut self, at: usize, kind: Kind) -> Expression {
        self.places.push(at);
        Expression { id: self.places.len() - 1, kind }
    }

    pub(super) fn call(&mut self, at: usize, function: &str, arguments: Vec<Expression>) -> Expression {
        self.make(at, Kind::Call { function: function.to_owned(), target: None, arguments })
    }
}

struct Parser {
    tokens: Vec<Token>,
    next: usize,
    depth: usize,
    nodes: Nodes,
}

/// The operators of each level that associate to the left, from loose to tight.
const LEVELS: [&[&str]; 5] = [&["||"], &["&&"], &["<", "<=", ">=", ">", "==", "!=", "in"], &["+", "-"], &["*", "/", "%"]];

impl Parser {
    fn symbol(&self) -> Option<&'static str> {
        match self.tokens.get(self.next)?.kind {
            TokenKind::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    fn place(&self) -> usize {
        self.tokens.get(self.next).map_or(0, |token| token.at)
    }

    /// Takes a symbol if it comes next, and says where it stood.
    fn take(&mut self, symbol: &str) -> Option<usize> {
        let at = self.place();
        (self.symbol() == Some(symbol)).then(|| {
            self.next += 1;
            at
        })
    }

    fn expression(&mut self) -> Option<Expression> {
        self.depth += 1;
        if self.depth > DEPTH {
            return None;
        }
        let condition = self.binary(0)?;
        let result = match self.take("?") {
            None => condition,
            Some(at) => {
                let positive = self.binary(0)?;
                self.take(":")?;
                let negative = self.expression()?;
                self.nodes.call(at, "_?_:_", vec![condition, positive, negative])
            }
        };
        self.depth -= 1;
        Some(result)
    }

    fn binary(&mut self, level: usize) -> Option<Expression> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        while let Some(operator) = self.symbol().filter(|symbol| operators.contains(symbol)) {
            let at = self.take(operator)?;
            let right = self.binary(level + 1)?;
            let function = if operator == "in" { "@in".to_owned() } else { format!("_{operator}_") };
            left = self.nodes.call(at, &function, vec![left, right]);
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<Expression> {
        for (operator, function) in [("!", "!_"), ("-", "-_")] {
            if self.symbol() != Some(operator) || (operator == "-" && self.negative_number().is_some()) {
                continue;
            }
            let mut count = 0;
            let at = self.place();
            while self.symbol() == Some(operator) && !(operator == "-" && count > 0 && self.negative_number().is_some()) {
                self.next += 1;
                count += 1;
            }
            let operand = self.member()?;
            return Some(if count % 2 == 1 { self.nodes.call(at, function, vec![operand]) } else { operand });
        }
        self.member()
    }

    /// A minus that belongs to the number behind it.
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
                    let field = self.nodes.make(token.at, Kind::Literal(Literal::Text(field)));
                    self.nodes.call(at, "_?._", vec![operand, field])
                } else if let Some(open) = self.take("(") {
                    let arguments = self.list(")")?;
                    // What looks like a value may be the name space of a function.
                    let name = qualified_name(&operand).map(|space| format!("{space}.{field}"));
                    match name.filter(|name| is_function(name)) {
                        Some(name) => self.nodes.call(open, &name, arguments),
                        None => macros::member_call(&mut self.nodes, open, &field, operand, arguments)?,
                    }
                } else {
                    self.nodes.make(at, Kind::Select { operand: Box::new(operand), field, test: false })
                };
            } else if let Some(at) = self.take("[") {
                let function = if self.take("?").is_some() { "_[?_]" } else { "_[_]" };
                let index = self.expression()?;
                self.take("]")?;
                operand = self.nodes.call(at, function, vec![operand, index]);
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
        Some(self.nodes.make(at, Kind::Struct { name, fields }))
    }

    fn primary(&mut self) -> Option<Expression> {
        let at = self.place();
        if let Some(literal) = self.negative_number() {
            self.next += 2;
            return Some(self.nodes.make(at, Kind::Literal(literal)));
        }
        self.take(".");
        let token = self.tokens.get(self.next)?.clone();
        self.next += 1;
        match token.kind {
            TokenKind::Literal(literal) => Some(self.nodes.make(at, Kind::Literal(literal))),
            TokenKind::Ident(name) => match self.take("(") {
                Some(open) => {
                    let arguments = self.list(")")?;
                    macros::call(&mut self.nodes, open, &name, arguments)
                }
                None => Some(self.nodes.make(at, Kind::Ident(name))),
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
                Some(self.nodes.make(at, Kind::List(elements)))
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
                Some(self.nodes.make(at, Kind::Map(entries)))
            }
            TokenKind::Quoted(_) | TokenKind::Symbol(_) => None,
        }
    }

    /// Expressions up to a closing symbol.
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

/// `a.b.c` as a name.
pub(in crate::schema::cel) fn qualified_name(expression: &Expression) -> Option<String> {
    match &expression.kind {
        Kind::Ident(name) => Some(name.clone()),
        Kind::Select { operand, field, test: false } => Some(format!("{}.{field}", qualified_name(operand)?)),
        _ => None,
    }
}

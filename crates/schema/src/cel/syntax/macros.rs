//! Macros: `has`, and the loops over lists and maps.

use super::expression::{ACCUMULATOR, Comprehension, Expression, ExpressionKind, Literal};
use super::parser::ExpressionBuilder;

/// Creates a call of a function, or expands the macro with that name.
pub(super) fn call(nodes: &mut ExpressionBuilder, at: usize, name: &str, mut arguments: Vec<Expression>) -> Option<Expression> {
    if name == "has" && arguments.len() == 1 {
        return match arguments.remove(0).kind {
            ExpressionKind::Select { operand, field, test: false } => {
                Some(nodes.make(at, ExpressionKind::Select { operand, field, test: true }))
            }
            _ => None,
        };
    }
    Some(nodes.call(at, name, arguments))
}

/// Creates a call on a value, or expands the macro with that name.
pub(super) fn member_call(
    nodes: &mut ExpressionBuilder,
    at: usize,
    name: &str,
    target: Expression,
    arguments: Vec<Expression>,
) -> Option<Expression> {
    let mut expander = Expander { nodes, at };
    match (name, arguments.len()) {
        ("all" | "exists" | "exists_one", 2 | 3) | ("existsOne", 3) => expander.quantifier(name, target, arguments),
        ("map", 2 | 3) => expander.map(target, arguments),
        ("filter", 2) => expander.filter(target, arguments),
        ("transformList" | "transformMap" | "transformMapEntry", 3 | 4) => expander.transform(name, target, arguments),
        ("optMap" | "optFlatMap", 2) => expander.optional(name, target, arguments),
        ("sortBy", 2) => expander.sort_by(target, arguments),
        _ => Some(nodes.make(at, ExpressionKind::Call { function: name.to_owned(), target: Some(Box::new(target)), arguments })),
    }
}

struct Expander<'n> {
    nodes: &'n mut ExpressionBuilder,
    at: usize,
}

impl Expander<'_> {
    fn make(&mut self, kind: ExpressionKind) -> Expression {
        self.nodes.make(self.at, kind)
    }

    fn call(&mut self, function: &str, arguments: Vec<Expression>) -> Expression {
        self.nodes.call(self.at, function, arguments)
    }

    fn ident(&mut self, name: &str) -> Expression {
        self.make(ExpressionKind::Ident(name.to_owned()))
    }

    fn accumulator(&mut self) -> Expression {
        self.ident(ACCUMULATOR)
    }

    fn literal(&mut self, literal: Literal) -> Expression {
        self.make(ExpressionKind::Literal(literal))
    }

    fn fold(
        &mut self,
        range: Expression,
        variables: LoopVariables,
        start: Expression,
        condition: Expression,
        step: Expression,
        result: Expression,
    ) -> Expression {
        self.make(ExpressionKind::Comprehension(Box::new(Comprehension {
            range,
            variable: variables.first,
            second_variable: variables.second,
            accumulator: ACCUMULATOR.to_owned(),
            start,
            condition,
            step,
            result,
        })))
    }

    fn quantifier(&mut self, name: &str, target: Expression, mut arguments: Vec<Expression>) -> Option<Expression> {
        let predicate = arguments.pop()?;
        let variables = LoopVariables::of(&arguments)?;
        let (accumulator, result) = (self.accumulator(), self.accumulator());
        let (start, condition, step, result) = match name {
            "all" => {
                let start = self.literal(Literal::Bool(true));
                let seen = self.accumulator();
                let condition = self.call("@not_strictly_false", vec![seen]);
                (start, condition, self.call("_&&_", vec![accumulator, predicate]), result)
            }
            "exists" => {
                let start = self.literal(Literal::Bool(false));
                let seen = self.accumulator();
                let seen = self.call("!_", vec![seen]);
                let condition = self.call("@not_strictly_false", vec![seen]);
                (start, condition, self.call("_||_", vec![accumulator, predicate]), result)
            }
            _ => {
                let start = self.literal(Literal::Int(0));
                let condition = self.literal(Literal::Bool(true));
                let one = self.literal(Literal::Int(1));
                let more = self.call("_+_", vec![accumulator, one]);
                let same = self.accumulator();
                let step = self.call("_?_:_", vec![predicate, more, same]);
                let one = self.literal(Literal::Int(1));
                (start, condition, step, self.call("_==_", vec![result, one]))
            }
        };
        Some(self.fold(target, variables, start, condition, step, result))
    }

    /// Creates a loop that appends a value in each round, or in each round that passes a filter.
    fn collect(
        &mut self,
        target: Expression,
        variables: LoopVariables,
        filter: Option<Expression>,
        value: Expression,
    ) -> Expression {
        let start = self.make(ExpressionKind::List(Vec::new()));
        let condition = self.literal(Literal::Bool(true));
        let accumulator = self.accumulator();
        let value = self.make(ExpressionKind::List(vec![(value, false)]));
        let step = self.call("_+_", vec![accumulator, value]);
        let step = self.filtered(filter, step);
        let result = self.accumulator();
        self.fold(target, variables, start, condition, step, result)
    }

    fn filtered(&mut self, filter: Option<Expression>, step: Expression) -> Expression {
        match filter {
            None => step,
            Some(filter) => {
                let same = self.accumulator();
                self.call("_?_:_", vec![filter, step, same])
            }
        }
    }

    fn map(&mut self, target: Expression, mut arguments: Vec<Expression>) -> Option<Expression> {
        let value = arguments.pop()?;
        let filter = if arguments.len() == 2 { arguments.pop() } else { None };
        let variables = LoopVariables::of(&arguments)?;
        Some(self.collect(target, variables, filter, value))
    }

    fn filter(&mut self, target: Expression, mut arguments: Vec<Expression>) -> Option<Expression> {
        let filter = arguments.pop()?;
        let variables = LoopVariables::of(&arguments)?;
        let value = arguments.pop()?;
        Some(self.collect(target, variables, Some(filter), value))
    }

    fn transform(&mut self, name: &str, target: Expression, mut arguments: Vec<Expression>) -> Option<Expression> {
        let value = arguments.pop()?;
        let filter = if arguments.len() == 3 { arguments.pop() } else { None };
        let variables = LoopVariables::of(&arguments)?;
        if name == "transformList" {
            return Some(self.collect(target, variables, filter, value));
        }
        let start = self.make(ExpressionKind::Map(Vec::new()));
        let condition = self.literal(Literal::Bool(true));
        let accumulator = self.accumulator();
        let insert = if name == "transformMap" {
            let key = self.ident(&variables.first);
            vec![accumulator, key, value]
        } else {
            vec![accumulator, value]
        };
        let step = self.call("cel.@mapInsert", insert);
        let step = self.filtered(filter, step);
        let result = self.accumulator();
        Some(self.fold(target, variables, start, condition, step, result))
    }

    /// Binds a value to a name for one expression, with a loop of no rounds.
    fn bind(&mut self, name: &str, value: Expression, result: Expression) -> Expression {
        let range = self.make(ExpressionKind::List(Vec::new()));
        let condition = self.literal(Literal::Bool(false));
        let step = self.ident(name);
        self.make(ExpressionKind::Comprehension(Box::new(Comprehension {
            range,
            variable: "#unused".to_owned(),
            second_variable: None,
            accumulator: name.to_owned(),
            start: value,
            condition,
            step,
            result,
        })))
    }

    fn on(&mut self, target: Expression, function: &str) -> Expression {
        let target = Some(Box::new(target));
        self.make(ExpressionKind::Call { function: function.to_owned(), target, arguments: Vec::new() })
    }

    fn optional(&mut self, name: &str, target: Expression, mut arguments: Vec<Expression>) -> Option<Expression> {
        let value = arguments.pop()?;
        let variables = LoopVariables::of(&arguments)?;
        if !self.nodes.has_room_for(&target) {
            return None;
        }
        let has_value = self.on(target.clone(), "hasValue");
        let content = self.on(target, "value");
        let mut mapped = self.bind(&variables.first, content, value);
        if name == "optMap" {
            mapped = self.call("optional.of", vec![mapped]);
        }
        let none = self.call("optional.none", Vec::new());
        Some(self.call("_?_:_", vec![has_value, mapped, none]))
    }

    fn sort_by(&mut self, target: Expression, arguments: Vec<Expression>) -> Option<Expression> {
        const INPUT: &str = "@__sortBy_input__";
        let input = self.ident(INPUT);
        let keys = self.map(input, arguments)?;
        let sorted = Some(Box::new(self.ident(INPUT)));
        let function = "@sortByAssociatedKeys".to_owned();
        let sorted = self.make(ExpressionKind::Call { function, target: sorted, arguments: vec![keys] });
        Some(self.bind(INPUT, target, sorted))
    }
}

/// The variables of a loop.
struct LoopVariables {
    first: String,
    second: Option<String>,
}

impl LoopVariables {
    fn of(arguments: &[Expression]) -> Option<Self> {
        let name = |argument: &Expression| match &argument.kind {
            ExpressionKind::Ident(name) => Some(name.clone()),
            _ => None,
        };
        match arguments {
            [one] => Some(Self { first: name(one)?, second: None }),
            [one, two] => Some(Self { first: name(one)?, second: Some(name(two)?) }),
            _ => None,
        }
    }
}

//! Tests of the costs of evaluated rules, and of rules that cost too much or are nested too deep.

use serde_json::{Value, json};

use crate::cel::{CelProgram, Evaluated};
use crate::evaluate::convert::convert;
use crate::{Schema, SchemaContext, check, parse};

/// Rules about [`object`] with the costs that the evaluator of Kubernetes 1.36.2 counts for them.
const COSTS: &[(&str, u64)] = &[
    ("true", 0),
    ("1 == 1", 1),
    ("self.n == 3", 3),
    ("self.o.b.c == 1", 5),
    ("has(self.o.b.c)", 3),
    ("has(self.o)", 1),
    ("self.s == self.t", 5),
    ("self.s.size() > 5", 4),
    ("size(self.l) == 4", 4),
    ("self.l[0] == 'a'", 4),
    ("self.m['key'] == 'b'", 4),
    ("self.m[self.t] == 'b' || true", 5),
    ("self.i[self.n - 3] == 3", 7),
    ("self.i[self.i[1]] == 1", 6),
    ("self.n > 2 ? self.o.a == 'z' : self.s == 'q'", 7),
    ("(self.n > 2 ? self.s : self.t) == 'hello'", 5),
    ("(self.n > 2 ? self.o.b : self.o.b).c == 1", 7),
    ("(self.n < 2 ? self.s : self.t).size() == 4", 6),
    ("self.l.all(x, x.size() > 0)", 27),
    ("self.l.all(x, x == 'b')", 10),
    ("self.l.exists(x, x == 'c')", 24),
    ("self.l.exists(x, x == 'nope')", 27),
    ("self.l.exists_one(x, x == 'c')", 14),
    ("self.l.map(x, x.size()) == [26, 1, 1, 1]", 60),
    ("self.l.map(x, 1).size() == 4", 13),
    ("self.l.map(x, x.size() > 1, x).size() == 1", 30),
    ("self.l.filter(x, x == 'b').size() == 2", 39),
    ("self.l.filter(x, true).size() == 2", 57),
    ("self.m.all(k, k.size() > 0)", 15),
    ("self.m.exists(k, v, v == 'b')", 12),
    ("self.m.all(k, v, k != v)", 15),
    ("self.l.all(i, x, i >= 0 && x != '')", 27),
    ("self.m.transformList(k, v, k + v).size() == 2", 36),
    ("self.m.transformMap(k, v, v.size()).size() == 2", 15),
    ("self.m.transformMap(k, v, v.size() > 3, v).size() == 1", 15),
    ("self.l.exists(x, self.l.exists(y, x == y + 'q'))", 169),
    ("self.objs.all(o, o.v > 0 && o.k != '')", 19),
    ("self.objs.map(o, o.v).sum() == 3", 34),
    ("self.s.startsWith('hello')", 5),
    ("self.s.endsWith(self.t)", 7),
    ("self.s.contains('moon')", 5),
    ("self.s.contains(self.t)", 7),
    ("self.s.matches('^[a-z, ]+$')", 11),
    ("matches(self.s, '^[a-z, ]+$')", 3),
    ("self.s.matches(self.t)", 7),
    ("self.s.find('o+') == 'o'", 6),
    ("self.s.findAll('o+').size() == 4", 7),
    ("self.s.findAll('o+', 2).size() == 2", 7),
    ("self.s.lowerAscii() == self.s.upperAscii()", 13),
    ("self.s.replace('hello', 'bye') == 'x'", 8),
    ("self.s.split(' ').size() == 4", 9),
    ("self.s.split(' ', 2).size() == 2", 9),
    ("self.s.substring(3).size() == 20", 7),
    ("self.s.substring(3, 6) == 'lo '", 6),
    ("self.s.trim() == self.s", 10),
    ("self.s.indexOf('moon') == 19", 5),
    ("self.s.lastIndexOf('hello') == 13", 5),
    ("self.s.charAt(3) == 'l'", 4),
    ("self.s + self.t == 'x'", 8),
    ("self.s < self.t", 5),
    ("self.l.join() == ''", 8),
    ("self.l.join(', ') == ''", 9),
    ("self.l + self.l == self.l", 8),
    ("'b' in self.l", 6),
    ("'b' in ['a', 'b', 'c']", 0),
    ("self.t in ['a', 'b', 'c']", 2),
    ("self.t in []", 0),
    ("'key' in self.m", 3),
    ("self.n in self.i", 7),
    ("self.i.isSorted()", 5),
    ("self.i.sum() == 6", 6),
    ("self.i.max() == 3", 6),
    ("self.i.min() == 1", 6),
    ("self.i.indexOf(2) == 2", 6),
    ("self.l.indexOf('c') == 2", 5),
    ("self.l.lastIndexOf('b') == 3", 5),
    ("self.l.isSorted()", 4),
    ("self.l.max() == 'c'", 5),
    ("self.i.reverse() == [2, 1, 3]", 17),
    ("self.i.slice(0, 2) == [3, 1]", 16),
    ("self.i.sort() == [1, 2, 3]", 32),
    ("self.l.sort().size() == 4", 48),
    ("self.l.distinct().size() == 3", 48),
    ("self.i.distinct().size() == 3", 33),
    ("[self.i, self.i].flatten().size() == 6", 29),
    ("[[self.i], [self.i]].flatten(2).size() == 6", 51),
    ("lists.range(5).size() == 5", 18),
    ("lists.range(self.n) == [0, 1, 2]", 17),
    ("self.objs.sortBy(o, o.k).size() == 2", 54),
    ("self.objs.sortBy(o, -o.v)[0].v == 2", 58),
    ("sets.contains(self.i, [1, 2])", 9),
    ("sets.equivalent(self.i, [1, 2, 3])", 21),
    ("sets.intersects(self.l, ['a', 'b'])", 11),
    ("duration('1h') > duration('5m')", 1),
    ("self.d > duration('1m')", 3),
    ("self.when > timestamp('2025-01-01T00:00:00Z')", 3),
    ("self.when.getFullYear() == 2026", 4),
    ("self.when.getHours('Europe/Berlin') == 4", 4),
    ("self.when + self.d > self.when", 8),
    ("string(self.n) == '3'", 4),
    ("int(self.t.size()) == 4", 5),
    ("string(self.b) == 'hello'", 4),
    ("bytes(self.s).size() == 23", 7),
    ("type(self.n) == int", 4),
    ("dyn(self.n) == 3", 4),
    ("self.x == 5", 3),
    ("self.x == '5'", 3),
    ("type(self.x) == int ? self.x < 10 : self.x == 'a'", 7),
    ("quantity('1Gi').isGreaterThan(quantity('500Mi'))", 3),
    ("quantity('1Gi') == quantity('1024Mi')", 3),
    ("isQuantity(self.s)", 5),
    ("ip(self.ip).family() == 4", 5),
    ("ip(self.ip) == ip('10.1.2.3')", 5),
    ("isIP(self.ip)", 3),
    ("ip.isCanonical(self.ip)", 4),
    ("cidr(self.cidr).containsIP(self.ip)", 7),
    ("cidr(self.cidr).containsIP(ip(self.ip))", 7),
    ("cidr(self.cidr).containsCIDR('10.1.0.0/16')", 8),
    ("cidr(self.cidr).containsCIDR(cidr('10.1.0.0/16'))", 8),
    ("cidr(self.cidr).ip() == ip('10.0.0.0')", 6),
    ("isURL('https://example.com/a')", 1),
    ("url('https://example.com/a').getHost() == 'example.com'", 6),
    ("semver('1.2.3').isLessThan(semver('1.3.0'))", 3),
    ("self.?n.hasValue()", 3),
    ("self.?o.b.c.orValue(3) == 1", 5),
    ("self.?n.orValue(7) == 3", 3),
    ("self.m[?'nope'].orValue('x') == 'x'", 3),
    ("self.m[?'key'].orValue('x') == 'x'", 4),
    ("self.?n.optMap(v, v + 1).orValue(0) == 4", 10),
    ("optional.of(self.n).value() == 3", 5),
    ("optional.none().orValue(self.n) == 3", 4),
    ("optional.of(self.n).or(optional.of(2)).value() == 3", 5),
    ("[1, 2, self.n].size() == 3", 14),
    ("[1, 2, 3].size() == 3", 2),
    ("{'a': self.n}.size() == 1", 34),
    ("{'a': 1}.size() == 1", 2),
    ("[[1], [self.n]].size() == 2", 24),
    ("[self.n][0] == 3", 15),
    ("{'a': self.n}.a == 3", 35),
    ("{'a': self.n}['a'] == 3", 35),
    ("-self.n == -3", 4),
    ("!(self.n == 3)", 4),
    ("self.n + 1 * 2 - 4 / 2 % 3 == 3", 8),
    ("self.n == 3 && self.s == 'a' && self.t == 'b'", 6),
    ("self.n == 4 || self.s == 'a' || self.t == 'moon'", 9),
    ("true || self.n == 3", 0),
    ("self.l.all(x, x.size() > 30 || x == 'b')", 13),
    ("[1, 0].all(x, 1 / x > 0)", 13),
    ("[0, 1].exists(x, 1 / x > 0)", 15),
    ("[0, 1, 2].map(x, 1 / x).size() == 3", 45),
    ("self.s.size() > 100 || self.l.exists(x, x.startsWith('a') && x.endsWith('z'))", 22),
    ("'%s is %d'.format([self.s, self.n]).size() == 10", 17),
    ("strings.quote(self.s) == self.s", 10),
    ("self == self", 4),
    ("self.o == self.o", 5),
    ("self.objs == self.objs", 5),
    ("self.m == {'a': 'b'}", 3),
    ("(self.n == 3 ? [self.n] : []).size() == 1", 17),
    ("self.objs[0].k == 'x'", 5),
    ("self.objs[self.n - 2].k == 'y'", 8),
    ("self.objs.filter(o, o.k == 'x')[0].v == 1", 26),
    ("has(self.m.a) ? self.m.a == 'b' : true", 6),
    ("self.n == 3 ? true : self.n == 4 ? false : self.t == 'moon'", 3),
    ("(self.n == 4 ? self.o : self.n == 3 ? self.o : self.o).a == 'z'", 9),
];

fn schema() -> Value {
    let text = json!({"type": "string"});
    json!({"type": "object", "properties": {
        "s": text, "t": text, "l": {"type": "array", "items": text}, "i": {"type": "array", "items": {"type": "integer"}},
        "n": {"type": "integer"}, "m": {"type": "object", "additionalProperties": text}, "x": {"x-kubernetes-int-or-string": true},
        "o": {"type": "object", "properties": {"a": text, "b": {"type": "object", "properties": {"c": {"type": "integer"}}}}},
        "b": {"type": "string", "format": "byte"}, "d": {"type": "string", "format": "duration"},
        "when": {"type": "string", "format": "date-time"},
        "objs": {"type": "array", "items": {"type": "object", "properties": {"k": text, "v": {"type": "integer"}}}},
        "ip": text, "cidr": text}})
}

fn object() -> Value {
    json!({"s": "hello world, hello moon", "t": "moon", "l": ["abcdefghijklmnopqrstuvwxyz", "b", "c", "b"], "i": [3, 1, 2], "n": 3,
        "m": {"a": "b", "key": "value-of-the-key"}, "x": 5, "o": {"a": "z", "b": {"c": 1}}, "b": "aGVsbG8=", "d": "5m",
        "when": "2026-01-02T03:04:05Z", "objs": [{"k": "x", "v": 1}, {"k": "y", "v": 2}], "ip": "10.1.2.3", "cidr": "10.0.0.0/8"})
}

fn evaluated(rule: &str, limit: u64) -> Evaluated {
    let this = convert(&object(), Some(&parse::node(&schema())));
    CelProgram::compile(rule).unwrap_or_else(|| panic!("{rule}")).evaluate(&[("self", this)], limit)
}

// SCH-4
#[test]
fn rule_evaluations_have_the_costs_of_the_real_server() {
    let mut wrong = Vec::new();
    for (rule, cost) in COSTS {
        let found = evaluated(rule, u64::MAX);
        if found.cost != *cost {
            wrong.push(format!("{rule}: {} instead of {cost} ({:?})", found.cost, found.outcome));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the messages about a value of this schema with this rule.
fn errors(rule: Value, properties: Value, value: Value) -> Vec<String> {
    let spec = json!({"type": "object", "properties": properties, "x-kubernetes-validations": rule});
    let schema = json!({"type": "object", "properties": {"spec": spec}});
    let found = Schema::compile(&schema).validate(&json!({"spec": value}), None, &mut Vec::new());
    found.iter().map(|error| format!("{}: {}", error.field, error.message)).collect()
}

fn list_of(count: usize) -> Value {
    json!({"l": vec![1; count]})
}

fn numbers() -> Value {
    json!({"l": {"type": "array", "items": {"type": "integer"}}})
}

// SCH-4
#[test]
fn a_rule_that_takes_too_long_ends_the_evaluation() {
    let rules = json!([
        {"rule": "self.l.all(x, self.l.all(y, x == y))", "message": "equal"},
        {"rule": "self.l.size() > 100000", "message": "many"}]);
    assert_eq!(
        errors(rules, numbers(), list_of(1_000)),
        [
            "spec: Invalid value: \"object\": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to \
          call cost exceeds limit for rule: equal"
        ]
    );
}

// SCH-4
#[test]
fn all_rules_of_an_object_share_a_budget() {
    // Each rule costs about 600,000 units, so the seventeenth exceeds the budget.
    let rules: Vec<_> = (0..20).map(|_| json!({"rule": "self.l.all(x, self.l.all(y, x == y))"})).collect();
    assert_eq!(
        errors(rules.into(), numbers(), list_of(316)),
        [
            "spec: Invalid value: \"object\": validation failed due to running out of cost budget, no further validation rules will be run"
        ]
    );
}

// SCH-4
#[test]
fn a_message_may_not_take_too_long_either() {
    let expression = "string(self.l.all(x, self.l.all(y, x == y)))";
    let rules = json!([{"rule": "self.l.size() == 0", "messageExpression": expression}, {"rule": "false"}]);
    assert_eq!(
        errors(rules, numbers(), list_of(1_000)),
        [format!(
            "spec: Invalid value: \"object\": no further validation rules will be run due to call cost exceeds limit for \
             messageExpression: {expression:?}"
        )]
    );
}

// SCH-4
#[test]
fn long_lists_are_collected_in_linear_time() {
    let rules = json!([{"rule": "self.l.map(x, 1).size() == self.l.size() && self.l.filter(x, false).size() == 0"}]);
    assert!(errors(rules, numbers(), list_of(80_000)).is_empty());
}

// SCH-4
#[test]
fn rule_evaluations_with_excessive_growth_are_stopped() {
    let text = json!({"s": {"type": "string"}, "l": {"type": "array", "items": {"type": "integer"}}});
    let long = json!({"s": "a".repeat(1_000_000), "l": vec![1; 1_000]});
    let doubled = format!("{}.size() > 0", (0..60).fold("[self.l]".to_owned(), |list, _| format!("{list}.map(x, x + x)")));
    for rule in ["self.s.replace('a', self.s).size() > 0", "lists.range(1000000000000).size() > 0", doubled.as_str()] {
        let found = errors(json!([{"rule": rule, "message": "m"}]), text.clone(), long.clone());
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("no further validation rules will be run"), "{found:?}");
    }
}

/// Returns the error of a definition that has the rule.
fn refused(rule: &str) -> Option<String> {
    let schema = json!({"type": "object", "properties": {"l": {"type": "array", "items": {"type": "integer"}, "maxItems": 10},
        "s": {"type": "string", "maxLength": 10}}, "x-kubernetes-validations": [{"rule": rule, "message": "m"}]});
    let errors = check(&schema, "s", SchemaContext::default());
    errors.first().map(|error| error.message.rsplit(": compilation failed: ").next().unwrap_or_default().to_owned())
}

// CRD-2, SCH-4
#[test]
fn expressions_are_as_deep_as_on_the_real_server_and_no_deeper() {
    const NESTED: &str = "ERROR: <input>:-1:0: expression recursion limit exceeded: 250";
    const DEEP: &str = "ERROR: <input>:-1:0: max recursion depth exceeded";
    type Form = (&'static str, fn(usize) -> String, usize, &'static str);
    let forms: [Form; 13] = [
        ("parens", |n| format!("{}true{}", "(".repeat(n), ")".repeat(n)), 249, NESTED),
        ("sums", |n| format!("{} == 1", vec!["1"; n].join("+")), 250, DEEP),
        ("choices", |n| format!("{}true", "true ? true : ".repeat(n)), 249, NESTED),
        ("lists", |n| format!("{}{} == []", "[".repeat(n), "]".repeat(n)), 250, NESTED),
        ("indices", |n| format!("dyn([1]){} == 1", "[0]".repeat(n)), 249, DEEP),
        ("methods", |n| format!("'a'{} == 'a'", ".lowerAscii()".repeat(n)), 249, DEEP),
        ("calls", |n| format!("{}true{} == true", "dyn(".repeat(n), ")".repeat(n)), 249, NESTED),
        ("comparisons", |n| vec!["true"; n].join(" == "), 251, DEEP),
        ("loops", |n| format!("{}true{}", "[1].all(x, ".repeat(n), ")".repeat(n)), 249, NESTED),
        ("negations", |n| format!("{}true{}", "!(".repeat(n), ")".repeat(n)), 249, NESTED),
        ("sums in sums", |n| format!("{}1{} == 1", "(1+".repeat(n), ")".repeat(n)), 124, NESTED),
        ("conditions", |n| format!("{}true{}", "(true && ".repeat(n), ")".repeat(n)), 249, NESTED),
        ("members", |n| format!("dyn(self){} == 1", ".a".repeat(n)), 249, DEEP),
    ];
    for (name, form, most, problem) in forms {
        let found = refused(&form(most));
        assert!(found.as_ref().is_none_or(|found| !found.contains("recursion")), "{name}: {found:?}");
        assert_eq!(refused(&form(most + 1)).as_deref(), Some(problem), "{name}");
        assert_eq!(refused(&form(90_000 / form(2).len())).as_deref(), Some(problem), "{name}");
        // A rule of the permitted depth can also be evaluated.
        let _ = CelProgram::compile(&form(most)).unwrap().evaluate(&[], 1_000_000);
    }
}

// CRD-2, SCH-4
#[test]
fn long_conditions_are_not_deep() {
    assert_eq!(refused(&vec!["true"; 10_000].join(" && ")), None);
    assert_eq!(refused(&vec!["true"; 10_000].join("||")), None);
    assert_eq!(refused(&format!("{}true", "!".repeat(50_000))), None);
    let long = format!("'{}' == 'a'", "a".repeat(100_001));
    let problem = "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 100010, limit 100000";
    assert_eq!(refused(&long).as_deref(), Some(problem));
}

// SCH-4
#[test]
fn macros_that_repeat_their_target_do_not_blow_up() {
    let chain = format!("optional.of(1){}.hasValue()", ".optMap(x, x)".repeat(100));
    assert!(refused(&chain).is_some_and(|problem| problem.contains("parts")));
    assert_eq!(refused(&format!("optional.of(1){}.hasValue()", ".optMap(x, x)".repeat(5))), None);
}

// SCH-4
#[test]
fn patterns_that_blow_up_are_refused_as_on_the_real_server() {
    for pattern in ["(a{1000}){1000}", "((a{100}){100}){100}"] {
        let problem = refused(&format!("self.s.matches('{pattern}')")).unwrap();
        assert!(problem.contains("invalid matches argument"), "{problem}");
    }
    let nested = format!("self.s.matches('{}a{}')", "(".repeat(1_100), ")".repeat(1_100));
    assert!(refused(&nested).unwrap().contains("invalid matches argument"));
    assert_eq!(refused(r"self.s.matches('((\\pL{30}){20})')"), None);
    assert_eq!(refused(&format!("self.s.matches('{}a{}')", "(".repeat(900), ")".repeat(900))), None);
}

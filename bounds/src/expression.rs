//! What declarations count with: numbers, names of capacities, `+`, `*`, `/` by
//! a number or a capacity, which is rounded up, brackets, `log2(...)` and
//! `log4(...)`, which are rounded down, `min(..., ...)` and `max(..., ...)`.

use crate::cost::Cost;
use std::collections::BTreeMap;

/// An expression over the capacities of a system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Expression {
    Number(u64),
    Name(String),
    Sum(Box<Expression>, Box<Expression>),
    Product(Box<Expression>, Box<Expression>),
    Quotient(Box<Expression>, Box<Expression>),
    Least(Box<Expression>, Box<Expression>),
    Greatest(Box<Expression>, Box<Expression>),
    /// The logarithm to a base.
    Log(u32, Box<Expression>),
}

/// A name that the system has no capacity for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UnknownName(pub(crate) String);

impl Expression {
    /// Reads a text; else what is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Expression, String> {
        let mut parser = Parser { rest: text.trim() };
        let expression = parser.sum()?;
        match parser.rest {
            "" => Ok(expression),
            rest => Err(format!("`{rest}` is left over in `{text}`")),
        }
    }

    /// The count for a system of these capacities.
    pub(crate) fn evaluate(&self, capacities: &Capacities) -> Result<Cost, UnknownName> {
        Ok(match self {
            Expression::Number(number) => Cost::number(*number),
            Expression::Name(name) => match capacities.get(name) {
                Some(cost) => cost.clone(),
                None => return Err(UnknownName(name.clone())),
            },
            Expression::Sum(a, b) => a.evaluate(capacities)?.plus(&b.evaluate(capacities)?),
            Expression::Product(a, b) => a.evaluate(capacities)?.times(&b.evaluate(capacities)?),
            Expression::Quotient(a, b) => {
                let (a, b) = (a.evaluate(capacities)?, b.evaluate(capacities)?);
                a.divided_by(&b)
            }
            Expression::Least(a, b) => {
                let (a, b) = (a.evaluate(capacities)?, b.evaluate(capacities)?);
                if a.value <= b.value { a } else { b }
            }
            Expression::Greatest(a, b) => {
                let (a, b) = (a.evaluate(capacities)?, b.evaluate(capacities)?);
                if a.value >= b.value { a } else { b }
            }
            Expression::Log(base, of) => {
                let of = of.evaluate(capacities)?;
                let value = of.value.max(1).ilog(u64::from(*base));
                Cost::capacity(&format!("log{base}({of})"), value.into())
            }
        })
    }

    /// Whether it mentions a name.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        match self {
            Expression::Number(_) => false,
            Expression::Name(own) => own == name,
            Expression::Sum(a, b)
            | Expression::Product(a, b)
            | Expression::Quotient(a, b)
            | Expression::Least(a, b)
            | Expression::Greatest(a, b) => a.mentions(name) || b.mentions(name),
            Expression::Log(_, of) => of.mentions(name),
        }
    }
}

/// Capacities by name; those that are made of others are counts of them.
pub(crate) type Capacities = BTreeMap<String, Cost>;

type Make = fn(Box<Expression>, Box<Expression>) -> Expression;

const CHOICES: [(&str, Make); 2] = [("min(", Expression::Least), ("max(", Expression::Greatest)];

struct Parser<'t> {
    rest: &'t str,
}

impl Parser<'_> {
    fn sum(&mut self) -> Result<Expression, String> {
        let mut left = self.product()?;
        while self.take("+") {
            left = Expression::Sum(Box::new(left), Box::new(self.product()?));
        }
        Ok(left)
    }

    fn product(&mut self) -> Result<Expression, String> {
        let mut left = self.factor()?;
        loop {
            if self.take("*") {
                left = Expression::Product(Box::new(left), Box::new(self.factor()?));
            } else if self.take("/") {
                left = Expression::Quotient(Box::new(left), Box::new(self.factor()?));
            } else {
                return Ok(left);
            }
        }
    }

    fn factor(&mut self) -> Result<Expression, String> {
        if self.take("(") {
            return self.bracket();
        }
        for (log, base) in [("log2(", 2), ("log4(", 4)] {
            if self.take(log) {
                return Ok(Expression::Log(base, Box::new(self.bracket()?)));
            }
        }
        for (choice, make) in CHOICES {
            if self.take(choice) {
                let first = Box::new(self.sum()?);
                if !self.take(",") {
                    return Err(format!("`{choice}` has two arguments"));
                }
                return Ok(make(first, Box::new(self.bracket()?)));
            }
        }
        let word = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        let end = self.rest.find(|c| !word(c)).unwrap_or(self.rest.len());
        let (name, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        if name.is_empty() {
            return Err(format!("a number or a capacity is missing before `{rest}`"));
        }
        Ok(match name.parse() {
            Ok(number) => Expression::Number(number),
            Err(_) => Expression::Name(name.into()),
        })
    }

    /// The rest of a bracket that was opened.
    fn bracket(&mut self) -> Result<Expression, String> {
        let inside = self.sum()?;
        if self.take(")") {
            return Ok(inside);
        }
        Err("a bracket is not closed".into())
    }

    fn take(&mut self, token: &str) -> bool {
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> u64 {
        let names = [("threads", 9), ("heap", 100)];
        let capacities = names.map(|(name, value)| (name.into(), Cost::capacity(name, value)));
        let expression = Expression::parse(text).unwrap();
        expression
            .evaluate(&Capacities::from(capacities))
            .unwrap()
            .value
    }

    #[test]
    fn products_bind_stronger_than_sums() {
        assert_eq!(value("2 + 3 * threads"), 29);
        assert_eq!(value("(2 + 3) * threads"), 45);
        assert_eq!(value("log4(heap) + 1"), 4);
        assert_eq!(value("log2( heap + 28 )"), 7);
        assert_eq!(value("heap / threads * 2"), 24);
        assert_eq!(value("min(heap, 8) + max(1 + 2, threads)"), 17);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, wrong) in [
            ("2 +", "missing"),
            ("(2", "not closed"),
            ("2 3", "left over"),
            ("2 - 1", "left over"),
            ("min(2)", "two arguments"),
        ] {
            let refusal = Expression::parse(text).unwrap_err();
            assert!(refusal.contains(wrong), "{text}: {refusal}");
        }
        let unknown = Expression::parse("horses + 1").unwrap();
        let refusal = unknown.evaluate(&Capacities::new());
        assert_eq!(refusal, Err(UnknownName("horses".into())));
    }

    #[test]
    fn names_are_found_wherever_they_stand() {
        let expression = Expression::parse("2 * log4(length + 1)").unwrap();
        assert!(expression.mentions("length") && !expression.mentions("lengt"));
    }
}

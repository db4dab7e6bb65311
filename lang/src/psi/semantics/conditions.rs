//! What conditions and loops compare: a task's own variables with constants.

use giornata_abi::module::PortKind;
use giornata_abi::{Comparison, ValueType};

use super::super::Code;
use super::super::model::{Constant, Port};
use super::super::tree;
use super::super::tree::{Name, Quantity};
use super::{Checker, Test, Times};
use crate::tables::value_type;

/// The least and the greatest value of an integer type.
fn range(of: ValueType) -> Option<(i128, i128)> {
    use ValueType::*;
    Some(match of {
        U8 => (0, u8::MAX.into()),
        U16 => (0, u16::MAX.into()),
        U32 => (0, u32::MAX.into()),
        U64 => (0, u64::MAX.into()),
        I8 => (i8::MIN.into(), i8::MAX.into()),
        I16 => (i16::MIN.into(), i16::MAX.into()),
        I32 => (i32::MIN.into(), i32::MAX.into()),
        I64 => (i64::MIN.into(), i64::MAX.into()),
        Opaque | Bool | F32 | F64 => return None,
    })
}

/// The raw bits of a constant of a type, or why it is none.
fn raw(of: ValueType, text: &str) -> Result<u64, String> {
    let refused = |form: &str| format!("write {form}");
    match of {
        ValueType::Opaque => Err("only scalars are compared: let a job write a `bool`".into()),
        ValueType::Bool => match text {
            "true" => Ok(1),
            "false" => Ok(0),
            _ => Err(refused("`true` or `false`")),
        },
        ValueType::F32 => match text.parse::<f32>() {
            Ok(value) if value.is_finite() => Ok(value.to_bits().into()),
            _ => Err(refused("a number like `1.5`")),
        },
        ValueType::F64 => match text.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value.to_bits()),
            _ => Err(refused("a number like `1.5`")),
        },
        _ => {
            let (least, greatest) = range(of).unwrap_or((0, 0));
            match text.parse::<i128>() {
                Ok(value) if (least..=greatest).contains(&value) => {
                    let bits = u32::from(of.size().unwrap_or(8)) * 8;
                    Ok(value as u64 & (u64::MAX >> (64 - bits)))
                }
                _ => Err(refused(&format!(
                    "a whole number from {least} to {greatest}"
                ))),
            }
        }
    }
}

impl Checker<'_, '_> {
    /// A comparison.
    pub(super) fn test(&mut self, task: usize, test: &tree::Test) -> Option<Test> {
        let port = self.own(task, &test.variable)?;
        let type_name = self.model.ports[port].type_name.clone();
        let of = value_type(&type_name);
        let name = &test.variable.text;
        let Some(constant) = &test.constant else {
            if of != ValueType::Bool {
                let message = format!("`{name}` is no `bool`, but a `{type_name}`");
                let help = match of {
                    ValueType::Opaque => "only scalars are compared: let a job write a `bool`",
                    _ => "compare it with a constant, like `n > 0`",
                };
                self.report(Code::Type, test.variable.span, message, help);
                return None;
            }
            return Some(Test {
                port,
                comparison: test.comparison,
                constant: Constant(1),
                span: test.variable.span,
            });
        };
        if of == ValueType::Bool
            && !matches!(test.comparison, Comparison::Equal | Comparison::NotEqual)
        {
            let message = format!("`{name}` is a `bool`, which has no order");
            let help = "write the variable alone, or `!` in front of it";
            self.report(Code::Type, test.variable.span, message, help);
            return None;
        }
        match raw(of, &constant.text) {
            Ok(raw) => Some(Test {
                port,
                comparison: test.comparison,
                constant: Constant(raw),
                span: test.variable.span.to(constant.span),
            }),
            Err(help) => {
                let message = match of {
                    ValueType::Opaque => {
                        format!(
                            "`{name}` cannot be compared: nobody knows the order of `{type_name}`"
                        )
                    }
                    _ => format!("`{}` is no `{type_name}`, which `{name}` is", constant.text),
                };
                self.report(Code::Type, constant.span, message, help);
                None
            }
        }
    }

    /// A loop that runs as often as a variable says, which a port of its own remembers.
    pub(super) fn count_variable(
        &mut self,
        task: usize,
        name: &Name,
        from: usize,
        most: Quantity,
    ) -> Option<Times> {
        let type_name = self.model.ports[from].type_name.clone();
        let Some((_, greatest)) = range(value_type(&type_name)) else {
            let message = format!("`{}` counts nothing: it is a `{type_name}`", name.text);
            let help = "count with an integer: u8 to u64, or i8 to i64";
            self.report(Code::Type, name.span, message, help);
            return None;
        };
        if i128::from(most.value) > greatest {
            let message = format!("a `{type_name}` is {greatest} at most");
            let help = "lower the bound, or give the variable a wider type";
            self.report(Code::Type, most.span, message, help);
            return None;
        }
        self.loops += 1;
        let of = &self.program.tasks[task].name.text;
        let name = match self.loops {
            1 => format!("{of}.loop"),
            number => format!("{of}.loop#{number}"),
        };
        let to = self.model.ports.len();
        self.model.ports.push(Port {
            name,
            type_name,
            kind: PortKind::Private,
            function: None,
            wcet: 0,
            task: Some(task),
            span: most.span,
        });
        Some(Times::Variable {
            from,
            to,
            most: most.value,
        })
    }
}

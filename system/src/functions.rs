//! What a process provides, wherever its description comes from: the image of
//! a process, or the same code compiled for the host.

use std::collections::BTreeSet;

use giornata_abi::ValueType;
use giornata_abi::process::{Direction, FunctionKind, ProcessTable};

/// The functions of one process.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Functions {
    /// As its table, or its C sources, name them.
    pub list: Vec<Function>,
    /// Bytes that each thread which runs one has for its thread-local variables: a multiple
    /// of 8.
    pub locals: u32,
    /// Functions of filters in C sources, which do not tell their parameters.
    pub untold: BTreeSet<String>,
}

impl From<Vec<Function>> for Functions {
    /// Without thread-local variables.
    fn from(list: Vec<Function>) -> Functions {
        Functions {
            list,
            ..Functions::default()
        }
    }
}

/// A function of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// What it is started as.
    pub kind: FunctionKind,
    /// Its parameters, in order.
    pub parameters: Vec<Parameter>,
    /// The address of its code: in the image, or on the host.
    pub body: u64,
}

/// A parameter of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Whether the function reads, writes or keeps it.
    pub direction: Direction,
    /// Bytes.
    pub size: usize,
    /// The type's name as the source writes it.
    pub type_name: String,
}

impl Functions {
    /// The functions of a process that is compiled for the host.
    pub fn of(table: &ProcessTable) -> Functions {
        let functions = table.functions.iter().map(|function| Function {
            name: function.name.into(),
            kind: function.kind,
            body: function.body as usize as u64,
            parameters: function
                .parameters
                .iter()
                .map(|p| Parameter {
                    direction: p.direction,
                    size: p.size,
                    type_name: p.type_name.into(),
                })
                .collect(),
        });
        functions.collect::<Vec<_>>().into()
    }

    /// The index of a function by name.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|f| f.name == name)
    }
}

impl Function {
    /// The parameters of one direction, in order.
    pub fn parameters(&self, direction: Direction) -> impl Iterator<Item = &Parameter> {
        self.parameters
            .iter()
            .filter(move |p| p.direction == direction)
    }
}

/// The scalar that a type name of Rust or C means; opaque if none.
pub fn scalar(type_name: &str) -> ValueType {
    let c = [
        ("float", ValueType::F32),
        ("double", ValueType::F64),
        ("_Bool", ValueType::Bool),
        ("uint8_t", ValueType::U8),
        ("uint16_t", ValueType::U16),
        ("uint32_t", ValueType::U32),
        ("uint64_t", ValueType::U64),
        ("int8_t", ValueType::I8),
        ("int16_t", ValueType::I16),
        ("int32_t", ValueType::I32),
        ("int", ValueType::I32),
        ("int64_t", ValueType::I64),
    ];
    let rust = ValueType::ALL
        .iter()
        .filter(|t| t.size().is_some())
        .map(|t| (t.name(), *t));
    let found = rust.chain(c).find(|(name, _)| *name == type_name);
    found.map_or(ValueType::Opaque, |(_, scalar)| scalar)
}

/// Whether a parameter's type may stand for a port's: the same scalar, or the
/// same name but for spaces.
pub fn types_agree(port_type: &str, value_type: ValueType, parameter_type: &str) -> bool {
    if value_type != ValueType::Opaque {
        return scalar(parameter_type) == value_type;
    }
    let plain = |name: &str| name.split_whitespace().collect::<String>();
    plain(port_type) == plain(parameter_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_agree_by_value_and_others_by_name() {
        assert!(types_agree("float", ValueType::F32, "f32"));
        assert!(types_agree("real", ValueType::F64, "double"));
        assert!(!types_agree("f32", ValueType::F32, "f64"));
        assert!(types_agree("[f32; 3]", ValueType::Opaque, "[f32;3]"));
        assert!(!types_agree("Attitude", ValueType::Opaque, "Position"));
    }
}

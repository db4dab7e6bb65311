//! Bytes in which records lie, written field by field.

use std::marker::PhantomData;

use giornata_core::layout::{Shape, Shaped, Target};

/// The records of one system, for one machine.
#[derive(Debug)]
pub struct Arena {
    target: Target,
    base: u64,
    bytes: Vec<u8>,
    /// What lies where, and how many in a row, to check at the end.
    laid: Vec<(u64, Shape, usize)>,
}

/// Where a record lies.
#[derive(Debug)]
pub struct At<T>(pub u64, PhantomData<T>);

/// Where several lie in a row.
#[derive(Debug)]
pub struct Run<T>(pub u64, pub usize, PhantomData<T>);

impl<T> Clone for At<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for At<T> {}
impl<T> Clone for Run<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Run<T> {}

/// What a field can hold.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    /// A number.
    Number(u64),
    /// A reference; 0: none.
    Ref(u64),
    /// A slice: its address and length.
    Slice(u64, usize),
    /// A variant with a reference.
    Tagged(u32, u64),
}

impl From<u32> for Value {
    fn from(number: u32) -> Value {
        Value::Number(number.into())
    }
}
impl From<u64> for Value {
    fn from(number: u64) -> Value {
        Value::Number(number)
    }
}
impl<T> From<At<T>> for Value {
    fn from(at: At<T>) -> Value {
        Value::Ref(at.0)
    }
}
impl<T> From<Option<At<T>>> for Value {
    fn from(at: Option<At<T>>) -> Value {
        Value::Ref(at.map_or(0, |at| at.0))
    }
}
impl<T> From<Run<T>> for Value {
    fn from(run: Run<T>) -> Value {
        Value::Slice(run.0, run.1)
    }
}

impl<T: Shaped> At<T> {
    /// A record inside a record, by its path.
    pub fn field<U: Shaped>(at: At<T>, path: &str, arena: &Arena) -> At<U> {
        At(arena.find(at.0, T::SHAPE, path).0, PhantomData)
    }

    /// What lies in memory that is not in the arena.
    pub fn elsewhere(address: u64) -> At<T> {
        At(address, PhantomData)
    }
}

impl<T: Shaped> Run<T> {
    /// The record of a number; panics beyond the last.
    pub fn at(self, index: usize, arena: &Arena) -> At<T> {
        assert!(index < self.1, "record {index} of {}", self.1);
        At(
            self.0 + (index * T::SHAPE.size(arena.target)) as u64,
            PhantomData,
        )
    }

    /// Some of them in a row.
    pub fn part(self, first: usize, count: usize, arena: &Arena) -> Run<T> {
        assert!(
            first + count <= self.1,
            "records {first}..{} of {}",
            first + count,
            self.1
        );
        Run(
            self.0 + (first * T::SHAPE.size(arena.target)) as u64,
            count,
            PhantomData,
        )
    }

    /// Those of memory that is not in the arena.
    pub fn elsewhere(address: u64, count: usize) -> Run<T> {
        Run(address, count, PhantomData)
    }
}

impl Arena {
    /// For a kernel, at the address `base`.
    pub fn new(target: Target, base: u64) -> Arena {
        Arena {
            target,
            base,
            bytes: Vec::new(),
            laid: Vec::new(),
        }
    }

    /// What the records are for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The next record begins at a multiple of `to` bytes.
    pub fn align(&mut self, to: usize) {
        let end = self.base as usize + self.bytes.len();
        self.bytes
            .resize(end.next_multiple_of(to) - self.base as usize, 0);
    }

    /// Room for a record: numbers are 0, references absent.
    pub fn one<T: Shaped>(&mut self) -> At<T> {
        let run = self.many::<T>(1);
        At(run.0, PhantomData)
    }

    /// Room for several in a row.
    pub fn many<T: Shaped>(&mut self, count: usize) -> Run<T> {
        self.align(T::SHAPE.align(self.target));
        let address = self.base + self.bytes.len() as u64;
        let size = T::SHAPE.size(self.target);
        self.bytes.extend_from_slice(&vec![0; size * count]);
        self.laid.push((address, T::SHAPE, count));
        Run(address, count, PhantomData)
    }

    /// Sets a field: its name, or a path of names and numbers such as `context.a.1`.
    ///
    /// Panics where there is none of that shape: the builder is wrong, not the system.
    pub fn set<T: Shaped>(&mut self, at: At<T>, path: &str, value: impl Into<Value>) {
        let (address, shape) = self.find(at.0, T::SHAPE, path);
        self.write(address, shape, value.into(), path);
    }

    /// Sets a field of each of several: to what `value` says of its number.
    pub fn set_each<T: Shaped, V: Into<Value>>(
        &mut self,
        run: Run<T>,
        path: &str,
        value: impl Fn(usize) -> V,
    ) {
        let (offset, shape) = self.find(0, T::SHAPE, path);
        for index in 0..run.1 {
            let at = run.at(index, self).0;
            self.write(at + offset, shape, value(index).into(), path);
        }
    }

    /// Sets a whole element that has no fields: a number, a reference or a variant.
    pub fn put<T: Shaped>(&mut self, at: At<T>, value: impl Into<Value>) {
        self.write(at.0, T::SHAPE, value.into(), "");
    }

    fn find(&self, mut address: u64, mut shape: Shape, path: &str) -> (u64, Shape) {
        for name in path.split('.') {
            (address, shape) = match there(shape) {
                Shape::Record(layout) => {
                    let field = layout.fields.iter().find(|field| field.name == name);
                    let field = field.unwrap_or_else(|| panic!("no field {name} of {path}"));
                    assert!(
                        field.shape.size(self.target) != 0,
                        "no {name} of {path} here"
                    );
                    (address + field.offset(self.target) as u64, field.shape)
                }
                Shape::Array(element, count) => {
                    let index: usize = name
                        .parse()
                        .unwrap_or_else(|_| panic!("no element {name} of {path}"));
                    assert!(index < count, "no element {name} of {path}");
                    (
                        address + (index * element.size(self.target)) as u64,
                        *element,
                    )
                }
                _ => panic!("nothing inside {name} of {path}"),
            };
        }
        (address, there(shape))
    }

    fn write(&mut self, address: u64, shape: Shape, value: Value, path: &str) {
        let width = self.target.width;
        match (shape, value) {
            (Shape::Byte, Value::Number(number)) => self.bytes_at(address, number, 1),
            (Shape::Half, Value::Number(number)) => self.bytes_at(address, number, 2),
            (Shape::Word, Value::Number(number)) => self.bytes_at(address, number, 4),
            (Shape::Size, Value::Number(number))
            | (Shape::Ref | Shape::Link, Value::Ref(number)) => {
                self.bytes_at(address, number, width)
            }
            (Shape::Slice, Value::Slice(first, count)) => {
                self.bytes_at(address, first, width);
                self.bytes_at(address + width as u64, count as u64, width);
            }
            (Shape::Tagged, Value::Tagged(tag, payload)) => {
                self.bytes_at(address, tag.into(), 4);
                self.bytes_at(address + width as u64, payload, width);
            }
            (shape, value) => panic!("{value:?} into {shape:?} at {path}"),
        }
    }

    fn bytes_at(&mut self, address: u64, value: u64, count: usize) {
        assert!(
            count == 8 || value >> (8 * count) == 0,
            "{value:#x} has more than {count} bytes"
        );
        let at = (address - self.base) as usize;
        self.bytes[at..at + count].copy_from_slice(&value.to_le_bytes()[..count]);
    }

    fn number_at(&self, address: u64) -> u64 {
        let (at, width) = ((address - self.base) as usize, self.target.width);
        let mut bytes = [0; 8];
        bytes[..width].copy_from_slice(&self.bytes[at..at + width]);
        u64::from_le_bytes(bytes)
    }

    /// The bytes so far, for tests.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes. Panics if a reference that must be there is absent.
    pub fn finish(mut self) -> Vec<u8> {
        for (address, shape, count) in std::mem::take(&mut self.laid) {
            self.check_row(address, shape, count, "");
        }
        self.bytes
    }

    fn check_row(&mut self, address: u64, element: Shape, count: usize, name: &str) {
        if !refers(element) {
            return;
        }
        let size = element.size(self.target);
        for index in 0..count {
            self.check(address + (index * size) as u64, element, name);
        }
    }

    fn check(&mut self, address: u64, shape: Shape, name: &str) {
        if shape.size(self.target) == 0 {
            return;
        }
        match there(shape) {
            Shape::Ref => assert!(self.number_at(address) != 0, "{name} refers to nothing"),
            // an empty slice begins somewhere all the same
            Shape::Slice if self.number_at(address) == 0 => {
                self.bytes_at(address, 16, self.target.width)
            }
            Shape::Array(element, count) => self.check_row(address, *element, count, name),
            Shape::Record(layout) => {
                for field in layout.fields {
                    let at = address + field.offset(self.target) as u64;
                    self.check(at, field.shape, field.name);
                }
            }
            _ => {}
        }
    }
}

/// What a field is where it is there.
fn there(shape: Shape) -> Shape {
    match shape {
        Shape::OnOne(shape) | Shape::OnSeveral(shape) | Shape::OnStreams(shape) => *shape,
        _ => shape,
    }
}

/// Whether a shape has references that must be there, or slices.
fn refers(shape: Shape) -> bool {
    match there(shape) {
        Shape::Ref | Shape::Slice => true,
        Shape::Array(element, _) => refers(*element),
        Shape::Record(layout) => layout.fields.iter().any(|field| refers(field.shape)),
        Shape::Byte | Shape::Half | Shape::Word | Shape::Size | Shape::Link | Shape::Tagged => {
            false
        }
        // (see above)
        Shape::OnOne(_) | Shape::OnSeveral(_) | Shape::OnStreams(_) => false,
    }
}

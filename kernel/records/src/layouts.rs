//! Where the fields of records lie, worked out once for each kind of record.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use giornata_core::layout::{Field, Shape};

/// The layouts that were asked for, of a machine whose addresses have `width` bytes.
#[derive(Debug)]
pub(crate) struct Layouts {
    width: usize,
    /// By the fields' address: a kind of record has one list of them.
    known: RefCell<BTreeMap<*const Field, Rc<Layout>>>,
}

/// A kind of record.
#[derive(Debug)]
pub(crate) struct Layout {
    /// Where each field begins.
    pub(crate) offsets: Vec<usize>,
    size: usize,
    align: usize,
}

impl Layouts {
    pub(crate) fn new(width: usize) -> Layouts {
        Layouts {
            width,
            known: RefCell::default(),
        }
    }

    /// The layout of a record of these fields.
    pub(crate) fn of(&self, fields: &'static [Field]) -> Rc<Layout> {
        if let Some(layout) = self.known.borrow().get(&fields.as_ptr()) {
            return Rc::clone(layout);
        }
        let (mut offsets, mut end, mut align) = (Vec::new(), 0usize, 1);
        for field in fields {
            let own = self.align(field.shape);
            let begin = end.next_multiple_of(own);
            offsets.push(begin);
            end = begin + self.size(field.shape);
            align = align.max(own);
        }
        let layout = Rc::new(Layout {
            offsets,
            size: end.next_multiple_of(align),
            align,
        });
        let mut known = self.known.borrow_mut();
        Rc::clone(known.entry(fields.as_ptr()).or_insert(layout))
    }

    /// Bytes of a shape.
    pub(crate) fn size(&self, shape: Shape) -> usize {
        match shape {
            Shape::Record(fields) => self.of(fields).size,
            Shape::Array(shape, count) => self.size(*shape) * count,
            shape => shape.size(self.width),
        }
    }

    /// Alignment of a shape, in bytes.
    pub(crate) fn align(&self, shape: Shape) -> usize {
        match shape {
            Shape::Record(fields) => self.of(fields).align,
            Shape::Array(shape, _) => self.align(*shape),
            shape => shape.align(self.width),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use giornata_core::layout::{Shaped, offset};
    use giornata_core::{Kernel, Process, Thread};

    #[test]
    fn layouts_are_those_of_the_kernel() {
        for width in [4, 8] {
            let layouts = Layouts::new(width);
            for shape in [Kernel::SHAPE, Thread::SHAPE, Process::SHAPE] {
                assert_eq!(layouts.size(shape), shape.size(width));
                assert_eq!(layouts.align(shape), shape.align(width));
                let Shape::Record(fields) = shape else {
                    panic!("a record");
                };
                let offsets = (0..fields.len()).map(|number| offset(fields, number, width));
                assert_eq!(layouts.of(fields).offsets, offsets.collect::<Vec<_>>());
            }
        }
    }
}

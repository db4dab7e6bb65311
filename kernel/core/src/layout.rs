//! The shape of records: what the builder needs to lay them out for a target.
//!
//! A record is `repr(C)` and holds nothing but 32-bit words, words as wide as an
//! address, references, slices, arrays of these and other records. [`record!`]
//! defines the struct and its shape from one list of fields; that the shape agrees
//! with the compiler's layout is checked when the kernel is compiled.

use core::cell::Cell;

/// How a field is laid out.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// One byte.
    Byte,
    /// 16 bits.
    Half,
    /// 32 bits.
    Word,
    /// As wide as an address.
    Size,
    /// A reference.
    Ref,
    /// A reference, or an absent one (null).
    Link,
    /// A slice: its address, then its length.
    Slice,
    /// A tag of 32 bits, then (aligned) a reference or a word as wide as an address.
    Tagged,
    /// A record inside another.
    Record(&'static [Field]),
    /// Several of one shape.
    Array(&'static Shape, usize),
}

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its shape.
    pub shape: Shape,
}

impl Shape {
    /// Alignment in bytes where an address has `width` bytes.
    pub const fn align(self, width: usize) -> usize {
        match self {
            Shape::Byte => 1,
            Shape::Half => 2,
            Shape::Word => 4,
            Shape::Size | Shape::Ref | Shape::Link | Shape::Slice | Shape::Tagged => width,
            Shape::Array(shape, _) => shape.align(width),
            Shape::Record(fields) => {
                let (mut most, mut at) = (1, 0);
                while at < fields.len() {
                    let align = fields[at].shape.align(width);
                    if align > most {
                        most = align;
                    }
                    at += 1;
                }
                most
            }
        }
    }

    /// Bytes where an address has `width` bytes.
    pub const fn size(self, width: usize) -> usize {
        match self {
            Shape::Byte => 1,
            Shape::Half => 2,
            Shape::Word => 4,
            Shape::Size | Shape::Ref | Shape::Link => width,
            Shape::Slice | Shape::Tagged => 2 * width,
            Shape::Array(shape, count) => shape.size(width) * count,
            Shape::Record(fields) => {
                offset(fields, fields.len(), width).next_multiple_of(self.align(width))
            }
        }
    }
}

/// Where field number `count` begins, or where the last field ends.
pub const fn offset(fields: &[Field], count: usize, width: usize) -> usize {
    let (mut end, mut at) = (0, 0);
    while at < fields.len() {
        let shape = fields[at].shape;
        let begin = usize::next_multiple_of(end, shape.align(width));
        if at == count {
            return begin;
        }
        end = begin + shape.size(width);
        at += 1;
    }
    end
}

/// The factor of FNV-1a.
pub(crate) const PRIME: u32 = 0x0100_0193;

/// Hashes a shape with the names of its fields, after what was hashed before (FNV-1a).
pub const fn fingerprint(shape: Shape, mut hash: u32) -> u32 {
    let kind = match shape {
        Shape::Byte => 1,
        Shape::Half => 2,
        Shape::Word => 3,
        Shape::Size => 4,
        Shape::Ref => 5,
        Shape::Link => 6,
        Shape::Slice => 7,
        Shape::Tagged => 8,
        Shape::Record(fields) => {
            let mut at = 0;
            while at < fields.len() {
                let (name, mut letter) = (fields[at].name.as_bytes(), 0);
                while letter < name.len() {
                    hash = (hash ^ name[letter] as u32).wrapping_mul(PRIME);
                    letter += 1;
                }
                hash = fingerprint(fields[at].shape, hash);
                at += 1;
            }
            9
        }
        Shape::Array(shape, count) => fingerprint(*shape, hash ^ count as u32),
    };
    (hash ^ kind).wrapping_mul(PRIME)
}

/// What has a shape.
pub trait Shaped {
    /// It.
    const SHAPE: Shape;
}

/// A record and its fields.
pub trait Record: Shaped {
    /// In order.
    const FIELDS: &'static [Field];
}

macro_rules! shapes {
    ($($type:ty = $shape:ident,)*) => { $(impl Shaped for $type { const SHAPE: Shape = Shape::$shape; })* };
}
shapes! { u8 = Byte, u16 = Half, u32 = Word, usize = Size, }

impl<T> Shaped for &'static T {
    const SHAPE: Shape = Shape::Ref;
}
impl<T> Shaped for Option<&'static T> {
    const SHAPE: Shape = Shape::Link;
}
impl<T> Shaped for &'static [T] {
    const SHAPE: Shape = Shape::Slice;
}
impl<T: Shaped> Shaped for Cell<T> {
    const SHAPE: Shape = T::SHAPE;
}
impl<T: Shaped, const N: usize> Shaped for [T; N] {
    const SHAPE: Shape = Shape::Array(&T::SHAPE, N);
}

/// Defines a record: the struct, its shape, and the check that both agree.
#[macro_export]
macro_rules! record {
    ($($(#[$meta:meta])* pub struct $name:ident {
        $($(#[$field_meta:meta])* $visibility:vis $field:ident: $type:ty,)*
    })*) => {$(
        $(#[$meta])*
        #[repr(C)]
        pub struct $name {
            $($(#[$field_meta])* $visibility $field: $type,)*
        }
        impl $crate::layout::Shaped for $name {
            const SHAPE: $crate::layout::Shape = $crate::layout::Shape::Record(<$name as $crate::layout::Record>::FIELDS);
        }
        impl $crate::layout::Record for $name {
            const FIELDS: &'static [$crate::layout::Field] = &[$($crate::layout::Field {
                name: stringify!($field),
                shape: <$type as $crate::layout::Shaped>::SHAPE,
            },)*];
        }
        const _: () = {
            let (mut number, width) = (0, size_of::<usize>());
            $(
                assert!($crate::layout::offset(<$name as $crate::layout::Record>::FIELDS, number, width)
                    == core::mem::offset_of!($name, $field));
                number += 1;
            )*
            let _ = number;
            assert!(<$name as $crate::layout::Shaped>::SHAPE.size(width) == size_of::<$name>());
        };
    )*};
}

/// Defines an enum of which each variant holds one reference or nothing. Its tag is
/// the number of the variant.
#[macro_export]
macro_rules! tagged {
    ($($(#[$meta:meta])* pub enum $name:ident {
        $($(#[$variant_meta:meta])* $variant:ident $(($type:ty))? = $tag:literal,)*
    })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy)]
        #[repr(C, u32)]
        pub enum $name {
            $($(#[$variant_meta])* $variant $(($type))? = $tag,)*
        }
        impl $crate::layout::Shaped for $name {
            const SHAPE: $crate::layout::Shape = $crate::layout::Shape::Tagged;
        }
        impl $name {
            /// The tags by name, for the builder.
            pub const TAGS: &'static [(&'static str, u32)] = &[$((stringify!($variant), $tag),)*];
        }
        const _: () = assert!(size_of::<$name>() == 2 * size_of::<usize>());
    )*};
}

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
    Record(&'static Layout),
    /// Several of one shape.
    Array(&'static Shape, usize),
}

/// The fields of a record, placed for both widths of addresses.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// In order.
    pub fields: &'static [Field],
    /// Bytes, for addresses of 4 and of 8.
    sizes: [usize; 2],
    aligns: [usize; 2],
}

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its shape.
    pub shape: Shape,
    /// Where it begins, for addresses of 4 and of 8 bytes.
    offsets: [usize; 2],
}

/// Bytes that an address can have.
const WIDTHS: [usize; 2] = [4, 8];

/// The place of a width in [`WIDTHS`].
const fn place_of(width: usize) -> usize {
    assert!(width == WIDTHS[0] || width == WIDTHS[1]);
    (width == WIDTHS[1]) as usize
}

impl Field {
    /// A field that lies at the front until [`placed`] says where.
    pub const fn new(name: &'static str, shape: Shape) -> Field {
        Field {
            name,
            shape,
            offsets: [0; 2],
        }
    }

    /// Where it begins in its record where an address has `width` bytes.
    pub const fn offset(&self, width: usize) -> usize {
        self.offsets[place_of(width)]
    }
}

/// Fields one behind the other, each at a multiple of its alignment.
pub const fn placed<const N: usize>(mut fields: [Field; N]) -> [Field; N] {
    let mut place = 0;
    while place < WIDTHS.len() {
        let (width, mut end, mut at) = (WIDTHS[place], 0, 0);
        while at < N {
            let shape = fields[at].shape;
            fields[at].offsets[place] = usize::next_multiple_of(end, shape.align(width));
            end = fields[at].offsets[place] + shape.size(width);
            at += 1;
        }
        place += 1;
    }
    fields
}

impl Layout {
    /// That of a record of these fields, which are [`placed`].
    pub const fn of(fields: &'static [Field]) -> Layout {
        let (mut sizes, mut aligns, mut place) = ([0; 2], [1; 2], 0);
        while place < WIDTHS.len() {
            let (width, mut at) = (WIDTHS[place], 0);
            while at < fields.len() {
                let Field { shape, offsets, .. } = fields[at];
                sizes[place] = offsets[place] + shape.size(width);
                if shape.align(width) > aligns[place] {
                    aligns[place] = shape.align(width);
                }
                at += 1;
            }
            sizes[place] = usize::next_multiple_of(sizes[place], aligns[place]);
            place += 1;
        }
        Layout {
            fields,
            sizes,
            aligns,
        }
    }
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
            Shape::Record(layout) => layout.aligns[place_of(width)],
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
            Shape::Record(layout) => layout.sizes[place_of(width)],
        }
    }
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
        Shape::Record(layout) => {
            let (fields, mut at) = (layout.fields, 0);
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

/// What is a record.
pub trait Record: Shaped {
    /// Its fields.
    const LAYOUT: &'static Layout;
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
            const SHAPE: $crate::layout::Shape = $crate::layout::Shape::Record(<$name as $crate::layout::Record>::LAYOUT);
        }
        impl $crate::layout::Record for $name {
            const LAYOUT: &'static $crate::layout::Layout = {
                const FIELDS: &[$crate::layout::Field] = &$crate::layout::placed([$(
                    $crate::layout::Field::new(stringify!($field), <$type as $crate::layout::Shaped>::SHAPE),
                )*]);
                &$crate::layout::Layout::of(FIELDS)
            };
        }
        const _: () = {
            let (mut number, width) = (0, size_of::<usize>());
            $(
                assert!(<$name as $crate::layout::Record>::LAYOUT.fields[number].offset(width)
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

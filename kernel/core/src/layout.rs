//! The shape of records: what the builder needs to lay them out for a target.
//!
//! A record is `repr(C)` and holds nothing but 32-bit words, words as wide as an
//! address, references, slices, arrays of these and other records. [`record!`]
//! defines the struct and its shape from one list of fields; that the shape agrees
//! with the compiler's layout is checked when the kernel is compiled.

use core::cell::Cell;
use core::marker::PhantomData;
use core::ops::Deref;

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
    /// What is there in kernels of one hart only: elsewhere it has no bytes.
    OnOne(&'static Shape),
    /// The same of kernels of several harts.
    OnSeveral(&'static Shape),
    /// The same of kernels that run streams.
    OnStreams(&'static Shape),
}

/// What records are laid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// Bytes of an address: 4 or 8.
    pub width: usize,
    /// Whether the kernel runs on several harts.
    pub several: bool,
    /// Whether it runs streams.
    pub streams: bool,
}

/// How many targets there are.
const TARGETS: usize = 8;

impl Target {
    /// This kernel.
    pub const OWN: Target = Target {
        width: size_of::<usize>(),
        several: cfg!(feature = "harts"),
        streams: cfg!(feature = "streams"),
    };

    /// That of a [`place`](Self::place).
    const fn at(place: usize) -> Target {
        Target {
            width: 4 + 4 * (place & 1),
            several: place & 2 != 0,
            streams: place & 4 != 0,
        }
    }

    /// Its place among all.
    const fn place(self) -> usize {
        assert!(self.width == 4 || self.width == 8);
        (self.width == 8) as usize + 2 * self.several as usize + 4 * self.streams as usize
    }
}

/// The fields of a record, placed for each target.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// In order.
    pub fields: &'static [Field],
    /// Bytes, by target.
    sizes: [usize; TARGETS],
    aligns: [usize; TARGETS],
}

/// A field of a record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its shape.
    pub shape: Shape,
    /// Where it begins, by target.
    offsets: [usize; TARGETS],
}

impl Field {
    /// A field that lies at the front until [`placed`] says where.
    pub const fn new(name: &'static str, shape: Shape) -> Field {
        Field {
            name,
            shape,
            offsets: [0; TARGETS],
        }
    }

    /// Where it begins in its record.
    pub const fn offset(&self, target: Target) -> usize {
        self.offsets[target.place()]
    }
}

/// Fields one behind the other, each at a multiple of its alignment.
pub const fn placed<const N: usize>(mut fields: [Field; N]) -> [Field; N] {
    let mut place = 0;
    while place < TARGETS {
        let (target, mut end, mut at) = (Target::at(place), 0, 0);
        while at < N {
            let shape = fields[at].shape;
            fields[at].offsets[place] = usize::next_multiple_of(end, shape.align(target));
            end = fields[at].offsets[place] + shape.size(target);
            at += 1;
        }
        place += 1;
    }
    fields
}

impl Layout {
    /// That of a record of these fields, which are [`placed`].
    pub const fn of(fields: &'static [Field]) -> Layout {
        let (mut sizes, mut aligns, mut place) = ([0; TARGETS], [1; TARGETS], 0);
        while place < TARGETS {
            let (target, mut at) = (Target::at(place), 0);
            while at < fields.len() {
                let Field { shape, offsets, .. } = fields[at];
                sizes[place] = offsets[place] + shape.size(target);
                if shape.align(target) > aligns[place] {
                    aligns[place] = shape.align(target);
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
    /// Alignment in bytes.
    pub const fn align(self, target: Target) -> usize {
        match self {
            Shape::Byte => 1,
            Shape::Half => 2,
            Shape::Word => 4,
            Shape::Size | Shape::Ref | Shape::Link | Shape::Slice | Shape::Tagged => target.width,
            Shape::Array(shape, _) => shape.align(target),
            Shape::Record(layout) => layout.aligns[target.place()],
            Shape::OnOne(shape) if !target.several => shape.align(target),
            Shape::OnSeveral(shape) if target.several => shape.align(target),
            Shape::OnStreams(shape) if target.streams => shape.align(target),
            Shape::OnOne(_) | Shape::OnSeveral(_) | Shape::OnStreams(_) => 1,
        }
    }

    /// Bytes.
    pub const fn size(self, target: Target) -> usize {
        match self {
            Shape::Byte => 1,
            Shape::Half => 2,
            Shape::Word => 4,
            Shape::Size | Shape::Ref | Shape::Link => target.width,
            Shape::Slice | Shape::Tagged => 2 * target.width,
            Shape::Array(shape, count) => shape.size(target) * count,
            Shape::Record(layout) => layout.sizes[target.place()],
            Shape::OnOne(shape) if !target.several => shape.size(target),
            Shape::OnSeveral(shape) if target.several => shape.size(target),
            Shape::OnStreams(shape) if target.streams => shape.size(target),
            Shape::OnOne(_) | Shape::OnSeveral(_) | Shape::OnStreams(_) => 0,
        }
    }
}

/// The factor of FNV-1a.
pub(crate) const PRIME: u32 = 0x0100_0193;

/// Hashes a shape with the names of its fields, after what was hashed before (FNV-1a): what has
/// no bytes is left out.
pub const fn fingerprint(shape: Shape, target: Target, mut hash: u32) -> u32 {
    if shape.size(target) == 0 {
        return hash;
    }
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
                let is_there = fields[at].shape.size(target) != 0;
                while is_there && letter < name.len() {
                    hash = (hash ^ name[letter] as u32).wrapping_mul(PRIME);
                    letter += 1;
                }
                hash = fingerprint(fields[at].shape, target, hash);
                at += 1;
            }
            9
        }
        Shape::Array(shape, count) => fingerprint(*shape, target, hash ^ count as u32),
        Shape::OnOne(shape) | Shape::OnSeveral(shape) | Shape::OnStreams(shape) => {
            return fingerprint(*shape, target, hash);
        }
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

/// A field of kernels of one hart.
#[cfg(not(feature = "harts"))]
#[repr(transparent)]
pub struct OnOne<T>(pub T);
/// A field of kernels of one hart, of which this is none.
#[cfg(feature = "harts")]
pub struct OnOne<T>(PhantomData<T>);
/// A field of kernels of several harts.
#[cfg(feature = "harts")]
#[repr(transparent)]
pub struct OnSeveral<T>(pub T);
/// A field of kernels of several harts, of which this is none.
#[cfg(not(feature = "harts"))]
pub struct OnSeveral<T>(PhantomData<T>);

impl<T: Shaped> Shaped for OnOne<T> {
    const SHAPE: Shape = Shape::OnOne(&T::SHAPE);
}
impl<T: Shaped> Shaped for OnSeveral<T> {
    const SHAPE: Shape = Shape::OnSeveral(&T::SHAPE);
}

/// A field of kernels that run streams.
#[cfg(feature = "streams")]
#[repr(transparent)]
pub struct OnStreams<T>(pub T);
/// A field of kernels that run streams, of which this is none.
#[cfg(not(feature = "streams"))]
pub struct OnStreams<T>(PhantomData<T>);

impl<T: Shaped> Shaped for OnStreams<T> {
    const SHAPE: Shape = Shape::OnStreams(&T::SHAPE);
}

#[cfg(feature = "streams")]
impl<T> Deref for OnStreams<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

#[cfg(not(feature = "harts"))]
impl<T> Deref for OnOne<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}
#[cfg(feature = "harts")]
impl<T> Deref for OnSeveral<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
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
            let (mut number, target) = (0, $crate::layout::Target::OWN);
            $(
                assert!(<$name as $crate::layout::Record>::LAYOUT.fields[number].offset(target)
                    == core::mem::offset_of!($name, $field));
                number += 1;
            )*
            let _ = number;
            assert!(<$name as $crate::layout::Shaped>::SHAPE.size(target) == size_of::<$name>());
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

//! Fixed binary records: one list of fields gives the struct, its layout
//! without padding, and its little-endian encoding.

/// A fixed-size little-endian record without padding.
///
/// The Record Invariant: `SIZE == size_of::<Self>()`, asserted when compiling,
/// so that on a little-endian machine the bytes of a record are its memory.
pub trait Record: Copy {
    /// Bytes of the encoding, and of the struct.
    const SIZE: usize;

    /// Decodes the first `SIZE` bytes of `bytes`; `None` if there are fewer.
    fn decode(bytes: &[u8]) -> Option<Self>;

    /// Hands the encoding to `sink`, field by field.
    fn encode(&self, sink: &mut dyn FnMut(&[u8]));

    /// Appends the encoding to `out`.
    #[cfg(feature = "alloc")]
    fn append_to(&self, out: &mut alloc::vec::Vec<u8>) {
        self.encode(&mut |bytes| out.extend_from_slice(bytes));
    }
}

/// Reads records one after the other out of bytes.
///
/// Yields nothing past the last whole record. O(1) a record.
pub fn decode_all<'a, R: Record + 'a>(bytes: &'a [u8]) -> impl Iterator<Item = R> + use<'a, R> {
    bytes.chunks_exact(R::SIZE).filter_map(R::decode)
}

/// Declares `#[repr(C)]` records; fields are integers, byte arrays, or records.
macro_rules! record {
    ($($(#[$meta:meta])* pub struct $name:ident { $($(#[$fmeta:meta])* pub $field:ident: $ty:ty,)* })*) => {$(
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name { $($(#[$fmeta])* pub $field: $ty,)* }

        const _: () = assert!(
            0 $(+ <$ty as $crate::record::Field>::SIZE)* == core::mem::size_of::<$name>(),
            "a record has no padding"
        );

        impl $crate::record::Field for $name {
            const SIZE: usize = core::mem::size_of::<$name>();
            fn get(bytes: &[u8]) -> Option<Self> { <Self as $crate::Record>::decode(bytes) }
            fn put(&self, sink: &mut dyn FnMut(&[u8])) { $crate::Record::encode(self, sink) }
        }

        impl $crate::Record for $name {
            const SIZE: usize = core::mem::size_of::<$name>();

            fn decode(bytes: &[u8]) -> Option<Self> {
                let mut at = 0;
                let record = Self { $($field: {
                    let field = <$ty as $crate::record::Field>::get(bytes.get(at..)?)?;
                    at += <$ty as $crate::record::Field>::SIZE;
                    field
                },)* };
                let _ = at;
                Some(record)
            }

            fn encode(&self, sink: &mut dyn FnMut(&[u8])) {
                $($crate::record::Field::put(&self.$field, sink);)*
            }
        }
    )*};
}
pub(crate) use record;

/// What a record is made of.
pub trait Field: Sized {
    /// Bytes of the encoding.
    const SIZE: usize;
    /// Decodes from the front of `bytes`.
    fn get(bytes: &[u8]) -> Option<Self>;
    /// Hands the encoding to `sink`.
    fn put(&self, sink: &mut dyn FnMut(&[u8]));
}

macro_rules! integer_fields {
    ($($ty:ty)*) => {$(
        impl Field for $ty {
            const SIZE: usize = core::mem::size_of::<$ty>();
            fn get(bytes: &[u8]) -> Option<Self> {
                Some(<$ty>::from_le_bytes(*bytes.first_chunk()?))
            }
            fn put(&self, sink: &mut dyn FnMut(&[u8])) { sink(&self.to_le_bytes()) }
        }
    )*};
}
integer_fields!(u8 u16 u32 u64);

impl<T: Field + Copy + Default, const N: usize> Field for [T; N] {
    const SIZE: usize = T::SIZE * N;
    fn get(bytes: &[u8]) -> Option<Self> {
        let mut all = [T::default(); N];
        for (i, one) in all.iter_mut().enumerate() {
            *one = T::get(bytes.get(T::SIZE * i..)?)?;
        }
        Some(all)
    }
    fn put(&self, sink: &mut dyn FnMut(&[u8])) {
        for one in self {
            one.put(sink);
        }
    }
}

//! Methods that return a struct with one field changed, for settings to which fields may be added.

/// Writes methods inside an `impl` of a `Copy` struct; the parameter has the name of the field.
///
/// ```text
/// setters! {
///     /// With balls of this radius, in metres.
///     with_radius(radius: f64);
/// }
/// ```
macro_rules! setters {
    ($($(#[$doc:meta])* $method:ident($field:ident: $Type:ty);)*) => {$(
        $(#[$doc])*
        #[must_use]
        #[inline]
        pub const fn $method(self, $field: $Type) -> Self {
            Self { $field, ..self }
        }
    )*};
}
pub(crate) use setters;

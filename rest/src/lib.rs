//! The public face of Labs.

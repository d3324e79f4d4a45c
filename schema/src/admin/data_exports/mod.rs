//! Archives of a partner's data that staff ask for on its written request. Its team downloads them; staff do not.

mod resolvers;

pub(in crate::admin) use resolvers::{StaffDataExportsMutation, StaffDataExportsQuery};

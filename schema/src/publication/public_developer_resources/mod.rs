//! Developer resources as everybody reads them: those that are released and for everybody. How they are found is told in
//! [`super::developer_resources`].

mod resolvers;

pub(in crate::publication) use resolvers::PublicDeveloperResourcesQuery;

//! Types of the arguments of a field, and input in the form of these types.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use crate::describe::{DescribedField, TypeKind, TypeRef, Types};

/// Names and types of the arguments of a root field or an edge.
#[derive(Clone)]
pub(super) struct Signature {
    types: Arc<Types>,
    arguments: Arc<[(&'static str, TypeRef)]>,
}

impl Signature {
    /// Returns the signature with these arguments.
    pub(super) fn of(types: &Arc<Types>, arguments: &[DescribedField]) -> Self {
        let arguments = arguments.iter().map(|argument| (argument.name, argument.ty.clone())).collect();
        Self { types: Arc::clone(types), arguments }
    }

    /// Returns the types by which the arguments are described.
    pub(super) fn types(&self) -> &Types {
        &self.types
    }

    /// Returns the arguments with their types, in order.
    pub(super) fn arguments(&self) -> impl Iterator<Item = (&'static str, &TypeRef)> {
        self.arguments.iter().map(|(name, ty)| (*name, ty))
    }

    /// Converts each single value in the place of a list to a list with this value (GraphQL specification, List, Input
    /// Coercion). The library does this only for its own types.
    pub(super) fn coerce(&self, mut arguments: Map<String, Json>) -> Map<String, Json> {
        for (name, ty) in &*self.arguments {
            if let Some(value) = arguments.get_mut(*name) {
                coerce(&self.types, ty, value);
            }
        }
        arguments
    }
}

fn coerce(types: &Types, ty: &TypeRef, value: &mut Json) {
    match (ty, value) {
        (_, Json::Null) => {}
        (TypeRef::NonNull(inner), value) => coerce(types, inner, value),
        (TypeRef::List(inner), Json::Array(values)) => {
            values.iter_mut().for_each(|value| coerce(types, inner, value));
        }
        (TypeRef::List(inner), value) => {
            coerce(types, inner, value);
            *value = Json::Array(vec![value.take()]);
        }
        (TypeRef::Named(name), Json::Object(sent)) => {
            let Some(TypeKind::Object { fields, .. }) = types.named.get(&**name).map(|named| &named.kind) else {
                return;
            };
            for field in fields {
                if let Some(value) = sent.get_mut(field.name) {
                    coerce(types, &field.ty, value);
                }
            }
        }
        (TypeRef::Named(_), _) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::describe::{Member, Object, ObjectKind};

    const MEMBERS: &[Member] =
        &[Member::Field { name: "state", description: "", ty: |_| TypeRef::named_nn_list_nn(TypeRef::STRING) }];

    #[test]
    fn single_value_becomes_list_at_every_depth() {
        let mut types = Types::default();
        let filter = types.object(&Object {
            name: "Filter",
            description: "",
            kind: ObjectKind::Input,
            parameter: None,
            members: MEMBERS,
        });
        let argument = |name, ty| DescribedField { name, description: "", ty };
        let arguments = [argument("filter", filter), argument("of", TypeRef::named_list(TypeRef::INT))];
        let signature = Signature::of(&Arc::new(types), &arguments);
        let coerce = |sent: Json| {
            let Json::Object(sent) = sent else { unreachable!() };
            Json::Object(signature.coerce(sent))
        };
        let sent = json!({ "filter": { "state": "OPEN" }, "of": 1, "other": 2 });
        assert_eq!(coerce(sent), json!({ "filter": { "state": ["OPEN"] }, "of": [1], "other": 2 }));
        let sent = json!({ "filter": { "state": ["OPEN"] }, "of": null });
        assert_eq!(coerce(sent.clone()), sent);
    }
}

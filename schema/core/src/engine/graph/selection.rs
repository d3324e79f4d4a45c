//! Values of an answer in the form that the library selects from.

use async_graphql::dynamic::FieldValue;
use async_graphql::{Name, Value};
use serde_json::Value as Json;

use super::super::answer_meter::AnswerMeter;
use super::super::prepare::Parts;
use crate::describe::{TypeKind, TypeRef};

/// How the library continues in a value: its type, and what the type is.
#[derive(Clone)]
pub(super) struct Selection {
    pub(super) ty: TypeRef,
    base: Base,
}

/// Kind of a named type, as far as its values are concerned.
#[derive(Clone, Copy)]
enum Base {
    Object,
    Union,
    Enum,
    Scalar,
}

impl Selection {
    pub(super) fn of(parts: &Parts, ty: &TypeRef) -> Self {
        let base = match parts.types.named.get(ty.type_name()).map(|named| &named.kind) {
            Some(TypeKind::Object { .. }) => Base::Object,
            Some(TypeKind::Union(_)) => Base::Union,
            Some(TypeKind::Enum(_)) => Base::Enum,
            Some(TypeKind::Scalar { .. }) | None => Base::Scalar,
        };
        Self { ty: ty.clone(), base }
    }

    /// Wraps a value of an object's field; `None` for null.
    pub(super) fn borrowed<'a>(&self, value: &'a Json, meter: Option<&AnswerMeter>) -> Option<FieldValue<'a>> {
        self.value(&self.ty, value, (meter, &|object| FieldValue::borrowed_any(object)))
    }

    /// Wraps the answer of an operation or an edge; `None` for null.
    pub(super) fn owned(&self, value: &Json, meter: Option<&AnswerMeter>) -> Option<FieldValue<'static>> {
        self.value(&self.ty, value, (meter, &|object| FieldValue::owned_any(object.clone())))
    }

    /// Wraps a value. One that no longer fits into the answer is left out; the query then fails as a whole.
    fn value<'a, 'v>(
        &self,
        ty: &TypeRef,
        value: &'v Json,
        (meter, wrap): (Option<&AnswerMeter>, &dyn Fn(&'v Json) -> FieldValue<'a>),
    ) -> Option<FieldValue<'a>> {
        match (ty, value) {
            (_, Json::Null) => None,
            (TypeRef::NonNull(inner), value) => self.value(inner, value, (meter, wrap)),
            (TypeRef::List(inner), Json::Array(values)) => {
                Some(FieldValue::list(values.iter().filter_map(|value| self.value(inner, value, (meter, wrap)))))
            }
            (_, value) if meter.is_some_and(|meter| !meter.admit(text_size(self.base, value))) => None,
            (_, value) => Some(match (self.base, value) {
                (Base::Object, object) => wrap(object),
                (Base::Union, object) => {
                    let name = object.get("__typename").and_then(Json::as_str).unwrap_or_default();
                    wrap(object).with_type(name.to_owned())
                }
                (Base::Enum, Json::String(word)) => FieldValue::value(Value::Enum(Name::new(word))),
                (_, value) => FieldValue::value(to_value(value)),
            }),
        }
    }
}

/// Returns the size in bytes of the text of a value. The fields of an object are counted when they are selected.
fn text_size(base: Base, value: &Json) -> usize {
    match (base, value) {
        (Base::Object | Base::Union, _) => 0,
        (_, Json::String(text)) => text.len(),
        (_, Json::Array(_) | Json::Object(_)) => value.to_string().len(),
        _ => 0,
    }
}

/// Converts JSON to a value of the library.
pub(in crate::engine) fn to_value(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(flag) => Value::Boolean(*flag),
        Json::Number(number) => Value::Number(number.clone()),
        Json::String(text) => Value::String(text.clone()),
        Json::Array(items) => Value::List(items.iter().map(to_value).collect()),
        Json::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (Name::new(name), to_value(value))).collect())
        }
    }
}

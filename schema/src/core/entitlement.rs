//! How much of a thing a partner's plan allows, held so that two who take the last one at the same time cannot
//! both have it.
//!
//! Rule: docs/decisions.md#tiers. A smaller limit blocks nothing that exists; it blocks adding more.

use serde_json::Value;
use uuid::Uuid;

use crate::core::db::Db;
use crate::core::fault::Fault;
use crate::core::principal::Owner;

/// What is allowed of one feature until the transaction ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allowance {
    feature: &'static str,
    /// `None` is unlimited.
    most: Option<i64>,
}

impl Allowance {
    /// Holds the partner's subscription until the transaction ends and answers what it allows of a LIMIT feature.
    /// Count what is used in a statement of its own after this one, or it will not see what others just took.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] for a partner without subscription, or a feature that is no limit.
    pub(crate) async fn lock(db: &Db, owner: Owner, feature: &'static str) -> Result<Self, Fault> {
        Self::lock_of(db, owner.uuid(), feature).await
    }

    /// The same where nobody's token names the partner: an invitation does.
    ///
    /// # Errors
    /// As of [`Self::lock`].
    pub(crate) async fn lock_of(db: &Db, partner_uuid: Uuid, feature: &'static str) -> Result<Self, Fault> {
        // What it allows is read once it is held: whoever waited reads what the one before has written.
        sqlx::query!("select from subscription where partner_uuid = $1 for no key update", partner_uuid)
            .fetch_optional(&mut *db.conn().await?)
            .await?;
        Self::peek(db, partner_uuid, feature).await
    }

    /// What is allowed now and may change at any moment: a first look, before something is done that costs much. Whoever
    /// takes of it holds it.
    ///
    /// # Errors
    /// As of [`Self::lock`].
    pub(crate) async fn peek(db: &Db, partner_uuid: Uuid, feature: &'static str) -> Result<Self, Fault> {
        let value = sqlx::query_scalar!(
            r#"select entitlement.value as "value!"
                 from subscription
                cross join lateral partner_entitlement(subscription.partner_uuid, labs_now()) as entitlement
                where subscription.partner_uuid = $1 and entitlement.feature_code = $2"#,
            partner_uuid,
            feature,
        )
        .fetch_optional(&mut *db.conn().await?)
        .await?;
        Ok(Self { feature, most: most(value.as_ref()).ok_or_else(|| no_limit(feature, value.as_ref()))? })
    }

    /// The most that is allowed; `None` is unlimited.
    pub(crate) const fn most(self) -> Option<i64> {
        self.most
    }

    /// Refuses when `used` and `more` together are beyond what is allowed.
    ///
    /// # Errors
    /// [`crate::Code::EntitlementExceeded`], naming feature, limit and use.
    pub(crate) fn check(self, used: i64, more: i64) -> Result<(), Fault> {
        match self.most {
            Some(most) if used.saturating_add(more) > most => Err(Fault::entitlement(self.feature, most, used)),
            _ => Ok(()),
        }
    }
}

/// A limit's value: a whole number, or `unlimited`.
fn most(value: Option<&Value>) -> Option<Option<i64>> {
    match value? {
        Value::String(text) if text == "unlimited" => Some(None),
        other => other.as_i64().map(Some),
    }
}

fn no_limit(feature: &str, value: Option<&Value>) -> Fault {
    Fault::internal(format!("the feature {feature} has the value {value:?}, which is not a limit"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::core::fault::Code;

    #[test]
    fn a_limit_is_a_number_or_unlimited() {
        assert_eq!(most(Some(&json!(3))), Some(Some(3)));
        assert_eq!(most(Some(&json!("unlimited"))), Some(None));
        assert_eq!(most(Some(&json!(true))), None);
        assert_eq!(most(None), None);
    }

    #[test]
    fn the_last_one_is_granted_and_the_next_refused() {
        let three = Allowance { feature: "apps", most: Some(3) };
        assert!(three.check(2, 1).is_ok());
        assert_eq!(three.check(3, 1).map_err(|fault| fault.code()), Err(Code::EntitlementExceeded));
        assert!(Allowance { feature: "apps", most: None }.check(i64::MAX, 1).is_ok());
    }
}

//! Limits of a partner's entitlements, locked so that two concurrent requests cannot both use the last unit.
//!
//! Rule: docs/decisions/partners.md#tiers-are-data. A lower limit does not affect existing objects; it only prevents
//! new ones.

use serde_json::Value;
use uuid::Uuid;

use crate::db::Db;
use crate::fault::Fault;
use crate::principal::Owner;

/// Limit of one feature, fixed until the transaction ends.
#[derive(Clone, Copy, Debug)]
pub struct Allowance {
    feature: &'static str,
    /// `None` means unlimited.
    most: Option<i64>,
}

impl Allowance {
    /// Locks the partner's subscription until the transaction ends and returns the limit of a LIMIT feature. Count the
    /// current use in a separate statement after this one; otherwise it misses what concurrent transactions have just
    /// committed.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] if the partner has no subscription or the feature is not a limit.
    pub async fn lock(db: &Db, owner: Owner, feature: &'static str) -> Result<Self, Fault> {
        Self::lock_of(db, owner.uuid(), feature).await
    }

    /// Locks the subscription of a partner that no token identifies, for example when an invitation does.
    ///
    /// # Errors
    /// As for [`Self::lock`].
    pub async fn lock_of(db: &Db, partner_uuid: Uuid, feature: &'static str) -> Result<Self, Fault> {
        // The value is read after locking, so that a waiting transaction sees the changes of the previous one.
        sqlx::query!("select from subscription where partner_uuid = $1 for no key update", partner_uuid)
            .fetch_optional(&mut *db.conn().await?)
            .await?;
        Self::peek(db, partner_uuid, feature).await
    }

    /// Returns the current limit without a lock, so it can change at any time: an early check before expensive work. To
    /// use the limit, call [`Self::lock`].
    ///
    /// # Errors
    /// As for [`Self::lock`].
    pub async fn peek(db: &Db, partner_uuid: Uuid, feature: &'static str) -> Result<Self, Fault> {
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
        Ok(Self { feature, most: most(value.as_ref()).ok_or_else(|| err_no_limit(feature, value.as_ref()))? })
    }

    /// Returns the maximum; `None` means unlimited.
    pub const fn most(self) -> Option<i64> {
        self.most
    }

    /// Rejects if `used` and `more` together exceed the limit.
    ///
    /// # Errors
    /// [`crate::Code::EntitlementExceeded`], with feature, limit and current use.
    pub fn check(self, used: i64, more: i64) -> Result<(), Fault> {
        match self.most {
            Some(most) if used.saturating_add(more) > most => Err(Fault::entitlement(self.feature, most, used)),
            _ => Ok(()),
        }
    }
}

/// Parses the value of a limit: a whole number, or `unlimited`.
fn most(value: Option<&Value>) -> Option<Option<i64>> {
    match value? {
        Value::String(text) if text == "unlimited" => Some(None),
        other => other.as_i64().map(Some),
    }
}

fn err_no_limit(feature: &str, value: Option<&Value>) -> Fault {
    Fault::internal(format!("the feature {feature} has the value {value:?}, which is not a limit"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::fault::Code;

    #[test]
    fn limit_is_a_number_or_unlimited() {
        assert_eq!(most(Some(&json!(3))), Some(Some(3)));
        assert_eq!(most(Some(&json!("unlimited"))), Some(None));
        assert_eq!(most(Some(&json!(true))), None);
        assert_eq!(most(None), None);
    }

    #[test]
    fn quota_grants_last_item_and_rejects_next() {
        let three = Allowance { feature: "apps", most: Some(3) };
        assert!(three.check(2, 1).is_ok());
        assert_eq!(three.check(3, 1).map_err(|fault| fault.code()), Err(Code::EntitlementExceeded));
        assert!(Allowance { feature: "apps", most: None }.check(i64::MAX, 1).is_ok());
    }
}

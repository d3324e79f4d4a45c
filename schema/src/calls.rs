//! Functions of the groups that REST calls in addition to operations.

use futures_util::FutureExt as _;
use labs_core::engine::GroupCalls;
use labs_engagement::weekly_mail;
use labs_marketplace::public_pictures;

/// All functions.
pub(crate) const CALLS: GroupCalls = GroupCalls {
    open_picture: |engine, name| public_pictures::open(engine.services(), name).boxed(),
    is_unsubscribe_token: |engine, token| weekly_mail::is_token(engine.services(), token),
    unsubscribe: |engine, token| weekly_mail::unsubscribe(engine.pool(), engine.services(), token).boxed(),
};

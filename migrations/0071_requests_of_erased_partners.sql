-- Withdraws the tier change request of an erased partner: staff can no longer decide it, and it was first among all
-- pending requests.
set lock_timeout = '10s';

update tier_change_request as r set state = 'WITHDRAWN', decided_at = labs_now()
from partner as p where p.partner_uuid = r.partner_uuid and p.state = 'ERASED' and r.state = 'PENDING';

reset lock_timeout;

-- What an erased partner asked for is withdrawn with it: nobody can decide it any more, and it stood first among all that
-- waits for a decision.
set lock_timeout = '10s';

update tier_change_request as r set state = 'WITHDRAWN', decided_at = labs_now()
from partner as p where p.partner_uuid = r.partner_uuid and p.state = 'ERASED' and r.state = 'PENDING';

reset lock_timeout;

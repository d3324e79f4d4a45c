import { isRecord, numberOf, textOf } from './answer';

/** The signed-in user, from `GET /v1/system/me` and `GET /v1/auth/account`. */
export interface Person {
  uuid: string | null;
  principalType: string;
  /** Name, or else the e-mail address. */
  label: string | null;
  scopes: string[];
  limitPerSecond: number | null;
  remainingToday: number | null;
}

export function personOf(me: unknown, account: unknown): Person {
  const body = isRecord(me) ? me : {};
  const { name, email } = isRecord(account) ? account : {};
  const limit = isRecord(body.rate_limit) ? body.rate_limit : {};
  return {
    uuid: textOf(body.subject) ?? null,
    principalType: textOf(body.principal_type) ?? 'UNKNOWN',
    label: textOf(name) ?? textOf(email) ?? null,
    scopes: Array.isArray(body.scopes) ? body.scopes.filter((scope) => typeof scope === 'string') : [],
    limitPerSecond: numberOf(limit.limit_per_second),
    remainingToday: numberOf(limit.remaining_day),
  };
}

import { isRecord, numberOf, textOf } from './answer';

/** Who is signed in, as `GET /v1/system/me` tells it. */
export interface Person {
  principalType: string;
  /** A name to greet with, where the service gives one. */
  label: string | null;
  scopes: string[];
  limitPerSecond: number | null;
  remainingToday: number | null;
}

export function personOf(me: unknown): Person {
  const body = isRecord(me) ? me : {};
  const limit = isRecord(body.rate_limit) ? body.rate_limit : {};
  return {
    principalType: textOf(body.principal_type) ?? 'UNKNOWN',
    label: textOf(body.name) ?? textOf(body.email) ?? textOf(body.subject) ?? null,
    scopes: Array.isArray(body.scopes) ? body.scopes.filter((scope) => typeof scope === 'string') : [],
    limitPerSecond: numberOf(limit.limit_per_second),
    remainingToday: numberOf(limit.remaining_day),
  };
}

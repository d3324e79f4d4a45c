const MOMENT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
const EXACT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const RELATIVE = new Intl.RelativeTimeFormat('en-GB', { numeric: 'always' });
const UNITS: ['day' | 'hour' | 'minute', number][] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
];

/** Writes a time in the time zone of the browser, with seconds if it is exact. */
export function momentOf(time: string, isExact = false): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : (isExact ? EXACT : MOMENT).format(date);
}

/** Writes the time since a moment: `3 days`. */
export function spanSince(time: string, now: number): string {
  const span = Math.max(now - new Date(time).getTime(), 0);
  const [unit, length] = UNITS.find(([, one]) => span >= one) ?? ['minute', 60_000];
  return new Intl.NumberFormat('en-GB', { style: 'unit', unit, unitDisplay: 'long' }).format(Math.trunc(span / length));
}

/** Writes the distance to a time: `3 days ago`, `in 2 hours`. */
export function distanceTo(time: string, now: number): string {
  const span = new Date(time).getTime() - now;
  const [unit, length] = UNITS.find(([, one]) => Math.abs(span) >= one) ?? ['minute', 60_000];
  return Math.abs(span) < 60_000 ? 'now' : RELATIVE.format(Math.trunc(span / length), unit);
}

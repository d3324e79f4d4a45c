/** Converts between times of the service, in UTC, and the values of a date picker, in the time zone of the browser. */

/** Returns the value of a `datetime-local` input for a time, or an empty text. */
export function localOf(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return '';
  const shifted = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

/** Returns the time for the value of a `datetime-local` input, in UTC and without fractions. */
export function timeOf(local: string): string {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Name of the browser's time zone, for example `Europe/Berlin`. */
export function zoneName(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

// Sends requests to the service and reports its errors.

/** An entry of `errors` in a problem document (RFC 9457). */
export interface FieldFault { pointer?: string; message: string }

/** An error response: a sentence, and the errors by field. */
export class Refusal extends Error {
  constructor(sentence: string, readonly faults: FieldFault[]) {
    super(sentence);
  }
}

export type Answer = Record<string, string | number | null>;

/** Sends a body to an operation, without cookies. Throws a {@link Refusal} on errors. */
export async function ask(path: string, body: Record<string, string>): Promise<Answer> {
  const sent = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, { ...sent, credentials: 'omit', cache: 'no-store' }).catch(() => null);
  if (!response) throw new Refusal('The service does not respond. Try again in a moment.', []);
  const said = await response.json().catch(() => ({}));
  if (response.ok) return said;
  throw new Refusal(said.detail ?? `The service returned status ${response.status}. Try again in a moment.`, said.errors ?? []);
}

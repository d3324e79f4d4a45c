// Sends requests to the service and reports its errors.

/** What a problem document (RFC 9457) says is wrong at one place of the body. */
export interface FieldFault { pointer?: string; message: string }

/** A refusal: a sentence, and what is wrong by field. */
export class Refusal extends Error {
  constructor(sentence: string, readonly faults: FieldFault[]) {
    super(sentence);
  }
}

export type Answer = Record<string, string | null>;

/** Sends a body to an operation, without any cookie. Throws a {@link Refusal}. */
export async function ask(path: string, body: Record<string, string>): Promise<Answer> {
  const sent = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(path, { ...sent, credentials: 'omit', cache: 'no-store' }).catch(() => null);
  if (!response) throw new Refusal('The service does not answer. Try again in a moment.', []);
  const said = await response.json().catch(() => ({}));
  if (response.ok) return said;
  throw new Refusal(said.detail ?? `The service answered ${response.status}. Try again in a moment.`, said.errors ?? []);
}

// Two API clients with paths, parameters and responses typed by the contract, and the handling of errors.
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from '../made/contract';

export type Schemas = components['schemas'];
export type Problem = Pick<Schemas['Problem'], 'title' | 'detail' | 'status'> & Partial<Schemas['Problem']>;
export type Api = Client<paths>;

/** An error response with its problem document (RFC 9457). */
export class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** There was no response. */
export class Unreachable extends Error {}

const LONGEST_WAIT_SECONDS = 10;
const TRIES = 4;

/** Client for public reads of the marketplace. The sample's server adds the token of its machine client. */
export const storefront: Api = createClient<paths>({ baseUrl: '', fetch: (request) => patiently(request, fetch) });

/** Creates a client that calls the service directly. `send` adds the token of the user. */
export function serviceClient(baseUrl: string, send: (request: Request) => Promise<Response>): Api {
  return createClient<paths>({ baseUrl, fetch: (request) => patiently(request, send) });
}

/** Returns the data of a response. Throws a `Refusal` on errors. */
export async function dataOf<T>(asked: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<NonNullable<T>> {
  const { data, error, response } = await asked;
  if (data !== undefined && data !== null) return data;
  throw new Refusal(problemOf(error, response.status));
}

/** Removes undefined values, for optional parameters. */
export function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/**
 * Sends a request. After a 429, it retries when the time in Retry-After has passed. The service has not started a request that it
 * rejects with 429, so a retry is always safe. If the time is too long, the user decides whether to retry.
 */
async function patiently(request: Request, send: (request: Request) => Promise<Response>): Promise<Response> {
  for (let tries = 1; ; tries += 1) {
    const response = await reached(send, request.clone());
    const seconds = Number(response.headers.get('Retry-After') ?? Number.NaN);
    if (response.status !== 429 || tries === TRIES || !(seconds <= LONGEST_WAIT_SECONDS)) return response;
    await pause(seconds * 1000, request.signal);
  }
}

async function reached(send: (request: Request) => Promise<Response>, request: Request): Promise<Response> {
  try {
    return await send(request);
  } catch (error) {
    if (error instanceof TypeError) throw new Unreachable(`No response from ${new URL(request.url).origin}.`);
    throw error;
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, failed) => {
    if (signal.aborted) return failed(signal.reason);
    const stop = () => (clearTimeout(timer), failed(signal.reason));
    const timer = setTimeout(() => (signal.removeEventListener('abort', stop), done()), milliseconds);
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Returns the problem document of an error response, or a generic one: a proxy may respond without a problem document. */
function problemOf(error: unknown, status: number): Problem {
  const said = typeof error === 'object' && error !== null ? (error as Partial<Problem>) : {};
  return { ...said, status, title: said.title ?? 'The service rejected the request', detail: said.detail ?? `The service returned status ${status} without details. Try again in a moment.` };
}

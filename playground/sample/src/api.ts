// Two API clients with paths, parameters and responses typed by the contract, and the handling of errors.
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths } from '../made/contract';

export type Schemas = components['schemas'];
export type Problem = Pick<Schemas['Problem'], 'title' | 'detail' | 'status'> & Partial<Schemas['Problem']>;
export type Api = Client<paths>;

/** A refusal of the service, with its problem document (RFC 9457). */
export class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

/** No answer came at all. */
export class Unreachable extends Error {}

const LONGEST_WAIT_SECONDS = 10;
const TRIES = 4;

/** The marketplace's public reads. They go to the sample's own server, which adds the token of its program. */
export const storefront: Api = createClient<paths>({ baseUrl: '', fetch: (request) => patiently(request, fetch) });

/** The service itself, for the calls of a person. `send` adds that person's token. */
export function serviceClient(baseUrl: string, send: (request: Request) => Promise<Response>): Api {
  return createClient<paths>({ baseUrl, fetch: (request) => patiently(request, send) });
}

/** The data of an answer; a refusal is thrown. */
export async function dataOf<T>(asked: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<NonNullable<T>> {
  const { data, error, response } = await asked;
  if (data !== undefined && data !== null) return data;
  throw new Refusal(problemOf(error, response.status));
}

/** Leaves out what is undefined, as optional parameters want it. */
export function given<T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

/**
 * Sends a request, and again after the time that a 429 names in Retry-After. A request that is refused so was not
 * begun, which makes it safe to repeat whatever it does. A long wait is left to the reader.
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
    if (error instanceof TypeError) throw new Unreachable(`No answer from ${new URL(request.url).origin}.`);
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

/** What an answer that is no success says; an answer of something that stands between may say nothing. */
function problemOf(error: unknown, status: number): Problem {
  const said = typeof error === 'object' && error !== null ? (error as Partial<Problem>) : {};
  return { ...said, status, title: said.title ?? 'The service refused', detail: said.detail ?? `It answered ${status} and said nothing more. Try again in a moment.` };
}

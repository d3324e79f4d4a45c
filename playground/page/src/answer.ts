/** A problem document (RFC 9457) with the fields that Labs adds. */
export interface Problem {
  status: number;
  title: string;
  detail?: string;
  code?: string;
  required_scope?: string;
  allowed_actions?: string[];
  retry_after?: number;
  errors?: { pointer?: string; parameter?: string; code: string; message: string }[];
  /** Only with MFA_REQUIRED: the challenge to send with the code, its lifetime in seconds, and the accepted methods. */
  challenge?: string;
  expires_in?: number;
  methods?: string[];
}

/** A complete response of the service. */
export interface Answer {
  status: number;
  /** Parsed JSON, or null without a body. For a requested file, its bytes. */
  body: unknown;
  /** Set if the service returned an error, or if there was no response (status 0). */
  problem: Problem | null;
  requestId: string | null;
  remainingToday: number | null;
  milliseconds: number;
}

/** Sends a request to the service. It never throws: a network error is also returned as a problem. */
export async function ask(path: string, request: RequestInit, wanted: 'json' | 'file' = 'json'): Promise<Answer> {
  const started = performance.now();
  let response: Response;
  try {
    response = await fetch(path, { ...request, credentials: 'same-origin', cache: 'no-store', redirect: 'error' });
  } catch {
    return refusal({ status: 0, title: 'No response', detail: 'The service is not reachable. Check the connection, then try again.' });
  }
  const body = wanted === 'file' && response.ok ? await bytesOf(response) : await read(response);
  const { headers, status } = response;
  return {
    status,
    body,
    problem: response.ok ? null : problemOf(status, body, headers),
    requestId: headers.get('X-Request-Id'),
    remainingToday: numberOf(headers.get('X-RateLimit-Daily-Remaining')),
    milliseconds: Math.round(performance.now() - started),
  };
}

/** Builds a POST request with JSON. Operations on the refresh cookie accept no other media type. */
export function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** Returns the bytes, or null if the connection failed. */
async function bytesOf(response: Response): Promise<Blob | null> {
  try {
    return await response.blob();
  } catch {
    return null;
  }
}

async function read(response: Response): Promise<unknown> {
  try {
    const text = await response.text();
    return text === '' ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

function problemOf(status: number, body: unknown, headers: Headers): Problem | null {
  if (isRecord(body)) {
    // GraphQL errors also have a status. The body distinguishes them from problem documents.
    if (Array.isArray(body.errors) && !('code' in body) && !('title' in body)) return null;
    return {
      ...(body as unknown as Problem),
      status,
      title: textOf(body.title) ?? 'The service rejected the request',
      retry_after: numberOf(body.retry_after) ?? numberOf(headers.get('Retry-After')) ?? undefined,
    };
  }
  return { status, title: `The service returned status ${status}`, detail: 'The response has no explanation. Try again in a moment.' };
}

/** Builds a response that contains only this problem. */
export function refusal(problem: Problem): Answer {
  return { status: problem.status, body: null, problem, requestId: null, remainingToday: null, milliseconds: 0 };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

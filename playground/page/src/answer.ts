/** What the service says when it refuses: RFC 9457, with the fields of every Labs answer. */
export interface Problem {
  status: number;
  title: string;
  detail?: string;
  code?: string;
  required_scope?: string;
  allowed_actions?: string[];
  retry_after?: number;
  errors?: { pointer?: string; parameter?: string; code: string; message: string }[];
  /** With MFA_REQUIRED: what goes back with the code, its life in seconds, the ways to make a code. */
  challenge?: string;
  expires_in?: number;
  methods?: string[];
}

/** One answer of the service, read whole. */
export interface Answer {
  status: number;
  /** JSON, or null when there was none; the bytes where a file was asked for and came. */
  body: unknown;
  /** Set when the service refused, or could not be reached (status 0). */
  problem: Problem | null;
  requestId: string | null;
  remainingToday: number | null;
  milliseconds: number;
}

/** Calls the service. Never throws: a dead line is a problem like any other. */
export async function ask(path: string, request: RequestInit, wanted: 'json' | 'file' = 'json'): Promise<Answer> {
  const started = performance.now();
  let response: Response;
  try {
    response = await fetch(path, { ...request, credentials: 'same-origin', cache: 'no-store', redirect: 'error' });
  } catch {
    return refusal({ status: 0, title: 'No answer', detail: 'The service could not be reached. Check the connection, then try again.' });
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

/** Posts JSON. Operations of the refresh cookie take no other media type. */
export function post(body: unknown, headers: Record<string, string> = {}): RequestInit {
  return { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) };
}

/** The bytes, or null when the line broke on the way. */
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
      title: textOf(body.title) ?? 'The service refused',
      retry_after: numberOf(body.retry_after) ?? numberOf(headers.get('Retry-After')) ?? undefined,
    };
  }
  return { status, title: `The service answered ${status}`, detail: 'The answer held no explanation. Try again shortly.' };
}

/** An answer that says no more than this problem. */
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

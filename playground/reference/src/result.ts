// Shows the response to a tried request: status, time, headers, and the body as text, as an image or as a download.
import { element } from './dom';
import { fillToken, rememberToken } from './token';

export interface Result {
  sent: string;
  response: Response;
  bytes: Blob;
  milliseconds: number;
}

/** Maximum number of characters that the page shows. The download is complete. */
const LONGEST = 200_000;
const FIRST_HEADERS = ['x-request-id', 'x-ratelimit-remaining', 'x-ratelimit-limit', 'x-ratelimit-daily-remaining', 'x-ratelimit-daily-limit', 'retry-after', 'etag', 'location'];
let address = '';

export async function showResult(place: HTMLElement, result: Result, form: HTMLFormElement): Promise<void> {
  const { response, bytes, milliseconds, sent } = result;
  URL.revokeObjectURL(address);
  address = bytes.size > 0 ? URL.createObjectURL(bytes) : '';
  const status = element('span', { class: response.ok ? 'status' : 'status refused' }, String(response.status));
  const head = element('p', { class: 'verdict' }, status, ` ${response.statusText} · ${Math.round(milliseconds)} ms · ${sizeOf(bytes.size)}`);
  place.replaceChildren(head, ...(await bodyOf(result, form)), headersOf(response),
    element('details', {}, element('summary', {}, 'Request'), element('pre', {}, element('code', {}, sent))));
}

function sizeOf(bytes: number): string {
  return bytes < 1000 ? `${bytes} bytes` : `${(bytes / 1000).toFixed(1)} kB`;
}

async function bodyOf({ response, bytes }: Result, form: HTMLFormElement): Promise<Node[]> {
  if (bytes.size === 0) return [element('p', {}, 'The response has no body.')];
  const type = (response.headers.get('Content-Type') ?? '').split(';')[0] ?? '';
  const save = element('p', {}, element('a', { href: address, download: fileName(response, type), 'data-plain': true }, 'Download the body'));
  if (type.startsWith('image/')) return [element('img', { class: 'picture', src: address, alt: 'Image in the response' }), save];
  if (!/json|^text\/|yaml|xml/.test(type)) return [save];
  const text = await bytes.text();
  const pretty = type.endsWith('json') && !type.includes('ndjson') ? formatted(text) : text;
  const cut = pretty.length > LONGEST ? `${pretty.slice(0, LONGEST)}\n…` : pretty;
  return [element('pre', {}, element('code', {}, cut)), ...tokenOffer(text, form), save];
}

function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Offers to use the access token of a response in the next requests. */
function tokenOffer(text: string, form: HTMLFormElement): Node[] {
  let issued: unknown;
  try {
    issued = (JSON.parse(text) as { access_token?: unknown } | null)?.access_token;
  } catch {
    return [];
  }
  if (typeof issued !== 'string') return [];
  const button = element('button', { type: 'button' }, 'Use this token');
  button.addEventListener('click', () => {
    rememberToken(issued);
    fillToken(form);
    button.replaceWith(element('span', {}, 'Requests now use this token.'));
  });
  return [element('p', {}, button)];
}

function headersOf(response: Response): HTMLElement {
  const rank = (name: string) => (FIRST_HEADERS.includes(name) ? FIRST_HEADERS.indexOf(name) : FIRST_HEADERS.length);
  const sorted = [...response.headers].sort(([a], [b]) => rank(a) - rank(b) || a.localeCompare(b));
  return element('details', { open: true }, element('summary', {}, 'Headers'), element('dl', { class: 'headers' }, ...sorted.flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)])));
}

function fileName(response: Response, type: string): string {
  const named = /filename="?([^";]+)"?/.exec(response.headers.get('Content-Disposition') ?? '')?.[1];
  return named ?? `answer.${type.split(/[/+]/).pop() || 'bin'}`;
}

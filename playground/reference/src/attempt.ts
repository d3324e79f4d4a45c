// Tries out an operation: sends the form as a request and shows the response below it.
import { element } from './dom';
import { showResult } from './result';
import { fillToken, rememberToken, token } from './token';

interface Attempt {
  url: string;
  init: RequestInit & { headers: Record<string, string> };
}

/** The form has invalid input. The message is a sentence for the user. */
class Unsendable extends Error {}

type Field = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

export function wakeForm(form: HTMLFormElement): void {
  fillToken(form);
  form.querySelector<HTMLInputElement>('[data-in=token]')?.addEventListener('input', (event) => rememberToken((event.target as HTMLInputElement).value));
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form);
  });
}

async function send(form: HTMLFormElement): Promise<void> {
  const place = form.parentElement?.querySelector<HTMLElement>('.result');
  const button = form.querySelector<HTMLButtonElement>('button[type=submit]');
  if (!place || !button) return;
  button.disabled = true;
  place.replaceChildren(element('p', {}, 'Sending…'));
  try {
    const attempt = attemptOf(form);
    const began = performance.now();
    const response = await fetch(attempt.url, attempt.init);
    const bytes = await response.blob();
    await showResult(place, { sent: sentText(attempt), response, bytes, milliseconds: performance.now() - began }, form);
  } catch (error) {
    const said = error instanceof Unsendable ? error.message : `No response: ${(error as Error).message}`;
    place.replaceChildren(element('p', { class: 'warning' }, said));
  } finally {
    button.disabled = false;
  }
}

function fieldsOf(form: HTMLFormElement, place: string): Field[] {
  return [...form.querySelectorAll<Field>(`[data-in=${place}]`)];
}

/** Builds the request from the form. */
function attemptOf(form: HTMLFormElement): Attempt {
  const headers: Record<string, string> = {};
  for (const field of fieldsOf(form, 'header')) if (field.value) headers[field.name] = field.value;
  // Each try gets a new idempotency key, unless the user entered one.
  const key = form.querySelector<HTMLInputElement>('[name=Idempotency-Key]');
  if (key && !key.value) headers['Idempotency-Key'] = crypto.randomUUID();
  if (form.hasAttribute('data-token') && token()) headers.Authorization = `Bearer ${token()}`;
  const body = bodyOf(form, headers);
  // Only operations that use the refresh cookie receive it. All others are called without cookies, as a machine client
  // calls them.
  const credentials = form.hasAttribute('data-cookie') ? 'same-origin' : 'omit';
  return { url: addressOf(form), init: { method: form.dataset.method ?? 'GET', headers, credentials, cache: 'no-store', ...(body === null ? {} : { body }) } };
}

function addressOf(form: HTMLFormElement): string {
  const values = new Map(fieldsOf(form, 'path').map((field) => [field.name, field.value]));
  const path = (form.dataset.path ?? '').replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values.get(name) ?? ''));
  const query = new URLSearchParams();
  for (const field of fieldsOf(form, 'query')) {
    const parts = field.hasAttribute('data-many') ? field.value.split(',').map((part) => part.trim()) : [field.value];
    for (const part of parts) if (part !== '') query.append(field.name, part);
  }
  return `${location.origin}${path}${query.size > 0 ? `?${query}` : ''}`;
}

function bodyOf(form: HTMLFormElement, headers: Record<string, string>): BodyInit | null {
  const type = form.querySelector<HTMLElement>('[data-body]')?.dataset.body;
  if (!type) return null;
  const [json] = fieldsOf(form, 'json');
  const [bytes] = fieldsOf(form, 'bytes') as HTMLInputElement[];
  if (json) {
    headers['Content-Type'] = type;
    return checked(json.value);
  }
  if (bytes) {
    headers['Content-Type'] = type;
    return bytes.files?.[0] ?? null;
  }
  // The browser sets the media type of a form itself, because it includes the boundary.
  const made = type === 'multipart/form-data' ? new FormData() : new URLSearchParams();
  for (const part of fieldsOf(form, 'part')) if (part.value) made.append(part.name, part.value);
  for (const field of fieldsOf(form, 'file') as HTMLInputElement[]) {
    const file = field.files?.[0];
    if (file && made instanceof FormData) made.append(field.name, file, file.name);
  }
  return made;
}

function checked(text: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch (error) {
    throw new Unsendable(`The body is not valid JSON: ${(error as Error).message}`);
  }
}

/** The request line and headers as text, without the token. */
function sentText({ url, init }: Attempt): string {
  const headers = Object.entries(init.headers).map(([name, value]) => `${name}: ${name === 'Authorization' ? 'Bearer …' : value}`);
  return [`${init.method} ${url}`, ...headers].join('\n');
}

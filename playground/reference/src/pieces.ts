// The generated fragments, loaded on demand and cached while the page is open.

export interface Piece {
  title: string;
  html: string;
}

export type Audience = 'partner' | 'storefront' | 'staff' | 'public';
export type Listed = [id: string, method: string, path: string, title: string, group: string, audience: Audience, scope: string | null];

export interface Index {
  operations: Listed[];
  codes: [code: string, title: string][];
  scopes: [scope: string, about: string][];
  schemas: string[];
}

/** Which operations, by their place in the index, ask for a field and which answer with it. */
export type Fields = Record<string, [asked: number[], answered: number[]]>;

const folder = document.documentElement.dataset.pieces ?? '';
const kept = new Map<string, Promise<unknown>>();

/** The content of a file. Rejects with `Missing` when there is none, with another error when it cannot be had. */
export function load<T>(name: string): Promise<T> {
  const found = kept.get(name) ?? fetched(name);
  kept.set(name, found);
  found.catch(() => kept.delete(name));
  return found as Promise<T>;
}

export class Missing extends Error {}

async function fetched(name: string): Promise<unknown> {
  const response = await fetch(folder + name);
  if (response.status === 404) throw new Missing(name);
  if (!response.ok) throw new Error(`The service answered ${response.status}.`);
  return response.json();
}

export const loadIndex = () => load<Index>('index.json');
export const loadFields = () => load<Fields>('fields.json');

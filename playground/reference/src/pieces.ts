// The generated fragments, loaded on demand and cached while the page is open.

export interface Piece {
  title: string;
  html: string;
}

export type Audience = 'partner' | 'storefront' | 'staff' | 'public';
export type Listed = [id: string, method: string, path: string, title: string, group: string, audience: Audience, scope: string | null];

export interface Index {
  operations: Listed[];
  pages: [address: string, title: string, about: string, words: string[]][];
  sections: [address: string, title: string, page: string][];
  statuses: [status: string, words: string][];
  codes: [code: string, title: string, statuses: string[]][];
  scopes: [scope: string, about: string][];
  schemas: string[];
  terms: [id: string, term: string, definition: string][];
}

/** Longer texts, in the order of the index. */
export interface Texts {
  operations: string[];
  codes: string[];
  pages: string[];
}

/** For each field, the positions in the index of the operations that accept it and that return it. */
export type Fields = Record<string, [asked: number[], answered: number[]]>;

const folder = document.documentElement.dataset.pieces ?? '';
const kept = new Map<string, Promise<unknown>>();

/** Fetches a file. Rejects with `Missing` if the file does not exist, and with another error if the request fails. */
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
  if (!response.ok) throw new Error(`The service returned status ${response.status}.`);
  return response.json();
}

export const loadIndex = () => load<Index>('index.json');
export const loadFields = () => load<Fields>('fields.json');
/** Loads everything that the search reads. */
export const loadSearch = () => Promise.all([loadIndex(), loadFields(), load<Texts>('texts.json')]);

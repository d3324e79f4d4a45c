import { useSyncExternalStore } from 'react';
import { recordAt, type RecordId } from './records';

/** The view that an address shows. The address is after the `#`, so that no server receives the ids. */
export type Route = { view: 'start' } | { view: 'queries' } | { view: 'record'; record: RecordId };

export const START = '#/';
export const QUERIES = '#/queries';

/** Returns the view of an address. A link to a query (`#query=…`) belongs to the editor. An unknown address shows the start page. */
export function routeOf(hash: string): Route {
  if (hash.startsWith(QUERIES) || /^#(.*&)?query=/.test(hash)) return { view: 'queries' };
  const [, address = '', id = ''] = /^#\/([a-z-]+)\/([0-9a-f-]{36})$/.exec(hash) ?? [];
  const record = recordAt(address, id);
  return record ? { view: 'record', record } : { view: 'start' };
}

export function addressOf({ kind, id }: RecordId): string {
  return `#/${kind.address}/${id}`;
}

/** Shows another view, as a new entry of the browser's history. */
export function go(hash: string): void {
  if (location.hash !== hash) location.hash = hash;
}

/** Replaces the address without a new entry of the history. */
export function replaceAddress(hash: string): void {
  history.replaceState(null, '', location.pathname + location.search + hash);
  for (const listener of listeners) listener();
}

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener('hashchange', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('hashchange', listener);
  };
}

/** Returns the part of the address after `#`, including the `#`. */
export function useHash(): string {
  return useSyncExternalStore(subscribe, () => location.hash);
}

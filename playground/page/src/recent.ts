import { isRecord } from './answer';

/** A record or saved query that the user opened in this browser tab. */
export interface Recent {
  kind: 'record' | 'task';
  /** Name of the record, or title of the saved query. */
  title: string;
  /** Name of the kind of record, or heading of the saved query. */
  about: string;
  /** Address of the record, or name of the saved query. */
  target: string;
}

const KEY = 'labs:recent';
const MOST = 12;

interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
}

/** The latest records and saved queries, newest first. They are in the session storage, and a sign-out deletes them with the tabs. */
export class RecentWork {
  #entries: Recent[];
  #store: Store;
  #owner: string;
  #listeners = new Set<() => void>();

  /** `owner` is the id of the user. Entries of another user, whose session ended without a sign-out, are not shown. */
  constructor(store: Store, owner: string) {
    this.#store = store;
    this.#owner = owner;
    this.#entries = read(store.getItem(KEY), owner);
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly entries = (): Recent[] => this.#entries;

  note(entry: Recent): void {
    const others = this.#entries.filter(({ kind, target }) => kind !== entry.kind || target !== entry.target);
    this.#entries = [entry, ...others].slice(0, MOST);
    this.#store.setItem(KEY, JSON.stringify({ owner: this.#owner, entries: this.#entries }));
    for (const listener of this.#listeners) listener();
  }
}

function read(text: string | null, owner: string): Recent[] {
  try {
    const stored: unknown = JSON.parse(text ?? 'null');
    return isRecord(stored) && stored.owner === owner && Array.isArray(stored.entries) ? stored.entries.filter(isEntry) : [];
  } catch {
    return [];
  }
}

function isEntry(value: unknown): value is Recent {
  return isRecord(value) && ['kind', 'title', 'about', 'target'].every((key) => typeof value[key] === 'string');
}

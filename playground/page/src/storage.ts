/** Initial layout of the window. The panel is narrower than in the library, where it takes a third. */
const PARTS = { 'graphiql:docExplorerFlex': '0.24', 'graphiql:editorFlex': '1.15' };
const VIEW = 'labs:view';

/**
 * Stores the editor's tabs in the session storage of the browser tab. They are deleted at sign-out and when the browser tab closes.
 * It contains only queries and variables, never responses or tokens.
 */
export class TabStorage {
  #closed = false;

  constructor() {
    for (const [key, part] of Object.entries(PARTS)) if (this.getItem(key) === null) this.setItem(key, part);
  }

  /** The chosen view. By default, tasks show tables and other queries show JSON. */
  view(): 'json' | 'table' | null {
    const view = this.getItem(VIEW);
    return view === 'table' || view === 'json' ? view : null;
  }

  keepView(view: 'json' | 'table'): void {
    this.setItem(VIEW, view);
  }

  get length(): number {
    return sessionStorage.length;
  }

  getItem(key: string): string | null {
    return sessionStorage.getItem(key);
  }

  setItem(key: string, value: string): void {
    if (!this.#closed) sessionStorage.setItem(key, value);
  }

  removeItem(key: string): void {
    sessionStorage.removeItem(key);
  }

  clear(): void {
    sessionStorage.clear();
  }

  /** Deletes everything, and ignores later writes by the editor. */
  wipe(): void {
    this.#closed = true;
    this.clear();
  }
}

/** How the window is parted, where the person has not moved anything: the panel gets less than the third of the library's. */
const PARTS = { 'graphiql:docExplorerFlex': '0.24', 'graphiql:editorFlex': '1.15' };
const VIEW = 'labs:view';

/**
 * Where the editor keeps its tabs: this browser tab's session storage, gone with the tab and wiped on
 * sign-out. Questions and their variables only; answers and tokens are never written.
 */
export class TabStorage {
  #closed = false;

  constructor() {
    for (const [key, part] of Object.entries(PARTS)) if (this.getItem(key) === null) this.setItem(key, part);
  }

  view(): 'json' | 'table' {
    return this.getItem(VIEW) === 'table' ? 'table' : 'json';
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

  /** Forgets everything for good: the editor's delayed writes come to nothing. */
  wipe(): void {
    this.#closed = true;
    this.clear();
  }
}

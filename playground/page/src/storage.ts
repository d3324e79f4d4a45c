/**
 * Where the editor keeps its tabs: this browser tab's session storage, gone with the tab and wiped on
 * sign-out. Questions and their variables only; answers and tokens are never written.
 */
export class TabStorage {
  #closed = false;

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

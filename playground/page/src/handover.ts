import type { Handed } from './link';
import type { Question } from './questions';
import type { Thing } from './things';

/** A query for the editor: a saved query with known values, a text, or a resource to read. `run` sends a text at once. */
export type Order = { question: Question; known: Record<string, string> } | { text: Handed; run: boolean } | { thing: Thing };

/** Queries that other views send to the editor. They wait until the editor has loaded. */
export class Handover {
  #orders: Order[] = [];
  #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Returns the first waiting query. */
  readonly first = (): Order | undefined => this.#orders[0];

  put(order: Order): void {
    this.#orders = [...this.#orders, order];
    this.#tell();
  }

  /** Removes a query that the editor has opened. */
  drop(order: Order): void {
    this.#orders = this.#orders.filter((one) => one !== order);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

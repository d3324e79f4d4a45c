import type { Answer } from './answer';
import type { Asked } from './nextPage';

/** A query with its response. */
export interface Answered {
  asked: Asked;
  answer: Answer;
  /** The value that the response pane shows. */
  printed: unknown;
}

/** Number of responses without a tab that the page keeps. A record page has at most 12. */
const MOST_SEEN = 24;

/** The latest response of each tab and of all tabs, in memory only. */
export class Answers {
  #byTab = new Map<string, Answered>();
  #latest: Answer | null = null;
  #seen: unknown[] = [];
  #listeners = new Set<() => void>();

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly latest = (): Answer | null => this.#latest;

  of(tab: string): Answered | null {
    return this.#byTab.get(tab) ?? null;
  }

  /** Returns the bodies of the latest responses. */
  bodies(): unknown[] {
    return [...[...this.#byTab.values()].map(({ answer }) => answer.body), ...this.#seen];
  }

  put(tab: string, answered: Answered): void {
    this.#byTab.set(tab, answered);
    this.#latest = answered.answer;
    this.#tell();
  }

  /**
   * Notes a response that belongs to no tab. The top bar shows the remaining requests of the latest response, and forms show the names
   * of the ids in it.
   */
  see(answer: Answer): void {
    this.#latest = answer;
    this.#seen = [answer.body, ...this.#seen].slice(0, MOST_SEEN);
    this.#tell();
  }

  /** Deletes the responses of closed tabs. */
  keepOnly(tabs: string[]): void {
    const gone = [...this.#byTab.keys()].filter((tab) => !tabs.includes(tab));
    for (const tab of gone) this.#byTab.delete(tab);
    if (gone.length > 0) this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

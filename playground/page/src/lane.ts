/** Limits how many tasks run at the same time. Further tasks wait in order. */
export class Lane {
  #running = 0;
  #waiting: (() => void)[] = [];
  #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await task();
    } finally {
      // The place of this task goes directly to the next one, so that no new task can overtake it.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }
}

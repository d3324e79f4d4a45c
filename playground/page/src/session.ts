import { ask, isRecord, numberOf, post, refusal, textOf, type Answer, type Problem } from './answer';
import { personOf, type Person } from './person';

/** Where a person stands with the service. */
export type State =
  | { kind: 'starting' }
  | { kind: 'signed-out'; notice?: Problem }
  | { kind: 'code'; challenge: string; methods: string[]; until: number }
  | { kind: 'not-staff'; principalType: string }
  | { kind: 'signed-in'; person: Person };

const SESSIONS = '/v1/auth/sessions';
/** Renewed this long before its end, so that no question meets an expired token. */
const MARGIN_MS = 60_000;
const RETRY_MS = 5_000;
const ENDED: Problem = { status: 401, title: 'Your session has ended', detail: 'Sign in again to go on. Your questions are still here.' };

/**
 * One person's session. The access token lives in this object and nowhere else: not in storage, not in
 * the page, not in an address. A reload finds its way back through the refresh cookie, which no script sees.
 */
export class Session {
  #state: State = { kind: 'starting' };
  #token: { text: string; until: number } | null = null;
  #renewing: Promise<Problem | null> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #listeners = new Set<() => void>();

  readonly state = (): State => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** On page load: the refresh cookie, when there is one, signs the person in again. */
  async resume(): Promise<void> {
    const problem = await this.#renew();
    if (problem) this.#set({ kind: 'signed-out', notice: problem.status === 401 ? undefined : problem });
  }

  /** First step. Staff are always asked for a code next. */
  async signIn(email: string, password: string): Promise<Problem | null> {
    const answer = await ask(SESSIONS, post({ email, password }));
    const { problem } = answer;
    if (problem?.code === 'MFA_REQUIRED' && problem.challenge) {
      const until = Date.now() + (problem.expires_in ?? 300) * 1000;
      this.#set({ kind: 'code', challenge: problem.challenge, methods: problem.methods ?? [], until });
      return null;
    }
    return problem ?? this.#enter(answer);
  }

  /** Second step. */
  async verify(code: string): Promise<Problem | null> {
    if (this.#state.kind !== 'code') return null;
    const { challenge, until } = this.#state;
    const answer = await ask(`${SESSIONS}:verify-mfa`, post({ challenge, code }));
    if (answer.problem && Date.now() > until) {
      this.#set({ kind: 'signed-out', notice: { ...answer.problem, title: 'The time for the code is over', detail: 'Sign in again and enter a fresh code.' } });
      return null;
    }
    return answer.problem ?? this.#enter(answer);
  }

  /** Forgets an unfinished sign-in. */
  startAgain(): void {
    this.#forget();
  }

  /** Ends the session at the service, and here in any case. */
  async signOut(): Promise<void> {
    await this.#renewing;
    this.#drop();
    const { problem } = await ask(`${SESSIONS}:sign-out`, post({}));
    this.#forget(problem && problem.status !== 401 ? { ...problem, title: 'The service did not confirm the sign-out' } : undefined);
  }

  /** Asks with the token, renewed first when its time is over, and once more when it was refused. */
  ask(path: string, body: unknown): Promise<Answer> {
    return this.#askBy(() => ask(path, post(body, this.#bearer())));
  }

  /** Fetches a file with the token, in the same way. */
  file(path: string): Promise<Answer> {
    return this.#askBy(() => ask(path, { headers: this.#bearer() }, 'file'));
  }

  async #askBy(send: () => Promise<Answer>): Promise<Answer> {
    let problem = this.#isOver() ? await this.#renew() : null;
    let answer = problem ? refusal(problem) : await send();
    if (answer.status === 401 && !problem) {
      // The service returns 401 before it executes anything, so a retry is safe.
      problem = await this.#renew();
      answer = problem ? refusal(problem) : await send();
    }
    if (answer.status === 401) this.#forget(ENDED);
    return answer;
  }

  #isOver(): boolean {
    return !this.#token || this.#token.until <= Date.now();
  }

  #bearer(): Record<string, string> {
    return { Authorization: `Bearer ${this.#token?.text ?? ''}` };
  }

  /** Renews once however many ask for it at the same time: the cookie is good for one use. */
  #renew(): Promise<Problem | null> {
    this.#renewing ??= ask(`${SESSIONS}:refresh`, post({}))
      .then((answer) => answer.problem ?? this.#enter(answer))
      .finally(() => {
        this.#renewing = null;
      });
    return this.#renewing;
  }

  /** Takes the token of an answer and learns whose it is. */
  async #enter(answer: Answer): Promise<Problem | null> {
    const body = isRecord(answer.body) ? answer.body : {};
    const text = textOf(body.access_token);
    if (!text) return { status: answer.status, title: 'The answer held no token', detail: 'Try again; if it stays so, tell the operators.' };
    const life = (numberOf(body.expires_in) ?? 600) * 1000;
    this.#token = { text, until: Date.now() + life };
    this.#renewIn(Math.max(life - MARGIN_MS, life / 2));
    const headers = { Authorization: `Bearer ${text}` };
    const [me, account] = await Promise.all([ask('/v1/system/me', { headers }), ask('/v1/auth/account', { headers })]);
    // If the user is already signed in, the page continues with the user data that it has.
    if (me.problem && this.#state.kind === 'signed-in') return null;
    if (me.problem) {
      this.#drop();
      return me.problem;
    }
    const person = personOf(me.body, account.body);
    if (person.principalType === 'STAFF_USER') this.#set({ kind: 'signed-in', person });
    else this.#set({ kind: 'not-staff', principalType: person.principalType });
    return null;
  }

  #renewIn(milliseconds: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      const problem = await this.#renew();
      if (!problem) return;
      if (problem.status === 401) this.#forget(ENDED);
      else this.#renewIn((problem.retry_after ?? 0) * 1000 || RETRY_MS);
    }, milliseconds);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#token = null;
  }

  #forget(notice?: Problem): void {
    this.#drop();
    this.#set({ kind: 'signed-out', notice });
  }

  #set(state: State): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

import { ask, isRecord, numberOf, post, refusal, textOf, type Answer, type Problem } from './answer';
import { personOf, type Person } from './person';

/** State of the sign-in. */
export type State =
  | { kind: 'starting' }
  | { kind: 'signed-out'; notice?: Problem }
  | { kind: 'code'; challenge: string; methods: string[]; until: number }
  | { kind: 'not-staff'; principalType: string }
  | { kind: 'signed-in'; person: Person };

/** Media types of GraphQL over HTTP. With the first one, the HTTP status says whether the query ran. */
const GRAPHQL = 'application/graphql-response+json, application/json;q=0.9';
const SESSIONS = '/v1/auth/sessions';
/** The page renews the token this long before it expires, so that no query uses an expired token. */
const MARGIN_MS = 60_000;
const RETRY_MS = 5_000;
/** Name of the channel by which a tab reports a sign-out to the other tabs of the browser. */
const CHANNEL = 'labs-session';
const ENDED: Problem = { status: 401, title: 'Your session has ended', detail: 'Sign in again to continue. Your queries are still here.' };

/**
 * The session of one user. Only this object contains the access token: it is not in storage, not in the page and not in an
 * address. After a reload, the refresh cookie resumes the session. Scripts cannot read that cookie.
 */
export class Session {
  #state: State = { kind: 'starting' };
  #token: { text: string; until: number } | null = null;
  #renewing: Promise<Problem | null> | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #listeners = new Set<() => void>();
  #channel = new BroadcastChannel(CHANNEL);

  constructor() {
    // All tabs share the refresh cookie, so the session of this tab has ended too.
    this.#channel.onmessage = () => {
      if (this.#state.kind !== 'signed-in' && this.#state.kind !== 'not-staff') return;
      for (const listener of this.#signOutListeners) listener();
      this.#forget({ status: 401, title: 'You have signed out in another tab' });
    };
  }

  readonly state = (): State => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #signOutListeners = new Set<() => void>();

  /** Calls a function when the user signs out in another tab. */
  readonly onSignOutElsewhere = (listener: () => void): (() => void) => {
    this.#signOutListeners.add(listener);
    return () => this.#signOutListeners.delete(listener);
  };

  /** Resumes the session with the refresh cookie, if there is one. Called when the page loads. */
  async resume(): Promise<void> {
    const problem = await this.#renew();
    if (problem) this.#set({ kind: 'signed-out', notice: problem.status === 401 ? undefined : problem });
  }

  /** First step of the sign-in. Staff members must then enter a code. */
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

  /** Second step of the sign-in. */
  async verify(code: string): Promise<Problem | null> {
    if (this.#state.kind !== 'code') return null;
    const { challenge, until } = this.#state;
    const answer = await ask(`${SESSIONS}:verify-mfa`, post({ challenge, code }));
    if (answer.problem && Date.now() > until) {
      this.#set({ kind: 'signed-out', notice: { ...answer.problem, title: 'The sign-in has expired', detail: 'Sign in again and enter a new code.' } });
      return null;
    }
    return answer.problem ?? this.#enter(answer);
  }

  /** Cancels an unfinished sign-in. */
  startAgain(): void {
    this.#forget();
  }

  /** Ends the session in the service. The page signs out even if the request fails. */
  async signOut(): Promise<void> {
    await this.#renewing;
    this.#drop();
    this.#channel.postMessage('signed-out');
    const { problem } = await ask(`${SESSIONS}:sign-out`, post({}));
    this.#forget(problem && problem.status !== 401 ? { ...problem, title: 'The service did not confirm the sign-out' } : undefined);
  }

  /** Sends a GraphQL query with the token. It renews an expired token first, and retries once after a 401. */
  ask(path: string, body: unknown): Promise<Answer> {
    return this.#askBy(() => ask(path, post(body, { ...this.#bearer(), Accept: GRAPHQL })));
  }

  /** Fetches a file with the token, with the same renewal and retry. */
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

  /** Renews the token. Concurrent calls share one request, because the cookie is valid for one use. */
  #renew(): Promise<Problem | null> {
    this.#renewing ??= ask(`${SESSIONS}:refresh`, post({}))
      .then((answer) => answer.problem ?? this.#enter(answer))
      .finally(() => {
        this.#renewing = null;
      });
    return this.#renewing;
  }

  /** Stores the token of a response and fetches its user. */
  async #enter(answer: Answer): Promise<Problem | null> {
    const body = isRecord(answer.body) ? answer.body : {};
    const text = textOf(body.access_token);
    if (!text) return { status: answer.status, title: 'The response has no token', detail: 'Try again. If the problem persists, contact the operators.' };
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

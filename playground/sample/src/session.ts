// A user's session with the service. The access token is kept only in this object. The refresh token is a cookie that
// scripts cannot read; it returns a new access token after the page is reloaded.
import { dataOf, Refusal, serviceClient, Unreachable, type Api, type Schemas } from './api';

export type State =
  | { kind: 'signed-out'; notice?: string }
  | { kind: 'code'; challenge: string }
  | { kind: 'signed-in'; me: Schemas['Me'] };

/** The token is renewed this long before it expires, so that no request uses an expired token. */
const MARGIN_MS = 30_000;

export class Session {
  /** Client for the service that sends the token of the user. */
  readonly api: Api;
  state: State = { kind: 'signed-out' };
  #plain: Api;
  #token: { text: string; until: number } | null = null;
  #renewing: Promise<boolean> | null = null;
  #resumed: Promise<void> | null = null;

  constructor(readonly base: string) {
    // Sign-in sets the cookie and refresh sends it. Across origins, both need `include`.
    this.#plain = serviceClient(base, (request) => fetch(new Request(request, { credentials: 'include' })));
    this.api = serviceClient(base, (request) => this.#send(request));
  }

  /** Resumes the session with the refresh cookie, if there is one. Runs once per page load. */
  resume(): Promise<void> {
    this.#resumed ??= this.#renew().then((renewed) => (renewed ? this.#learn() : undefined));
    // Without an answer the state is unknown, and the next view tries again.
    this.#resumed.catch(() => (this.#resumed = null));
    return this.#resumed;
  }

  /** First step of the sign-in. A user with a second factor must then enter a code. */
  async signIn(email: string, password: string): Promise<void> {
    try {
      this.#keep(await dataOf(this.#plain.POST('/v1/auth/sessions', { body: { email, password } })));
    } catch (error) {
      if (!(error instanceof Refusal) || error.problem.code !== 'MFA_REQUIRED' || !error.problem.challenge) throw error;
      this.#set({ kind: 'code', challenge: error.problem.challenge });
      return;
    }
    await this.#learn();
  }

  /** Second step of the sign-in. */
  async verify(code: string): Promise<void> {
    if (this.state.kind !== 'code') return;
    this.#keep(await dataOf(this.#plain.POST('/v1/auth/sessions:verify-mfa', { body: { challenge: this.state.challenge, code } })));
    await this.#learn();
  }

  /** Ends the session in the service. The page signs out even if the request fails. */
  async signOut(): Promise<void> {
    this.forget();
    await this.#plain.POST('/v1/auth/sessions:sign-out', {});
  }

  /** Signs out in this page only. */
  forget(notice?: string): void {
    this.#token = null;
    this.#set({ kind: 'signed-out', ...(notice ? { notice } : {}) });
  }

  /** Sends a request with the token. It renews an expired token first, and retries once after a 401. */
  async #send(request: Request): Promise<Response> {
    const again = request.clone();
    if (!this.#token || this.#token.until < Date.now()) await this.#renew();
    const response = await fetch(this.#signed(request));
    // The service returns 401 before it executes anything, so a retry is safe.
    if (response.status !== 401) return response;
    if (await this.#renew()) return fetch(this.#signed(again));
    this.forget('Your session has ended. Sign in again to continue.');
    return response;
  }

  #signed(request: Request): Request {
    const headers = new Headers(request.headers);
    if (this.#token) headers.set('Authorization', `Bearer ${this.#token.text}`);
    return new Request(request, { headers });
  }

  /** Renews the token and returns whether there is one. Concurrent calls share one request. */
  #renew(): Promise<boolean> {
    this.#renewing ??= dataOf(this.#plain.POST('/v1/auth/sessions:refresh', {}))
      .then((token) => this.#keep(token))
      .then(() => true)
      .catch((error: unknown) => {
        if (error instanceof Unreachable) throw error;
        return false;
      })
      .finally(() => (this.#renewing = null));
    return this.#renewing;
  }

  #keep(token: Schemas['SessionToken']): void {
    this.#token = { text: token.access_token, until: Date.now() + token.expires_in * 1000 - MARGIN_MS };
  }

  /** Fetches the user of the token. Only users of partners can use the board. */
  async #learn(): Promise<void> {
    const me = await dataOf(this.api.GET('/v1/system/me'));
    if (me.principal_type === 'PARTNER_USER') this.#set({ kind: 'signed-in', me });
    else this.forget('Your account does not belong to a partner. Only users of partners can use the board.');
  }

  #set(state: State): void {
    this.state = state;
    dispatchEvent(new Event('session'));
  }
}

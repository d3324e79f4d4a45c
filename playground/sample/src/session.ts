// A user's session with the service. The access token is kept only in this object. The refresh token is a cookie that
// scripts cannot read; it returns a new access token after the page is reloaded.
import { dataOf, Refusal, serviceClient, Unreachable, type Api, type Schemas } from './api';

export type State =
  | { kind: 'signed-out'; notice?: string }
  | { kind: 'code'; challenge: string }
  | { kind: 'signed-in'; me: Schemas['Me'] };

/** Renewed this long before its end, so that no request meets an expired token. */
const MARGIN_MS = 30_000;

export class Session {
  /** The service's operations, asked for with this person's token. */
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

  /** Once for each load of the page: the cookie, where there is one, signs the person in again. */
  resume(): Promise<void> {
    this.#resumed ??= this.#renew().then((renewed) => (renewed ? this.#learn() : undefined));
    // Without an answer the state is unknown, and the next view tries again.
    this.#resumed.catch(() => (this.#resumed = null));
    return this.#resumed;
  }

  /** The first step. Whoever has a second factor is asked for a code next. */
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

  /** The second step. */
  async verify(code: string): Promise<void> {
    if (this.state.kind !== 'code') return;
    this.#keep(await dataOf(this.#plain.POST('/v1/auth/sessions:verify-mfa', { body: { challenge: this.state.challenge, code } })));
    await this.#learn();
  }

  /** Ends the session at the service, and forgets it here in any case. */
  async signOut(): Promise<void> {
    this.forget();
    await this.#plain.POST('/v1/auth/sessions:sign-out', {});
  }

  /** Signed out as far as this page knows. */
  forget(notice?: string): void {
    this.#token = null;
    this.#set({ kind: 'signed-out', ...(notice ? { notice } : {}) });
  }

  /** Sends with the token, renewed where its time is over, and once more where it was refused all the same. */
  async #send(request: Request): Promise<Response> {
    const again = request.clone();
    if (!this.#token || this.#token.until < Date.now()) await this.#renew();
    const response = await fetch(this.#signed(request));
    // The service returns 401 before it executes anything, so a retry is safe.
    if (response.status !== 401) return response;
    if (await this.#renew()) return fetch(this.#signed(again));
    this.forget('Your session has ended. Sign in again to go on.');
    return response;
  }

  #signed(request: Request): Request {
    const headers = new Headers(request.headers);
    if (this.#token) headers.set('Authorization', `Bearer ${this.#token.text}`);
    return new Request(request, { headers });
  }

  /** Renews once, however many ask for it at the same time. Whether there is a token now. */
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

  /** Learns whose token it is: the board belongs to people of partners. */
  async #learn(): Promise<void> {
    const me = await dataOf(this.api.GET('/v1/system/me'));
    if (me.principal_type === 'PARTNER_USER') this.#set({ kind: 'signed-in', me });
    else this.forget('You are signed in as somebody who belongs to no partner. The board here is for people of partners.');
  }

  #set(state: State): void {
    this.state = state;
    dispatchEvent(new Event('session'));
  }
}

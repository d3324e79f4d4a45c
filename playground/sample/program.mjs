// The machine client that reads the storefront for the sample: where its secret comes from, and its access token.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** @typedef {{ base: string, port: number, id: string, secret: string }} Settings */

/** The token is renewed this long before it expires, so that no request uses an expired token. */
const MARGIN_MS = 60_000;

/** Reads the settings from the environment and from sign-ins.txt of the sample data. Throws an error that names a missing setting. @returns {Settings} */
export function settings(environment = process.env) {
  const named = environment.LABS_BASE || 'http://127.0.0.1:8080';
  if (!/^https?:\/\//.test(named) || !URL.canParse(named)) throw new Error(`LABS_BASE is not an http or https URL: ${named}`);
  const base = new URL(named).origin;
  const port = Number(environment.LABS_SAMPLE_PORT || 8090);
  const { LABS_CLIENT_ID: id, LABS_CLIENT_SECRET: secret } = environment;
  if (id && secret) return { base, port, id, secret };
  const sheet = `${environment.LABS_FOLDER || fileURLToPath(new URL('../../.labs', import.meta.url))}/sign-ins.txt`;
  return { base, port, ...ofSheet(sheet) };
}

/** Returns the storefront client in sign-ins.txt. @param {string} sheet */
function ofSheet(sheet) {
  const text = existsSync(sheet) ? readFileSync(sheet, 'utf8') : '';
  const [, id, secret] = /^ {2}.*\(storefront[^)]*\)\n {4}client id (\S+)\n {4}secret {4}(\S+)$/m.exec(text) ?? [];
  if (id && secret) return { id, secret };
  throw new Error(`No machine client for the storefront: ${text ? `${sheet} has none` : `there is no ${sheet}`}.
Start ./run once, which creates sample data and writes that file. Or set LABS_CLIENT_ID and LABS_CLIENT_SECRET to a client
that \`labs client create --name Sample --scope storefront\` creates.`);
}

/** A machine client that caches its token until the token expires. */
export class Program {
  #token = Promise.resolve('');
  /** End of the validity in milliseconds since the epoch. Infinity while a token is being issued. */
  #until = 0;
  /** @param {Settings} set */
  constructor(set) {
    this.set = set;
  }

  /** Sends a GET request to the service. After a 401 it retries once with a new token. @param {URL} url @param {Record<string, string>} headers @param {AbortSignal} signal */
  async get(url, headers, signal) {
    const send = async () => fetch(url, { headers: { ...headers, Authorization: `Bearer ${await this.token()}` }, signal });
    const answered = await send();
    if (answered.status !== 401) return answered;
    await answered.body?.cancel();
    this.#until = 0;
    return send();
  }

  /** Returns the token. Concurrent requests share one issue. @returns {Promise<string>} */
  async token() {
    if (this.#until < Date.now()) {
      this.#until = Infinity;
      this.#token = this.#issue();
      this.#token.catch(() => (this.#until = 0));
    }
    return this.#token;
  }

  /** Issues a token. It requests only read access, even if the client has more scopes. */
  async #issue() {
    const { base, id, secret } = this.set;
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret, scope: 'storefront' });
    const answered = await fetch(`${base}/v1/oauth/token`, { method: 'POST', body, signal: AbortSignal.timeout(10_000) }).catch(() => null);
    if (!answered) throw new Error(`The service at ${base} does not respond. Start it with ./run, or set LABS_BASE to another service.`);
    if (!answered.ok) throw new Error(`The service at ${base} issued no token for the machine client ${id} (status ${answered.status}). Check that id and secret belong to this service.`);
    const { access_token: text, expires_in: seconds } = await answered.json();
    this.#until = Date.now() + seconds * 1000 - MARGIN_MS;
    return text;
  }
}

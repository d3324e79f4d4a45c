// The machine client that reads the storefront for the sample: where its secret comes from, and its access token.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** @typedef {{ base: string, port: number, id: string, secret: string }} Settings */

/** Renewed this long before its end, so that no request meets an expired token. */
const MARGIN_MS = 60_000;

/** The settings of the environment, and what the sample data's sheet of sign-ins says. Throws what is missing, in words. @returns {Settings} */
export function settings(environment = process.env) {
  const named = environment.LABS_BASE || 'http://127.0.0.1:8080';
  if (!/^https?:\/\//.test(named) || !URL.canParse(named)) throw new Error(`LABS_BASE is no address of a service: ${named}`);
  const base = new URL(named).origin;
  const port = Number(environment.LABS_SAMPLE_PORT || 8090);
  const { LABS_CLIENT_ID: id, LABS_CLIENT_SECRET: secret } = environment;
  if (id && secret) return { base, port, id, secret };
  const sheet = `${environment.LABS_FOLDER || fileURLToPath(new URL('../../.labs', import.meta.url))}/sign-ins.txt`;
  return { base, port, ...ofSheet(sheet) };
}

/** The storefront program of the sheet. @param {string} sheet */
function ofSheet(sheet) {
  const text = existsSync(sheet) ? readFileSync(sheet, 'utf8') : '';
  const [, id, secret] = /^ {2}.*\(storefront[^)]*\)\n {4}client id (\S+)\n {4}secret {4}(\S+)$/m.exec(text) ?? [];
  if (id && secret) return { id, secret };
  throw new Error(`No program to read the storefront with: ${text ? `${sheet} names none` : `there is no ${sheet}`}.
Start ./run once, which fills in sample data and writes that file; or name a program in LABS_CLIENT_ID and
LABS_CLIENT_SECRET, as \`labs client create --name Sample --scope storefront\` makes one.`);
}

/** A program with its token, which it keeps until its end. */
export class Program {
  #token = Promise.resolve('');
  /** Until when the token is good; while one is on its way, that one is waited for. */
  #until = 0;
  /** @param {Settings} set */
  constructor(set) {
    this.set = set;
  }

  /** Reads an address of the service; once more with a fresh token where the kept one is void. @param {URL} url @param {Record<string, string>} headers @param {AbortSignal} signal */
  async get(url, headers, signal) {
    const send = async () => fetch(url, { headers: { ...headers, Authorization: `Bearer ${await this.token()}` }, signal });
    const answered = await send();
    if (answered.status !== 401) return answered;
    await answered.body?.cancel();
    this.#until = 0;
    return send();
  }

  /** The token: one for all requests, however many wait for it. @returns {Promise<string>} */
  async token() {
    if (this.#until < Date.now()) {
      this.#until = Infinity;
      this.#token = this.#issue();
      this.#token.catch(() => (this.#until = 0));
    }
    return this.#token;
  }

  /** Only reading is asked for, whatever else the program may do. */
  async #issue() {
    const { base, id, secret } = this.set;
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret, scope: 'storefront' });
    const answered = await fetch(`${base}/v1/oauth/token`, { method: 'POST', body, signal: AbortSignal.timeout(10_000) }).catch(() => null);
    if (!answered) throw new Error(`The service at ${base} does not answer. Start it with ./run, or name another in LABS_BASE.`);
    if (!answered.ok) throw new Error(`The service at ${base} gave no token for the program ${id}: it answered ${answered.status}. Do id and secret belong to this service?`);
    const { access_token: text, expires_in: seconds } = await answered.json();
    this.#until = Date.now() + seconds * 1000 - MARGIN_MS;
    return text;
  }
}

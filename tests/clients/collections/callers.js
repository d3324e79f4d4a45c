// Who calls: a person of a partner on SCALE, somebody of the staff who may do everything, the storefront's program and the
// release tool, all of the sample data. Their keys stand in the sheet that the service writes.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';

const base = process.env.LABS_TEST_BASE;
const sheet = readFileSync(process.env.LABS_TEST_SHEET, 'utf8');

/** Returns the credentials below an e-mail address or client id in sign-ins.txt. */
const key = (name) => {
  const lines = sheet.split('\n').map((line) => line.trim().split(/\s+/));
  const place = lines.findIndex((words) => ['email', 'client'].includes(words[0]) && words.at(-1) === name);
  if (place < 0) throw new Error(`sign-ins.txt does not contain ${name}`);
  const second = lines[place + 2] ?? [];
  return { secret: lines[place + 1].at(-1), totp: second[0] === 'totp' ? second.at(-1) : undefined };
};

export const programs = Object.fromEntries(
  ['labs-client-storefront', 'labs-client-release-tool'].map((id) => [id, { client_id: id, client_secret: key(id).secret }]),
);

const post = async (path, body) => {
  const isForm = body instanceof URLSearchParams;
  const headers = isForm ? {} : { 'content-type': 'application/json' };
  const answer = await fetch(base + path, { method: 'POST', headers, body: isForm ? body : JSON.stringify(body) });
  return answer.json();
};

/** Computes the current TOTP code (RFC 6238). */
const code = (secret) => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...secret].map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0')).join('');
  const seed = Buffer.from(bits.match(/.{8}/g).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
  const hash = createHmac('sha1', seed).update(step).digest();
  const number = hash.readUInt32BE(hash[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
};

/** Returns the e-mail address and password of a user without a second factor. */
export const credentials = (email) => {
  const { secret: password, totp } = key(email);
  if (totp) throw new Error(`${email} has a second factor`);
  return { email, password };
};

const person = async (email) => {
  const { secret, totp } = key(email);
  const session = await post('/v1/auth/sessions', { email, password: secret });
  if (session.access_token) return session.access_token;
  const answer = await post('/v1/auth/sessions:verify-mfa', { challenge: session.challenge, code: code(totp) });
  if (!answer.access_token) throw new Error(`${email} cannot sign in: ${JSON.stringify(answer)}`);
  return answer.access_token;
};

const program = async (id) => {
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...programs[id] });
  return (await post('/v1/oauth/token', form)).access_token;
};

/** Signs all callers in and returns their tokens. */
export const tokens = async () => ({
  partner: await person('jonas.thielemann@elbkontor.example'),
  staff: await person('henrike.falk@labs.example'),
  storefront: await program('labs-client-storefront'),
  release: await program('labs-client-release-tool'),
});

/** Returns the caller for operations with this scope. */
export const callerOf = (scope) => {
  if (scope?.startsWith('labs.admin')) return 'staff';
  if (scope?.startsWith('storefront')) return 'storefront';
  if (scope?.startsWith('publication.changelog')) return 'release';
  return 'partner';
};

// One-time codes (RFC 6238: SHA-1, six digits, steps of 30 seconds; secrets in base32, RFC 4648).
import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';

const STEP_MS = 30_000;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
/** Last used step by secret. The service accepts each step once. */
const spent = new Map();

/** Returns an unused code. Waits for the next step if the current one was used. */
export async function freshCode(secret) {
  const last = spent.get(secret) ?? -1;
  let step = stepAt(Date.now());
  if (step <= last) {
    await wait((last + 1) * STEP_MS - Date.now() + 50);
    step = stepAt(Date.now());
  }
  spent.set(secret, step);
  return codeAt(secret, step);
}

/** Returns the step of a time. */
export function stepAt(milliseconds) {
  return Math.floor(milliseconds / STEP_MS);
}

/** Computes the code of a step. */
export function codeAt(secret, step) {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', bytesOf(secret)).update(counter).digest();
  const offset = digest[digest.length - 1] & 0xf;
  return String((digest.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

function bytesOf(secret) {
  const letters = secret.toUpperCase().replace(/[\s=-]/g, '');
  const bits = [...letters].map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)));
}

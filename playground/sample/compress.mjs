// Compression of responses: brotli or gzip, as the browser accepts.
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, createBrotliCompress, createGzip, gzipSync } from 'node:zlib';

/** @typedef {'br' | 'gzip' | 'identity'} Coding */
/** @typedef {{ bytes: Buffer, etag: string }} Representation */

/** Smaller files are not compressed, because they fit into one packet. */
const WORTH_COMPRESSING = 1_024;
const COMPRESSIBLE = /^(?:text\/|application\/(?:[\w.-]+\+)?json|image\/svg)/;
/** A compromise of time and size for responses that are compressed once. */
const QUICK = { [constants.BROTLI_PARAM_QUALITY]: 4 };

/** Returns the coding for a response: brotli if the browser prefers nothing else. @param {string | undefined} accepted value of Accept-Encoding @returns {Coding} */
export function codingOf(accepted = '') {
  const weights = new Map(accepted.toLowerCase().split(',').map((part) => {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim());
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2);
    return [name, weight === undefined ? 1 : Number(weight) || 0];
  }));
  const weightOf = (/** @type {string} */ name) => weights.get(name) ?? weights.get('*') ?? 0;
  const [br, gzip] = [weightOf('br'), weightOf('gzip')];
  if (br > 0 && br >= gzip) return 'br';
  return gzip > 0 ? 'gzip' : 'identity';
}

/** Whether compression makes a response of this type smaller. @param {string | null | undefined} type */
export const isCompressible = (type) => COMPRESSIBLE.test(type ?? '');

/** Compresses a file once for all requests. Each representation has its own entity tag. @param {Buffer} plain @param {string} type @returns {Record<Coding, Representation>} */
export function compressFile(plain, type) {
  const hash = createHash('sha256').update(plain).digest('base64url').slice(0, 22);
  const identity = { bytes: plain, etag: `"${hash}"` };
  if (!isCompressible(type) || plain.length < WORTH_COMPRESSING) return { identity, br: identity, gzip: identity };
  return { identity, br: { bytes: brotliCompressSync(plain), etag: `"${hash}-br"` }, gzip: { bytes: gzipSync(plain, { level: 9 }), etag: `"${hash}-gzip"` } };
}

/** Returns a stream that compresses, or null for no compression. @param {Coding} coding */
export function compressor(coding) {
  if (coding === 'br') return createBrotliCompress({ params: QUICK });
  return coding === 'gzip' ? createGzip() : null;
}

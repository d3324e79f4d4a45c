// Serves the sample's pages and forwards the storefront's GET requests with the access token of a machine client, whose
// secret must not be in a browser. It does nothing else: users call the service directly, with their own token.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { codingOf, compressFile, compressor, isCompressible } from './compress.mjs';
import { Program, settings } from './program.mjs';

/** @typedef {import('node:http').ServerResponse} Out */
/** @typedef {import('node:http').IncomingMessage} In */

const DIST = fileURLToPath(new URL('dist/', import.meta.url));
const TYPES = new Map(Object.entries({ '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' }));
/** @param {string} name of a file */
const typeOf = (name) => TYPES.get(extname(name)) ?? 'application/json';
/** Addresses of views, all served with index.html. */
const VIEWS = /^\/(?:(?:listings|partners|collections|categories|board)(?:\/[\w-]+)?)?$/;
const PASSED_ON = '/v1/marketplace/public/';
const KEPT = ['content-type', 'cache-control', 'etag', 'retry-after', 'x-request-id'];

/** Starts the sample and returns its listening server. @param {import('./program.mjs').Settings} set */
export async function start(set) {
  const program = new Program(set);
  await program.token();
  const files = new Map(readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => {
    const path = `${entry.parentPath}/${entry.name}`;
    return [path.slice(DIST.length - 1).replace('//', '/'), compressFile(readFileSync(path), typeOf(entry.name))];
  }));
  files.set('/config.json', compressFile(Buffer.from(JSON.stringify({ service: set.base })), typeOf('.json')));
  const policy = JSON.parse(readFileSync(new URL('../csp.json', import.meta.url), 'utf8')).sample.replaceAll('{service}', set.base);
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 10_000, keepAliveTimeout: 30_000, maxHeaderSize: 8_192 }, (request, response) => {
    response.setHeader('Content-Security-Policy', policy).setHeader('X-Content-Type-Options', 'nosniff').setHeader('Referrer-Policy', 'no-referrer');
    answer(request, response).catch(() => (response.headersSent ? response.destroy() : refuse(response, 502, 'No response', `The service at ${set.base} did not respond. Check that it is running.`)));
  });
  /** @param {In} request @param {Out} response */
  async function answer(request, response) {
    if (request.method !== 'GET') return refuse(response.setHeader('Allow', 'GET'), 405, 'Method not allowed', 'This server forwards only GET requests for the storefront. Send other requests to the service itself.');
    // Parses the URL as an address of the service and resolves its dot segments before any decision depends on it.
    const url = new URL(URL.canParse(`${set.base}${request.url}`) ? `${set.base}${request.url}` : '/none', set.base);
    if (url.origin === set.base && url.pathname.startsWith(PASSED_ON)) return passOn(url, request, response);
    const name = VIEWS.test(url.pathname) ? '/index.html' : url.pathname;
    const file = files.get(name);
    if (!file) return refuse(response, 404, 'Not found', 'This page does not exist. Start at /.');
    const coding = codingOf(String(request.headers['accept-encoding'] ?? ''));
    const { bytes, etag } = file[coding];
    response.setHeader('Cache-Control', name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache').setHeader('ETag', etag).setHeader('Vary', 'Accept-Encoding');
    if (String(request.headers['if-none-match'] ?? '').includes(etag)) return response.writeHead(304).end();
    if (bytes !== file.identity.bytes) response.setHeader('Content-Encoding', coding);
    response.setHeader('Content-Type', typeOf(name)).setHeader('Content-Length', bytes.length).end(bytes);
  }
  /** @param {URL} url @param {In} request @param {Out} response */
  async function passOn(url, request, response) {
    const gone = new AbortController();
    response.on('close', () => gone.abort());
    const asked = Object.fromEntries(['accept', 'if-none-match'].flatMap((name) => (request.headers[name] ? [[name, String(request.headers[name])]] : [])));
    const answered = await program.get(url, asked, AbortSignal.any([gone.signal, AbortSignal.timeout(15_000)]));
    for (const name of KEPT) if (answered.headers.has(name)) response.setHeader(name, answered.headers.get(name) ?? '');
    response.statusCode = answered.status;
    if (!answered.body) return response.end();
    const body = Readable.fromWeb(/** @type {any} */ (answered.body));
    const coding = isCompressible(answered.headers.get('content-type')) ? codingOf(String(request.headers['accept-encoding'] ?? '')) : 'identity';
    const compressing = compressor(coding);
    response.setHeader('Vary', 'Accept-Encoding');
    if (!compressing) return pipeline(body, response);
    // The bytes differ from the tagged ones, so the tag becomes weak. The service accepts a weak tag in If-None-Match.
    const tag = answered.headers.get('etag');
    if (tag && !tag.startsWith('W/')) response.setHeader('ETag', `W/${tag}`);
    response.setHeader('Content-Encoding', coding);
    await pipeline(body, compressing, response);
  }
  await new Promise((ready, failed) => server.once('error', failed).listen(set.port, '127.0.0.1', () => ready(undefined)));
  return server;
}

/** Sends a problem document, in the format of the service. @param {Out} response @param {number} status @param {string} title @param {string} detail */
function refuse(response, status, title, detail) {
  response.removeHeader('Content-Encoding');
  response.writeHead(status, { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store' }).end(JSON.stringify({ type: 'about:blank', title, status, detail }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const set = settings();
  const server = await start(set).catch((/** @type {Error} */ error) => (console.error(error.message), process.exit(1)));
  const address = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  console.log(`The sample is ready at ${address}\n  Storefront     ${address}/\n  Board          ${address}/board\n  The service    ${set.base}, which needs --cors-origins ${address} for the board`);
}

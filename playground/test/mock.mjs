// A mock of the service: serves dist/ with its security policies and simulates the endpoints that the pages use, so
// that the pages can be viewed and tested without a database.
//
// Usage: node test/mock.mjs [port]
// Prints the address, the credentials, and a code each time you press Enter.
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { answer, PICTURES } from './mock-graphql.mjs';
import { codeAt, stepAt } from './totp.mjs';

const ROOM = fileURLToPath(new URL('..', import.meta.url));
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml', '.ttf': 'font/ttf', '.json': 'application/json', '.md': 'text/markdown; charset=utf-8', '.txt': 'text/plain; charset=utf-8' };
const TOKEN_SECONDS = 600;

/** Users of the mock: a staff member, a staff member without the audit scope, a partner user, and a reviewer. */
export const PEOPLE = [
  person('staff@labs.example', 'Ines Duarte', 'STAFF_USER', 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', ['labs.admin:write', 'auth.account:write']),
  person('limited@labs.example', 'Tom Becker', 'STAFF_USER', 'KRUGS4ZANFZSAYJAONSWG4TFOQQHI3ZA', ['labs.admin.submissions', 'labs.admin.categories:write', 'auth.account:write']),
  person('partner@brasserie.example', 'Luc Moreau', 'PARTNER_USER', '', ['marketplace.apps:write', 'auth.account:write']),
  person('reviewer@labs.example', 'Elodie Marchand', 'STAFF_USER', 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', ['labs.admin.submissions:write', 'labs.admin.reviews:write', 'labs.admin.apps', 'labs.admin.categories', 'auth.account:write']),
];

function person(email, name, principal_type, secret, scopes) {
  return { uuid: randomUUID(), email, name, principal_type, secret, scopes, password: 'a long stand-in password', step: 0 };
}

const ROUTES = {
  'POST /v1/auth/sessions': signIn,
  'POST /v1/auth/sessions:verify-mfa': verify,
  'POST /v1/auth/sessions:refresh': refresh,
  'POST /v1/auth/sessions:sign-out': signOut,
  'POST /v1/auth/password-resets': async () => ({ status: 202, body: { expires_in: 3600 } }),
  'GET /v1/system/me': me,
  'GET /v1/auth/account': account,
  'POST /playground/graphql': graphql,
  'GET /v1/system/health': async () => ({ status: 200, body: { status: 'OK' } }),
  'GET /v1/system/readiness': async () => ({ status: 200, body: { status: 'READY' } }),
  // The service renders these two pages itself; here they are placeholders.
  'GET /changelog': async () => ({ status: 200, type: 'text/html', body: '<!doctype html><title>Changelog</title>' }),
  'GET /blog': async () => ({ status: 200, type: 'text/html', body: '<!doctype html><title>Blog</title>' }),
  'GET /v1/publication/public/api-reference': async () => ({ status: 200, type: 'application/yaml', body: await readFile(join(ROOM, '../contract/openapi.yaml')) }),
  'GET /v1/publication/public/changelog': changelog,
  'GET /v1/subscription/public/features': features,
};

/** Address of uploads. The response describes the upload, so that a test can check the request. */
const UPLOAD = /^\/v1\/marketplace\/apps\/[0-9a-f-]{36}\/media$/;
/** Addresses of the reference without the ending of a file. */
const PLACE = /^\/reference(\/[^.]*)?$/;
/** Page of an unknown address of the reference. */
const MISSING = '/reference/missing.html';
/** Addresses of links in e-mails. */
const MAILED = /^\/account\/(verify-email|reset-password|confirm-email|cancel-email-change|invitation)$/;
const PICTURE = /^\/v1\/marketplace\/internal\/submissions\/[0-9a-f-]{36}\/media\/([0-9a-f-]{36})\/content$/;
/** PNG with one pixel. */
const PIXEL = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=', 'base64');

const state = { challenges: new Map(), tokens: new Map(), cookies: new Map(), remaining: 100_000 };

/** Starts the mock on a loopback port, by default a free one. Returns `{ base, cookieFor, expireTokens, endSessions, close }`. */
export async function startMock(port = 0) {
  const policies = JSON.parse(await readFile(join(ROOM, 'csp.json'), 'utf8'));
  const server = createServer((request, response) => {
    handle(request, response, policies).catch((error) => {
      console.error(error);
      response.writeHead(500).end();
    });
  });
  await new Promise((ready) => server.listen(port, '127.0.0.1', ready));
  return {
    base: `http://127.0.0.1:${server.address().port}`,
    /** Signs a user in without the page, and returns the refresh cookie. */
    cookieFor: (email) => enter(PEOPLE.find((one) => one.email === email)).cookie.match(/^__Host-refresh=([^;]+)/)[1],
    /** Expires all access tokens. Refresh cookies stay valid. */
    expireTokens: () => state.tokens.clear(),
    /** Ends all sessions: tokens and refresh cookies become invalid. */
    endSessions: () => (state.tokens.clear(), state.cookies.clear()),
    close: () => new Promise((closed) => (server.closeAllConnections(), server.close(closed))),
  };
}

async function handle(request, response, policies) {
  const { pathname, searchParams } = new URL(request.url, 'http://mock');
  if (request.method === 'POST' && UPLOAD.test(pathname)) return upload(request, response);
  const route = ROUTES[`${request.method} ${pathname}`] ?? (PICTURE.test(pathname) ? picture : undefined);
  if (!route) return sendPage(pathname, request, response, policies);
  const requestId = randomUUID();
  const call = { pathname, searchParams, body: await readJson(request), cookie: cookieOf(request), person: state.tokens.get(bearerOf(request)), requestId };
  const { status, body, cookie, type } = await route(call);
  const problem = status >= 400;
  response.writeHead(status, {
    'Content-Type': type ?? (problem ? 'application/problem+json' : 'application/json'),
    'X-Request-Id': requestId,
    'X-RateLimit-Daily-Remaining': String(--state.remaining),
    'Cache-Control': 'no-store',
    ...(cookie === undefined ? {} : { 'Set-Cookie': cookie }),
  });
  if (Buffer.isBuffer(body)) response.end(body);
  else response.end(JSON.stringify(problem && !type ? { status, ...body, request_id: requestId } : body));
}

async function signIn({ body }) {
  const found = PEOPLE.find((one) => one.email === body.email && one.password === body.password);
  if (!found) return refusal(401, 'INVALID_CREDENTIALS', 'Wrong e-mail or password', 'Check both and try again.');
  if (found.principal_type !== 'STAFF_USER') return enter(found);
  const challenge = randomBytes(24).toString('base64url');
  state.challenges.set(challenge, found);
  const extras = { challenge, expires_in: 300, methods: ['TOTP', 'RECOVERY_CODE'] };
  return refusal(401, 'MFA_REQUIRED', 'Second factor required', 'Send the code to /v1/auth/sessions:verify-mfa.', extras);
}

async function verify({ body }) {
  const found = state.challenges.get(body.challenge);
  const now = stepAt(Date.now());
  const step = found && [now - 1, now, now + 1].find((one) => one > found.step && codeAt(found.secret, one) === body.code);
  if (!step) return refusal(401, 'INVALID_CREDENTIALS', 'Wrong code', 'Enter the code that the app shows now. Each works once.');
  found.step = step;
  state.challenges.delete(body.challenge);
  return enter(found);
}

async function refresh({ cookie }) {
  const found = state.cookies.get(cookie);
  if (!found) return refusal(401, 'UNAUTHENTICATED', 'Not signed in', 'Sign in first.');
  state.cookies.delete(cookie);
  return enter(found);
}

async function signOut({ cookie }) {
  state.cookies.delete(cookie);
  return { status: 200, body: {}, cookie: '__Host-refresh=; HttpOnly; Secure; SameSite=Strict; Path=/; Max-Age=0' };
}

async function me({ person: one }) {
  if (!one) return refusal(401, 'UNAUTHENTICATED', 'Not signed in', 'Sign in first.');
  const { principal_type, scopes, uuid } = one;
  return { status: 200, body: { principal_type, subject: uuid, scopes, rate_limit: { limit_per_second: 50, remaining_day: state.remaining } } };
}

async function account({ person: one }) {
  if (!one) return refusal(401, 'UNAUTHENTICATED', 'Not signed in', 'Sign in first.');
  const { uuid, name, email } = one;
  return { status: 200, body: { uuid, name, email } };
}

async function picture({ pathname, person: one }) {
  if (!one) return refusal(401, 'TOKEN_EXPIRED', 'The token has expired', 'Renew it.');
  if (pathname.match(PICTURE)[1] !== PICTURES[0].uuid) return refusal(404, 'NOT_FOUND', 'Not found', 'The media item of this submission does not exist, or it does not belong to you.');
  return { status: 200, type: 'image/png', body: PIXEL };
}

async function upload(request, response) {
  const form = await new Response(Readable.toWeb(request), { headers: { 'Content-Type': request.headers['content-type'] } }).formData();
  const file = form.get('file');
  const told = { kind: form.get('kind'), file: { name: file.name, type: file.type, size: file.size }, idempotency_key: request.headers['idempotency-key'], authorization: request.headers.authorization ?? null };
  response.writeHead(201, { 'Content-Type': 'application/json', 'X-Request-Id': randomUUID() }).end(JSON.stringify(told));
}

/** Returns one entry for marketplace_apps_create. */
async function changelog({ searchParams }) {
  const entry = { slug: 'apps-have-taglines', title: 'Apps have <i>taglines</i>', version: '1.0.0', released_at: '2026-03-03T09:00:00Z' };
  const data = searchParams.get('operation') === 'marketplace_apps_create' ? [entry] : [];
  return { status: 200, body: { data, page: { next_cursor: null, has_more: false } } };
}

async function features() {
  const tiers = (free) => [{ tier_code: 'FREE', enabled: free }, { tier_code: 'GROWTH', enabled: true }];
  const data = [
    { name: 'Apps', scope: null, tiers: tiers(null) },
    { name: 'Marketplace', scope: 'marketplace:write', tiers: tiers(true) },
    { name: 'Statistics', scope: 'statistics:write', tiers: tiers(false) },
  ];
  return { status: 200, body: { data, page: { next_cursor: null, has_more: false } } };
}

/** Answers by GraphQL over HTTP: a rejection is an error with all members of the problem document. */
async function graphql({ body, person: one, requestId }) {
  const { status, body: said } = one ? await answer(body, one, requestId) : refusal(401, 'TOKEN_EXPIRED', 'The token has expired', 'Renew it.');
  const type = 'application/graphql-response+json';
  if (status < 400) return { status, type, body: said };
  const [first] = said.errors ?? [];
  const message = first ? (first.pointer === '/query' ? first.message : `${first.pointer}: ${first.message}`) : said.detail;
  return { status: status === 422 ? 400 : status, type, body: { errors: [{ message, extensions: { ...said, status, request_id: requestId } }] } };
}

function enter(found) {
  const [token, cookie] = [randomBytes(24).toString('base64url'), randomBytes(24).toString('base64url')];
  state.tokens.set(token, found);
  state.cookies.set(cookie, found);
  return {
    status: 200,
    body: { access_token: token, token_type: 'Bearer', expires_in: TOKEN_SECONDS },
    cookie: `__Host-refresh=${cookie}; HttpOnly; Secure; SameSite=Strict; Path=/; Max-Age=1209600`,
  };
}

function refusal(status, code, title, detail, extras = {}) {
  return { status, body: { type: 'about:blank', title, code, detail, ...extras } };
}

async function sendPage(pathname, request, response, policies) {
  const name = ['playground', 'reference', 'account'].find((one) => pathname.startsWith(`/${one}`)) ?? 'index';
  const path = PLACE.test(pathname) ? placeFile(pathname) : MAILED.test(pathname) ? '/account/index.html' : ({ '/': '/index.html', '/playground': '/playground/index.html' }[pathname] ?? pathname);
  try {
    const bytes = await readFile(join(ROOM, 'dist', normalize(path)));
    const isGzip = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
    response.writeHead(path === MISSING ? 404 : 200, { 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream', 'Content-Security-Policy': policies[name], 'X-Content-Type-Options': 'nosniff', ...(isGzip ? { 'Content-Encoding': 'gzip' } : {}) });
    response.end(isGzip ? gzipSync(bytes) : bytes);
  } catch {
    response.writeHead(404, { 'Content-Type': 'application/problem+json' }).end(JSON.stringify({ status: 404, title: 'Not found', code: 'NOT_FOUND' }));
  }
}

/** Returns the file of a page of the reference, or the page for unknown addresses. */
function placeFile(pathname) {
  const path = pathname.replace(/\/$/, '');
  if (path === '/reference') return '/reference/index.html';
  return existsSync(join(ROOM, 'dist', normalize(`${path}.html`))) ? `${path}.html` : MISSING;
}

async function readJson(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return parts.length > 0 ? JSON.parse(Buffer.concat(parts).toString('utf8')) : {};
}

function bearerOf(request) {
  return request.headers.authorization?.replace(/^Bearer /, '');
}

function cookieOf(request) {
  return request.headers.cookie?.match(/(?:^|; )__Host-refresh=([^;]+)/)?.[1];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { base } = await startMock(Number(process.argv[2] ?? 0));
  console.log(base);
  for (const { email, password, secret } of PEOPLE) console.log(`${email}   ${password}   ${secret}`);
  process.stdin.on('data', () => {
    for (const { email, secret } of PEOPLE) if (secret) console.log(email, codeAt(secret, stepAt(Date.now())));
  });
}

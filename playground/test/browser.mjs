// Starts a separate, monitored Chromium: every request, console error and policy violation is recorded.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

// The same places as need_chromium in .ci/machine.sh. Ubuntu's chromium-browser comes last, because it may only print
// that the snap is missing.
const PLACES = ['/usr/bin/chromium', '/usr/bin/google-chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium', '/usr/bin/chromium-browser'];
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/**
 * Opens a browser with a new profile. Returns `{ context, page, watch, close }`. `watch` has `requests` (all requested addresses),
 * `errors` (console errors and exceptions) and `violations` (of the content security policy).
 */
export async function openBrowser({ colorScheme = 'light' } = {}) {
  const profile = await mkdtemp(join(tmpdir(), 'labs-chromium-'));
  const executablePath = process.env.LABS_TEST_CHROMIUM ?? PLACES.find((place) => existsSync(place));
  const context = await chromium.launchPersistentContext(profile, { executablePath, args: FLAGS, colorScheme, viewport: { width: 1440, height: 900 }, timeout: 90_000 });
  // A long timeout, because a busy machine is slow.
  context.setDefaultTimeout(90_000);
  const watch = { requests: [], errors: [], violations: [] };
  context.on('request', (request) => watch.requests.push(request.url()));
  context.on('console', (message) => {
    if (message.type() === 'error') watch.errors.push({ text: message.text(), url: message.location().url });
  });
  context.on('weberror', (error) => watch.errors.push({ text: String(error.error()), url: error.page()?.url() ?? '' }));
  await context.exposeBinding('reportViolation', (_source, violation) => watch.violations.push(violation));
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      window.reportViolation(`${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile ?? ''} ${event.sample}`);
    });
  });
  const page = context.pages()[0] ?? (await context.newPage());
  return {
    context,
    page,
    watch,
    close: async () => {
      await context.close();
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/**
 * Returns policy violations, requests to foreign origins, and console errors. Chromium logs every error response as a console
 * error; `expected` lists the responses that a test expects, as `{ path, status }`.
 */
export function complaints(watch, base, expected = []) {
  const isExpected = ({ text, url }) => expected.some(({ path, status }) => url === `${base}${path}` && text.startsWith('Failed to load resource') && text.includes(` ${status} `));
  return [
    ...watch.violations.map((violation) => `policy: ${violation}`),
    ...strangers(watch, base).map((url) => `foreign address: ${url}`),
    ...watch.errors.filter((error) => !isExpected(error)).map(({ text, url }) => `console: ${text} (${url})`),
  ];
}

/** Returns the requested addresses of other origins, except data: and blob: addresses. */
function strangers(watch, base) {
  const { origin } = new URL(base);
  return watch.requests.filter((url) => !['data:', 'blob:'].includes(new URL(url).protocol) && new URL(url).origin !== origin);
}

// Shared parts of the sample's tests: the sample connected to the service in LABS_TEST_BASE, a monitored Chromium, and
// checks for errors that are not visible on the page.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { openBrowser } from '../../test/browser.mjs';
import { settings } from '../program.mjs';
import { start } from '../server.mjs';

/** Tests in Chromium need a service with sample data, and its sign-ins.txt. */
export const skip = process.env.LABS_TEST_BASE ? false : 'LABS_TEST_BASE is not set to a service with sample data';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Starts the sample on the port whose origin the service allows. Returns `{ base, service, close }`. */
export async function startSample() {
  const set = settings({ ...process.env, LABS_BASE: process.env.LABS_TEST_BASE });
  const server = await start(set);
  return { base: `http://127.0.0.1:${server.address().port}`, service: set.base, close: () => new Promise((closed) => (server.closeAllConnections(), server.close(closed))) };
}

/** Returns the credentials of a user of the sample data. */
export function personOf(email) {
  const sheet = readFileSync(`${process.env.LABS_FOLDER}/sign-ins.txt`, 'utf8');
  const [, password, secret] = new RegExp(`email     ${email.replaceAll('.', '\\.')}\\n    password  (\\S+)(?:\\n    totp      (\\S+))?`).exec(sheet) ?? [];
  assert.ok(password, `sign-ins.txt contains ${email}`);
  return { email, password, secret };
}

/** Opens a page of the sample, runs the test, and then fails on policy violations, foreign requests and console errors. */
export async function visit(sample, path, steps, { expected = [], ...options } = {}) {
  const { page, context, watch, close } = await openBrowser(options);
  // A busy machine is slow.
  page.setDefaultTimeout(60_000);
  try {
    if (options.viewport) await page.setViewportSize(options.viewport);
    await page.goto(`${sample.base}${path}`);
    await ready(page);
    await steps(page, context);
    assert.deepEqual(complaints(sample, watch, expected), []);
  } finally {
    await close();
  }
}

/** Waits until the view of the current address is complete. */
export async function ready(page) {
  await page.locator('main:not([aria-busy]) h1').waitFor();
}

/** Runs an action that navigates to another address, and waits for its view. */
export async function leads(page, act, address) {
  await act();
  await page.waitForURL(address);
  await ready(page);
}

/** Returns policy violations, requests to foreign origins, and console errors that the test does not expect. */
function complaints({ base, service }, watch, expected) {
  const refused = ({ text, url }) => expected.some(({ path, status }) => url.includes(path) && text.startsWith('Failed to load resource') && `${text} `.includes(` ${status} `));
  const foreign = watch.requests.filter((url) => !['data:', 'blob:'].includes(new URL(url).protocol) && ![base, service].includes(new URL(url).origin));
  return [
    ...watch.violations.map((violation) => `policy: ${violation}`),
    ...foreign.map((url) => `foreign address: ${url}`),
    ...watch.errors.filter((error) => !refused(error)).map(({ text, url }) => `console: ${text} (${url})`),
  ];
}

/** Returns the serious and critical findings of axe for the current page. */
export async function barriers(page) {
  await page.evaluate(readFileSync(AXE, 'utf8'));
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return grave.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`));
}

/** Returns by how many pixels the content is wider than the page. */
export function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}

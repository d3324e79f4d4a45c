// Tests that the HTML of every kind of page is valid, both as the service sends it and after the page's scripts have
// run.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HtmlValidate } from 'html-validate';
import { openBrowser } from './browser.mjs';
import { startService } from './house.mjs';

/** Pages that the service and the mock have. */
const PAGES = ['/', '/reference', '/reference/operations/marketplace_apps_create', '/reference/codes/VALIDATION_FAILED', '/reference/concepts/files', '/reference/concepts/client-generators', '/account/reset-password', '/account/invitation', '/playground', '/changelog', '/blog'];
/** Pages that only the service renders. */
const MADE_BY_SERVICE = ['/changelog', '/blog'];
/** Number of items per list to check. */
const ITEMS = 3;

const sent = new HtmlValidate({ root: true, extends: ['html-validate:standard'] });
// A browser serialises the attributes of a modified page in its own form.
const written = new HtmlValidate({
  root: true,
  extends: ['html-validate:standard'],
  rules: { 'attribute-boolean-style': 'off', 'attribute-empty-style': 'off', 'no-trailing-whitespace': 'off', 'void-style': 'off' },
});

let service;
before(async () => {
  service = await startService();
});
after(() => service.close());

/** Returns the errors of a page, one per line. */
async function faults(validator, html) {
  const report = await validator.validateString(html);
  return report.results.flatMap((result) => result.messages.map((message) => `${message.line}:${message.column} ${message.ruleId} ${message.message} ${message.selector ?? ''}`));
}

/** Returns the pages to check: the fixed ones, and items of the changelog and the blog. */
async function pages() {
  if (service.mock) return PAGES.filter((path) => !MADE_BY_SERVICE.includes(path));
  const lists = await Promise.all(MADE_BY_SERVICE.map(async (path) => (await fetch(service.base + path)).text()));
  const items = lists.flatMap((html, at) => {
    const links = html.matchAll(new RegExp(`href="(${MADE_BY_SERVICE[at]}/[a-z0-9-]+)"`, 'g'));
    return [...new Set([...links].map((link) => link[1]))].slice(0, ITEMS);
  });
  return [...PAGES, ...items];
}

test('pages are valid HTML as sent', async () => {
  for (const path of await pages()) {
    const answer = await fetch(service.base + path, { headers: { accept: 'text/html' } });
    assert.equal(answer.status, 200, path);
    const html = await answer.text();
    assert.deepEqual(await faults(sent, html), [], path);
    // The validator does not check datetime values: fractions of a second have three digits at most.
    assert.deepEqual(html.match(/datetime="[^"]*\.\d{4}[^"]*"/g) ?? [], [], path);
  }
});

test('pages are valid HTML after their scripts ran', async () => {
  const { page, close } = await openBrowser();
  try {
    for (const path of await pages()) {
      await page.goto(service.base + path);
      await page.getByRole('heading').first().waitFor();
      assert.deepEqual(await faults(written, await page.content()), [], path);
    }
  } finally {
    await close();
  }
});

// Tests layout and accessibility of the playground, against the service in LABS_TEST_BASE or else against the mock.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { openAndRun, openQuestion, run, signedIn, startService, write } from './house.mjs';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}/;

let service;
let staff;
before(async () => {
  service = await startService();
  staff = await signedIn(service, service.staff);
});
after(async () => {
  await staff?.close();
  await service.close();
});

const boxOf = (locator) => locator.boundingBox();
/** Returns the lightness of a computed colour, from 0 to 1. */
const lightness = (locator, property) =>
  locator.evaluate((element, name) => {
    const [red, green, blue] = getComputedStyle(element)[name].match(/[\d.]+/g).map(Number);
    return (0.3 * red + 0.6 * green + 0.1 * blue) / 255;
  }, property);

async function choose(page, theme) {
  await page.getByRole('button', { name: 'Open settings dialog' }).click();
  await page.getByRole('button', { name: theme, exact: true }).click();
  await page.getByRole('button', { name: 'Close dialog' }).click();
}

test('top bar shows the name of the user', async () => {
  const page = await staff.open();
  const answered = page.waitForResponse((response) => response.url().endsWith('/v1/auth/account'));
  await page.reload();
  const { name } = await (await answered).json();
  await page.locator('.topbar .who').getByText(name, { exact: true }).waitFor();
  assert.doesNotMatch(await page.locator('.topbar').innerText(), UUID);
  await page.close();
});

test('theme setting applies to all parts of the page', async () => {
  const page = await staff.open();
  const parts = [page.locator('.topbar'), page.getByRole('button', { name: 'Sign out', exact: true }), page.locator('.questions button').first()];
  for (const [theme, isRight] of [['Dark', (ground, ink) => ground < 0.3 && ink > 0.6], ['Light', (ground, ink) => ground > 0.7 && ink < 0.5]]) {
    await choose(page, theme);
    for (const part of parts) {
      const [ground, ink] = [await lightness(part, 'backgroundColor'), await lightness(part, 'color')];
      assert.ok(isRight(ground, ink), `${theme}: ${part} has ${ink} on ${ground}`);
    }
  }
  await page.close();
});

test('close icon of a dialog is visible', async () => {
  const page = await staff.open();
  await page.getByRole('button', { name: 'Open settings dialog' }).click();
  const cross = page.getByRole('button', { name: 'Close dialog' }).locator('svg');
  const drawn = await cross.evaluate((svg) => {
    const { width, paddingLeft, paddingRight } = getComputedStyle(svg);
    return parseFloat(width) - parseFloat(paddingLeft) - parseFloat(paddingRight);
  });
  assert.ok(drawn >= 8, `${drawn} pixels are left for the cross`);
  await page.close();
});

test('empty tab and text of comments show no error', async () => {
  const page = await staff.open();
  await page.getByRole('tab', { name: 'New query' }).waitFor();
  await page.getByText('Write a query, or select one in the panel.').waitFor();
  // An invalid query proves that the error markers work.
  await write(page, 'query wrong {');
  const marks = page.locator('.graphiql-query-editor .squiggly-error');
  await marks.first().waitFor();
  await write(page, '# nothing yet');
  await marks.first().waitFor({ state: 'detached' });
  await page.waitForFunction(() => globalThis.__MONACO.editor.getModelMarkers({ owner: 'graphql' }).length === 0);
  await write(page, 'query named { system_me_get { principal_type } }');
  await page.getByRole('tab', { name: 'named' }).waitFor();
  await page.getByRole('button', { name: 'New tab' }).click();
  await page.getByRole('tab', { name: 'New query' }).waitFor();
  assert.doesNotMatch((await page.getByRole('tab').allTextContents()).join(), /untitled/);
  await page.close();
});

test('panel leaves enough width for the editor', async () => {
  const page = await staff.open();
  const [panel, window] = [await boxOf(page.locator('.graphiql-plugin')), page.viewportSize()];
  assert.ok(panel.width < window.width * 0.22, `the panel takes ${panel.width} of ${window.width}`);
  await write(page, 'x'.repeat(400));
  const line = page.locator('.graphiql-query-editor .view-line').first();
  await line.waitFor();
  const letters = (await line.textContent()).length;
  assert.ok(letters >= 50, `a line shows ${letters} letters`);
  await page.close();
});

test('long queries in the history do not overflow the window', async () => {
  const page = await staff.open();
  const long = 'a'.repeat(60);
  await page.getByRole('button', { name: 'Show History' }).click();
  for (let count = 0; count < 6; count += 1) {
    const name = `${long}_${count}`;
    await write(page, `query ${name} { system_me_get { principal_type } }`);
    const kept = page.locator('.graphiql-history-item').nth(count);
    // The library's history misses a query whose response arrives before the history observes it. The test then runs
    // the query again.
    for (let tries = 0; tries < 5 && !(await kept.isVisible()); tries += 1) {
      await run(page, name);
      await kept.waitFor({ timeout: 5000 }).catch(() => {});
    }
    assert.ok(await kept.isVisible(), `question ${count} is in the history`);
  }
  const [out, window] = [await boxOf(page.getByRole('button', { name: 'Sign out', exact: true })), page.viewportSize()];
  assert.ok(out.x + out.width <= window.width, `"Sign out" ends at ${out.x + out.width}`);
  assert.ok((await boxOf(page.locator('.graphiql-plugin'))).width < window.width * 0.22);
  await page.close();
});

test('at 390 pixels panes are stacked and a query runs', async () => {
  const page = await staff.open();
  await page.setViewportSize({ width: 390, height: 844 });
  assert.equal((await openAndRun(page, 'Latest audit records', 'audit_latest')).status, 200);
  await page.getByRole('button', { name: 'Show query' }).click();
  const [editor, answer] = [await boxOf(page.locator('.graphiql-editors')), await boxOf(page.locator('.graphiql-response'))];
  assert.ok(answer.y >= editor.y + editor.height, 'the answer stands below the question');
  assert.ok(editor.width > 330 && answer.width > 330, `${editor.width} and ${answer.width} wide`);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390, 'nothing stands out sideways');
  await page.close();
});

for (const theme of ['Light', 'Dark']) {
  test(`playground has no accessibility errors: ${theme.toLowerCase()}`, async () => {
    const page = await staff.open();
    await choose(page, theme);
    await openAndRun(page, 'Latest audit records', 'audit_latest');
    await page.getByRole('button', { name: 'Table', exact: true }).click();
    await page.getByRole('region', { name: 'Response as a table' }).waitFor();
    assert.deepEqual(await violations(page), []);
    for (const name of ['Columns', /^Keyboard shortcuts/]) {
      await page.getByRole('button', { name }).click();
      await page.getByRole('dialog', { name }).waitFor();
      assert.deepEqual(await violations(page), []);
      await page.keyboard.press('Escape');
    }
    await openQuestion(page, 'Failed runs of a job');
    await page.getByRole('combobox', { name: 'Job' }).click();
    await page.getByRole('option', { name: /TIDYING/ }).waitFor();
    assert.deepEqual(await violations(page), []);
    await openQuestion(page, 'Request changes to a submission');
    await page.getByRole('button', { name: 'Add finding' }).click();
    await page.getByRole('form').getByRole('button', { name: 'Run' }).click();
    await page.getByText('Required.').first().waitFor();
    assert.deepEqual(await violations(page), []);
    await page.close();
  });
}

/**
 * Returns the serious and critical findings of axe. It excludes parts of libraries: the editors, which Monaco renders, and the tabs
 * of GraphiQL, which have a button inside an element with the role tab.
 */
async function violations(page) {
  // The content security policy forbids injected scripts; the browser's automation may still run them.
  await page.evaluate(AXE);
  const found = await page.evaluate(() => globalThis.axe.run({ exclude: ['.monaco-editor', '.graphiql-tab'] }, { resultTypes: ['violations'] }));
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 140)).join(' | ')}`);
}

// Checks a page with axe.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const axe = readFileSync(fileURLToPath(new URL('../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');

/** Returns all findings of axe on a page, of any impact. The size of targets (WCAG 2.2, 24 pixels) is included, which axe omits by default. */
export async function allFaults(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }));
  assert.ok(passes.length > 10, 'axe looked at the page');
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id}: ${html.slice(0, 200)} ${any[0]?.message ?? ''}`));
}

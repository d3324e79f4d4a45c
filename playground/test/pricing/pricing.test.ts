// Tests the data of the pricing page over HTTP, from the service in LABS_TEST_BASE.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { labs, pricingPage } from './pricing.js';

const base = process.env.LABS_TEST_BASE;

test('pricing page is built from the typed public catalogue', { skip: !base }, async () => {
  const { cards, table } = await pricingPage(labs(base!));
  assert.deepEqual(cards, [
    { code: 'FREE', title: 'Free', price: 'free', action: 'choose', limits: ['5/s', '5000/day', '3 apps', '3 people'] },
    { code: 'GROWTH', title: 'Growth (recommended)', price: '€49.00 a month', action: 'choose', limits: ['25/s', '100000/day', '20 apps', '15 people'] },
    { code: 'SCALE', title: 'Scale', price: '€249.00 a month', action: 'ask', limits: ['100/s', '2000000/day', 'unlimited apps', 'unlimited people'] },
  ]);
  const line = (title: string) => table.find((row) => row.title === title)?.cells;
  assert.deepEqual(line('Apps (apps)'), ['3', '20', 'unlimited']);
  assert.deepEqual(line('Media storage (megabytes)'), ['100', '2000', 'unlimited']);
  assert.deepEqual(line('Early access'), ['–', 'yes', 'yes']);
  assert.deepEqual(line('Statistics'), ['–', 'yes', 'yes']);
  assert.ok(table.length > 5, 'more features than a page of the list holds');
  assert.ok(table.every((row) => row.cells.length === cards.length && row.cells.every((cell) => cell !== '')));
});

test('tier is found by its code, and errors are typed', { skip: !base }, async () => {
  const client = labs(base!);
  const get = (tier_code: string) => client.GET('/v1/subscription/public/tiers/{tier_code}', { params: { path: { tier_code } } });
  assert.equal((await get('GROWTH')).data?.name, 'Growth');
  const missing = await get('NO_SUCH');
  assert.equal(missing.response.status, 404);
  assert.equal(missing.error?.code, 'NOT_FOUND');
});

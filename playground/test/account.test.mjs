// Tests the pages that links in e-mails open, in a real Chromium, against the service and with the e-mails that it
// wrote.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { complaints, openBrowser } from './browser.mjs';
import { startService } from './house.mjs';

const axe = readFileSync(fileURLToPath(new URL('../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');
const MAILS = process.env.LABS_TEST_MAILS;
const PASSWORD = 'a long walk along the Elbe';
const ANOTHER = 'nine "herons" \\ under the pier';

let service;
before(async () => {
  service = await startService();
});
after(() => service.close());

/** Defines a test that needs e-mails and runs in a separate browser. A test declares expected errors with `expect`. */
function story(name, steps, options) {
  test(name, async (t) => {
    if (!MAILS) return t.skip('only the service writes e-mails');
    const { context, page, watch, close } = await openBrowser(options);
    const expected = [];
    try {
      await steps(page, (path, status) => expected.push({ path, status }), context);
      assert.deepEqual(complaints(watch, service.base, expected), []);
      // No request contained the token from the URL fragment (after `#`).
      assert.ok(!watch.requests.some((url) => new URL(url).search.includes('labs_ot_') || new URL(url).pathname.includes('labs_ot_')));
    } finally {
      await close();
    }
  });
}

async function post(path, body, token) {
  const headers = { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  const answer = await fetch(`${service.base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.clone().text()}`);
  return answer.json();
}

/** Waits for an e-mail to an address with a link to this page, and returns the newest link. */
async function link(address, page) {
  for (let tries = 0; tries < 600; tries += 1) {
    const files = readdirSync(MAILS).filter((file) => file.endsWith('.eml')).sort();
    const mails = files.map((file) => readFileSync(join(MAILS, file), 'utf8')).filter((mail) => new RegExp(`^To: .*${address}`, 'm').test(mail));
    const links = mails.flatMap((mail) => mail.match(new RegExp(`^ {4}http\\S+/account/${page}#labs_ot_\\S+`, 'm')) ?? []);
    if (links.length > 0) return links.at(-1).trim();
    await pause(50);
  }
  throw new Error(`no e-mail to ${address} links to ${page}`);
}

/** Registers a company, and confirms its address by default. */
async function register(name, isProved = true) {
  const email = `mara@${name}.example`;
  await post('/v1/auth/registrations', { company_name: name, country: 'DE', accept_terms: true, administrator: { name: 'Mara Vogel', email, password: PASSWORD } });
  const verify = await link(email, 'verify-email');
  if (isProved) await post('/v1/auth/registrations:verify-email', { token: verify.split('#')[1], password: PASSWORD });
  return { email, verify };
}

const signIn = (email, password = PASSWORD) => post('/v1/auth/sessions', { email, password });
const heading = (page, name) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

async function faultsOf(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(() => window.axe.run({ resultTypes: ['violations'] }));
  assert.ok(passes.length > 10, 'axe looked at the page');
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  return [...violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes[0].html}`), ...(isWide ? ['wider than the screen'] : [])];
}

for (const colorScheme of ['light', 'dark']) {
  story(`address is confirmed on a phone by keyboard, ${colorScheme}`, async (page, expect) => {
    const path = '/v1/auth/registrations:verify-email';
    expect(path, 401);
    expect(path, 422);
    const { email, verify } = await register(`weser-${colorScheme}`, false);
    await page.setViewportSize({ width: 360, height: 640 });
    await page.goto(verify);
    await heading(page, 'Confirm your e-mail address');
    assert.equal(page.url(), `${service.base}/account/verify-email`, 'the token is out of the address');
    const password = page.getByLabel('Password');
    assert.equal(await password.getAttribute('autocomplete'), 'current-password');
    await page.keyboard.press('Tab');
    assert.ok(await password.evaluate((box) => box === document.activeElement), 'from the heading to the field');
    await page.keyboard.press('Enter');
    await page.getByText('Password is missing.').waitFor();
    await page.keyboard.type('not the password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText(/not the password of this registration/).waitFor();
    assert.deepEqual(await faultsOf(page), []);
    await password.focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await heading(page, 'Your address is confirmed');
    await page.getByText(`You can now sign in as ${email}.`, { exact: true }).waitFor();
    assert.match(await page.getByRole('status').textContent(), /^Your address is confirmed\./);
    assert.deepEqual(await faultsOf(page), []);
    for (const next of await page.locator('main a').evaluateAll((anchors) => anchors.map((anchor) => anchor.href))) {
      assert.equal((await page.request.get(next)).status(), 200, next);
    }
    await signIn(email);
    // Opens the same link again in the same tab: its token is already used.
    await page.goto(verify);
    await password.fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText(/This token is not valid/).waitFor();
  }, { colorScheme });
}

story('link without a valid token shows an error', async (page, expect) => {
  expect('/v1/auth/invitations:inspect', 422);
  await page.goto(`${service.base}/account/reset-password`);
  await heading(page, 'This link is incomplete');
  await page.goto(`${service.base}/account/invitation#labs_ot_no_such_token`);
  await heading(page, 'This link cannot be used');
  await page.getByText(/This token is not valid/).first().waitFor();
  assert.deepEqual(await faultsOf(page), []);
});

story('password is reset from the well-known address, and errors are shown at the field', async (page, expect) => {
  expect('/v1/auth/password-resets', 422);
  expect('/v1/auth/password-resets:confirm', 422);
  const { email } = await register('elbe');
  await page.goto(`${service.base}/.well-known/change-password`);
  await heading(page, 'Request a new password');
  assert.equal(page.url(), `${service.base}/account/forgot-password`);
  const address = page.getByLabel('E-mail');
  assert.equal(await address.getAttribute('autocomplete'), 'username');
  await page.getByRole('button', { name: 'Send the link' }).press('Enter');
  await page.getByText('E-mail is missing.').waitFor();
  assert.deepEqual(await faultsOf(page), []);
  await address.fill('no address');
  await page.keyboard.press('Enter');
  await page.locator('#field-0-fault').getByText(/address/).waitFor();
  await address.fill(email);
  await page.keyboard.press('Enter');
  await heading(page, 'Check your e-mails');
  await page.getByText(`If ${email} has an account, an e-mail with a link is on its way. The link is valid for 60 minutes.`, { exact: true }).waitFor();
  await page.goto(await link(email, 'reset-password'));
  await heading(page, 'Choose a new password');
  const password = page.getByLabel('New password');
  assert.equal(await password.getAttribute('autocomplete'), 'new-password');
  await password.fill('password1234');
  await page.getByRole('button', { name: 'Set the password' }).press('Enter');
  await page.locator('#field-0-fault').getByText(/./).waitFor();
  assert.ok(await password.evaluate((box) => box === document.activeElement && box.getAttribute('aria-invalid') === 'true'));
  assert.deepEqual(await faultsOf(page), []);
  await password.fill(ANOTHER);
  await page.keyboard.press('Enter');
  await heading(page, 'The new password is set');
  await signIn(email, ANOTHER);
});

story('new address is confirmed, and cancelled from the old one', async (page) => {
  const { email } = await register('ems');
  const { access_token } = await signIn(email);
  await post('/v1/auth/account:change-email', { email: 'new@ems.example' }, access_token);
  await page.goto(await link('new@ems.example', 'confirm-email'));
  await heading(page, 'Confirm your new e-mail address');
  await page.getByRole('button', { name: 'Confirm' }).press('Enter');
  await heading(page, 'Your new address is active');
  await signIn('new@ems.example');
  // In the same tab, which already shows another page.
  await page.goto(await link(email, 'cancel-email-change'));
  await heading(page, 'Cancel the change of your e-mail address');
  assert.deepEqual(await faultsOf(page), []);
  await page.getByRole('button', { name: 'Cancel the change' }).press('Enter');
  await heading(page, 'The change is cancelled');
  await page.goto(await link(email, 'reset-password'));
  await page.getByLabel('New password').fill(ANOTHER);
  await page.keyboard.press('Enter');
  await heading(page, 'The new password is set');
  await signIn(email, ANOTHER);
});

story('invitation names both users, and is accepted or declined', async (page, expect) => {
  expect('/v1/auth/invitations:accept', 422);
  const { email } = await register('havel');
  const { access_token } = await signIn(email);
  const me = await (await fetch(`${service.base}/v1/system/me`, { headers: { Authorization: `Bearer ${access_token}` } })).json();
  const invite = (to) => post(`/v1/partner/${me.partner_uuid}/invitations`, { email: to, role: 'DEVELOPER' }, access_token);
  await invite('ines@havel.example');
  await page.goto(await link('ines@havel.example', 'invitation'));
  await heading(page, 'Join havel');
  await page.getByText('Mara Vogel of havel invites ines@havel.example to join their team as developer.').waitFor();
  assert.equal(await page.getByLabel('E-mail').inputValue(), 'ines@havel.example');
  assert.deepEqual(await faultsOf(page), []);
  await page.getByLabel('Full name').fill(' ');
  await page.getByLabel('Password').fill('ines@havel.example');
  await page.getByRole('button', { name: 'Accept' }).press('Enter');
  for (const field of [1, 2]) await page.locator(`#field-${field}-fault`).getByText(/./).waitFor();
  assert.equal(await page.locator('[aria-invalid]').count(), 2, 'name and password at once');
  await page.getByLabel('Full name').fill('Ines Ferrer');
  await page.getByLabel('Password').fill(ANOTHER);
  await page.keyboard.press('Enter');
  await heading(page, 'You joined the team of havel');
  await signIn('ines@havel.example', ANOTHER);
  await invite('otto@havel.example');
  await page.goto(await link('otto@havel.example', 'invitation'));
  await page.getByRole('button', { name: 'Decline' }).press('Enter');
  await heading(page, 'The invitation is declined');
});

// Tests the board in a real Chromium against a service with sample data that allows the sample's origin.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { freshCode } from '../../test/totp.mjs';
import { barriers, leads, overflow, personOf, ready, skip, startSample, visit } from './house.mjs';

let sample;
before(async () => {
  if (!skip) sample = await startSample();
});
after(() => sample?.close());

const BASTIEN = 'bastien.faure@belletablee.example';
/** Without a valid refresh cookie, the first renewal of the token fails. */
const expected = [{ path: '/v1/auth/sessions', status: 401 }];
const requests = (page) => page.locator('.requests > li');

async function signIn(page, { email, password, secret }) {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  if (secret) {
    await page.getByLabel('Code from your authenticator app').fill(await freshCode(secret));
    await page.keyboard.press('Enter');
  }
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await ready(page);
}

/** Runs an action and returns the data of the service's response. */
async function answered(page, method, path, act) {
  const answer = page.waitForResponse((response) => response.request().method() === method && new URL(response.url()).pathname.endsWith(path));
  await act();
  return (await answer).json();
}

test('user proposes, sees similar requests, votes, comments and follows', { skip }, async () => {
  const steps = async (page) => {
    await signIn(page, personOf(BASTIEN));
    await leads(page, () => page.getByRole('link', { name: 'Propose' }).click(), '**/board/new');
    const title = page.getByLabel('Title');
    await title.pressSequentially('Split the bill');
    await page.locator('.near').getByRole('link', { name: 'Split a bill between guests' }).waitFor();
    const wanted = `Bells for the terrace ${randomUUID().slice(0, 8)}`;
    await title.fill(wanted);
    await page.getByLabel('Description').fill('Guests **wave**, and <b>nobody</b> sees it.');
    await page.getByLabel('Topic').selectOption('Kitchen');
    await leads(page, () => page.getByRole('button', { name: 'Propose' }).click(), /\/board\/[0-9a-f-]{36}$/);
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), wanted);
    assert.equal(await page.locator('main strong', { hasText: 'wave' }).count(), 1, 'Markdown is shown as HTML');
    await page.getByText('<b>nobody</b> sees it', { exact: false }).waitFor();

    const vote = page.getByRole('button', { name: `Vote for ${wanted}` });
    assert.equal(await vote.getAttribute('aria-pressed'), 'true', 'a proposal includes the vote of its user');
    assert.equal((await answered(page, 'DELETE', '/vote', () => vote.click())).votes, 0);
    await page.getByRole('button', { name: `Vote for ${wanted}: 0 votes`, pressed: false }).waitFor();
    assert.equal((await answered(page, 'PUT', '/vote', () => vote.click())).votes, 1);
    await page.getByRole('button', { name: `Vote for ${wanted}: 1 vote`, pressed: true }).waitFor();

    const follow = page.getByRole('button', { name: /^Follow/ });
    assert.equal((await answered(page, 'PUT', '/follow', () => follow.click())).followed, true);
    await page.getByRole('button', { name: 'Following', pressed: true }).waitFor();
    await leads(page, () => page.getByRole('link', { name: 'Requests' }).click(), '**/board');
    await leads(page, () => page.getByLabel('Show').selectOption('I follow'), /whose=followed/);
    await leads(page, () => page.getByRole('link', { name: wanted }).click(), /\/board\/[0-9a-f-]{36}/);
    assert.equal((await answered(page, 'DELETE', '/follow', () => page.getByRole('button', { name: 'Following' }).click())).followed, false);
    await page.getByRole('button', { name: 'Follow', exact: true }).waitFor();
    await comment(page);
  };
  await visit(sample, '/board', steps, { expected });
});

async function comment(page) {
  await page.getByText('No comments yet.').waitFor();
  await page.getByLabel('Add a comment').fill('We ring *twice*.');
  await page.getByRole('button', { name: 'Comment' }).click();
  const one = page.locator('.comment');
  await one.getByText('twice').waitFor();
  assert.equal(await page.getByLabel('Add a comment').inputValue(), '', 'the field is free for the next');
  await one.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Edit your comment').fill('We ring once.');
  await one.getByRole('button', { name: 'Save' }).click();
  await one.getByText('We ring once.').waitFor();
  await one.getByText('edited').waitFor();
  await page.reload();
  await ready(page);
  await page.locator('.comment').getByText('We ring once.').waitFor();
  assert.equal(await page.locator('.comment').count(), 1);
}

test('vote shows immediately and is reverted on errors', { skip }, async () => {
  const steps = async (page) => {
    await signIn(page, personOf(BASTIEN));
    const vote = page.getByRole('button', { name: 'Vote for A sandbox with sample venues' });
    const before = await vote.textContent();
    let answer;
    const held = new Promise((free) => (answer = free));
    await page.route('**/vote', async (route) => {
      if (route.request().method() === 'OPTIONS') return route.continue();
      await held;
      await route.fulfill({ status: 409, contentType: 'application/problem+json', headers: { 'Access-Control-Allow-Origin': sample.base }, body: JSON.stringify({ title: 'In conflict', status: 409, detail: 'The request has been merged.' }) });
    });
    await vote.click();
    assert.equal(await vote.getAttribute('aria-pressed'), 'true', 'before the answer');
    assert.notEqual(await vote.textContent(), before);
    answer();
    await page.getByRole('alert').getByText('The request has been merged.').waitFor();
    assert.equal(await vote.textContent(), before);
    assert.equal(await vote.getAttribute('aria-pressed'), 'false');
  };
  await visit(sample, '/board', steps, { expected: [...expected, { path: '/vote', status: 409 }] });
});

test('address determines filters and order of the board', { skip }, async () => {
  const steps = async (page) => {
    await signIn(page, personOf(BASTIEN));
    await leads(page, () => page.getByLabel('Shipped').check(), /status=SHIPPED/);
    assert.equal(await requests(page).count(), 3);
    assert.equal(await page.locator('.requests .badge.shipped').count(), 3);
    await leads(page, () => page.getByLabel('Shipped').uncheck(), (url) => !url.search.includes('status'));
    await leads(page, () => page.getByLabel('Topic').selectOption('Webhooks'), /topic=/);
    assert.equal(await requests(page).count(), 4);
    await page.getByLabel('Search text').fill('signed');
    await leads(page, () => page.keyboard.press('Enter'), /q=signed/);
    assert.deepEqual(await requests(page).locator('h3').allTextContents(), ['Signed webhooks']);
    await leads(page, () => page.goto(`${sample.base}/board?whose=mine&sort=-created_at`), /whose=mine/);
    assert.ok((await requests(page).count()) > 1);
    assert.equal(await page.locator('.requests').getByText('Elbkontor').count(), 0, 'only requests of this user');
    await page.getByLabel('Search text').fill('xyzzyplugh');
    await leads(page, () => page.keyboard.press('Enter'), /q=xyzzyplugh/);
    await page.getByRole('heading', { name: 'No requests match' }).waitFor();
  };
  await visit(sample, '/board', steps, { expected });
});

test('request shows history, duplicates, answers and allowed actions', { skip }, async () => {
  const steps = async (page) => {
    await signIn(page, personOf('camille.roussel@belletablee.example'));
    await leads(page, () => page.getByRole('link', { name: 'Split a bill between guests' }).click(), /\/board\/[0-9a-f-]{36}/);
    await page.locator('.history').getByText('In progress').waitFor();
    await page.locator('.comment.answer').getByText('Staff').waitFor();
    await leads(page, () => page.locator('aside').getByRole('link', { name: 'Partager l\'addition entre les clients' }).last().click(), /\/board\/[0-9a-f-]{36}/);
    await page.getByText('This request was merged into another request.').waitFor();
    assert.equal(await page.locator('button.vote').count(), 0, 'a merged request has no vote button');
    assert.equal(await page.getByLabel('Add a comment').count(), 0);
    await leads(page, () => page.getByRole('link', { name: 'Vote and comment there' }).click(), /\/board\/[0-9a-f-]{36}/);

    await page.goto(`${sample.base}/board?q=lower+fees`);
    await ready(page);
    await leads(page, () => page.getByRole('link', { name: 'Lower fees for small venues' }).click(), /\/board\/[0-9a-f-]{36}/);
    await page.getByText('Staff members locked the comments.').waitFor();
    await page.goto(`${sample.base}/board?status=SHIPPED`);
    await ready(page);
    const shipped = requests(page).filter({ hasText: 'Find listings by the vendor' });
    assert.equal(await shipped.getByRole('button').count(), 0, 'a shipped request has no vote button');

    await leads(page, () => page.getByRole('link', { name: 'Roadmap' }).click(), '**/board/roadmap');
    assert.deepEqual(await page.locator('.roadmap h2').allTextContents(), ['Planned 4', 'In progress 3', 'Shipped in the last 180 days 3']);
    await page.locator('.pace').getByText('with an answer or a new status').waitFor();
  };
  await visit(sample, '/board', steps, { expected });
});

test('notifications are counted, opened and marked as read', { skip }, async () => {
  const steps = async (page) => {
    await signIn(page, personOf(BASTIEN));
    const bell = page.locator('.bell');
    await leads(page, () => bell.click(), '**/board/notifications');
    await page.getByRole('link', { name: /^Notifications \d+ unread$/ }).first().waitFor();
    const unread = page.locator('.notification.is-unread');
    const before = await unread.count();
    assert.ok(before > 1);
    assert.equal(await bell.textContent(), `Notifications${before} ${before} unread`);
    await unread.first().getByText(/You see this because you (proposed it|voted for it|follow it)/).waitFor();

    const title = await unread.first().getByRole('link').first().textContent();
    const opened = await answered(page, 'POST', '/notifications:mark-read', () => leads(page, () => unread.first().getByRole('link').first().click(), /\/board\/[0-9a-f-]{36}/));
    assert.equal(opened.unread, before - 1);
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), title);
    await page.locator('.bell').getByText(`${before - 1} unread`).waitFor({ state: 'attached' });

    await page.goBack();
    await ready(page);
    assert.equal(await unread.count(), before - 1);
    assert.equal((await answered(page, 'POST', '/notifications:mark-read', () => page.getByRole('button', { name: 'Mark all as read' }).click())).unread, 0);
    await page.waitForFunction(() => document.querySelectorAll('.is-unread').length === 0);
    assert.ok(await page.locator('.bell .unread-count').isHidden());
    await leads(page, () => page.getByRole('link', { name: 'Unread', exact: true }).click(), /show=unread/);
    await page.getByRole('heading', { name: 'You have read everything' }).waitFor();
  };
  await visit(sample, '/board', steps, { expected });
});

test('attribution shows and hides the name of the user', { skip }, async () => {
  const steps = async (page) => {
    await signIn(page, personOf(BASTIEN));
    await leads(page, () => page.getByRole('link', { name: 'Your name' }).click(), '**/board/attribution');
    const choice = page.getByRole('switch', { name: 'Show my name next to the name of my company' });
    assert.ok(!(await choice.isChecked()));
    await page.getByText('Other partners see: Belle Tablée').waitFor();
    assert.equal((await answered(page, 'PUT', '/attribution', () => choice.click())).show_name, true);
    await page.getByText('Other partners see: Bastien Faure, Belle Tablée').waitFor();
    await page.reload();
    await ready(page);
    assert.ok(await choice.isChecked());
    assert.equal((await answered(page, 'PUT', '/attribution', () => choice.click())).show_name, false);
    await page.getByText('Other partners see: Belle Tablée').waitFor();
  };
  await visit(sample, '/board/attribution', steps, { expected });
});

test('user reports a request and a comment', { skip }, async () => {
  const steps = async (page) => {
    await signIn(page, personOf(BASTIEN));
    await leads(page, () => page.getByRole('link', { name: 'Split a bill between guests' }).click(), /\/board\/[0-9a-f-]{36}/);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Report this request' }).click();
    await dialog.getByLabel('Another reason').check();
    await dialog.getByRole('button', { name: 'Send report' }).click();
    assert.ok(await dialog.getByLabel('Note for the moderators').evaluate((field) => !field.validity.valid), 'another reason needs a note');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Report this request' }).click();
    await dialog.getByLabel('Repeats another request or comment').check();
    const made = await answered(page, 'POST', ':report', () => dialog.getByRole('button', { name: 'Send report' }).click());
    assert.deepEqual([made.reason, made.note], ['DUPLICATE', null]);
    await page.getByText('You reported this. Moderators will check it.').waitFor();

    const comment = page.locator('.comment').filter({ has: page.getByRole('button', { name: 'Report' }) }).first();
    await comment.getByRole('button', { name: 'Report' }).click();
    await dialog.getByLabel('Another reason').check();
    await dialog.getByLabel('Note for the moderators').fill('Names a guest.');
    assert.equal((await answered(page, 'POST', ':report', () => dialog.getByRole('button', { name: 'Send report' }).click())).note, 'Names a guest.');
    await page.locator('.comment').getByText('You reported this. Moderators will check it.').waitFor();
  };
  await visit(sample, '/board', steps, { expected });
});

test('session with second factor survives a reload and stores no token', { skip }, async () => {
  const steps = async (page, context) => {
    await page.getByLabel('E-mail').fill(BASTIEN);
    await page.getByLabel('Password').fill('not the password');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await signIn(page, personOf('mareike.petersen@elbkontor.example'));
    await page.reload();
    await ready(page);
    assert.ok((await requests(page).count()) > 0);
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
    assert.equal(kept, '[{},{},""]');
    assert.ok((await context.cookies(sample.service)).every(({ httpOnly, sameSite }) => httpOnly && sameSite === 'Strict'));
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Partner board' }).waitFor();
  };
  await visit(sample, '/board', steps, { expected });
});

test('unreachable board explains how to start the service', { skip }, async () => {
  const blocked = [{ path: '/v1/auth/sessions:refresh', status: 'net::ERR_FAILED' }];
  await visit(sample, '/', async (page) => {
    await page.route('**/v1/auth/sessions:refresh', (route) => route.abort());
    await leads(page, () => page.getByRole('link', { name: 'Board' }).click(), '**/board');
    await page.getByText(`./run --cors-origins ${sample.base}`).waitFor();
    await page.unroute('**/v1/auth/sessions:refresh');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('Password').waitFor();
  }, { expected: [...expected, ...blocked] });
});

for (const [name, options] of Object.entries({ 'in the dark': { colorScheme: 'dark' }, 'on a phone': { viewport: { width: 390, height: 844 } } })) {
  test(`every view of the board is usable ${name}`, { skip }, async () => {
    const steps = async (page) => {
      assert.deepEqual(await barriers(page), [], 'the sign-in');
      await signIn(page, personOf(BASTIEN));
      const first = await requests(page).first().getByRole('link').getAttribute('href');
      for (const path of ['/board', first, '/board/roadmap', '/board/new', '/board/notifications', '/board/attribution']) {
        await page.goto(`${sample.base}${path}`);
        await ready(page);
        assert.deepEqual(await barriers(page), [], path);
        assert.equal(await overflow(page), 0, `${path} fits the page`);
      }
      await page.goto(`${sample.base}/board?q=lower+fees`);
      await ready(page);
      await leads(page, () => page.getByRole('link', { name: 'Lower fees for small venues' }).click(), /\/board\/[0-9a-f-]{36}/);
      await page.getByRole('button', { name: 'Report this request' }).click();
      assert.deepEqual(await barriers(page), [], 'the report');
      assert.equal(await overflow(page), 0, 'the report fits the page');
    };
    await visit(sample, '/board', steps, { ...options, expected });
  });
}

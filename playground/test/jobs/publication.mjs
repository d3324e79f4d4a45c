// The daily jobs of an editor.
import assert from 'node:assert/strict';
import { inDays } from './job.mjs';

const ITEMS = '/v1/publication/internal/items';
const DRAFTS = 'Drafts of changelog entries, blog posts and resources';
const SCHEDULED = 'Scheduled releases of publication items';
const TITLE = 'Searches ignore accents';

const read = ({ api, item }) => api.get(`${ITEMS}/${item}`);

export const PUBLICATION_JOBS = {
  async 'write a changelog entry'(job, world) {
    await job.start();
    await job.find('create a changelog', 'Create a changelog entry');
    await job.type('Title', TITLE);
    await job.type('Version', '1.4.0');
    await job.select('Change', 'ADDED');
    await job.type('Summary', 'Names are found without their accents.');
    await job.type('Body', 'A search for `belle tablee` finds *Belle Tablée*.');
    const { uuid, state } = await job.runAndConfirm('changelog_create');
    assert.equal(state, 'DRAFT');
    world.item = uuid;
  },
  async 'read a draft as its readers will see it'(job, world) {
    await job.start();
    await job.click(job.page.getByRole('list', { name: DRAFTS }).getByRole('link', { name: TITLE }));
    await job.page.getByRole('heading', { name: TITLE, level: 2 }).waitFor();
    await job.page.frameLocator('iframe').getByText('finds Belle Tablée.').waitFor();
  },
  async 'schedule a release'(job, world) {
    await job.start();
    await job.act(DRAFTS, 'Schedule', TITLE);
    const time = inDays(2);
    await job.pickTime('Scheduled for', time);
    await job.runAndConfirm('publication_schedule');
    const { state, scheduled_for } = await read(world);
    assert.deepEqual([state, Date.parse(scheduled_for)], ['SCHEDULED', time.getTime()]);
  },
  async 'release a scheduled entry at once'(job, world) {
    await job.start();
    await job.act(SCHEDULED, 'Release', TITLE);
    await job.runAndConfirm('publication_release');
    assert.equal((await read(world)).state, 'RELEASED');
  },
  async 'correct a released entry'(job, world) {
    await job.start();
    await job.find('ignore accents', TITLE);
    await job.click(job.page.getByRole('button', { name: 'Edit a publication item' }));
    await job.page.getByText('The current values are filled in.').waitFor();
    await job.type('Summary', 'Names are found with and without their accents.');
    await job.type('Reason', 'The summary was wrong.');
    await job.runAndConfirm('publication_edit');
    assert.match((await read(world)).summary, /with and without/);
  },
  async 'withdraw a released entry'(job, world) {
    await job.start();
    await job.find('ignore accents', TITLE);
    await job.click(job.page.getByRole('button', { name: 'Withdraw a publication item' }));
    await job.type('Reason', 'The release was postponed.');
    await job.runAndConfirm('publication_withdraw');
    assert.equal((await read(world)).state, 'WITHDRAWN');
  },
};

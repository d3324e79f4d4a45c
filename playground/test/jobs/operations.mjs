// The daily jobs of an administrator: budgets, jobs, deprecations and the audit log.
import assert from 'node:assert/strict';
import { inDays } from './job.mjs';

async function jobOf({ api }, code) {
  const { data } = await api.get('/v1/admin/jobs?limit=100');
  return data.find((one) => one.code === code);
}

export const OPERATIONS_JOBS = {
  async 'override a limit of a partner'(job, { api }) {
    await job.start();
    await job.find('voorraadhuis', /^Partner Voorraadhuis/);
    const budgets = job.page.getByRole('region', { name: 'Budgets', exact: true });
    await job.click(budgets.getByRole('button', { name: 'Override the limits' }));
    await job.type('Daily requests', '70000');
    await job.type('Reason', 'Migration of the old till system.');
    const { partner_uuid } = await job.runAndConfirm('rate_limit_override');
    const { daily, override } = await api.get(`/v1/admin/partners/${partner_uuid}/rate-limit`);
    assert.equal(daily.limit, 70_000);
    assert.ok(Date.parse(override.expires_at) > Date.now());
  },
  async 'pause a job'(job, world) {
    await job.start();
    await job.find('pause a job', 'Pause a job');
    await job.choose('Job', /^TIDYING/);
    await job.type('Reason', 'The database is moved tonight.');
    await job.runAndConfirm('job_pause');
    assert.equal((await jobOf(world, 'TIDYING')).state, 'PAUSED');
  },
  async 'resume a paused job'(job, world) {
    await job.start();
    const list = job.page.locator('.waiting').filter({ hasText: 'Paused jobs' });
    await job.click(list.getByRole('button', { name: 'Show entries' }));
    await job.act('Paused jobs', 'Resume', 'TIDYING');
    await job.runAndConfirm('job_resume');
    assert.notEqual((await jobOf(world, 'TIDYING')).state, 'PAUSED');
  },
  async 'run a job now'(job, { api }) {
    await job.start();
    await job.find('run a job', 'Run a job now');
    await job.choose('Job', /^TIDYING/);
    const { uuid } = await job.runAndConfirm('job_run');
    const { data } = await api.get('/v1/admin/jobs/TIDYING/runs');
    assert.ok(data.some((run) => run.uuid === uuid));
  },
  async 'verify the audit chain'(job) {
    await job.start();
    const { intact } = await job.read('audit_verify', () => job.find('audit chain', 'Verify the audit chain'));
    assert.equal(intact, true);
    await job.page.getByRole('region', { name: 'Response as a table' }).getByText('true').first().waitFor();
  },
  async 'announce a deprecation'(job, { api }) {
    await job.start();
    await job.find('deprecation', 'Announce a deprecation');
    await job.type('Operation id', 'marketplace_apps_list');
    await job.type('Reason', 'The new list has pages.');
    await job.type('Replacement', 'Use the list with cursors.');
    await job.pickTime('Sunset at', inDays(400));
    const { uuid } = await job.runAndConfirm('deprecation_create');
    assert.ok((await api.get('/v1/admin/deprecations')).data.some((one) => one.uuid === uuid));
  },
  async 'see who still calls a deprecated operation'(job) {
    await job.start();
    await job.read('deprecations', () => job.find('deprecations', 'Deprecations with their callers'));
    const table = job.page.getByRole('region', { name: 'Response as a table' });
    await job.read('deprecation_callers', () => job.click(table.locator('tbody .thing-link').first()));
  },
};

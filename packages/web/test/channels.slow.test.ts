import type { DeliveryView, PersonView } from '@plugboard/client';
import { describe, expect, it } from 'vitest';
import { executablePath } from './browser.ts';
import { CLEAN, setStage } from './visit.ts';

const ADA: PersonView = {
  channel: 'telegram',
  sender: '7',
  name: 'Ada <b>\u202e',
  place: '7',
  state: 'asking',
  askedAt: 1,
  expiresAt: 2,
  pairedAt: null,
  pairedBy: null,
};

const DOUBT: DeliveryView = {
  id: 'd1',
  sessionId: 's1',
  turnId: null,
  channel: 'telegram',
  place: '7',
  kind: 'message',
  text: 'The answer is four.',
  files: [],
  state: 'unknown',
  attempts: 1,
  dueAt: 1,
  expiresAt: 2,
  platformId: null,
  problem: 'It was cut off.',
  settled: null,
};

describe.skipIf(executablePath === undefined)('the channels on the page', () => {
  const stage = setStage();

  it('are there for those alone who may operate', async () => {
    stage.gateway.state.scopes = ['chat', 'inspect'];
    const { page, close } = await stage.visit();
    expect(await page.getByRole('link', { name: 'Channels' }).count()).toBe(0);
    await close();
  });

  it('show their state, let people in and out, and settle deliveries', async () => {
    const { state } = stage.gateway;
    state.scopes = ['chat', 'operate'];
    const lastError = { at: Date.now(), message: 'The platform is away.\u001b[31m' };
    state.channels = [
      { name: 'telegram', kind: 'telegram', state: 'ready', lastMessageAt: Date.now(), lastError: null },
      { name: 'work', kind: 'slack', state: 'failed', lastMessageAt: null, lastError },
    ];
    state.people = [ADA];
    state.deliveries = [DOUBT];
    const { page, misdeeds, close } = await stage.visit();
    await page.getByRole('link', { name: 'Channels' }).click();
    await page.getByText('stopped until its settings change').waitFor();
    expect(await page.locator('.channel').allTextContents()).toEqual([
      expect.stringContaining('connected'),
      expect.stringContaining('The platform is away.'),
    ]);
    const request = page.locator('section', { hasText: 'People who ask to talk' });
    expect(await request.locator('li').textContent()).toContain('telegram:7');
    await request.getByRole('button', { name: 'Let in' }).click();
    const people = page.locator('section', { hasText: 'People who were let in' });
    await people.waitFor();
    expect(state.people).toMatchObject([{ sender: '7', state: 'paired' }]);
    await page.getByRole('button', { name: 'It arrived' }).click();
    await page.getByText('Messages that may not have arrived').waitFor({ state: 'detached' });
    await people.getByRole('button', { name: 'Remove' }).click();
    await people.waitFor({ state: 'detached' });
    expect(state.people).toEqual([]);
    expect(misdeeds).toEqual(CLEAN);
    await close();
  });

  it('say what is wrong when the gateway refuses, and go on', async () => {
    const { state } = stage.gateway;
    state.scopes = ['operate'];
    state.people = [ADA];
    const { page, close } = await stage.visit();
    await page.getByRole('link', { name: 'Channels' }).click();
    const letIn = page.getByRole('button', { name: 'Let in' });
    await letIn.waitFor();
    state.people = [];
    await letIn.click();
    await page.getByRole('alert').getByText('Nobody who is waiting has this code.').waitFor();
    await page.getByText('A stranger who writes to a channel appears here.').waitFor();
    await close();
  });
});

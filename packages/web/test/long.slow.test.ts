import type { TurnRecord } from '@plugboard/client';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { executablePath } from './browser.ts';
import type { FakeTurn } from './fake-agent.ts';
import { addSession, type FakeState, log } from './fake-state.ts';
import { CLEAN, setStage } from './visit.ts';

const PATIENT = { timeout: 30_000, interval: 50 };

/** One turn of 10,000 events had 35,000 elements in the chat and 65,000 in the inspector. */
const MOST_ELEMENTS = 5_000;

const countElements = (page: Page): Promise<number> =>
  page.evaluate(() => document.querySelectorAll('*').length);

const distanceToEnd = (page: Page): Promise<number> =>
  page.locator('.thread').evaluate((frame) => frame.scrollHeight - frame.scrollTop - frame.clientHeight);

/** Logs `calls` tool calls with their results in one turn, two events each. */
function logTools(state: FakeState, id: string, calls: number, turn = 't'): void {
  for (let call = 0; call < calls; call += 1) {
    log(
      state,
      id,
      { type: 'tool-call', id: `${call}`, name: `tool-${call}`, input: { path: `/${call}` } },
      turn,
    );
    log(state, id, { type: 'tool-result', id: `${call}`, content: `${call}`, isError: false }, turn);
  }
}

async function runTools(turn: FakeTurn, calls: number): Promise<void> {
  for (let call = 0; call < calls; call += 1) {
    turn.emit({ type: 'tool-call', id: `${call}`, name: `tool-${call}`, input: { path: `/${call}` } });
    turn.emit({ type: 'tool-result', id: `${call}`, content: `${call}`, isError: false });
    if (call % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  turn.emit({ type: 'message', text: 'All tools were called.', media: [] });
}

describe.skipIf(executablePath === undefined)('a long conversation', () => {
  const stage = setStage();

  it('stays at the end of an answer of 5,000 tool calls, with a bounded number of elements', async () => {
    const { page, say, misdeeds, close } = await stage.chat();
    stage.gateway.agents.script = (turn) => runTools(turn, 5_000);
    await say('go');
    let most = 0;
    const ended = async (): Promise<boolean> => {
      most = Math.max(most, await countElements(page));
      return page.locator('.answer', { hasText: 'All tools were called.' }).isVisible();
    };
    await expect.poll(ended, PATIENT).toBe(true);
    await page.locator('.turn-foot').waitFor();
    await expect.poll(() => distanceToEnd(page), PATIENT).toBeLessThan(2);
    expect(await page.locator('.to-bottom').count()).toBe(0);
    expect(most).toBeLessThan(MOST_ELEMENTS);
    expect(misdeeds).toEqual(CLEAN);
    await close();
  });

  it('leaves a reader alone who scrolls up by the wheel, the keys or a script while an answer grows', async () => {
    for (const leave of ['wheel', 'keys', 'script'] as const) {
      const { page, id, close } = await stage.chat();
      const { state } = stage.gateway;
      logTools(state, id, 150);
      await expect.poll(() => distanceToEnd(page), PATIENT).toBeLessThan(2);
      await page.locator('.tool-name', { hasText: /^tool-149$/ }).waitFor();
      await page.locator('.thread').hover();
      if (leave === 'wheel') await page.mouse.wheel(0, -300);
      else if (leave === 'keys') {
        await page.locator('.thread').focus();
        await page.keyboard.press('PageUp');
      } else await page.locator('.thread').evaluate((frame) => frame.scrollBy(0, -300));
      await page.locator('.to-bottom').waitFor();
      const first = page.locator('.tool-name:visible', { hasText: /^tool-135$/ });
      await expect.poll(() => distanceToEnd(page), PATIENT).toBeGreaterThan(200);
      let place = Number.NaN;
      const hasStopped = async (): Promise<boolean> => {
        const before = place;
        place = await first.evaluate((one) => one.getBoundingClientRect().top);
        return place === before;
      };
      await expect.poll(hasStopped, PATIENT).toBe(true);
      log(state, id, { type: 'message', text: 'news '.repeat(2_000), media: [] }, 't');
      await page.getByRole('button', { name: 'New messages' }).waitFor();
      expect(Math.abs((await first.evaluate((one) => one.getBoundingClientRect().top)) - place)).toBeLessThan(
        2,
      );
      await close();
    }
  });

  it('follows an answer again for a reader who has scrolled up and come back to the end', async () => {
    const { page, id, close } = await stage.chat();
    const { state } = stage.gateway;
    logTools(state, id, 150);
    await expect.poll(() => distanceToEnd(page), PATIENT).toBeLessThan(2);
    await page.locator('.tool-name', { hasText: /^tool-149$/ }).waitFor();
    const thread = page.locator('.thread');
    await thread.evaluate((frame) => frame.scrollBy(0, -300));
    await page.locator('.to-bottom').waitFor();
    // Sections that come into view are measured then, which moves the end.
    const returnToEnd = async (): Promise<number> => {
      await thread.evaluate((frame) => frame.scrollTo(0, frame.scrollHeight));
      return page.locator('.to-bottom').count();
    };
    await expect.poll(returnToEnd, PATIENT).toBe(0);
    log(state, id, { type: 'message', text: 'news '.repeat(2_000), media: [] }, 't');
    await page.locator('.answer', { hasText: 'news' }).waitFor();
    await expect.poll(() => distanceToEnd(page), PATIENT).toBeLessThan(2);
    expect(await page.locator('.to-bottom').count()).toBe(0);
    await close();
  });

  it('loads one older page of a long turn when its top is reached, and the next when the reader goes on', async () => {
    const { state } = stage.gateway;
    const { id } = addSession(state, { title: 'One turn' });
    logTools(state, id, 5_000);
    const { page, open, close } = await stage.visit();
    let pages = 0;
    page.on('request', (request) => {
      if (/\/events\?after=\d+&limit/.test(request.url())) pages += 1;
    });
    await open(id);
    await page.locator('.tool-name', { hasText: /^tool-4999$/ }).waitFor();
    for (const expected of [2, 3]) {
      await page.locator('.thread').evaluate((frame) => frame.scrollTo(0, 0));
      await expect.poll(() => pages, PATIENT).toBe(expected);
      await page.waitForTimeout(500);
      expect(pages).toBe(expected);
      expect(await page.locator('.thread').evaluate((frame) => frame.scrollTop)).toBeGreaterThan(900);
    }
    expect(await countElements(page)).toBeLessThan(MOST_ELEMENTS);
    await close();
  });

  it('keeps the place while the reader scrolls up through a long turn, and back to the end', async () => {
    const { state } = stage.gateway;
    const { id } = addSession(state, { title: 'Up and down' });
    logTools(state, id, 1_000);
    const { page, open, close } = await stage.visit();
    await open(id);
    await page.locator('.tool-name', { hasText: /^tool-999$/ }).waitFor();
    await page.locator('.thread').hover();
    let most = 0;
    const top = async (): Promise<boolean> => {
      await page.mouse.wheel(0, -1_500);
      most = Math.max(most, await countElements(page));
      return page.locator('.tool-name', { hasText: /^tool-0$/ }).isVisible();
    };
    await expect.poll(top, PATIENT).toBe(true);
    expect(most).toBeLessThan(MOST_ELEMENTS);
    await page.getByRole('button', { name: 'To the end' }).click();
    await page.locator('.tool-name', { hasText: /^tool-999$/ }).waitFor();
    await expect.poll(() => distanceToEnd(page), PATIENT).toBeLessThan(2);
    await close();
  });

  it('keeps a tool call open while its part of the list is out of the document', async () => {
    const { state } = stage.gateway;
    const { id } = addSession(state, { title: 'Folds' });
    logTools(state, id, 200);
    const { page, open, close } = await stage.visit();
    await open(id);
    await page.locator('.tool', { hasText: 'tool-199' }).locator('summary').click();
    await page.locator('.tool-body').waitFor();
    await page.locator('.thread').focus();
    await page.locator('.thread').evaluate((frame) => frame.scrollTo(0, 0));
    await expect.poll(() => page.locator('.tool-name', { hasText: /^tool-199$/ }).count(), PATIENT).toBe(0);
    await page.getByRole('button', { name: 'To the end' }).click();
    await page.locator('.tool-body').waitFor();
    await close();
  });

  it('has everything in the document while it is printed', async () => {
    const { state } = stage.gateway;
    const { id } = addSession(state, { title: 'Paper' });
    for (const turn of ['s', 't']) logTools(state, id, 90, turn);
    const { page, open, close } = await stage.visit();
    await open(id);
    const tools = page.locator('.tool');
    await expect.poll(() => tools.count(), PATIENT).toBeLessThan(180);
    await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    expect(await tools.count()).toBe(180);
    await page.evaluate(() => window.dispatchEvent(new Event('afterprint')));
    await expect.poll(() => tools.count(), PATIENT).toBeLessThan(180);
    await close();
  });

  it('shows an answer of 5,000 paragraphs with a bounded number of elements', async () => {
    const { state } = stage.gateway;
    const { id } = addSession(state, { title: 'Paragraphs' });
    const text = Array.from({ length: 5_000 }, (_, at) => `Paragraph **${at}**.`).join('\n\n');
    log(state, id, { type: 'message', text, media: [] }, 't');
    log(state, id, { type: 'end', outcome: 'success', text: '' }, 't');
    const { page, open, close } = await stage.visit();
    await open(id);
    await page.getByText('Paragraph 4999.', { exact: true }).waitFor();
    expect(await countElements(page)).toBeLessThan(MOST_ELEMENTS);
    await close();
  });

  it('takes a turn of 10,000 events apart with a bounded number of elements', async () => {
    const { state } = stage.gateway;
    const { id } = addSession(state, { title: 'Record' });
    const record = longRecord(id);
    state.turns.set('long', record.turn);
    state.records.set('long', record);
    const { page, close } = await stage.visit();
    await page.goto(`${stage.gateway.url}/#/s/${id}/inspect/long`);
    await page.locator('.rows').waitFor();
    await page.locator('.event-brief', { hasText: '"first"' }).waitFor();
    let most = 0;
    const last = async (): Promise<boolean> => {
      await page.locator('.inspector-body').evaluate((frame) => frame.scrollTo(0, frame.scrollHeight));
      most = Math.max(most, await countElements(page));
      return page.getByText('The process ended: code 0').isVisible();
    };
    await expect.poll(last, PATIENT).toBe(true);
    expect(most).toBeLessThan(MOST_ELEMENTS);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.locator('.diff .gone').first().waitFor();
    expect(await countElements(page)).toBeLessThan(MOST_ELEMENTS);
    await close();
  });
});

/** 5,000 events of one line each, then 5,000 lines and events that came in one frame. */
function longRecord(sessionId: string): TurnRecord {
  const line = (at: number): string => `{"type":"delta","text":"${at}"}`;
  const single = Array.from({ length: 5_000 }, (_, at) => ({
    at,
    stream: 'stdout' as const,
    text: `${line(at)}\n`,
  }));
  const together = Array.from({ length: 5_000 }, (_, at) => `${line(at)}\n`).join('');
  const event = (at: number, index: number) =>
    index % 2 === 0
      ? ({
          at,
          number: index,
          event: { type: 'delta', kind: 'output', text: index === 0 ? 'first' : `${at}` },
        } as const)
      : ({
          at,
          number: index,
          event: { type: 'log', level: 'info', source: 'stderr', text: `${at}` },
        } as const);
  return {
    turn: {
      id: 'long',
      sessionId,
      agent: 'atlas',
      messageId: null,
      state: 'success',
      startedAt: 0,
      endedAt: 6_000,
      end: null,
      recorded: true,
    },
    dialect: 'nib',
    complete: true,
    frames: [...single, { at: 5_500, stream: 'stdout', text: together }],
    exit: { at: 6_000, code: 0, signal: null },
    events: Array.from({ length: 10_000 }, (_, index) => event(index < 5_000 ? index : 5_500, index)),
  };
}

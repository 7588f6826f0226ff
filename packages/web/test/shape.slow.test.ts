import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { TurnRecord } from '@plugboard/client';
import { describe, expect, it } from 'vitest';
import { executablePath } from './browser.ts';
import { buildPage } from './built.ts';
import { addSession, log } from './fake-state.ts';
import { CLEAN, lines, setStage } from './visit.ts';

/** What is looked at is whether the page gets there, not how fast a loaded machine is. */
const PATIENT = { timeout: 15_000, interval: 25 };

const PHONE = { viewport: { width: 375, height: 700 }, isMobile: true, hasTouch: true };

describe('what is built', () => {
  it('loads in less than 90 KB, the conversation and the inspector apart, and has nothing inline', async () => {
    const dist = await buildPage();
    const html = readFileSync(join(dist, 'index.html'), 'utf8');
    const first = [...html.matchAll(/(?:src|href)="\/([^"]+)"/g)].map(([, file = '']) => file);
    const size = (files: readonly string[]): number =>
      files.map((file) => gzipSync(readFileSync(join(dist, file))).length).reduce((sum, one) => sum + one);
    expect(size(['index.html', ...first])).toBeLessThan(90_000);
    expect(first.some((file) => /Inspector|Chat/.test(file))).toBe(false);
    expect(globSync('assets/Inspector-*.js', { cwd: dist })).toHaveLength(1);
    const conversation = globSync('assets/Chat-*', { cwd: dist });
    expect(conversation).toHaveLength(2);
    expect(size(['index.html', ...first, ...conversation])).toBeLessThan(160_000);
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
  });
});

describe.skipIf(executablePath === undefined)('the page', () => {
  const stage = setStage();

  it('has a drawer on a phone, and room for fingers', async () => {
    const { page, close } = await stage.chat(PHONE);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBe(375);
    expect(await page.locator('.sidebar').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Sessions' }).click();
    await page.locator('.session').first().click();
    await expect.poll(() => page.locator('.sidebar').isVisible(), PATIENT).toBe(false);
    const sizes = await page
      .locator('input, textarea, select')
      .evaluateAll((all) => all.map((one) => Number.parseFloat(getComputedStyle(one).fontSize)));
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(16);
    expect((await page.locator('.send').boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await close();
  });

  it('is used with the keyboard alone', async () => {
    const { state } = stage.gateway;
    addSession(state, { title: 'Needle in the hay' });
    const { page, close } = await stage.visit();
    await page.keyboard.press('Alt+n');
    await page.locator('.agent:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('#composer:focus').waitFor();
    await page.keyboard.type('first');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('second');
    await page.keyboard.press('Enter');
    await page.locator('.turn-foot').waitFor();
    expect(await lines(page)).toEqual(['first\nsecond', 'first\nsecond']);
    await page.locator('.session-title', { hasText: /^first$/ }).waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('#search:focus').waitFor();
    await page.keyboard.type('needle');
    await expect
      .poll(() => page.locator('.session-title').allInnerTexts(), PATIENT)
      .toEqual(['Needle in the hay']);
    await page.keyboard.press('ArrowDown');
    await page.locator('.session:focus').waitFor();
    expect(await page.locator('.session:focus').evaluate((one) => getComputedStyle(one).outlineStyle)).toBe(
      'solid',
    );
    await page.keyboard.press('Enter');
    await page.locator('.head-title', { hasText: 'Needle' }).waitFor();
    await close();
  });

  it('keeps sessions that programs began out of the list of people, behind a switch', async () => {
    const { state } = stage.gateway;
    addSession(state, { title: 'Of a person' });
    addSession(state, { title: 'Of a program', channel: 'api' });
    const { page, close } = await stage.visit();
    const program = page.locator('.session-title', { hasText: 'Of a program' });
    await page.locator('.session-title', { hasText: 'Of a person' }).first().waitFor();
    addSession(state, { title: 'Of a program, live', channel: 'api' });
    addSession(state, { title: 'Of a person, live' });
    await page.locator('.session-title', { hasText: 'Of a person, live' }).waitFor();
    expect(await program.count()).toBe(0);
    await page.getByRole('button', { name: 'Programs' }).click();
    await expect.poll(() => program.count(), PATIENT).toBe(2);
    expect(await page.locator('.session-title', { hasText: 'Of a person' }).count()).toBe(0);
    await close();
  });

  it('follows the colours of the system, and the switch over them', async () => {
    const { page, close } = await stage.visit({ colorScheme: 'dark' });
    const light = (): Promise<number> =>
      page.evaluate(() => {
        const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext(
          '2d',
        );
        if (context === null) return 0;
        context.fillStyle = getComputedStyle(document.body).backgroundColor;
        context.fillRect(0, 0, 1, 1);
        return context.getImageData(0, 0, 1, 1).data[0] ?? 0;
      });
    expect(await light()).toBeLessThan(60);
    await page.emulateMedia({ colorScheme: 'light' });
    expect(await light()).toBeGreaterThan(230);
    const button = page.getByRole('button', { name: /^Colours/ });
    await button.click();
    await button.click();
    expect(await light()).toBeLessThan(60);
    await page.reload();
    await page.locator('.desk').waitFor();
    expect(await light()).toBeLessThan(60);
    await close();
  });

  it('stays quick with 10,000 events, and keeps the reader where he is', async () => {
    const { state } = stage.gateway;
    const { id } = addSession(state, { title: 'Long' });
    for (let turn = 0; turn < 500; turn += 1) {
      log(state, id, {
        type: 'user',
        messageId: `${turn}`,
        text: `question ${turn}`,
        sender: 'you',
        attachments: [],
      });
      for (let word = 0; word < 17; word += 1)
        log(state, id, { type: 'delta', kind: 'output', text: `word${word} ` }, `t${turn}`);
      log(state, id, { type: 'message', text: `answer ${turn} `.repeat(30), media: [] }, `t${turn}`);
      log(state, id, { type: 'end', outcome: 'success', text: '' }, `t${turn}`);
    }
    const { page, open, close } = await stage.visit();
    const started = performance.now();
    await open(id);
    await page.getByText('question 499', { exact: true }).waitFor();
    expect(performance.now() - started).toBeLessThan(4000);
    const thread = page.locator('.thread');
    const oldestShown = async (): Promise<boolean> => {
      await thread.evaluate((frame) => frame.scrollTo(0, 0));
      return page.getByText('question 0', { exact: true }).isVisible();
    };
    await expect.poll(oldestShown, PATIENT).toBe(true);
    await thread.evaluate((frame) => frame.scrollTo(0, frame.scrollHeight / 2));
    await page.waitForTimeout(100);
    const place = await thread.evaluate((frame) => frame.scrollTop);
    const slowest = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let worst = 0;
          new PerformanceObserver((list) => {
            for (const { duration } of list.getEntries()) worst = Math.max(worst, duration);
          }).observe({ type: 'longtask', buffered: false });
          setTimeout(() => resolve(worst), 700);
        }),
    );
    for (let word = 0; word < 50; word += 1) {
      log(state, id, { type: 'delta', kind: 'output', text: 'new ' }, 'new');
      await page.waitForTimeout(5);
    }
    expect(await slowest).toBeLessThan(500);
    expect(Math.abs((await thread.evaluate((frame) => frame.scrollTop)) - place)).toBeLessThan(2);
    await page.getByRole('button', { name: 'New messages' }).click();
    await expect
      .poll(
        () => thread.evaluate((frame) => frame.scrollHeight - frame.scrollTop - frame.clientHeight),
        PATIENT,
      )
      .toBeLessThan(2);
    await close();
  });

  it('shows older pages without moving what is read', async () => {
    const { state } = stage.gateway;
    const { id } = addSession(state, { title: 'Pages' });
    for (let turn = 0; turn < 600; turn += 1)
      log(state, id, { type: 'message', text: `line ${turn}`, media: [] }, `t${turn}`);
    const { page, open, close } = await stage.visit();
    await open(id);
    const mark = page.getByText('line 210', { exact: true });
    const loaded = page.waitForResponse(/events\?after=0&/);
    const reached = (): Promise<boolean> =>
      page.locator('.thread').evaluate(async (frame) => {
        // What has come near is in the document two frames later.
        for (let drawn = 0; drawn < 3; drawn += 1) await new Promise(requestAnimationFrame);
        const line = [...frame.querySelectorAll('.answer')].find(
          (one) => one.textContent?.trim() === 'line 210',
        );
        if (line === undefined) frame.scrollBy(0, -500);
        else line.scrollIntoView({ block: 'start' });
        return line !== undefined;
      });
    await expect.poll(reached, PATIENT).toBe(true);
    await loaded;
    await page.waitForTimeout(150);
    const { y } = (await mark.boundingBox()) ?? { y: -1 };
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(300);
    await close();
  });

  it('takes a turn apart in the inspector', async () => {
    const { state } = stage.gateway;
    const { page, id, misdeeds, close } = await stage.chat({
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    const record = sampleRecord(id);
    state.turns.set('t', record.turn);
    state.records.set('t', record);
    await page.getByRole('link', { name: 'Inspect' }).click();
    await page.locator('.rows').waitFor();
    const rows = await page.locator('.rows tbody tr').allInnerTexts();
    expect(rows[1]).toMatch(/320\.8[\s\S]*stdout 6 B[\s\S]*oops↵[\s\S]*fault[\s\S]*invalid-json/);
    expect(await page.locator('.faulty').count()).toBe(1);
    expect(await page.locator('.figures').textContent()).toMatch(
      /First frame\s*321 ms.*Exit\s*code 3.*Faults\s*1/,
    );
    await page.locator('.chip.stderr').click();
    expect(await page.getByText('warning: slow').count()).toBe(1);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.locator('.diff .gone', { hasText: '"type":"log"' }).waitFor();
    await page.getByRole('button', { name: 'Copy as JSON' }).click();
    await page.locator('.toast').waitFor();
    expect(JSON.parse(await page.evaluate(() => navigator.clipboard.readText()))).toEqual(record);
    await page.getByRole('link', { name: 'Back' }).click();
    await page.locator('#composer').waitFor();
    expect(misdeeds).toEqual(CLEAN);
    await close();
  });
});

function sampleRecord(sessionId: string): TurnRecord {
  const end = { type: 'end', outcome: 'error', text: '', error: { message: 'It failed.' } } as const;
  return {
    turn: {
      id: 't',
      sessionId,
      agent: 'atlas',
      messageId: null,
      state: 'error',
      startedAt: 0,
      endedAt: 500,
      end,
      recorded: true,
    },
    dialect: 'nib',
    complete: true,
    frames: [
      { at: 0.5, stream: 'stdin', text: '{"text":"hi"}\n' },
      { at: 320.812, stream: 'stdout', text: 'oops\n\n' },
      { at: 400, stream: 'stderr', text: 'warning: slow\n' },
    ],
    exit: { at: 499, code: 3, signal: null },
    events: [
      { at: 321, number: 1, event: { type: 'fault', fault: { code: 'invalid-json', message: 'Not JSON.' } } },
      { at: 400, number: 2, event: { type: 'log', level: 'info', source: 'stderr', text: 'warning: slow' } },
      { at: 499.5, number: 3, event: end },
    ],
  };
}

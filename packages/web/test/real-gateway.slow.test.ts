import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Home, home, type Up } from '../../cli/test/gateway.ts';
import { executablePath, launch } from './browser.ts';
import { buildPage } from './built.ts';
import { CLEAN, lines, watch } from './visit.ts';

/** Other work may share the machine; these tests are about what comes, not how soon. */
const PATIENT = { timeout: 15_000, interval: 50 };

/** What the browser itself says when a gateway is gone. */
const NETWORK = /^Failed to load resource|net::ERR_/;

interface Visitor {
  readonly page: Page;
  /** Begins a session with an agent. */
  choose(agent: string): Promise<void>;
  say(text: string): Promise<void>;
  /** A picture for people, where they ask for one by SCREENSHOTS. */
  picture(name: string): Promise<void>;
  /** Everything the page has done that it must not do. */
  misdeeds(): unknown;
  close(): Promise<void>;
}

describe.skipIf(executablePath === undefined)('the page and a real gateway', () => {
  let browser: Browser;
  let place: Home;
  let up: Up;
  beforeAll(async () => {
    await buildPage();
    place = home();
    [browser, up] = await Promise.all([launch(), place.up()]);
  });
  afterAll(async () => {
    await browser?.close();
    await place?.[Symbol.asyncDispose]();
  });

  async function visit(): Promise<Visitor> {
    const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const seen = await watch(page, up.url);
    const console: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error' && !NETWORK.test(message.text())) console.push(message.text());
    });
    const { stdout } = await place.run(['login']);
    await page.goto(stdout.trim());
    await page.locator('.agents').waitFor();
    return {
      page,
      async choose(agent) {
        await page.goto(`${up.url}/#/`);
        await page.locator('.agent', { has: page.getByText(agent, { exact: true }) }).click();
        await page.locator('.thread[aria-busy=false]').waitFor();
      },
      async say(text) {
        await page.locator('#composer').fill(text);
        await page.locator('.send').click();
      },
      async picture(name) {
        const folder = process.env.SCREENSHOTS ?? '';
        if (folder === '') return;
        mkdirSync(folder, { recursive: true });
        await page.screenshot({ path: join(folder, `${name}.png`) });
      },
      misdeeds: () => ({ ...seen, console }),
      close: () => context.close(),
    };
  }

  it('log in by the link, choose the demo, see its answer come, and find the same in a second tab', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.picture('1-home');
    expect(await page.locator('.agent-name').allInnerTexts()).toMatchObject([
      expect.stringContaining('demo'),
      'demo-resident',
      'demo-files',
    ]);
    await visitor.choose('demo');
    const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ');
    await visitor.say(words);
    await page.locator('.answer', { hasText: 'word3' }).waitFor();
    expect(await page.locator('.turn-foot').count()).toBe(0);
    await page.locator('.turn-foot').waitFor();
    await visitor.say('help');
    await page.locator('.answer code', { hasText: 'remind 5 tea' }).waitFor();
    await visitor.picture('2-demo');
    const all = await lines(page);
    expect(all.slice(0, 2)).toEqual([words, `You said: ${words}`]);
    const other = await page.context().newPage();
    await other.goto(page.url());
    await expect.poll(() => lines(other), PATIENT).toEqual(all);
    expect(visitor.misdeeds()).toEqual({ ...CLEAN, console: [] });
    await visitor.close();
  });

  it('shows what an agent asks with its input, and gives it the answer that is pressed', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.choose('demo-resident');
    await visitor.say('delete <b>notes</b>.txt');
    const ask = page.locator('.ask');
    await ask.getByText('May delete be used?').waitFor();
    expect(await ask.locator('pre').textContent()).toContain('<b>notes</b>.txt');
    await visitor.picture('3-question');
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.locator('.ask.open').waitFor();
    await ask.getByRole('button', { name: 'Deny' }).click();
    await page.locator('.answer', { hasText: 'alone' }).waitFor();
    await ask.getByText(/^Deny, by /).waitFor();
    expect(await ask.getByRole('button').count()).toBe(0);
    await other.locator('.ask.answered').waitFor();
    expect(visitor.misdeeds()).toEqual({ ...CLEAN, console: [] });
    await visitor.close();
  });

  it('shows the tools of an agent, steers it, stops it, and hears it come back by itself', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.choose('demo-resident');
    await visitor.say('shout hello');
    await page.locator('.tool', { hasText: 'uppercase' }).waitFor();
    await page.locator('.answer', { hasText: 'HELLO!' }).waitFor();
    await page.locator('.tool summary').click();
    expect(await page.locator('.tool-body').textContent()).toContain('HELLO');
    await visitor.say('count 50');
    await page.locator('.answer', { hasText: 'I count to 50.' }).waitFor();
    await page.getByRole('button', { name: 'Send into the running turn' }).waitFor();
    await visitor.say('that is enough');
    await page.locator('.answer', { hasText: 'because you said: that is enough' }).waitFor();
    expect(await lines(page)).toMatchObject([
      ...['shout hello', 'HELLO!', 'count 50', 'I count to 50.', 'that is enough'],
      expect.stringMatching(/^I stopped at \d+ because you said: that is enough$/),
    ]);
    await visitor.say('count 50');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.outcome.cancelled').waitFor();
    await visitor.say('remind 1 tea');
    await page.locator('.tasks').waitFor();
    await page.locator('.origin', { hasText: 'An alarm went off' }).waitFor();
    await page.locator('.answer', { hasText: 'You wanted to be reminded of tea.' }).waitFor();
    await expect.poll(() => page.locator('.tasks').count(), PATIENT).toBe(0);
    await visitor.picture('3-resident');
    expect(visitor.misdeeds()).toEqual({ ...CLEAN, console: [] });
    await visitor.close();
  });

  it('takes a file and hands one out; the inspector shows every frame and reads them the same', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.choose('demo-files');
    await page.locator('input[type=file]').setInputFiles({
      name: 'notes.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('twelve bytes'),
    });
    await visitor.say('look at this');
    await page.locator('.answer', { hasText: '12 bytes' }).waitFor();
    await visitor.say('draw');
    const drawn = page.locator('.answer img');
    await drawn.waitFor();
    await expect
      .poll(() => drawn.evaluate((image) => (image as HTMLImageElement).naturalWidth), PATIENT)
      .toBe(96);
    await visitor.say('count 8');
    await page
      .getByText(/[1-7] of 8/)
      .first()
      .waitFor();
    await page.locator('.answer', { hasText: 'I counted to 8.' }).waitFor();
    await visitor.picture('4-files');
    await page.locator('.turn-foot a', { hasText: 'Inspect' }).last().click();
    await page.locator('.inspector-body').waitFor();
    expect(await page.locator('.chip.stdout').textContent()).toMatch(/stdout\s*[1-9]/);
    await page.getByRole('button', { name: 'Replay' }).click();
    await page.locator('.replay-same').waitFor();
    await visitor.picture('5-inspector');
    expect(visitor.misdeeds()).toEqual({ ...CLEAN, console: [] });
    await visitor.close();
  });

  it('recovers when the gateway is killed in a turn and started anew: interrupted once, nothing doubled', async () => {
    const visitor = await visit();
    const { page } = visitor;
    await visitor.choose('demo');
    await visitor.say('before');
    await page.locator('.answer', { hasText: 'You said: before' }).waitFor();
    await visitor.say('count 50');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    const { port } = new URL(up.url);
    await up.end('SIGKILL');
    await page.locator('.banner').waitFor();
    await visitor.say('meanwhile');
    await page.locator('.outgoing.waiting').waitFor();
    await visitor.picture('6-away');
    up = await place.up('--port', port);
    await expect
      .poll(() => lines(page), PATIENT)
      .toEqual(['before', 'You said: before', 'count 50', 'meanwhile', 'You said: meanwhile']);
    expect(await page.locator('.outcome', { hasText: 'Interrupted' }).count()).toBe(1);
    await expect.poll(() => page.locator('.banner, .outgoing').count(), PATIENT).toBe(0);
    await page.reload();
    await expect.poll(() => page.locator('.outcome', { hasText: 'Interrupted' }).count(), PATIENT).toBe(1);
    expect(await lines(page)).toEqual([
      'before',
      'You said: before',
      'count 50',
      'meanwhile',
      'You said: meanwhile',
    ]);
    await visitor.picture('7-back');
    expect(visitor.misdeeds()).toEqual({ ...CLEAN, console: [] });
    await visitor.close();
  });
});

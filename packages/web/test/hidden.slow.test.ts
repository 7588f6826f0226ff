import { onTestEnd } from '@plugboard/testkit';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { executablePath, launch } from './browser.ts';
import { addSession, log } from './fake-state.ts';
import { CLEAN, lines, type Stage, setStage } from './visit.ts';

/** Other work may share the machine; these tests are about what comes, not how soon. */
const PATIENT = { timeout: 10_000, interval: 50 };
const HOUR = 60 * 60_000;

/** A browser without a window always shows its pages, so the page is told what a tab is told that is put behind another. */
function setHidden(page: Page, hidden: boolean): Promise<void> {
  return page.evaluate((value) => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
    document.dispatchEvent(new Event('visibilitychange'));
  }, hidden);
}

/** A session on a page whose clock is in the hands of the test, and the requests the page makes. */
async function chatWithClock(stage: Stage) {
  const visited = await stage.chat();
  // The streams of a page are counted, so none may be left over.
  onTestEnd(visited.close);
  const { page } = visited;
  await page.clock.install();
  await page.reload();
  await page.locator('.thread[aria-busy=false]').waitFor();
  const { watchers } = stage.gateway.state;
  await expect.poll(() => watchers.size, PATIENT).toBe(2);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const say = (text: string) =>
    log(stage.gateway.state, visited.id, { type: 'message', text, media: [] }, `turn of ${text}`);
  return { ...visited, asked, watchers, say };
}

describe.skipIf(executablePath === undefined)('a tab that nobody sees', () => {
  const stage = setStage();

  it('lets go of its streams, asks for nothing, and has everything once when it is shown', async () => {
    const { page, asked, watchers, say, misdeeds } = await chatWithClock(stage);
    say('seen');
    await page.locator('.answer', { hasText: 'seen' }).waitFor();
    await setHidden(page, true);
    say('just after');
    await page.clock.fastForward(25_000);
    await expect.poll(() => watchers.size, PATIENT).toBe(0);
    asked.length = 0;
    for (let round = 0; round < 5; round += 1) {
      say(`away ${round}`);
      await page.clock.fastForward(HOUR);
    }
    expect(asked).toEqual([]);
    await setHidden(page, false);
    const all = ['seen', 'just after', ...[0, 1, 2, 3, 4].map((round) => `away ${round}`)];
    await expect.poll(() => lines(page), PATIENT).toEqual(all);
    await expect.poll(() => watchers.size, PATIENT).toBe(2);
    say('live again');
    await expect.poll(() => lines(page), PATIENT).toEqual([...all, 'live again']);
    // The two streams, and the list, which the feed has no memory of.
    expect(asked).toHaveLength(3);
    expect(await page.locator('.banner').count()).toBe(0);
    expect(misdeeds).toEqual(CLEAN);
  });

  it('keeps its streams when it is hidden for a moment only', async () => {
    const { page, asked, watchers, say } = await chatWithClock(stage);
    await setHidden(page, true);
    await page.clock.fastForward(5000);
    await setHidden(page, false);
    await page.clock.fastForward(30_000);
    say('on the same stream');
    await page.locator('.answer', { hasText: 'on the same stream' }).waitFor();
    expect(watchers.size).toBe(2);
    expect(asked).toEqual([]);
  });

  it('does not knock while the gateway is away, and comes back when it is shown', async () => {
    const { page, asked, say } = await chatWithClock(stage);
    await setHidden(page, true);
    await stage.gateway.down();
    await page.clock.fastForward(60_000);
    await page.clock.fastForward(HOUR);
    asked.length = 0;
    await page.clock.fastForward(HOUR);
    expect(asked).toEqual([]);
    say('meanwhile');
    await stage.gateway.up();
    await setHidden(page, false);
    await expect.poll(() => lines(page), PATIENT).toEqual(['meanwhile']);
  });

  it.each([
    ['is shown', (page: Page) => setHidden(page, false)],
    ['was on top all the time', (page: Page) => page.clock.fastForward(6000)],
  ])('notices that its streams died in the sleep of the computer when it %s', async (_how, wake) => {
    const { page, watchers, say } = await chatWithClock(stage);
    // What a sleep looks like from inside: the streams are silent for ever, no timer has run, and it is an hour later.
    watchers.clear();
    say('in the night');
    const now = await page.evaluate(() => Date.now());
    await page.clock.setSystemTime(now + HOUR);
    expect(await lines(page)).toEqual([]);
    await wake(page);
    await expect.poll(() => lines(page), PATIENT).toEqual(['in the night']);
    expect(watchers.size).toBe(2);
  });

  it('goes aside with the history without its streams, and takes them up again on the way back', async () => {
    const { page, watchers, say } = await chatWithClock(stage);
    await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true })));
    await expect.poll(() => watchers.size, PATIENT).toBe(0);
    say('aside');
    await page.clock.fastForward(HOUR);
    expect(watchers.size).toBe(0);
    await page.evaluate(() => window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })));
    await expect.poll(() => lines(page), PATIENT).toEqual(['aside']);
    expect(watchers.size).toBe(2);
  });
});

/** Whether a browser keeps pages for the way back at all: the headless shell that npm brings does not. */
async function keepsPages(page: Page, other: string): Promise<boolean> {
  await page.goto(other);
  await page.evaluate(() => Object.assign(window, { tried: true }));
  await page.goto(`${other}?again`);
  await page.goBack({ waitUntil: 'commit' });
  return page.evaluate(() => 'tried' in window);
}

describe.skipIf(executablePath === undefined)('a page that the browser keeps for the way back', () => {
  const stage = setStage();

  it('is the same one on the way back, and has what came meanwhile', async ({ skip }) => {
    const { state, url, loginLink } = stage.gateway;
    const browser = await launch({ ignoreDefaultArgs: ['--disable-back-forward-cache'] });
    onTestEnd(() => browser.close());
    const page = await browser.newPage();
    if (!(await keepsPages(page, `${url}/icon.svg`)))
      skip(
        'This browser is a headless shell, which keeps no page for the way back: set CHROMIUM to a whole one.',
      );
    const { id } = addSession(state, { title: 'There and back' });
    await page.goto(loginLink());
    await page.locator('.desk').waitFor();
    await page.goto(`${url}/#/s/${id}`);
    await page.locator('#composer').fill('half a sentence');
    await page.evaluate(() => Object.assign(window, { kept: true }));
    await page.goto(`${url}/icon.svg`);
    await expect.poll(() => state.watchers.size, PATIENT).toBe(0);
    log(state, id, { type: 'message', text: 'meanwhile', media: [] }, 't');
    await page.goBack({ waitUntil: 'commit' });
    await expect.poll(() => lines(page), PATIENT).toEqual(['meanwhile']);
    expect(await page.evaluate(() => 'kept' in window)).toBe(true);
    expect(await page.locator('#composer').inputValue()).toBe('half a sentence');
    expect(state.watchers.size).toBe(2);
  });
});

describe.skipIf(executablePath === undefined)('a gateway that ends every stream at once', () => {
  const stage = setStage();

  it('is asked again with growing pauses', async () => {
    const { page, close } = await stage.chat();
    let asked = 0;
    const cut = { status: 200, contentType: 'text/event-stream', body: ': bye\n\n' };
    for (const path of ['**/api/feed', '**/events?after=*']) {
      await page.route(path, (route) => {
        if (route.request().headers().accept !== 'text/event-stream') return route.continue();
        asked += 1;
        return route.fulfill(cut);
      });
    }
    await page.reload();
    await page.locator('.thread[aria-busy=false]').waitFor();
    await page.waitForTimeout(3000);
    expect(asked).toBeGreaterThan(3);
    expect(asked).toBeLessThan(20);
    await close();
  });
});

import { describe, expect, it } from 'vitest';
import { executablePath } from './browser.ts';
import { untilStopped } from './fake-agent.ts';
import { addSession, log } from './fake-state.ts';
import { CLEAN, lines, setStage } from './visit.ts';

/** Other work may share the machine; these tests are about what comes, not how soon. */
const PATIENT = { timeout: 10_000, interval: 50 };

describe.skipIf(executablePath === undefined)('over a bad network', () => {
  const stage = setStage();

  it('keeps what was written while offline, and sends it once the network is back', async () => {
    const { page, id, say, close } = await stage.chat();
    await page.context().setOffline(true);
    await page.locator('.banner').waitFor();
    await say('one');
    await say('two');
    await page.locator('.outgoing.waiting').first().waitFor();
    log(stage.gateway.state, id, { type: 'message', text: 'meanwhile', media: [] }, 'm');
    await page.context().setOffline(false);
    await expect.poll(() => lines(page), PATIENT).toEqual(['meanwhile', 'one', 'one', 'two', 'two']);
    await expect.poll(() => page.locator('.banner, .outgoing').count(), PATIENT).toBe(0);
    await close();
  });

  it('goes on where it was after the gateway has died and come back, in two tabs at once', async () => {
    const { page, id, misdeeds, close } = await stage.chat();
    const other = await page.context().newPage();
    await other.goto(`${stage.gateway.url}/#/s/${id}`);
    await other.locator('.thread[aria-busy=false]').waitFor();
    const { state } = stage.gateway;
    const expected: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      log(state, id, { type: 'message', text: `before ${round}`, media: [] }, `a${round}`);
      await stage.gateway.down();
      log(state, id, { type: 'message', text: `during ${round}`, media: [] }, `b${round}`);
      if (round === 1) {
        await page.locator('#composer').fill('from one tab');
        await page.keyboard.press('Enter');
        await page.locator('.outgoing.waiting').waitFor();
      }
      await stage.gateway.up();
      log(state, id, { type: 'message', text: `after ${round}`, media: [] }, `c${round}`);
      expected.push(`before ${round}`, `during ${round}`, `after ${round}`);
    }
    for (const tab of [page, other]) {
      await expect
        .poll(() => lines(tab).then((all) => all.filter((line) => line !== 'from one tab').sort()), {
          timeout: 10_000,
        })
        .toEqual(expected.toSorted());
      // Said once and answered once by the agent that says everything back.
      await expect
        .poll(() => lines(tab).then((all) => all.filter((line) => line === 'from one tab')), PATIENT)
        .toHaveLength(2);
    }
    expect(misdeeds).toEqual(CLEAN);
    await close();
  });

  it('sends a message again under the same id when its answer was lost', async () => {
    const { page, say, close } = await stage.chat();
    const { posts } = stage.gateway;
    const before = posts.length;
    // The message arrives, but neither its answer nor any event comes back.
    await page.route('**/messages', async (route) => {
      await route.fetch();
      await route.abort('connectionreset');
    });
    await page.context().setOffline(true);
    await say('only once');
    await page.locator('.outgoing.waiting').waitFor();
    await page.unroute('**/messages');
    await page.context().setOffline(false);
    await expect.poll(() => posts.length, PATIENT).toBeGreaterThan(before + 1);
    expect(new Set(posts.slice(before)).size).toBe(1);
    await page.locator('.turn-foot').waitFor();
    expect(await lines(page)).toEqual(['only once', 'only once']);
    await close();
  });

  it('keeps what is unsent, and what is half written, over a reload', async () => {
    const { page, say, close } = await stage.chat();
    let cut = true;
    await page.route('**/messages', (route) =>
      cut ? route.abort('internetdisconnected') : route.continue(),
    );
    await say('survives');
    await page.locator('.outgoing.waiting').waitFor();
    await page.locator('#composer').fill('a draft');
    await page.reload();
    await page.locator('.outgoing').waitFor();
    expect(await page.locator('#composer').inputValue()).toBe('a draft');
    cut = false;
    await page.locator('.turn-foot').waitFor();
    expect(await lines(page)).toEqual(['survives', 'survives']);
    await close();
  });

  it('does not paint a message that waits for the network like a mark of the session list', async () => {
    const { page, say, close } = await stage.chat();
    await page.context().setOffline(true);
    await say('offline');
    const waiting = page.locator('.outgoing.waiting');
    await waiting.waitFor();
    expect(await waiting.evaluate((one) => getComputedStyle(one).backgroundColor)).toBe('rgba(0, 0, 0, 0)');
    await waiting.getByRole('button', { name: 'Discard' }).click();
    await page.context().setOffline(false);
    await expect.poll(() => page.locator('.banner').count(), PATIENT).toBe(0);
    expect(await lines(page)).toEqual([]);
    await close();
  });

  it('says that the gateway failed, tries again a few times, and then leaves it to the person', async () => {
    const { page, say, close } = await stage.chat();
    let faults = 0;
    const body = JSON.stringify({ error: { code: 'failed', message: 'The gateway failed.' } });
    await page.route('**/messages', (route) => {
      faults += 1;
      return route.fulfill({ status: 500, body });
    });
    await say('in vain');
    await page.getByText('The gateway failed. Trying again…').waitFor();
    expect(await page.getByText('Waits for the network').count()).toBe(0);
    await page.locator('.outgoing.failed', { hasText: 'The gateway failed.' }).waitFor({ timeout: 20_000 });
    expect(faults).toBe(4);
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => page.locator('.outgoing').count(), PATIENT).toBe(0);
    await page.unroute('**/messages');
    await say('heard');
    await page.locator('.turn-foot').waitFor();
    expect(await lines(page)).toEqual(['heard', 'heard']);
    await close();
  });

  it('sends no command again that the gateway could not take, since it is about the moment', async () => {
    const { page, say, close } = await stage.chat();
    let calls = 0;
    const body = JSON.stringify({ error: { code: 'stopping', message: 'The gateway is being stopped.' } });
    await page.route('**/messages', (route) => {
      calls += 1;
      return route.fulfill({ status: 503, body });
    });
    await say('/stop');
    await page.locator('.outgoing.failed', { hasText: 'The gateway is being stopped.' }).waitFor();
    expect(calls).toBe(1);
    await close();
  });

  it('does not give up before a proxy has its gateway back, however often that says 502', async () => {
    const { page, say, close } = await stage.chat();
    let calls = 0;
    await page.route('**/messages', (route) => {
      calls += 1;
      return calls > 4 ? route.continue() : route.fulfill({ status: 502, body: '' });
    });
    await say('at last');
    await page.locator('.turn-foot').waitFor({ timeout: 60_000 });
    expect(calls).toBe(5);
    expect(await lines(page)).toEqual(['at last', 'at last']);
    await close();
  });

  it('does not count on while it cannot know whether a turn still runs', async () => {
    const { page, say, close } = await stage.chat();
    const { agents } = stage.gateway;
    const sayBack = agents.script;
    agents.script = untilStopped;
    await say('work');
    await page.locator('.status-time').waitFor();
    await page.context().setOffline(true);
    await page.getByText('Was running when the connection was lost').waitFor();
    expect(await page.locator('.status-time').count()).toBe(0);
    await page.context().setOffline(false);
    await page.locator('.status-time').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.outcome.cancelled').waitFor();
    agents.script = sayBack;
    await close();
  });

  it('offers to send again what was refused', async () => {
    const { page, say, close } = await stage.chat();
    let refuse = true;
    const body = JSON.stringify({ error: { code: 'too-large', message: 'The message is too long.' } });
    await page.route('**/messages', (route) =>
      refuse ? route.fulfill({ status: 413, body }) : route.continue(),
    );
    await say('too much');
    await page.getByText('The message is too long.').waitFor();
    refuse = false;
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.locator('.turn-foot').waitFor();
    await close();
  });

  it('waits for a gateway that does not answer yet', async () => {
    const { page, close } = await stage.visit();
    await page.route('**/api/me', (route) => route.abort('connectionrefused'));
    await page.reload();
    await page.getByText('The gateway does not answer').waitFor();
    await page.unroute('**/api/me');
    await page.locator('.desk').waitFor();
    await close();
  });

  it('stays a page when a part of it cannot be fetched, and has it after loading again', async () => {
    const { page, open, close } = await stage.visit();
    const { id } = addSession(stage.gateway.state, { title: 'After an update' });
    await page.route('**/assets/Chat-*.js', (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await page.locator('.session', { hasText: 'After an update' }).click();
    await page.getByText('This part of the page could not be loaded').waitFor();
    await page.locator('.session').first().waitFor();
    await page.unroute('**/assets/Chat-*.js');
    await page.getByRole('button', { name: 'Load the page again' }).click();
    await open(id);
    await page.locator('#composer').waitFor();
    await close();
  });

  it('says how to log in when the login is over', async () => {
    const { page, close } = await stage.chat();
    stage.gateway.state.cookies.clear();
    await page.locator('#composer').fill('hello?');
    await page.keyboard.press('Enter');
    await page.getByText('You are not logged in').waitFor();
    await close();
  });
});

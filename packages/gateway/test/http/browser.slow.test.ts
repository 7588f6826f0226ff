import { onTestEnd } from '@plugboard/testkit';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { foreignPage, misdeedsOf, noBrowser, sharedBrowser } from './browser.ts';
import { type Door, startDoor } from './door.ts';
import { pageFolder } from './page-folder.ts';

/** A browser that is logged in at the gateway and looks at a page of somebody else. */
async function visitElsewhere(
  browser: ReturnType<ReturnType<typeof sharedBrowser>>,
  door: Door,
): Promise<Page> {
  const context = await browser.newContext();
  const { server, url } = await foreignPage();
  onTestEnd(async () => {
    await context.close();
    server.closeAllConnections();
    server.close();
  });
  const [name = '', value = ''] = (await door.cookie()).split('=');
  await context.addCookies([
    { name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Strict' },
  ]);
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

describe.skipIf(noBrowser)('a page of somebody else in a real browser that is logged in', () => {
  const browser = sharedBrowser();

  it('changes nothing by a form or by fetch, and reads nothing', async () => {
    const door = await startDoor();
    const page = await visitElsewhere(browser(), door);
    const { url } = door.door;
    const { id } = await door.begin();
    const before = await door.store.sessions.list({ limit: 99 });
    const outcomes = await page.evaluate<string[]>(`attempts('${url}', '${id}')`);
    for (const outcome of outcomes) expect(outcome).toMatch(/^(refused|opaque 0 )$/);
    expect(await door.store.sessions.list({ limit: 99 })).toEqual(before);
  });

  it('cannot post a form there, nor listen to a stream, nor put anything of it into itself', async () => {
    const door = await startDoor({}, { page: pageFolder() });
    const page = await visitElsewhere(browser(), door);
    const { url } = door.door;
    const { id } = await door.begin();
    const heard = await page.evaluate(`embeds('${url}', '${id}')`);
    expect(heard).toEqual(['error', 'error', 'error']);
    const answered = page.waitForResponse(`${url}/api/logout`);
    await page.evaluate(`submit('${url}/api/logout')`);
    expect((await answered).status()).toBe(403);
    expect((await door.store.tokens.list()).filter(({ name }) => name === 'browser')).toHaveLength(1);
  });

  it('may link to our page', async () => {
    const door = await startDoor({}, { page: pageFolder() });
    const page = await visitElsewhere(browser(), door);
    const answered = page.waitForResponse(`${door.door.url}/`);
    await page.evaluate(`void location.assign('${door.door.url}/')`);
    expect((await answered).status()).toBe(200);
  });
});

describe.skipIf(noBrowser)('the description of the API', () => {
  const browser = sharedBrowser();

  it('is shown to people, and loads nothing from elsewhere', async () => {
    const door = await startDoor();
    const context = await browser().newContext();
    onTestEnd(() => context.close());
    const page = await context.newPage();
    const misdeeds = misdeedsOf(page, door.door.url);
    const report = 'console.error(`policy: ${event.violatedDirective}`)';
    await page.addInitScript(`document.addEventListener('securitypolicyviolation', (event) => ${report})`);
    await page.goto(`${door.door.url}/docs`);
    await page.waitForSelector('main:not([aria-busy])');
    await page.getByText('/api/sessions/{id}/messages').click();
    expect(await page.getByText('Says something. Once this is answered, it is kept.').isVisible()).toBe(true);
    expect(await page.locator('details').count()).toBeGreaterThan(30);
    expect(await page.locator('pre').count()).toBeGreaterThan(30);
    expect(misdeeds).toEqual([]);
  });
});

describe.skipIf(noBrowser)('a file that somebody sent', () => {
  const browser = sharedBrowser();

  it('runs no script, wherever it is opened', async () => {
    const door = await startDoor();
    const { id } = await door.begin();
    const bytes = async function* () {
      yield Buffer.from('GIF89a/*<html><script>document.title="run"</script>*/');
    };
    const media = await door.gateway.media.add(id, { name: 'a.html', bytes: bytes() });
    const context = await browser().newContext();
    onTestEnd(() => context.close());
    const [name = '', value = ''] = (await door.cookie()).split('=');
    await context.addCookies([
      { name, value, domain: '127.0.0.1', path: '/', httpOnly: true, sameSite: 'Strict' },
    ]);
    const page = await context.newPage();
    const answer = await page.goto(`${door.door.url}/api/media/${media.id}`);
    expect(answer?.headers()['content-type']).toBe('image/gif');
    expect(await page.title()).not.toContain('run');
  });
});

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { executablePath } from './browser.ts';
import { addSession, log } from './fake-state.ts';
import { NASTY } from './nasty.ts';
import { CLEAN, setStage, watch } from './visit.ts';

/** Nothing may be passed over because it is out of sight: the page has everything in the document as if it were printed. */
function mountAll(page: Page): Promise<unknown> {
  return page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
}

describe.skipIf(executablePath === undefined)('what strangers write', () => {
  const stage = setStage();

  it('does nothing in any place where it is shown', async () => {
    const { state } = stage.gateway;
    const [first = ''] = NASTY;
    const { id } = addSession(state, { title: first, agent: first, channel: first });
    for (const text of NASTY) addSession(state, { title: text, agent: text });
    NASTY.forEach((text, index) => {
      const turn = `t${index}`;
      const attachments = [
        { kind: 'image', url: text, name: text },
        { kind: 'file', url: 'https://evil.example/x', name: text },
      ] as const;
      log(state, id, { type: 'user', messageId: `${index}`, text, sender: text, attachments });
      log(state, id, { type: 'delta', kind: 'thinking', text }, turn);
      log(state, id, { type: 'tool-call', id: text, name: text, input: { text } }, turn);
      log(state, id, { type: 'tool-result', id: text, content: text, isError: true }, turn);
      log(state, id, { type: 'message', text, media: attachments }, turn);
      log(
        state,
        id,
        { type: 'tasks', tasks: [{ id: text, kind: text, description: text, status: text, firesAt: text }] },
        turn,
      );
      log(state, id, { type: 'end', outcome: 'error', text, error: { message: text } }, turn);
      log(state, id, { type: 'notice', id: text, text });
    });
    const { page, open, misdeeds, close } = await stage.visit();
    await open(id);
    await mountAll(page);
    for (let at = 0; at < 100 && (await page.locator('.notice').count()) < NASTY.length; at += 1) {
      await page.locator('.thread').evaluate((thread) => thread.scrollTo(0, 0));
      await page.waitForTimeout(30);
    }
    expect(await page.locator('.notice').count()).toBe(NASTY.length);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
      for (const element of document.querySelectorAll('.thread *')) {
        element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
        (element as HTMLElement).focus?.();
      }
    });
    await page.waitForTimeout(300);
    const made = await page.locator('.thread').evaluate((thread) => ({
      tags: thread.querySelectorAll(
        'script, iframe, object, embed, form, style, link, meta, base, svg [onload]',
      ).length,
      images: [...thread.querySelectorAll('img')].filter(
        (image) => !image.src.startsWith(`${location.origin}/api/media/`),
      ).length,
      links: [...thread.querySelectorAll('a')].filter((link) => !/^(https?|mailto):/.test(link.href)).length,
      handlers: [...thread.querySelectorAll(':not(.list-section)')].filter((one) =>
        one.getAttributeNames().some((name) => /^on|^style$/.test(name)),
      ).length,
    }));
    expect(made).toEqual({ tags: 0, images: 0, links: 0, handlers: 0 });
    expect(misdeeds).toEqual(CLEAN);
    await close();
  });

  it('is as harmless in every prefix while it streams, and in the inspector', async () => {
    const { state } = stage.gateway;
    const { page, id, misdeeds, close } = await stage.chat();
    await mountAll(page);
    for (const text of NASTY) {
      // What a stream shows one after the other stands here side by side, so that none of it is passed over.
      for (let length = 1; length <= text.length; length += 1) {
        log(state, id, { type: 'message', text: text.slice(0, length), media: [] }, text);
      }
    }
    const steps = NASTY.join('').length;
    await expect.poll(() => page.locator('.answer').count(), { timeout: 20_000 }).toBe(steps);
    const turn = {
      id: 'nasty',
      sessionId: id,
      agent: NASTY[0] ?? '',
      messageId: null,
      state: 'error',
      startedAt: 0,
      endedAt: 9,
      end: null,
      recorded: true,
    } as const;
    state.turns.set('nasty', turn);
    state.records.set('nasty', {
      turn,
      dialect: NASTY[0] ?? '',
      complete: false,
      frames: NASTY.map((text, at) => ({ at, stream: 'stdout', text: `${text}\u202E\u001b\n` })),
      exit: { at: 99, code: null, signal: 'SIGKILL' },
      events: NASTY.map((text, at) => ({ at, number: at, event: { type: 'message', text, media: [] } })),
    });
    await page.goto(`${stage.gateway.url}/#/s/${id}/inspect/nasty`);
    await page.locator('.rows').waitFor();
    expect(await page.locator('.rows').textContent()).toContain('⟨U+202E⟩⟨ESC⟩↵');
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    await page.waitForTimeout(200);
    expect(misdeeds).toEqual(CLEAN);
    await close();
  });

  it('cannot tell the page by its address where to go or what to do', async () => {
    const context = await stage.browser.newContext();
    const page = await context.newPage();
    const misdeeds = await watch(page, stage.gateway.url);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    const query =
      'gatewayUrl=https://evil.example&server=https://evil.example&token=x&q=hello&send=1&code=abc';
    await page.goto(`${stage.gateway.url}/?${query}#/s/x?${query}`);
    await page.getByText('You are not logged in').waitFor();
    expect(asked.filter((line) => line.includes('/api/'))).toEqual(['GET /api/me']);
    expect(misdeeds).toEqual(CLEAN);
    await context.close();
  });

  it('shows names with what they hide', async () => {
    addSession(stage.gateway.state, { title: 'invoice\u202Efdp.exe\u0007' });
    const { page, close } = await stage.visit();
    await page.locator('.session-title', { hasText: 'invoice⟨U+202E⟩fdp.exe⟨BEL⟩' }).waitFor();
    await close();
  });

  it('has its code copied as it stands', async () => {
    const { page, id, close } = await stage.chat({ permissions: ['clipboard-read', 'clipboard-write'] });
    log(stage.gateway.state, id, { type: 'message', text: '```sh\necho "<b>"\n```', media: [] }, 't');
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('echo "<b>"\n');
    await close();
  });
});

import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { executablePath } from './browser.ts';
import { addSession, changeSession, type FakeState, log } from './fake-state.ts';
import { setStage } from './visit.ts';

const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const WORD = 'Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen'.repeat(3);

const ANSWER = `# ${WORD}

**bold** \`code ${WORD}\` [a link](https://example.com/${WORD}) ![wide](/api/media/wide)

> a quote ${WORD}

| a | ${WORD} |
|---|--:|
| 1 | ${WORD} |

- item ${WORD}

\`\`\`ts
const long = '${WORD}';
\`\`\``;

/** A session with one of everything that can be shown, of words that do not break. */
function fill(state: FakeState): string {
  const { id } = addSession(state, { title: WORD, agent: 'atlas' });
  const attachments = [{ kind: 'file', url: 'https://example.com/x', name: `${WORD}.docx` }] as const;
  log(state, id, { type: 'user', messageId: `m-${id}`, text: WORD, sender: 'you', attachments });
  log(state, id, { type: 'delta', kind: 'thinking', text: WORD }, 't');
  log(state, id, { type: 'tool-call', id: '1', name: WORD, input: { path: WORD } }, 't');
  log(state, id, { type: 'tool-result', id: '1', content: WORD, isError: true }, 't');
  log(state, id, { type: 'message', text: ANSWER, media: [] }, 't');
  log(state, id, { type: 'fault', fault: { code: 'invalid-json', message: WORD } }, 't');
  log(state, id, { type: 'tasks', tasks: [{ id: 'a', kind: WORD, description: WORD, status: 'set' }] }, 't');
  log(state, id, { type: 'end', outcome: 'error', text: '', error: { message: WORD } }, 't');
  log(state, id, { type: 'notice', id: 'n', text: WORD });
  log(state, id, { type: 'accepted' }, 'live');
  log(state, id, { type: 'progress', text: WORD }, 'live');
  changeSession(state, id, { state: 'running', turnId: 'live', steerable: true });
  return id;
}

async function unfold(page: Page): Promise<void> {
  await page.locator('details').evaluateAll((all) => {
    for (const one of all) (one as HTMLDetailsElement).open = true;
  });
}

/** What reaches past the right edge of the window, except inside what scrolls by itself. */
function sticksOut(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scrolls = (element: Element): boolean =>
      ['auto', 'scroll', 'hidden'].includes(getComputedStyle(element).overflowX) &&
      element.getBoundingClientRect().right <= innerWidth + 1;
    const held = (element: Element | null): boolean =>
      element !== null && element !== document.body && (scrolls(element) || held(element.parentElement));
    return [...document.querySelectorAll('#page *')]
      .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
      .filter((element) => element.closest('[inert], .sidebar') === null && !held(element.parentElement))
      .map((element) => `${element.tagName}.${element.className}`);
  });
}

/** Boxes that are wider inside than outside, where nothing says that they should be. */
function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('.thread, .home, .inspector-body, .dock')]
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map((element) => element.className),
  );
}

interface Faint {
  readonly text: string;
  readonly ratio: number;
}

/** Texts with less contrast than is asked of small ones. */
function faint(page: Page): Promise<Faint[]> {
  return page.evaluate(() => {
    const context = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    if (context === null) throw new Error('no canvas');
    type Colour = readonly [number, number, number, number];
    const read = (colour: string): Colour => {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = context.getImageData(0, 0, 1, 1).data;
      return [red, green, blue, alpha / 255];
    };
    const over = (top: Colour, below: Colour, opacity = 1): Colour => {
      const share = top[3] * opacity;
      const mix = (index: 0 | 1 | 2): number => top[index] * share + below[index] * (1 - share);
      return [mix(0), mix(1), mix(2), 1];
    };
    const ancestors = (element: Element): Element[] =>
      element.parentElement === null ? [element] : [...ancestors(element.parentElement), element];
    const light = ([red, green, blue]: Colour): number => {
      const line = [red, green, blue].map((value) => {
        const part = value / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * (line[0] ?? 0) + 0.7152 * (line[1] ?? 0) + 0.0722 * (line[2] ?? 0);
    };
    const contrast = (element: Element): number => {
      let ground: Colour = [255, 255, 255, 1];
      let opacity = 1;
      for (const one of ancestors(element)) {
        const style = getComputedStyle(one);
        ground = over(read(style.backgroundColor), ground);
        opacity *= Number(style.opacity);
      }
      const [a, b] = [light(over(read(getComputedStyle(element).color), ground, opacity)), light(ground)];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    };
    return [...document.querySelectorAll('#page *')]
      .filter((element) =>
        [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()),
      )
      .filter(
        (element) =>
          element.checkVisibility() && element.closest('[inert], :disabled, .unseen, .skip') === null,
      )
      .map((element) => ({
        text: `${element.className || element.tagName}: ${element.textContent?.slice(0, 20)}`,
        ratio: Math.round(contrast(element) * 100) / 100,
      }))
      .filter(({ ratio }) => ratio < 4.5);
  });
}

describe.skipIf(executablePath === undefined)('how the page looks', () => {
  const stage = setStage();

  it('holds words, tables, pictures and code that are wider than a phone', async () => {
    const { state } = stage.gateway;
    const id = fill(state);
    state.agents.push({ ...(state.agents[0] as (typeof state.agents)[0]), name: WORD, description: WORD });
    const { page, open, close } = await stage.visit(PHONE);
    await page.locator('.agent').last().waitFor();
    expect([await sticksOut(page), await overflowing(page)]).toEqual([[], []]);
    state.agents.pop();
    await open(id);
    await unfold(page);
    expect([await sticksOut(page), await overflowing(page)]).toEqual([[], []]);
    await page.locator('#composer').fill('/');
    await page.locator('.suggestions').waitFor();
    expect(await sticksOut(page)).toEqual([]);
    await close();
  });

  it.each(['light', 'dark'] as const)('can be read in %s colours', async (colorScheme) => {
    const id = fill(stage.gateway.state);
    const { page, open, close } = await stage.visit({ colorScheme, reducedMotion: 'reduce' });
    expect(await faint(page)).toEqual([]);
    await open(id);
    await unfold(page);
    await page.locator('.tool-body').waitFor();
    expect(await faint(page)).toEqual([]);
    await close();
  });

  it('writes every paragraph in its own direction, and code always from left to right', async () => {
    const { state } = stage.gateway;
    const { page, id, close } = await stage.chat();
    const text = 'שלום `let x = 1;` עולם\n\nAn English line.\n\n```js\nconst a = 1;\n```';
    log(state, id, { type: 'message', text, media: [] }, 't');
    await page.locator('.answer pre').waitFor();
    const sides = await page.locator('.answer').evaluate((answer) =>
      ['p', 'p code', '.md-block:nth-child(2) p', 'pre'].map((place) => {
        const element = answer.querySelector(place) as HTMLElement;
        const range = document.createRange();
        range.selectNodeContents(element);
        const text = range.getBoundingClientRect();
        const box = (element.closest('p, .md-code') ?? element).getBoundingClientRect();
        const side = text.left - box.left < box.right - text.right ? 'left' : 'right';
        return `${place} ${side} ${getComputedStyle(element).direction}`;
      }),
    );
    expect(sides).toEqual([
      'p right rtl',
      expect.stringMatching(/^p code (left|right) ltr$/),
      '.md-block:nth-child(2) p left ltr',
      'pre left ltr',
    ]);
    await close();
  });

  it('gives a finger room for everything it may touch in the conversation', async () => {
    const id = fill(stage.gateway.state);
    const { page, open, close } = await stage.visit(PHONE);
    await open(id);
    const small = await page
      .locator(
        '.head :is(button, select), .composer button, .fold > summary, .foot-quiet :is(a, button), .md-code button',
      )
      .evaluateAll((all) =>
        all
          .map((one) => ({
            name: one.className || one.textContent,
            height: one.getBoundingClientRect().height,
          }))
          .filter(({ height }) => height > 0 && height < 32),
      );
    expect(small).toEqual([]);
    await close();
  });

  it('keeps the focus of who uses the keyboard alone', async () => {
    const { page, close } = await stage.chat();
    await page.locator('.head-title button').focus();
    await page.keyboard.press('Enter');
    await page.locator('.head-field:focus').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.head-title button:focus').waitFor();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await page.getByRole('button', { name: 'Remove a.txt' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('#composer:focus').waitFor();
    await close();
  });

  it('does not tell a phone of keys it does not have, nor an ended session to go on', async () => {
    const { page, id, close } = await stage.chat(PHONE);
    expect(await page.locator('.empty').textContent()).not.toContain('Enter');
    changeSession(stage.gateway.state, id, { closed: true });
    await page.getByText('Nothing was said in this session.').waitFor();
    await page.goto(`${stage.gateway.url}/#/s/nothing`);
    await page.getByText('There is no such session.').waitFor();
    await page.locator('#main').getByRole('button', { name: 'New session' }).tap();
    await page.locator('.agents').waitFor();
    await close();
  });
});

import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { executablePath } from './browser.ts';
import { untilStopped } from './fake-agent.ts';
import { changeAgents, changeSession, log } from './fake-state.ts';
import { CLEAN, lines, setStage } from './visit.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe.skipIf(executablePath === undefined)('the chat', () => {
  const stage = setStage();

  it('logs in by a link that works once and leaves no trace', async () => {
    const { page, close } = await stage.visit();
    expect(page.url()).toBe(`${stage.gateway.url}/`);
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const link = stage.gateway.loginLink();
    await page.goto(link);
    await page.locator('.desk').waitFor();
    await close();
    const stranger = await stage.browser.newPage();
    await stranger.goto(link);
    expect(await stranger.locator('h1').textContent()).toBe('You are not logged in');
    expect(await stranger.locator('[role=alert]').textContent()).toContain('used already');
    expect(stranger.url()).toBe(`${stage.gateway.url}/`);
    await stranger.close();
  });

  it('can be used over plain HTTP from another machine, where a browser keeps some of its own from the page', async () => {
    const { page, say, misdeeds, close } = await stage.chat();
    await page.evaluate(() => {
      Reflect.deleteProperty(Crypto.prototype, 'randomUUID');
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
    });
    stage.gateway.agents.script = async (turn) => {
      turn.emit({ type: 'message', text: 'Well heard.', media: [] });
    };
    await say('Hello from a phone');
    await page.locator('.turn-foot').waitFor();
    expect(await lines(page)).toEqual(['Hello from a phone', 'Well heard.']);
    await page.getByRole('button', { name: 'Copy the answer' }).click();
    await page.getByText('Copied').waitFor();
    expect(misdeeds).toEqual(CLEAN);
    await close();
  });

  it('shows what is sent at once, and the answer as it comes, once', async () => {
    const { page, say, misdeeds, close } = await stage.chat();
    let finish = (): void => {};
    stage.gateway.agents.script = async (turn) => {
      turn.emit({ type: 'delta', kind: 'thinking', text: 'Hm.' });
      turn.emit({ type: 'progress', text: 'Looking it up' });
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      for (const text of ['It is ', '**four', '**.']) {
        turn.emit({ type: 'delta', kind: 'output', text });
        await wait(60);
      }
      turn.emit({ type: 'message', text: 'It is **four**.', media: [], streamed: true });
    };
    await say('What is two and two?');
    await page.getByText('Looking it up').waitFor();
    expect(await page.locator('.thinking').textContent()).not.toContain('Hm.');
    finish();
    await page.locator('.answer strong', { hasText: 'four' }).waitFor();
    await page.locator('.turn-foot').waitFor();
    expect(await lines(page)).toEqual(['What is two and two?', 'It is four.']);
    expect(await page.getByText('Looking it up').count()).toBe(0);
    await page.locator('.thinking summary').click();
    await page.locator('.thinking', { hasText: 'Hm.' }).waitFor();
    expect(misdeeds).toEqual(CLEAN);
    await close();
  });

  it('says so when an agent ends without an answer', async () => {
    const { page, say, misdeeds, close } = await stage.chat();
    stage.gateway.agents.script = () => {};
    await say('Anybody there?');
    await page.locator('.turn-foot .outcome').waitFor();
    expect(await page.locator('.turn-foot .outcome').textContent()).toBe('The agent ended without an answer');
    expect(misdeeds).toEqual(CLEAN);
    await close();
  });

  it('shows the plan, the changes of a tool and the cost of a turn', async () => {
    const { page, say, misdeeds, close } = await stage.chat();
    stage.gateway.agents.script = async (turn) => {
      const steps = [{ text: 'Look at <b>it</b>', status: 'running' } as const];
      turn.emit({ type: 'plan', steps });
      turn.emit({ type: 'thinking', text: 'It must be changed.' });
      turn.emit({ type: 'tool-call', id: 'a', name: 'edit', input: { path: 'a.txt' }, status: 'pending' });
      turn.emit({ type: 'tool-update', id: 'a', title: 'Edit a.txt', status: 'running' });
      const diff = { type: 'diff', path: 'a.txt', oldText: 'one\ntwo\n', newText: 'one\nthree\n' } as const;
      turn.emit({ type: 'tool-result', id: 'a', content: 'ok', isError: false, parts: [diff] });
      turn.emit({ type: 'plan', steps: [{ text: 'Look at <b>it</b>', status: 'done' }] });
      turn.emit({ type: 'message', text: 'Done.', media: [] });
      turn.end({ cost: { amount: 0.0123, currency: 'USD' } });
    };
    await say('Change it');
    await page.locator('.turn-foot', { hasText: '$0.0123' }).waitFor();
    expect(await page.locator('.plan li.done .plan-text').allTextContents()).toEqual(['Look at <b>it</b>']);
    await page.locator('.tool summary', { hasText: 'Edit a.txt' }).click();
    await page.locator('.diff-line.gone').waitFor();
    expect(await page.locator('.diff-line.gone').allTextContents()).toEqual(['− two\n']);
    expect(await page.locator('.diff-line.new').allTextContents()).toEqual(['+ three\n']);
    await page.locator('.thinking summary').click();
    await page.locator('.thinking', { hasText: 'It must be changed.' }).waitFor();
    expect(misdeeds).toEqual(CLEAN);
    await close();
  });

  it('lists the options and commands of the agent, and sets what a person chooses', async () => {
    const { page, id, say, misdeeds, close } = await stage.chat();
    const choices = ['small', 'large'].map((value) => ({ value, name: value.toUpperCase() }));
    const options = [
      { id: 'model', name: 'Model', value: 'small', choices },
      { id: 'fast', name: 'Fast', value: false },
    ];
    stage.gateway.agents.script = async (turn) => {
      stage.gateway.state.offers.set(id, {
        options,
        commands: [{ name: 'review', description: 'Reviews.' }],
      });
      turn.emit({ type: 'options', options });
    };
    await say('Hello');
    const model = page.getByRole('combobox', { name: 'Model' });
    await model.selectOption('large');
    await page.getByRole('checkbox', { name: 'Fast' }).check();
    await expect
      .poll(() => stage.gateway.state.offers.get(id)?.options.map(({ value }) => value))
      .toEqual(['large', true]);
    expect(await model.inputValue()).toBe('large');
    await page.locator('#composer').fill('/rev');
    await page.locator('.suggestion', { hasText: 'Reviews.' }).waitFor();
    expect(misdeeds).toEqual(CLEAN);
    await close();
  });

  it('stops a turn with the button and with Escape', async () => {
    const { page, say, close } = await stage.chat();
    stage.gateway.agents.script = untilStopped;
    await say('wait');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.outcome.cancelled').waitFor();
    await say('again');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await page.keyboard.press('Escape');
    await expect
      .poll(() => page.locator('.outcome.cancelled').count(), { timeout: 15_000, interval: 50 })
      .toBe(2);
    await close();
  });

  it('marks messages that were dropped by Stop, also after a reload, and sends them again', async () => {
    const { page, say, close } = await stage.chat();
    stage.gateway.agents.script = untilStopped;
    await say('first');
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await say('second');
    await page.getByText('1 message waits').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    const dropped = page.locator('.said', { hasText: 'Stopped before the agent got it' });
    await dropped.waitFor();
    expect(await dropped.locator('.bubble').allInnerTexts()).toEqual(['second']);
    await page.reload();
    await dropped.waitFor();
    stage.gateway.agents.script = (turn) => turn.emit({ type: 'message', text: 'Now I got it.', media: [] });
    await dropped.getByRole('button', { name: 'Send again' }).click();
    await page.locator('.answer', { hasText: 'Now I got it.' }).waitFor();
    expect(await lines(page)).toEqual(['first', 'second', 'second', 'Now I got it.']);
    expect(await dropped.count()).toBe(1);
    await close();
  });

  it('steers a running turn, and says before that it will', async () => {
    const { page, id, say, close } = await stage.chat();
    stage.gateway.agents.script = async (turn) => {
      turn.emit({ type: 'delta', kind: 'output', text: 'One. ' });
      changeSession(stage.gateway.state, id, { steerable: true });
      await untilStopped(turn);
    };
    await say('count');
    await page.getByRole('button', { name: 'Send into the running turn' }).waitFor();
    await say('faster');
    await page.locator('.turn .said', { hasText: 'faster' }).waitFor();
    expect(await page.locator('.turn .said').textContent()).toContain('into the running turn');
    await page.keyboard.press('Escape');
    await close();
  });

  it('shows tools, failures, notices, tasks and the place in the line', async () => {
    const { page, id, close } = await stage.chat();
    const { state } = stage.gateway;
    changeSession(state, id, { state: 'queued', position: 2 });
    await page.getByText('2nd in line').waitFor();
    log(state, id, { type: 'tool-call', id: '1', name: 'shell', input: { command: 'ls -l' } }, 't');
    log(state, id, { type: 'tool-result', id: '1', content: 'total 0', isError: false }, 't');
    log(state, id, { type: 'fault', fault: { code: 'invalid-json', message: 'Not JSON.' } }, 't');
    log(state, id, { type: 'log', level: 'error', text: 'only for the operator', source: 'stderr' }, 't');
    const firesAt = new Date(Date.now() + 90_000).toISOString();
    log(
      state,
      id,
      { type: 'tasks', tasks: [{ id: 'a', kind: 'alarm', description: 'Tea', status: 'set', firesAt }] },
      't',
    );
    log(
      state,
      id,
      { type: 'end', outcome: 'error', text: '', error: { message: 'The key is missing.' } },
      't',
    );
    log(
      state,
      id,
      { type: 'end', outcome: 'error', text: '', error: { message: 'Told already.', told: true } },
      'u',
    );
    log(state, id, { type: 'notice', id: 'n', text: 'The gateway was restarted.' });
    changeSession(state, id, { state: 'idle', position: null });
    await page.locator('.notice', { hasText: 'restarted' }).waitFor();
    await page.locator('.tool summary').click();
    expect(await page.locator('.tool-body').textContent()).toMatch(/ls -l[\s\S]*total 0/);
    expect(await page.locator('.failure').allInnerTexts()).toEqual(['The key is missing.']);
    expect(await page.locator('.faults').getAttribute('href')).toContain('/inspect/t');
    expect(await page.locator('.tasks summary').textContent()).toMatch(/1 task\s*next in 1:\d\d/);
    expect(await page.locator('.chat').textContent()).not.toContain('only for the operator');
    await close();
  });

  it('shows what an agent wrote to stderr before it died, folded, where the gateway sends it', async () => {
    const { page, id, close } = await stage.chat();
    const { state } = stage.gateway;
    const message = 'The agent exited with code 3.';
    const detail = 'Traceback (most recent call last):\n  ValueError: no';
    log(state, id, { type: 'end', outcome: 'error', text: '', error: { message } }, 't');
    log(state, id, { type: 'end', outcome: 'error', text: '', error: { message, detail } }, 'u');
    const fold = page.locator('.fold', { hasText: 'What the agent wrote to stderr' });
    await fold.waitFor();
    expect(await fold.count()).toBe(1);
    expect(await page.getByText('ValueError').isVisible()).toBe(false);
    await fold.locator('summary').click();
    expect(await fold.locator('pre').textContent()).toBe(detail);
    await close();
  });

  it('learns of agents that a reload of the configuration adds and removes', async () => {
    const { page, close } = await stage.visit();
    const { state } = stage.gateway;
    await page.locator('.agent').first().waitFor();
    const [first, ...others] = state.agents;
    if (first === undefined) throw new Error('no agents');
    changeAgents(state, [{ ...first, name: 'newcomer' }, ...others]);
    await page.locator('.agent-name', { hasText: 'newcomer' }).waitFor();
    expect(await page.locator('.agent-name', { hasText: first.name }).count()).toBe(0);
    await stage.gateway.down();
    changeAgents(state, [first, ...others]);
    await stage.gateway.up();
    await page.locator('.agent-name', { hasText: first.name }).waitFor();
    await close();
  });

  it('suggests commands, shows their answers and moves to a new session', async () => {
    const { page, id, close } = await stage.chat();
    await page.locator('#composer').fill('/st');
    expect(await page.locator('.suggestion').allInnerTexts()).toHaveLength(2);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await page.locator('#composer').inputValue()).toBe('/status');
    await page.keyboard.press('Enter');
    await page.locator('.notice', { hasText: 'atlas is idle.' }).waitFor();
    await page.locator('#composer').fill('/new');
    await page.keyboard.press('Enter');
    await page.locator('.notice', { hasText: 'A new session has begun.' }).waitFor();
    expect(page.url()).not.toContain(id);
    await close();
  });

  it('takes files by choice, paste and drop, and shows them both ways', async () => {
    const { page, misdeeds, close } = await stage.chat();
    stage.gateway.agents.script = (turn) => {
      const { url } = [...stage.gateway.state.media.values()][0]?.view ?? { url: '' };
      const media = [
        { kind: 'image', url, name: 'back.png' },
        { kind: 'audio', url, name: 'a.mp3' },
        { kind: 'file', url, name: 'b.pdf' },
      ] as const;
      turn.emit({ type: 'message', text: 'Here.', media });
    };
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: PIXEL });
    await page.evaluate(() => {
      for (const [type, name] of [
        ['paste', 'pasted.txt'],
        ['drop', 'dropped.txt'],
      ] as const) {
        const data = new DataTransfer();
        data.items.add(new File(['hello'], name, { type: 'text/plain' }));
        const target = document.getElementById('composer');
        const init = { bubbles: true, cancelable: true };
        if (type === 'paste')
          target?.dispatchEvent(new ClipboardEvent(type, { ...init, clipboardData: data }));
        else target?.dispatchEvent(new DragEvent(type, { ...init, dataTransfer: data }));
      }
    });
    await page.locator('.upload', { hasText: '5 B' }).nth(1).waitFor();
    await page.locator('#composer').fill('see');
    await page.locator('.send:enabled').click();
    await page.locator('.said .picture img').waitFor();
    expect(await page.locator('.said .file').allInnerTexts()).toEqual(['pasted.txt', 'dropped.txt']);
    await page.locator('.answer audio').waitFor();
    expect(await page.locator('.answer .file').getAttribute('download')).toBe('b.pdf');
    expect(
      await page
        .locator('.answer .picture img')
        .evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
    ).toBe(1);
    expect(misdeeds).toEqual(CLEAN);
    await close();
  });

  it('puts a picture that was sent at the side of its bubble, however large it is', async () => {
    const { page, id, close } = await stage.chat();
    const { state } = stage.gateway;
    for (const [name, width, height] of [
      ['wide', 1600, 300],
      ['square', 1200, 1200],
      ['small', 60, 40],
    ] as const) {
      const drawn = await page.evaluate(
        ([width, height]) =>
          Object.assign(document.createElement('canvas'), { width, height }).toDataURL('image/png'),
        [width, height] as const,
      );
      const url = `/api/media/${name}`;
      const view = { id: name, name, type: 'image/png', kind: 'image', size: 1, url } as const;
      state.media.set(name, { view, bytes: Buffer.from(drawn.split(',')[1] ?? '', 'base64') });
      const attachments = [{ kind: 'image', url, name }] as const;
      log(state, id, { type: 'user', messageId: name, text: name, sender: 'you', attachments });
      const said = page.locator('.said', { hasText: name });
      const edges = (): Promise<number[]> =>
        said
          .locator('img, .bubble')
          .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
      const apart = async (): Promise<number> => {
        const [picture = 0, bubble = 999] = await edges();
        return Math.abs(picture - bubble);
      };
      await expect.poll(apart, { timeout: 8_000 }).toBeLessThan(2);
    }
    await close();
  });

  it('opens the same empty session again, and lists only one that was spoken in', async () => {
    const { page, say, close } = await stage.visit();
    const { state } = stage.gateway;
    const before = state.sessions.size;
    const urls = new Set<string>();
    for (let round = 0; round < 3; round += 1) {
      await page.locator('.agent', { hasText: 'plain' }).click();
      await page.getByPlaceholder('Message plain').waitFor();
      urls.add(page.url());
      await page.keyboard.press('Alt+n');
      await page.locator('.agent:focus').waitFor();
    }
    expect(urls.size).toBe(1);
    expect(state.sessions.size).toBe(before + 1);
    await expect
      .poll(() => page.locator('.session-title', { hasText: 'New session' }).count(), { timeout: 8_000 })
      .toBe(0);
    await page.locator('.agent', { hasText: 'plain' }).click();
    await say('spoken');
    await page.locator('.session-title', { hasText: 'spoken' }).waitFor();
    await page.keyboard.press('Alt+n');
    await page.locator('.agent', { hasText: 'plain' }).click();
    await page.getByText('Say something to').waitFor();
    expect(urls.has(page.url())).toBe(false);
    await close();
  });

  it('renames, hands to another agent and ends a session', async () => {
    const { page, id, close } = await stage.chat();
    await page.getByRole('button', { name: 'A session' }).click();
    await page.getByLabel('Title of the session').fill('Renamed');
    await page.keyboard.press('Enter');
    await page.locator('.session-title', { hasText: 'Renamed' }).waitFor();
    await page.getByLabel('Agent', { exact: true }).selectOption('plain');
    await page.getByPlaceholder('Message plain').waitFor();
    expect(await page.getByRole('button', { name: 'Attach files' }).count()).toBe(0);
    await page.getByRole('button', { name: 'End session' }).click();
    await page.locator('dialog').getByRole('button', { name: 'End session' }).click();
    await page.getByText('This session has ended.').waitFor();
    expect(stage.gateway.state.sessions.get(id)).toMatchObject({
      title: 'Renamed',
      agent: 'plain',
      closed: true,
    });
    await close();
  });
});

import { ModelError, type Question, type Reply, type Said } from '@plugboard/llm';
import type { JsonObject } from '@plugboard/protocol';
import { describe, expect, it } from 'vitest';
import { itemOf } from '../../src/loop/item.ts';
import { type LoopOptions, runLoop } from '../../src/loop/loop.ts';
import { SILENT_SINK } from '../../src/loop/sink.ts';
import { createTranscript } from '../../src/loop/transcript.ts';
import type { Ask } from '../../src/model/ask.ts';
import type { Tool } from '../../src/tools/tool.ts';

const tool = (name: string, run: Tool['run']): Tool => ({
  name,
  description: name,
  parameters: {},
  effect: 'read',
  parse: (input) => ({ ok: true, input: input as JsonObject }),
  subjects: () => [],
  run,
});

const reply = (more: Partial<Reply>): Reply => ({
  text: '',
  calls: [],
  finish: 'stop',
  usage: { input_tokens: 2 },
  ...more,
});
const calls = (...names: string[]): Partial<Reply> => ({
  calls: names.map((name, index) => ({ id: `${name}-${index}`, name, input: {} })),
});

const transcriptOf = (said: readonly Said[]) =>
  createTranscript({ items: said.map((one) => itemOf(one)), low: 20_000 });

/** A loop over these answers, and everything that happened, in order. */
function looping(replies: (Partial<Reply> | Error)[], tools: Tool[], more: Partial<LoopOptions> = {}) {
  const happened: string[] = [];
  const questions: Question[] = [];
  const left = [...replies];
  const ask: Ask = async (question) => {
    questions.push({ ...question, said: [...question.said] });
    question.signal.throwIfAborted();
    const next = left.shift() ?? {};
    if (next instanceof Error) throw next;
    return reply(next);
  };
  const controller = new AbortController();
  const options: LoopOptions = {
    ask,
    system: 's',
    transcript: transcriptOf([{ role: 'user', text: 'go' }]),
    tools,
    permit: async (_tool, input) => ({ ok: true, input, paths: new Map() }),
    context: { signal: controller.signal, directory: '/', environment: {}, log: () => {} },
    sink: {
      ...SILENT_SINK,
      message: async (text) => void happened.push(`said ${text}`),
      call: async ({ name }) => void happened.push(`call ${name}`),
      result: async ({ name, isError }) => void happened.push(`${isError ? 'error' : 'result'} ${name}`),
    },
    record: (entries) => void happened.push(...entries.map(({ kind }) => `kept ${kind}`)),
    budget: { steps: 10, tokens: 0, ms: 0 },
    room: 100_000,
    now: () => 0,
    ...more,
  };
  return { run: () => runLoop(options), happened, questions, controller };
}

describe('a turn', () => {
  it('a turn stores an answer before it sends it, and sends a call before it runs it', async () => {
    const order: string[] = [];
    const look = tool('look', async () => {
      order.push(...happened);
      return { content: 'seen', isError: false };
    });
    const { run, happened } = looping([{ text: 'I look.', ...calls('look') }, { text: 'Done.' }], [look]);
    expect(await run()).toMatchObject({ text: 'Done.', usage: { input_tokens: 4 } });
    expect(order).toEqual(['kept assistant', 'kept call', 'said I look.', 'call look']);
    expect(happened.slice(4)).toEqual(['kept result', 'result look', 'kept assistant', 'said Done.']);
  });

  it('a turn runs calls concurrently, sends each result as it comes, and gives the model all in order', async () => {
    const slow = tool('slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 40));
      return { content: 'slow', isError: false };
    });
    const fast = tool('fast', async () => ({ content: 'fast', isError: false }));
    const { run, happened, questions } = looping([calls('slow', 'fast'), { text: 'ok' }], [slow, fast]);
    await run();
    expect(happened.filter((what) => what.startsWith('result'))).toEqual(['result fast', 'result slow']);
    expect(questions[1]?.said.at(-1)).toMatchObject({ results: [{ content: 'slow' }, { content: 'fast' }] });
  });

  it('a turn tells the model why each call failed', async () => {
    const bad = tool('bad', () => Promise.reject(new Error('it broke')));
    const strict: Tool = { ...bad, name: 'strict', parse: () => ({ ok: false, problem: '`x` is missing' }) };
    const { run, questions, happened } = looping(
      [calls('bad', 'strict', 'nowhere'), { text: 'ok' }],
      [bad, strict],
    );
    await run();
    expect(questions[1]?.said.at(-1)).toMatchObject({
      results: [
        { content: 'it broke', isError: true },
        { content: '`x` is missing', isError: true },
        { content: 'There is no tool "nowhere".', isError: true },
      ],
    });
    expect(happened.filter((what) => what.startsWith('error'))).toHaveLength(3);
  });

  it('a turn tells the model why a call is not permitted', async () => {
    const look = tool('look', async () => ({ content: 'never', isError: false }));
    const permit: LoopOptions['permit'] = async () => ({ ok: false, reason: 'Not permitted.' });
    const { run, questions } = looping([calls('look'), { text: 'ok' }], [look], { permit });
    await run();
    expect(questions[1]?.said.at(-1)).toMatchObject({
      results: [{ content: 'Not permitted.', isError: true }],
    });
  });

  it('a turn takes steered messages before the next question, after all results', async () => {
    const waiting = [undefined, 'Only the login.'];
    const look = tool('look', async () => ({ content: 'seen', isError: false }));
    const transcript = transcriptOf([{ role: 'user', text: 'go' }]);
    const takeMore = async () => {
      const text = waiting.shift();
      if (text !== undefined) transcript.add({ role: 'user', text });
    };
    const options = { transcript, takeMore };
    const { run, questions } = looping([calls('look'), { text: 'ok' }], [look], options);
    await run();
    expect(questions[1]?.said.map(({ role }) => role)).toEqual(['user', 'assistant', 'results', 'user']);
  });

  it.each([
    [{ steps: 3, tokens: 0, ms: 0 }, '3 steps'],
    [{ steps: 99, tokens: 6, ms: 0 }, '6 tokens'],
  ])('a turn ends at its limit and says which: %j', async (budget, words) => {
    const look = tool('look', async () => ({ content: 'seen', isError: false }));
    const endless = Array.from({ length: 20 }, () => calls('look'));
    const { run, questions } = looping(endless, [look], { budget });
    expect(await run()).toMatchObject({
      problem: { code: 'budget', message: expect.stringContaining(words) },
    });
    expect(questions).toHaveLength(3);
  });

  it.each([
    [{ text: 'and', finish: 'length' }, 'cut-off'],
    [{ text: '', finish: 'content-filter' }, 'refused'],
    [{ text: '' }, 'empty'],
    [{ text: '', finish: 'error' }, 'model'],
  ] as const)('a turn without an answer says why: %j', async (answer, code) => {
    expect(await looping([answer], []).run()).toMatchObject({ problem: { code } });
  });

  it('a turn shortens a prompt that is too long for the model, and goes on', async () => {
    const tooLong = new ModelError('too-long', 'Too long.');
    const said = Array.from({ length: 40 }, (): Said[] => [
      { role: 'assistant', text: 'x'.repeat(4_000), calls: [] },
    ]).flat();
    const transcript = transcriptOf([{ role: 'user', text: 'go' }, ...said]);
    const options = { transcript, room: 50_000 };
    const { run, questions } = looping([tooLong, tooLong, { text: 'ok' }], [], options);
    expect(await run()).toMatchObject({ text: 'ok' });
    expect(questions.map((one) => one.said.length)).toEqual([41, 10, 3]);
    expect(questions[2]?.said[0]).toEqual({ role: 'user', text: 'go' });
  });

  it('a turn withdraws the deltas of a broken answer, also when the model is not asked again', async () => {
    const heard: string[] = [];
    const ask: Ask = async ({ listener }) => {
      listener?.delta('output', 'Half');
      listener?.again('It broke', 100);
      listener?.delta('output', 'Half again');
      throw new ModelError('bad-request', 'No.');
    };
    const sink = {
      ...SILENT_SINK,
      delta: (_kind: string, text: string) => void heard.push(text),
      restart: () => void heard.push('restart'),
      progress: async (text: string) => void heard.push(text),
    };
    await expect(looping([], [], { ask, sink }).run()).rejects.toThrow('No.');
    expect(heard).toEqual(['Half', 'restart', 'It broke. Trying again in 0.1 s.', 'Half again', 'restart']);
  });

  it('an aborted turn throws the reason after its calls have ended', async () => {
    let ended = false;
    const stubborn = tool('stubborn', async (_input, { signal }) => {
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      ended = true;
      return { content: 'stopped', isError: true };
    });
    const { run, controller, happened } = looping([calls('stubborn')], [stubborn]);
    const running = run();
    await new Promise((resolve) => setTimeout(resolve, 10));
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(ended).toBe(true);
    expect(happened.at(-2)).toBe('kept result');
  });

  it('a turn limits the number of concurrent calls, and runs all of them', async () => {
    let running = 0;
    let most = 0;
    const busy = tool('busy', async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
      return { content: 'done', isError: false };
    });
    const names = Array.from({ length: 1_000 }, () => 'busy');
    const { run, questions } = looping([calls(...names), { text: 'ok' }], [busy]);
    await run();
    expect(most).toBe(16);
    expect(questions[1]?.said.at(-1)).toMatchObject({ results: { length: 1_000 } });
  });

  it('a turn that cannot store a result ends after its running calls, and begins no others', async () => {
    const ended: string[] = [];
    const quick = tool('quick', async () => ({ content: 'x', isError: false }));
    const slow = tool('slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 30));
      ended.push('slow');
      return { content: 'x', isError: false };
    });
    const late = tool('late', async () => {
      ended.push('late');
      return { content: 'x', isError: false };
    });
    const record: LoopOptions['record'] = ([first]) => {
      if (first?.kind === 'result') throw new Error('The disk is full.');
    };
    const names = ['quick', ...Array.from({ length: 15 }, () => 'slow'), 'late'];
    const { run } = looping([calls(...names)], [quick, slow, late], { record });
    await expect(run()).rejects.toThrow('The disk is full.');
    expect(ended).toEqual(Array.from({ length: 15 }, () => 'slow'));
  });

  it('a turn that was aborted before it began takes no waiting messages', async () => {
    let asked = 0;
    const takeMore = async (): Promise<void> => void asked++;
    const { run, controller } = looping([{ text: 'ok' }], [], { takeMore });
    controller.abort(new Error('enough'));
    await expect(run()).rejects.toThrow('enough');
    expect(asked).toBe(0);
  });
});

import { startModelServer } from '@plugboard/testkit';
import { describe, expect, it } from 'vitest';
import { createAsk } from '../../src/model/ask.ts';
import { chooseModel } from '../../src/model/choose.ts';

const QUESTION = {
  system: '',
  said: [{ role: 'user' as const, text: 'hi' }],
  tools: [],
  signal: new AbortController().signal,
};

describe('a model of nuum', () => {
  it.each([
    [{ status: 401, error: 'bad key' }, 'refused-key', 'The provider of m refused the key (401): bad key'],
    [{ status: 503, error: 'no' }, 'overloaded', 'The provider of m is in trouble (503): no'],
    [{ status: 404, error: 'no m' }, 'bad-request', 'The provider of m refused the request (404): no m'],
    [
      { text: 'Half of it', cut: 'text' },
      'broken-off',
      expect.stringMatching(/^The answer of m broke off: /),
    ],
    [{ text: 'And', hang: true }, 'silent', 'The model m said nothing for 0.3 s.'],
  ] as const)('a failed request says why: %j', async (reply, code, message) => {
    const server = await startModelServer([reply]);
    const chosen = chooseModel({ model: 'openai:m', baseUrl: server.baseUrl });
    const patience = { attempts: 2, firstWaitMs: 1, longestWaitMs: 1 };
    const ask = createAsk(chosen, { now: () => 0, patience, silenceMs: 300 })('turn');
    await expect(ask(QUESTION)).rejects.toMatchObject({ name: 'ModelError', code, message });
    await server.close();
  });

  it('an unreachable model is reported with its address', async () => {
    const chosen = chooseModel({ model: 'openai:m', baseUrl: 'http://127.0.0.1:9/v1' });
    const patience = { attempts: 2, firstWaitMs: 1, longestWaitMs: 1 };
    await expect(createAsk(chosen, { now: () => 0, patience })('turn')(QUESTION)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('The model at http://127.0.0.1:9 cannot be reached'),
    });
  });

  it.each([
    ['anthropic:m', 'ANTHROPIC_API_KEY'],
    ['openai:m', 'OPENAI_API_KEY'],
  ])('a missing key is reported with the variable to set: %s', async (model, variable) => {
    const ask = createAsk(chooseModel({ model }), { now: () => 0 })('turn');
    await expect(ask(QUESTION)).rejects.toThrow(variable);
  });
});

describe('the name of a model', () => {
  it.each([
    ['claude-x', undefined, 'claude-x'],
    ['anthropic:claude-x', undefined, 'claude-x'],
    ['openai:qwen3:30b', undefined, 'qwen3:30b'],
    ['qwen3:30b', 'http://127.0.0.1:1/v1', 'qwen3:30b'],
    ['script:/a/b.yaml', undefined, 'script:/a/b.yaml'],
  ])('the model name %s is accepted', (model, baseUrl, name) => {
    expect(chooseModel({ model, ...(baseUrl === undefined ? {} : { baseUrl }) }).name).toBe(name);
  });

  it.each(['', 'script:', 'anthropic:'])('the model name %j is refused', (model) => {
    expect(() => chooseModel({ model })).toThrow();
  });
});

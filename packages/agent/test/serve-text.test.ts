import { expect, it } from 'vitest';
import { serveText } from '../src/serve/text.ts';

/** Serves `lines` with an agent that emits `progress`, and collects its stdout and log. */
async function serveLines(lines: readonly string[], invitation: string) {
  const stdout: string[] = [];
  const log: string[] = [];
  const typed = async function* () {
    for (const text of lines) yield { text };
  };
  const code = await serveText(
    async (turn, io) => {
      await io.progress('looking');
      return `you said: ${turn.text}`;
    },
    typed(),
    { signal: new AbortController().signal, lastWordsMs: 0 },
    {
      output: { write: async (text) => void stdout.push(text), flushed: () => Promise.resolve() },
      nextTurnId: () => 'turn',
      sessionKey: 'key',
      invitation,
      log: (text) => void log.push(text),
    },
  );
  return { stdout: stdout.join(''), log, code };
}

it('shows progress on stdout to a person at a terminal', async () => {
  expect(await serveLines(['a', 'b'], '> ')).toEqual({
    stdout: '> … looking\nyou said: a\n> … looking\nyou said: b\n> ',
    log: [],
    code: 0,
  });
});

it('logs progress instead of writing it to a piped stdout', async () => {
  expect(await serveLines(['a', 'b'], '')).toEqual({
    stdout: 'you said: a\nb\n',
    log: ['looking'],
    code: 0,
  });
});

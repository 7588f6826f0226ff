import { expect, it } from 'vitest';
import { serveText } from '../src/serve/text.ts';

/** What a person sees of an agent that says how its work goes, and what goes to stderr. */
async function serveLines(lines: readonly string[], invitation: string) {
  const stdout: string[] = [];
  const log: string[] = [];
  const typed = async function* () {
    yield* lines;
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

it('shows a person who types how the work goes', async () => {
  expect(await serveLines(['a', 'b'], '> ')).toEqual({
    stdout: '> … looking\nyou said: a\n> … looking\nyou said: b\n> ',
    log: [],
    code: 0,
  });
});

it('keeps how the work goes out of an answer that is piped on', async () => {
  expect(await serveLines(['a', 'b'], '')).toEqual({
    stdout: 'you said: a\nb\n',
    log: ['looking'],
    code: 0,
  });
});

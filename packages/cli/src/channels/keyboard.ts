import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { CommandFailure } from '../failure.ts';

/** Questions to the person at the terminal. */
export interface Keyboard extends Disposable {
  /** Asks until `check` has no objection. What is typed is not shown when `secret`. */
  ask(question: string, check?: (said: string) => string | undefined, secret?: boolean): Promise<string>;
}

/** Throws when nobody can be asked. Ctrl-C ends a question with exit code 130. */
export function openKeyboard(): Keyboard {
  if (!process.stdin.isTTY)
    throw new CommandFailure(
      'Nobody can be asked here: give every field with --set, and secrets with --from-env or --from-file.',
    );
  let isHidden = false;
  // With `terminal: true`, readline writes what is typed to its output: a secret must not appear there.
  const output = new Writable({
    write(chunk, encoding, done) {
      if (!isHidden) process.stderr.write(chunk, encoding);
      done();
    },
  });
  const lines = createInterface({ input: process.stdin, output, terminal: true });
  const leave = new AbortController();
  lines.once('SIGINT', () => leave.abort());
  lines.once('close', () => leave.abort());
  const askOnce = async (question: string, secret: boolean): Promise<string> => {
    process.stderr.write(`${question}: `);
    isHidden = secret;
    try {
      return (await lines.question('', { signal: leave.signal })).trim();
    } catch {
      throw new CommandFailure('Nothing was written.', 130);
    } finally {
      isHidden = false;
      if (secret) process.stderr.write('\n');
    }
  };
  return {
    async ask(question, check = () => undefined, secret = false) {
      for (;;) {
        const said = await askOnce(question, secret);
        const problem = said === '' ? 'An answer is needed.' : check(said);
        if (problem === undefined) return said;
        process.stderr.write(`${problem}\n`);
      }
    },
    [Symbol.dispose]: () => lines.close(),
  };
}

import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getLauncher, type Novel, novel, type Running, startProgram } from '../start-program.ts';

const CLAUDE = [process.execPath, getLauncher('nib-agent-claude')];

// biome-ignore lint/suspicious/noExplicitAny: a line of the stream, or what was written down, is whatever a test expects.
type Any = any;

/** The record that the fake program wrote about one start. */
interface Start {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly stdin: string;
  readonly prompt: string | null;
  readonly variables: readonly string[];
  /** The decisions of the hook about the calls in CLAUDE_CALLS. */
  readonly decisions: readonly string[];
}

/** A novel, and a fake `claude` on the PATH. */
export interface ClaudeTest extends Disposable {
  readonly novel: Novel;
  /** The environment with the fake on the PATH. */
  readonly env: Readonly<Record<string, string>>;
  readonly starts: () => readonly Start[];
  /** Sends a request over the pipes. */
  ask(operation: string, fields?: object, env?: Record<string, string>): Running;
  /** Sends a request by NIB_AGENT_REQUEST_FILE. */
  talk(operation: string, fields?: object, env?: Record<string, string>): Running;
  /** The variables that make the fake print these lines; a string is printed unchanged. */
  says(...lines: readonly (object | string)[]): Record<string, string>;
}

export function createClaudeTest(): ClaudeTest {
  const place = novel();
  const program = join(import.meta.dirname, 'programs', 'claude.ts');
  chmodSync(place.write('bin/claude', `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`), 0o755);
  const record = join(place.root, '..', 'record');
  const env = {
    ...place.env,
    PATH: `${join(place.root, '..', 'bin')}:${place.env.PATH}`,
    CLAUDE_RECORD: record,
    CLAUDE_STORE: join(place.root, '..', 'store'),
  };
  const requestFor = (operation: string, fields: object): string =>
    JSON.stringify({ operation, dir: place.root, ...fields });
  return {
    novel: place,
    env,
    starts: () =>
      existsSync(record)
        ? readFileSync(record, 'utf8')
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line))
        : [],
    ask: (operation, fields = {}, more = {}) =>
      startProgram(CLAUDE, {
        cwd: place.root,
        env: { ...env, ...more },
        input: requestFor(operation, fields),
      }),
    talk(operation, fields = {}, more = {}) {
      const file = place.write('request.json', `${requestFor(operation, fields)}\n`);
      return startProgram(CLAUDE, {
        cwd: place.root,
        env: { ...env, NIB_AGENT_REQUEST_FILE: file, ...more },
      });
    },
    says(...lines) {
      const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
      return { CLAUDE_SAYS: place.write('says', `${text}\n`) };
    },
    [Symbol.dispose]: () => place[Symbol.dispose](),
  };
}

/** The last line of a run, with the type `result`. */
export function createResultLine(more: Any): object {
  return { type: 'result', subtype: 'success', is_error: false, session_id: 'x', ...more };
}

/** A line with one content block of the model. */
export function createBlockLine(content: Any): object {
  return { type: 'assistant', message: { role: 'assistant', content: [content] } };
}

import { join } from 'node:path';
import type { Reply } from '@plugboard/llm';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import type { Memory } from '../../src/memory/memory.ts';
import { openMemory } from '../../src/memory/open.ts';
import type { Ask } from '../../src/model/ask.ts';

/** A memory in a directory of its own, with a clock that the test sets; all of it is gone when the block ends. */
export interface OpenedMemory extends Disposable {
  readonly memory: Memory;
  readonly file: string;
  readonly clock: { now: number };
}

export function opened(now = Date.parse('2026-03-01T10:00:00Z')): OpenedMemory {
  const home: TemporaryDirectory = temporaryDirectory();
  const clock = { now };
  const file = join(home.path, 'agent.db');
  const memory = openMemory(file, { now: () => clock.now });
  return {
    ...{ memory, file, clock },
    [Symbol.dispose]() {
      memory.close();
      home[Symbol.dispose]();
    },
  };
}

/** A whole answer of a model. */
export function reply(said: Partial<Reply>): Reply {
  return { text: '', calls: [], finish: 'stop', usage: {}, ...said };
}

/** A model that answers the first question with the first reply, and so on; the last one stays. */
export function scripted(
  ...replies: readonly (Reply | Error)[]
): Ask & { readonly asked: Parameters<Ask>[0][] } {
  const asked: Parameters<Ask>[0][] = [];
  const ask: Ask = async (question) => {
    const next = replies[Math.min(asked.length, replies.length - 1)] ?? reply({});
    asked.push(question);
    if (next instanceof Error) throw next;
    return next;
  };
  return Object.assign(ask, { asked });
}

/** The call by which a model says what to keep. */
export function keeping(input: Reply['calls'][number]['input']): Reply {
  return reply({ calls: [{ id: 'k1', name: 'keep', input }], finish: 'tool-calls' });
}

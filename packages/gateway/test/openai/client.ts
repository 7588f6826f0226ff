import { join } from 'node:path';
import type { DialectName } from '@plugboard/host';
import { profileFor, startedAs } from '@plugboard/testkit';
import OpenAI from 'openai';
import type { AgentConfig } from '../../src/config/config.ts';
import type { Setting } from '../harness.ts';
import { type Door, startDoor } from '../http/door.ts';

/** A gateway, and the official client that is pointed at it. */
export interface Desk extends Door {
  readonly client: OpenAI;
  clientWith(scopes: readonly string[]): Promise<OpenAI>;
  /** Asks in one message, and gives the answer. */
  chat(model: string, text: string, headers?: Record<string, string>): Promise<string | null>;
}

/** Opens a gateway; the client does not try again by itself unless told to. */
export async function startDesk(setting: Setting, maxRetries = 0): Promise<Desk> {
  const door = await startDoor(setting);
  const clientFor = (apiKey: string) =>
    new OpenAI({ baseURL: `${door.door.url}/v1`, apiKey, maxRetries, dangerouslyAllowBrowser: false });
  const client = clientFor(door.token);
  return {
    ...door,
    client,
    clientWith: async (scopes) => clientFor(await door.tokenWith(scopes)),
    async chat(model, text, headers = {}) {
      const messages = [{ role: 'user' as const, content: text }];
      const { choices } = await client.chat.completions.create({ model, messages }, { headers });
      return choices[0]?.message.content ?? null;
    },
  };
}

/** The agent of these tests. */
export function speaker(name: string, dialect: DialectName, workspace: string): AgentConfig {
  const argv = [process.execPath, join(import.meta.dirname, 'speaker.ts')];
  const profile = { ...profileFor(dialect, startedAs(dialect, argv), workspace), name };
  return { name, profile, share: false, parkAfterMs: 0, onCrash: 'fail' };
}

/** Everything that an iterable gives. */
export async function gather<One>(from: AsyncIterable<One>): Promise<One[]> {
  const all: One[] = [];
  for await (const one of from) all.push(one);
  return all;
}

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { reasonOf } from '@plugboard/protocol';
import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Logger } from '../../log.ts';

/** A session of the gateway that can be resumed. */
export interface GatewaySession {
  readonly sessionId: string;
  readonly resumeUrl: string;
  readonly sequence: number;
}

/** Contents of `session.json`. */
interface Remembered {
  readonly botId?: string | undefined;
  readonly session?: GatewaySession | undefined;
  /** Id of the last kept message, by channel. */
  readonly positions: Readonly<Record<string, string>>;
}

/** The file of a channel, and its contents in memory. */
export interface Memory {
  /** Last kept message of each known channel, least recently used first. */
  readonly positions: Map<string, string>;
  /** Reads `session.json`; a file of another bot is ignored. Undefined without a session to resume. */
  load(botId: string): Promise<GatewaySession | undefined>;
  /** Notes a kept message; an id below the last one has no effect. */
  noteKept(channelId: string, messageId: string): void;
  /** Schedules a write. `session` is read when it is written. */
  touch(): void;
  /** Writes a scheduled change at once. */
  flush(): Promise<void>;
}

interface MemoryOptions {
  /** `ChannelGiven.directory`; without it, the memory ends with the process. */
  readonly directory: string | undefined;
  readonly channel: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** The session as it can be resumed now; undefined while there is none. */
  readonly session: () => GatewaySession | undefined;
}

const WRITE_MS = 1_000;

/** Most `positions`: the least recently used is dropped. */
const MOST_POSITIONS = 1_000;

const id = z.string().regex(/^\d{1,20}$/);

const file = z.object({
  botId: id,
  session: z
    .object({ sessionId: z.string().min(1), resumeUrl: z.string().min(1), sequence: z.int().min(0) })
    .optional(),
  positions: z.record(id, id),
});

interface State extends MemoryOptions {
  readonly positions: Map<string, string>;
  botId: string | undefined;
  last: GatewaySession | undefined;
  cancelTimer: (() => void) | undefined;
  writing: Promise<void>;
}

export function createMemory(options: MemoryOptions): Memory {
  const state: State = {
    ...{ ...options, positions: new Map(), botId: undefined, last: undefined },
    ...{ cancelTimer: undefined, writing: Promise.resolve() },
  };
  return {
    positions: state.positions,
    touch: () => scheduleWrite(state),
    flush: () => flushMemory(state),
    load: (botId) => loadMemory(state, botId),
    noteKept(channelId, messageId) {
      notePosition(state, channelId, messageId);
      scheduleWrite(state);
    },
  };
}

function scheduleWrite(state: State): void {
  state.cancelTimer ??= state.clock.after(WRITE_MS, () => void flushMemory(state));
}

function flushMemory(state: State): Promise<void> {
  if (state.cancelTimer !== undefined) state.writing = state.writing.then(() => writeMemory(state));
  state.cancelTimer?.();
  state.cancelTimer = undefined;
  return state.writing;
}

async function writeMemory(state: State): Promise<void> {
  const { session, directory, botId, positions, log, channel } = state;
  state.last = session();
  if (directory === undefined || botId === undefined) return;
  const text = JSON.stringify({ botId, session: state.last, positions: Object.fromEntries(positions) });
  try {
    await replaceFile(directory, text);
  } catch (error) {
    log.warn(`The session of a channel was not stored: ${reasonOf(error)}`, {
      ...{ code: 'channel-memory-not-stored', channel },
    });
  }
}

async function loadMemory(state: State, botId: string): Promise<GatewaySession | undefined> {
  const { positions, directory } = state;
  if (state.botId === botId) return state.last;
  const kept = directory === undefined ? undefined : await readKept(directory);
  positions.clear();
  state.botId = botId;
  if (kept?.botId !== botId) return undefined;
  for (const [channelId, messageId] of Object.entries(kept.positions)) positions.set(channelId, messageId);
  return kept.session;
}

function notePosition({ positions }: State, channelId: string, messageId: string): void {
  const last = positions.get(channelId);
  positions.delete(channelId);
  positions.set(channelId, last !== undefined && BigInt(last) > BigInt(messageId) ? last : messageId);
  for (const oldest of positions.keys()) {
    if (positions.size <= MOST_POSITIONS) break;
    positions.delete(oldest);
  }
}

const NAME = 'session.json';

/** Undefined for a missing or damaged file. */
async function readKept(directory: string): Promise<Remembered | undefined> {
  try {
    return file.parse(JSON.parse(await readFile(join(directory, NAME), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Replaces the file by `rename`, so that a crash leaves the old or the new one. */
async function replaceFile(directory: string, text: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, NAME);
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

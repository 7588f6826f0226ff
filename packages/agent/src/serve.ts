import {
  type DialectName,
  dialects,
  type JsonObject,
  OPERATION_NAMES,
  reasonOf,
  type Tasks,
  type Turn,
} from '@plugboard/protocol';
import { detectHalf } from './detect.ts';
import type { Handler } from './handler.ts';
import { readLines } from './input.ts';
import { createOutput, guardConsole, guardStdout, type Output } from './output.ts';
import { serveInteractive } from './serve/interactive.ts';
import { type Life, watchSignals } from './serve/life.ts';
import { findManner } from './serve/manner.ts';
import { serveOnce } from './serve/once.ts';
import { takeRequestFile } from './serve/request-file.ts';
import { serveResident, type Unasked } from './serve/resident.ts';
import { serveText } from './serve/text.ts';
import type { Station } from './station.ts';

/** What an agent says about itself to hosts that show it. */
export interface SelfDescription {
  readonly version?: string;
  /** Names of tools. */
  readonly tools?: readonly string[];
  /** The id of the one conversation that a resident agent has; a new one for each start when absent. */
  readonly session?: string;
  /** The model that answers. */
  readonly model?: string;
  /** What else there is to say, by name, where the dialect has room for it. */
  readonly details?: JsonObject;
}

/** What an agent says about itself, and what it need not find out by itself. */
export interface ServeOptions extends SelfDescription {
  /** The dialect to speak, when it is known; else the host's is found out. */
  readonly as?: DialectName;
  /** Called when a host wants to know more than the options say; what it answers counts before them. */
  readonly describe?: () => Promise<SelfDescription>;
  /** The named operations that the agent knows; others are refused. Those of the nib protocol when absent. */
  readonly operations?: readonly string[] | 'any';
  /**
   * Called with every message of a host that stays, before that host is told that it was taken: what you keep here is not
   * lost, whatever happens next. What it throws refuses the message.
   */
  readonly admit?: (turn: Turn) => void | Promise<void>;
  /** Turns that the agent starts by itself, and snapshots of its background tasks, where the dialect has them. */
  readonly unasked?: AsyncIterable<Unasked | Tasks>;
  /**
   * How long a handler may go on speaking when its turn was cancelled, for those who have to wait for somebody's last words;
   * 0 when absent: the turn ends at once. No longer than a second and a half, or hosts lose their patience.
   */
  readonly lastWordsMs?: number;
  /** Called when the last turn has been answered, before the process ends. */
  readonly close?: () => Promise<void>;
}

const TOO_LONG = { message: 'A request was longer than 64 MiB and was dropped.', code: 'too-long' };

/** How long `close` may take after that. */
const CLOSE_MS = 2_500;

/** How long a host may take to read what is left on stderr. */
const STDERR_MS = 1_000;

/**
 * Serves the host that started this process, in whichever dialect it speaks, and then ends the process: call it last.
 * Everything said is written before the process ends, however slowly the host reads. Anything else the program prints
 * from now on goes to stderr; what it has printed before has reached the host.
 */
export async function serve(handler: Handler, options: ServeOptions = {}): Promise<never> {
  const life = watchSignals(options.lastWordsMs ?? 0);
  const output = createOutput(process.stdout, () => life.end(0));
  const restore = guardStdout(process.stdout, operator);
  guardConsole(operator);
  const code = await Promise.race([
    speak(handler, options, output, life).catch((error) => {
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return 1;
    }),
    life.overdue,
  ]);
  // A host that asks the agent to end and does not read what it says must not keep it.
  await Promise.race([output.flushed(), life.overdue]);
  await windUp(options);
  restore();
  // To open a stream that nobody has written to would cost more than the rest of the end.
  if (heard !== undefined) await within(STDERR_MS, written(heard));
  process.exit(life.exitCode ?? code);
}

async function windUp({ close }: ServeOptions): Promise<void> {
  try {
    if (close !== undefined) await within(CLOSE_MS, close());
  } catch (error) {
    log(`The agent did not close properly: ${reasonOf(error)}`);
  }
}

/** Waits for something, but not for ever. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** What was written to a pipe is lost with the process, unless it has been read. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}

async function speak(answer: Handler, options: ServeOptions, output: Output, life: Life): Promise<number> {
  const handler = onlyKnown(answer, options.operations ?? OPERATION_NAMES);
  let complain = log;
  // The beginning of the first line that was too long to be read.
  let lost: string | undefined;
  const lines = readLines(process.stdin, (head) => {
    lost ??= head;
    complain(TOO_LONG.message);
  });
  const requestFile = takeRequestFile(process.env.NIB_AGENT_REQUEST_FILE);
  const found = await findManner(options.as, surroundings(), requestFile, lines);
  const manner =
    found.manner === 'text' && lost !== undefined ? (detectHalf(lost) ?? 'broken') : found.manner;
  const { replayed } = found;
  const nextTurnId = turnIds();
  if (manner === 'text') {
    const invitation = process.stdin.isTTY ? '> ' : '';
    const sessionKey = newSessionKey();
    return serveText(handler, replayed, life, { output, nextTurnId, sessionKey, invitation, log });
  }
  if (manner === 'broken') {
    if (lost === undefined) log('The request is not valid JSON: it seems to have been cut off.');
    return 1;
  }
  const dialect = dialects[manner];
  const state = dialect.agent.initial({
    environment: process.env,
    nextTurnId,
    newSessionKey,
    ...(requestFile === undefined ? {} : { requestFile }),
  });
  const inputProblem = () => (lost === undefined ? undefined : TOO_LONG);
  const station: Station = { dialect, state, output, log, inputProblem };
  if (dialect.capabilities.resident) {
    complain = (message) =>
      void output.write(dialect.agent.answer?.(state, { type: 'complaint', message }) ?? '');
    return serveResident(station, handler, replayed, life, await residentOptions(options));
  }
  if (requestFile !== undefined && manner === 'nib')
    return serveInteractive(station, handler, replayed, life);
  return serveOnce(station, handler, replayed, life);
}

/** An operation that nobody has heard of must not be reported as done. */
function onlyKnown(handler: Handler, operations: readonly string[] | 'any'): Handler {
  if (operations === 'any') return handler;
  return (turn, io) => {
    const name = turn.operation?.name;
    if (name === undefined || operations.includes(name)) return handler(turn, io);
    return io.error(`unknown operation: ${name}`, 'unknown-operation');
  };
}

function surroundings() {
  return { environment: process.env, argv: process.argv, terminal: process.stdin.isTTY === true };
}

async function residentOptions(options: ServeOptions) {
  const { session, version, tools, model, details } = { ...options, ...(await options.describe?.()) };
  const ready = {
    type: 'ready',
    session: session ?? `plugboard_${crypto.randomUUID().replaceAll('-', '').slice(0, 20)}`,
    version: version ?? '0.0.0',
    tools: tools ?? [],
    ...(model === undefined ? {} : { model }),
    ...(details === undefined ? {} : { details }),
  } as const;
  return {
    ready,
    now: () => new Date(),
    ...(options.admit === undefined ? {} : { admit: options.admit }),
    ...(options.unasked === undefined ? {} : { unasked: options.unasked }),
  };
}

/** A session key for a conversation that its host has no name for. */
function newSessionKey(): string {
  return `new-${crypto.randomUUID()}`;
}

function turnIds(): () => string {
  let count = 0;
  return () => `turn-${++count}`;
}

function log(text: string): void {
  operator().write(`${text}\n`);
}

let heard: NodeJS.WriteStream | undefined;

/** Where the operator reads. A host that has stopped listening there must not end the agent. */
function operator(): NodeJS.WriteStream {
  heard ??= process.stderr.on('error', () => {});
  return heard;
}

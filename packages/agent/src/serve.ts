import {
  type DialectName,
  dialects,
  isServed,
  type JsonObject,
  OPERATION_NAMES,
  REQUEST_TOO_LONG,
  reasonOf,
  type Tasks,
  type Turn,
  terminalText,
} from '@plugboard/protocol';
import type { Handler } from './handler.ts';
import { readLines } from './input.ts';
import { createOutput, guardConsole, guardStdout, type Output } from './output.ts';
import { type AttachedData, createAttachedData } from './serve/attached-data.ts';
import { serveInteractive } from './serve/interactive.ts';
import { type Life, type ProcessLife, watchSignals } from './serve/life.ts';
import { findManner } from './serve/manner.ts';
import { serveOnce } from './serve/once.ts';
import { type Relay, serveRelay } from './serve/relay.ts';
import { takeRequestFile } from './serve/request-file.ts';
import { serveResident, type Unasked } from './serve/resident.ts';
import type { History } from './serve/sessions.ts';
import { serveText } from './serve/text.ts';
import type { Station } from './station.ts';

/** The description of an agent, which hosts of resident dialects receive in the `ready` event. */
export interface SelfDescription {
  readonly version?: string;
  /** Names of tools. */
  readonly tools?: readonly string[];
  /**
   * The id of a resident agent's only conversation, which all sessions of a host then share; absent, each start makes a
   * new id.
   */
  readonly session?: string;
  /** The model that answers. */
  readonly model?: string;
  /** Further fields by name, for dialects that carry `details`. */
  readonly details?: JsonObject;
}

/** The description of the agent and the options of `serve`. */
export interface ServeOptions extends SelfDescription {
  /** The dialect to speak, when it is known; otherwise `findManner` detects the host's dialect. */
  readonly as?: DialectName;
  /** Called when a resident agent starts, with the dialect of its host. Its fields override those of the options. */
  readonly describe?: (dialect: DialectName) => Promise<SelfDescription>;
  /**
   * The operations that the agent supports; other operations are refused with `unknown-operation`. The operations of
   * nib when absent, all with `any`.
   */
  readonly operations?: readonly string[] | 'any';
  /**
   * Called with every message of a resident host, before the host is told that it was taken. A message stored here is
   * not lost when the process ends later. An error that it throws refuses the message.
   */
  readonly admit?: (turn: Turn) => void | Promise<void>;
  /** Answers hosts whose agents stay in place of the handler, by the effects and inputs of the dialect's machine. */
  readonly relay?: Relay;
  /** What was said before, for hosts that list conversations and open them again. */
  readonly history?: History;
  /** False for an agent that can be given text alone. */
  readonly takesFiles?: false;
  /** Turns that the agent starts by itself, and snapshots of its background tasks, where the dialect has them. */
  readonly unasked?: AsyncIterable<Unasked | Tasks>;
  /**
   * Time for a handler to finish its output after its turn was cancelled. 0 when absent: the turn ends at once. At most
   * 1500 ms, because hosts stop an agent that takes longer.
   */
  readonly lastWordsMs?: number;
  /** Called when the last turn has been answered, before the process ends. */
  readonly close?: () => Promise<void>;
}

/** How long `close` may take after that. */
const CLOSE_MS = 2_500;

/** Time limit for a host to read the rest of stderr. */
const STDERR_MS = 1_000;

/**
 * Serves the host that started this process, in its dialect, and then ends the process: call it last. All output is
 * written before the process ends, however slowly the host reads. Further output of the program on stdout goes to
 * stderr; earlier output has already reached the host.
 */
export async function serve(handler: Handler, options: ServeOptions = {}): Promise<never> {
  const life = watchSignals(options.lastWordsMs ?? 0);
  const output = createOutput(process.stdout, (error) => endWithoutOutput(life, error));
  const restore = guardStdout(process.stdout, operator);
  guardConsole(operator);
  const attached = createAttachedData();
  const code = await Promise.race([
    speak(handler, options, { output, attached }, life).catch((error) => {
      log(error instanceof Error ? (error.stack ?? error.message) : String(error));
      return 1;
    }),
    life.overdue,
  ]);
  // A host that asks the agent to end without reading its output must not keep the process alive.
  await Promise.race([output.flushed(), life.overdue]);
  await windUp(options);
  attached.remove();
  restore();
  // Opening a stderr that was never written to would cost more than the rest of the shutdown.
  if (heard !== undefined) await within(STDERR_MS, written(heard));
  process.exit(life.exitCode ?? code);
}

/** A host that has closed the pipe wants no more. Any other write error has lost a part of the answer. */
function endWithoutOutput(life: ProcessLife, { code, message }: NodeJS.ErrnoException): void {
  if (code !== 'EPIPE') log(`The output cannot be written: ${message}`);
  life.end(code === 'EPIPE' ? 0 : 1);
}

async function windUp({ close }: ServeOptions): Promise<void> {
  try {
    if (close !== undefined) await within(CLOSE_MS, close());
  } catch (error) {
    log(`The agent did not close properly: ${reasonOf(error)}`);
  }
}

/** Waits for `work`, but at most `ms`. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

/** Text in the buffer of a pipe is lost when the process exits before it is written. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}

async function speak(
  answer: Handler,
  options: ServeOptions,
  { output, attached }: { readonly output: Output; readonly attached: AttachedData },
  life: Life,
): Promise<number> {
  const handler = onlyKnown(answer, options.operations ?? OPERATION_NAMES);
  const lines = readLines(process.stdin);
  const requestFile = takeRequestFile(process.env.NIB_AGENT_REQUEST_FILE);
  const { manner, replayed, tooLong } = await findManner(options.as, surroundings(requestFile), lines);
  const nextTurnId = turnIds();
  if (manner === 'text') {
    const invitation = process.stdin.isTTY ? '> ' : '';
    const sessionKey = newSessionKey();
    return serveText(handler, replayed, life, { output, nextTurnId, sessionKey, invitation, log });
  }
  if (manner === 'broken') {
    log(tooLong ? REQUEST_TOO_LONG.message : 'The request is not valid JSON: it seems to have been cut off.');
    return 1;
  }
  const dialect = dialects[manner];
  if (!isServed(dialect)) {
    log(`Only ${manner}'s own agents speak ${manner}: no host can be answered in it.`);
    return 1;
  }
  const state = dialect.agent.initial({
    environment: process.env,
    nextTurnId,
    newSessionKey,
    ...(requestFile === undefined ? {} : { requestFile }),
    ...(options.takesFiles === undefined ? {} : { takesFiles: options.takesFiles }),
    ...(options.history === undefined ? {} : { keepsHistory: true }),
  });
  const station: Station = { dialect, state, output, attached, log };
  if (dialect.capabilities.resident && options.relay !== undefined)
    return serveRelay(station, options.relay, replayed, life, await residentOptions(options, manner));
  if (dialect.capabilities.resident)
    return serveResident(station, handler, replayed, life, await residentOptions(options, manner));
  if (dialect.agent.isInteractive?.(state)) return serveInteractive(station, handler, replayed, life);
  return serveOnce(station, handler, replayed, life);
}

/** An unknown operation must not be reported as done. */
function onlyKnown(handler: Handler, operations: readonly string[] | 'any'): Handler {
  if (operations === 'any') return handler;
  return (turn, io) => {
    const name = turn.operation?.name;
    if (name === undefined || operations.includes(name)) return handler(turn, io);
    return io.error(`unknown operation: ${name}`, 'unknown-operation');
  };
}

function surroundings(requestFile: string | undefined) {
  const terminal = process.stdin.isTTY === true;
  return { environment: process.env, argv: process.argv, terminal, requestFile };
}

async function residentOptions(options: ServeOptions, dialect: DialectName) {
  const { session, version, tools, model, details } = { ...options, ...(await options.describe?.(dialect)) };
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
    ...(session === undefined ? {} : { isOneConversation: true }),
    ...(options.admit === undefined ? {} : { admit: options.admit }),
    ...(options.history === undefined ? {} : { history: options.history }),
    ...(options.unasked === undefined ? {} : { unasked: options.unasked }),
  };
}

/** A session key for a conversation that its host has not named. */
function newSessionKey(): string {
  return `new-${crypto.randomUUID()}`;
}

function turnIds(): () => string {
  let count = 0;
  return () => `turn-${++count}`;
}

/** Writes a line for the operator. It may quote a model or another program, whose escape sequences a terminal would obey. */
function log(text: string): void {
  const stream = operator();
  stream.write(`${stream.isTTY ? terminalText(text) : text}\n`);
}

let heard: NodeJS.WriteStream | undefined;

/** The stream for the operator. Its errors are ignored: a host that closes stderr must not end the agent. */
function operator(): NodeJS.WriteStream {
  heard ??= process.stderr.on('error', () => {});
  return heard;
}

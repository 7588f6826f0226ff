import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { LONGEST_TIMER } from '@plugboard/process';
import { isObject, type JsonValue, parseJson } from '@plugboard/protocol';
import type { RecordedEntry } from './recorder.ts';

const VERSION = 1;

/** A recorded process: its bytes with their times, and its exit. */
export interface Recording {
  readonly entries: readonly RecordedEntry[];
}

/** Reads a recording; throws an error that names the line when the file is not one. */
export async function readRecording(path: string): Promise<Recording> {
  const text = await readFile(path, 'utf8');
  const entries = text
    .split('\n')
    .flatMap((line, index) => (line === '' ? [] : parseEntry(line, `${path}:${index + 1}`)));
  const [first] = entries;
  if (first?.type !== 'start')
    throw new Error(`${path} is not a recording: its first line does not begin one.`);
  if (first.version !== VERSION) {
    const version = JSON.stringify(first.version) ?? 'none';
    throw new Error(
      `${path} is a recording of version ${version}, and only ${VERSION} is understood; make it anew.`,
    );
  }
  return { entries };
}

/** Where a replay writes and how fast. */
export interface ReplayOptions {
  write(stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<void>;
  /** Waits until this many bytes of input have come, or input has ended. */
  waitForInput(bytes: number): Promise<void>;
  /** 1 keeps the recorded pauses, 0 leaves them out. */
  readonly speed: number;
  readonly signal?: AbortSignal;
}

/**
 * Plays the first recorded process back as the agent; resolves to the exit code it must report, or to undefined when
 * the recording breaks off before that.
 */
export async function replay(recording: Recording, options: ReplayOptions): Promise<number | undefined> {
  let inputBytes = 0;
  let clock = 0;
  const [first, ...entries] = recording.entries;
  for (const entry of entries) {
    if (entry.process !== first?.process) continue;
    if (entry.type === 'start') break;
    if (options.speed > 0) await pause((entry.at - clock) / options.speed, options.signal);
    clock = entry.at;
    if (entry.type === 'exit') return entry.code ?? exitCodeOf(entry.signal);
    if (entry.type !== 'bytes') continue;
    const bytes = decode(entry);
    if (entry.stream !== 'stdin') await options.write(entry.stream, bytes);
    else {
      inputBytes += bytes.length;
      await options.waitForInput(inputBytes);
    }
  }
  return undefined;
}

/** A process cannot choose to die of a signal, so it exits with `128 + n`, as a shell reports it. */
function exitCodeOf(signal: string | null): number {
  return 128 + (Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0);
}

function decode(entry: { readonly text?: string; readonly base64?: string }): Uint8Array {
  return entry.base64 === undefined ? Buffer.from(entry.text ?? '') : Buffer.from(entry.base64, 'base64');
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms >= 1) await sleep(Math.min(ms, LONGEST_TIMER), undefined, signal === undefined ? {} : { signal });
}

function parseEntry(line: string, where: string): RecordedEntry {
  const parsed = parseJson(line);
  if (parsed.ok && isEntry(parsed.value)) return parsed.value;
  throw new Error(`${where}: this line is not part of a recording.`);
}

/** Recordings are shared and may be edited by hand, so each entry is checked. `readRecording` checks the `version`. */
function isEntry(value: JsonValue): value is JsonValue & RecordedEntry {
  if (!isObject(value)) return false;
  switch (value.type) {
    case 'start':
      return isNumber(value.process);
    case 'bytes':
      return (
        isNumber(value.process) &&
        isTime(value.at) &&
        isStream(value.stream) &&
        isText(value.text) &&
        isText(value.base64)
      );
    case 'exit':
      return isNumber(value.process) && isTime(value.at) && isExitCode(value.code) && isSignal(value.signal);
    default:
      return false;
  }
}

function isTime(at: JsonValue | undefined): boolean {
  return typeof at === 'number' && at >= 0 && at <= LONGEST_TIMER;
}

/** `process` is absent in older recordings, which hold one process after another. */
function isNumber(process: JsonValue | undefined): boolean {
  return process === undefined || typeof process === 'number';
}

function isStream(stream: JsonValue | undefined): boolean {
  return stream === 'stdin' || stream === 'stdout' || stream === 'stderr';
}

function isText(text: JsonValue | undefined): boolean {
  return text === undefined || typeof text === 'string';
}

function isExitCode(code: JsonValue | undefined): boolean {
  return code === null || (Number.isInteger(code) && Number(code) >= 0 && Number(code) <= 255);
}

function isSignal(signal: JsonValue | undefined): boolean {
  return signal === null || (typeof signal === 'string' && Object.hasOwn(constants.signals, signal));
}

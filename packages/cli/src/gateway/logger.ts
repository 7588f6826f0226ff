import type { LogFields, Logger } from '@plugboard/gateway';
import { redactKeys } from '@plugboard/protocol';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

type Level = (typeof LEVELS)[number];

export interface LoggerOptions {
  readonly level: () => Level;
  readonly format: () => 'text' | 'json';
  readonly write: (line: string) => void;
  readonly now: () => Date;
}

/** One record is one line: line feeds are escaped by `oneLine`, API keys are removed by `redactKeys`. */
export function createLogger({ level, format, write, now }: LoggerOptions): Logger {
  const log = (at: Level, message: string, fields: LogFields = {}): void => {
    if (LEVELS.indexOf(at) < LEVELS.indexOf(level())) return;
    const time = now().toISOString();
    const line =
      format() === 'json'
        ? JSON.stringify({ time, level: at, message, ...fields })
        : textOf(time, at, message, fields);
    write(`${oneLine(redactKeys(line))}\n`);
  };
  return {
    debug: (message, fields) => log('debug', message, fields),
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, fields) => log('error', message, fields),
  };
}

function textOf(time: string, level: Level, message: string, fields: LogFields): string {
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value ?? null)}`);
  return [time, level.padEnd(5), message, ...rest].join(' ');
}

/**
 * Escapes control and format characters as JSON does: line feeds, terminal escapes and bidirectional marks are visible
 * but have no effect.
 */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (character) =>
    Array.from({ length: character.length }, (_none, at) => unitOf(character, at)).join(''),
  );
}

function unitOf(character: string, at: number): string {
  return `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
}

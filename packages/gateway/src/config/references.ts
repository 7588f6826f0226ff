import type { Fields } from '@plugboard/host/profile';
import { type Path, pathKey } from './path.ts';
import { isRecord, problemAt } from './reader.ts';

const NAME = '[A-Za-z_][A-Za-z0-9_]*';
const REFERENCE = new RegExp(`\\$\\$\\{|\\$\\{(${NAME})\\}|\\$\\{`, 'g');
const WHOLE = new RegExp(`^\\$\\{${NAME}\\}$`);

/** Variables that a file may refer to. */
export interface Variables {
  /** Names in the `env` list of the file. */
  readonly listed: ReadonlySet<string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The value of a file with its references replaced. */
export interface Filled {
  readonly value: unknown;
  /** Original text of each value that held a reference, by `pathKey`. */
  readonly written: ReadonlyMap<string, string>;
  /** Inserted values, with the reference that inserted each. */
  readonly used: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

/** Whether a text consists of one reference. */
export function isReference(text: string): boolean {
  return WHOLE.test(text);
}

/** Replaces each `${NAME}` in the strings of a file; `$${` is an escaped `${`. */
export function fillReferences(fields: Fields, variables: Variables): Filled {
  const written = new Map<string, string>();
  const used = new Map<string, string>();
  const problems: string[] = [];
  const value = mapTexts(fields.value, [], (text, path) => {
    if (!text.includes('${')) return text;
    written.set(pathKey(path), text);
    return fillText(text, variables, {
      used: (found, reference) => used.set(found, reference),
      problem: (sentence) => problems.push(problemAt(fields, path, sentence)),
    });
  });
  return { value, written, used, problems };
}

interface Noticed {
  used(value: string, reference: string): void;
  problem(sentence: string): void;
}

/** One pass: a value that contains `${` is not replaced again. */
function fillText(text: string, { listed, environment }: Variables, noticed: Noticed): string {
  return text.replace(REFERENCE, (whole: string, name?: string) => {
    if (whole === '$${') return '${';
    const value = name !== undefined && Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (name === undefined) noticed.problem('A reference is ${NAME}; write $${ for these signs themselves.');
    else if (!listed.has(name))
      noticed.problem(`This file may refer to ${name} only if "env" at its top lists it.`);
    else if (value === undefined) noticed.problem(`The variable ${name} is not set.`);
    else {
      noticed.used(value, whole);
      return value;
    }
    return '';
  });
}

/**
 * `command` and `args` are not filled: a shell command has its own `${NAME}`, and arguments of a process are public on
 * the machine. Neither is the list `env`.
 */
function isLeftAlone(path: Path): boolean {
  if (path.length === 1) return path[0] === 'env' || path[0] === '$schema';
  return path.length === 3 && path[0] === 'agents' && (path[2] === 'command' || path[2] === 'args');
}

function mapTexts(value: unknown, path: Path, change: (text: string, path: Path) => string): unknown {
  if (isLeftAlone(path)) return value;
  if (typeof value === 'string') return change(value, path);
  if (Array.isArray(value)) return value.map((item, at) => mapTexts(item, [...path, at], change));
  if (!isRecord(value)) return value;
  // `fromEntries` instead of assignment: a key `__proto__` stays an ordinary key.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item, [...path, key], change)]),
  );
}

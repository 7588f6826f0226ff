import type { Fields } from '@plugboard/host/profile';
import { type Path, pathKey } from './path.ts';
import { isRecord, problemAt } from './reader.ts';

const NAME = '[A-Za-z_][A-Za-z0-9_]*';
const REFERENCE = new RegExp(`\\$\\$\\{|\\$\\{(${NAME})\\}|\\$\\{`, 'g');
const WHOLE = new RegExp(`^\\$\\{${NAME}\\}$`);

/** The variables that a file may refer to. */
export interface Variables {
  /** The names that the file itself lists. */
  readonly listed: ReadonlySet<string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** A file's value with its references followed. */
export interface Filled {
  readonly value: unknown;
  /** What stood in the file wherever a reference was followed, by `pathKey`. */
  readonly written: ReadonlyMap<string, string>;
  /** The values that were put in, and what refers to each. */
  readonly used: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

/** Whether a text is a reference and nothing else. */
export function isReference(text: string): boolean {
  return WHOLE.test(text);
}

/** Follows every `${NAME}` in the texts of a file; `$${` stands for `${` itself. */
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

/** One pass: what a variable holds is put in as it is and not looked at again. */
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
 * Commands are left as they are: a line for the shell has its own `${NAME}`, and everybody on the machine can read the
 * arguments of a process. So is the list of variables itself.
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
  // From entries and not by assignment: a key `__proto__` stays a key like any other.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, mapTexts(item, [...path, key], change)]),
  );
}

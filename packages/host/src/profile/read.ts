import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { dialects } from '@plugboard/protocol';
import { z } from 'zod';
import { parseSource, type SourceDocument } from './document.ts';
import { ProfileError } from './error.ts';
import type { ReadOptions } from './load.ts';
import type { Profile } from './profile.ts';
import {
  agentprocSchema,
  agentprocV4Schema,
  nanobotSchema,
  nibSchema,
  nuumSchema,
  terminalSchema,
} from './schema.ts';
import {
  fromAgentproc,
  fromAgentprocV4,
  fromNanobot,
  fromNib,
  fromNuum,
  fromTerminal,
  type Origin,
} from './settings.ts';
import { nearest } from './suggest.ts';

/** Reads and checks a profile file. */
export async function readProfileFile(path: string, options: ReadOptions = {}): Promise<Profile> {
  const file = resolve(path);
  const directory = dirname(file);
  const origin = { file, directory, workspace: directory, name: nameOf(file), home: homedir() };
  return parseProfile(path, await readText(path), origin, options);
}

/** The same, for text that is already at hand; `path` is what errors call it. */
export function parseProfile(path: string, text: string, origin: Origin, options: ReadOptions = {}): Profile {
  const source = parseSource(path, text);
  const { value } = source;
  if (!isRecord(value))
    throw new ProfileError([`${path}: a profile is a map of fields; this file is not one.`]);
  if (isRecord(value.terminal)) return fromNanobot(check(source, nanobotSchema, value, []), origin);
  if (isRecord(value.agentproc)) return fromHub(source, value, value.agentproc, origin, options);
  return byDialect({ source, value, base: [] }, value.dialect ?? options.dialect ?? 'agentproc', origin);
}

/** A profile as AgentProc's hub has it: described around, its agent at work wherever its user is. */
function fromHub(
  source: SourceDocument,
  file: Record<string, unknown>,
  value: Record<string, unknown>,
  origin: Origin,
  options: ReadOptions,
): Profile {
  const name = typeof file.name === 'string' ? file.name : origin.name;
  const workspace = options.workspace ?? origin.directory;
  return byDialect({ source, value, base: ['agentproc'] }, options.dialect ?? 'agentproc', {
    ...origin,
    name,
    workspace,
  });
}

/** The fields of a profile, and where in the file they stand. */
interface Fields {
  readonly source: SourceDocument;
  readonly value: Record<string, unknown>;
  readonly base: readonly PropertyKey[];
}

function byDialect({ source, value, base }: Fields, dialect: unknown, origin: Origin): Profile {
  switch (dialect) {
    case 'agentproc':
      return fromAgentproc(check(source, agentprocSchema, value, base), origin);
    case 'agentproc/v4':
      return fromAgentprocV4(check(source, agentprocV4Schema, value, base), origin);
    case 'terminal':
      return fromTerminal(check(source, terminalSchema, value, base), origin);
    case 'nib':
      return fromNib(check(source, nibSchema, value, base), origin);
    case 'nuum':
      return fromNuum(check(source, nuumSchema, value, base), origin);
    default: {
      const names = Object.keys(dialects);
      const said = `unknown dialect ${JSON.stringify(dialect)}.${meant(nearest(String(dialect), names))}`;
      throw new ProfileError([`${source.place(['dialect'])}: ${said} There are: ${names.join(', ')}.`]);
    }
  }
}

function check<T>(
  source: SourceDocument,
  schema: z.ZodType<T>,
  value: unknown,
  base: readonly PropertyKey[],
): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ProfileError(result.error.issues.flatMap((issue) => describe(source, schema, issue, base)));
}

function describe(
  source: SourceDocument,
  schema: z.ZodType,
  issue: z.core.$ZodIssue,
  base: readonly PropertyKey[],
): string[] {
  const path = [...base, ...issue.path];
  if (issue.code !== 'unrecognized_keys') {
    const field = path.length === 0 ? '' : `${path.map(String).join('.')}: `;
    return [`${source.place(path)}: ${field}${issue.message}`];
  }
  const known = fieldsAt(schema, issue.path);
  return issue.keys.map(
    (key) => `${source.place([...path, key])}: unknown field "${key}".${meant(nearest(key, known))}`,
  );
}

/** The names a map at this place may have, for suggestions. */
function fieldsAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  let at: unknown = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  for (const key of path) {
    const properties = isRecord(at) ? at.properties : undefined;
    at = isRecord(properties) ? properties[String(key)] : isRecord(at) ? at.additionalProperties : undefined;
  }
  const properties = isRecord(at) ? at.properties : undefined;
  return isRecord(properties) ? Object.keys(properties) : [];
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const missing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    throw new ProfileError([
      missing ? `There is no profile at ${path}.` : `The profile ${path} cannot be read: ${String(error)}`,
    ]);
  }
}

function nameOf(file: string): string {
  const name = basename(file).replace(/\.(ya?ml|json)$/i, '');
  return name === 'config' || name === 'profile' ? basename(dirname(file)) : name;
}

function meant(word: string | undefined): string {
  return word === undefined ? '' : ` Did you mean "${word}"?`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

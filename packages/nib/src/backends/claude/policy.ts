import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isObject, type JsonValue, type Turn } from '@plugboard/protocol';
import { fieldOf, pathsOf } from '../request.ts';

/** The files and commands that an operation may use; paths are absolute, and a directory stands for all that is in it. */
export interface Policy {
  readonly tools: readonly string[];
  readonly read: readonly string[];
  readonly edit: readonly string[];
}

/** `nib` commands that only read, with arguments that have no meaning to a shell. */
const COMMAND = /^nib (ct (recap|characters|chapters)|ma toc)( [\w.,=-]+)*$/;

const GUIDES = ['STYLE.md', 'TROPES.md'];

/**
 * The policy of a turn's operation in a project, whose path has no links. `character-talk` needs no tool: all that the
 * character knows is in the context.
 */
export function policyFor(turn: Turn, root: string): Policy {
  const named = pathsOf(turn).map((path) => resolve(root, path));
  const profile = join(root, 'characters', `${fieldOf(turn, 'character_slug')}.yaml`);
  const guides = GUIDES.map((name) => join(root, name));
  switch (turn.operation?.name) {
    case 'character-talk':
      return { tools: [], read: [], edit: [] };
    case 'scene-proof':
    case 'chapter-proof':
      return { tools: ['Read', 'Edit'], read: [...named, ...guides], edit: named };
    case 'voice-check':
      return { tools: ['Read'], read: [...named, ...guides, profile], edit: [] };
    case 'continuity-index':
      return { tools: ['Read'], read: [root], edit: [] };
    case 'manuscript-search':
      return { tools: ['Read', 'Grep', 'Glob'], read: [root], edit: [] };
    default:
      return { tools: ['Read', 'Grep', 'Glob', 'Bash'], read: [root], edit: [] };
  }
}

/** Why a tool call is refused; undefined when it is allowed. Paths are compared with their links resolved. */
export function refusalOf(
  policy: Policy,
  tool: string,
  input: JsonValue | undefined,
  cwd: string,
): string | undefined {
  const text = (name: string): string => {
    const value = isObject(input) ? input[name] : undefined;
    return typeof value === 'string' ? value : '';
  };
  // The answer to `--json-schema` comes as a call of this tool.
  if (tool === 'StructuredOutput') return undefined;
  if (!policy.tools.includes(tool)) return `${tool} is not a tool of this operation.`;
  switch (tool) {
    case 'Read':
    case 'Grep':
      return refusedPath(policy.read, text(tool === 'Read' ? 'file_path' : 'path') || '.', cwd);
    case 'Edit':
      return refusedPath(policy.edit, text('file_path'), cwd);
    case 'Glob':
      return refusedPattern(text('pattern')) ?? refusedPath(policy.read, text('path') || '.', cwd);
    default:
      return COMMAND.test(text('command'))
        ? undefined
        : 'Only nib ct recap, nib ct characters, nib ct chapters and nib ma toc can be run, one at a time.';
  }
}

function refusedPath(allowed: readonly string[], path: string, cwd: string): string | undefined {
  const real = realPath(resolve(cwd, path));
  const isAllowed = allowed.some((place) => isBelow(realPath(place), real));
  return isAllowed ? undefined : `${path} is not among the files of this operation.`;
}

function refusedPattern(pattern: string): string | undefined {
  const leaves = isAbsolute(pattern) || pattern.startsWith('~') || pattern.split('/').includes('..');
  return leaves ? 'A pattern has to be relative to the project.' : undefined;
}

function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

/** Resolves the links of the part of a path that exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(realPath(dirname(path)), basename(path));
  }
}

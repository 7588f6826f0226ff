import { realpathSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isObject, type JsonValue, type Turn } from '@plugboard/protocol';
import { getField, getPaths } from '../request.ts';

/** The files and commands that an operation may use. Paths are absolute; a directory includes all files below it. */
export interface Policy {
  readonly tools: readonly string[];
  readonly read: readonly string[];
  readonly edit: readonly string[];
}

/** `nib` commands that only read, with arguments that have no meaning to a shell. */
const COMMAND = /^nib (ct (recap|characters|chapters)|ma toc)( [\w.,=-]+)*$/;

const GUIDES = ['STYLE.md', 'TROPES.md'];

/**
 * The policy of a turn's operation. `root` must be free of links. `character-talk` needs no tool: its context has all
 * that the character knows.
 */
export function createPolicy(turn: Turn, root: string): Policy {
  const named = getPaths(turn).map((path) => resolve(root, path));
  const profile = join(root, 'characters', `${getField(turn, 'character_slug')}.yaml`);
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

/** Why a tool call is denied; undefined when it is allowed. Paths are compared after their links are resolved. */
export function explainRefusal(
  policy: Policy,
  tool: string,
  input: JsonValue | undefined,
  cwd: string,
): string | undefined {
  const text = (name: string): string => {
    const value = isObject(input) ? input[name] : undefined;
    return typeof value === 'string' ? value : '';
  };
  // `claude` returns the answer to `--json-schema` as a call of this tool.
  if (tool === 'StructuredOutput') return undefined;
  if (!policy.tools.includes(tool)) return `${tool} is not a tool of this operation.`;
  switch (tool) {
    case 'Read':
    case 'Grep':
      return explainRefusedPath(policy.read, text(tool === 'Read' ? 'file_path' : 'path') || '.', cwd);
    case 'Edit':
      return explainRefusedPath(policy.edit, text('file_path'), cwd);
    case 'Glob':
      return (
        explainRefusedPattern(text('pattern')) ?? explainRefusedPath(policy.read, text('path') || '.', cwd)
      );
    default:
      return COMMAND.test(text('command'))
        ? undefined
        : 'Only nib ct recap, nib ct characters, nib ct chapters and nib ma toc can be run, one at a time.';
  }
}

function explainRefusedPath(allowed: readonly string[], path: string, cwd: string): string | undefined {
  const real = resolveLinks(resolve(cwd, path));
  const isAllowed = allowed.some((place) => isBelow(resolveLinks(place), real));
  return isAllowed ? undefined : `${path} is not among the files of this operation.`;
}

function explainRefusedPattern(pattern: string): string | undefined {
  const leaves = isAbsolute(pattern) || pattern.startsWith('~') || pattern.split('/').includes('..');
  return leaves ? 'A pattern has to be relative to the project.' : undefined;
}

function isBelow(directory: string, path: string): boolean {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

/** Resolves the links of the existing part of a path. */
function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return dirname(path) === path ? path : join(resolveLinks(dirname(path)), basename(path));
  }
}

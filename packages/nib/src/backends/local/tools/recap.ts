import { readCommandOutput } from '../../command-output.ts';
import { readText, resolveProjectFile } from './project-file.ts';
import { createParameters, getOptionalText, requireText, type Tool, ToolError } from './tool.ts';

const TIME_MS = 30_000;
const MOST_CHARS = 40_000;
const TABLES = ['scenes', 'facts', 'scene_characters', 'locations'] as const;

/** The tool that recaps chapters from the index: by `nib ct recap`, or from the CSV files without nib on the PATH. */
export function createRecapTool(root: string, env: Readonly<Record<string, string>>): Tool {
  return {
    name: 'recap',
    description:
      'Tells what the index of the story knows of a range of chapters: what happens, where, when, who is there, and facts.',
    parameters: createParameters(
      {
        range: ['string', 'Chapters, such as 3 or 1-5.'],
        character: ['string', 'The slug of a character, for the scenes with that one only.'],
      },
      ['range'],
    ),
    describe: (input) => `Looking up chapters ${String(input.range)}`,
    async run(input, signal) {
      const range = requireMatch(requireText(input, 'range').replaceAll(' ', ''), /^[\d.,-]+$/, 'range');
      const character = requireMatch(getOptionalText(input, 'character'), /^[a-z0-9-]*$/, 'character');
      const who = character === '' ? [] : [`--character=${character}`];
      const args = ['ct', 'recap', '--detailed', ...who, '--', range];
      const { text, ending } = await readCommandOutput(
        { file: 'nib', args, cwd: root, env },
        TIME_MS,
        signal,
      );
      if (ending.failure !== undefined) return readTables(root);
      if (ending.exitCode === 0) return truncateText(text);
      throw new ToolError(ending.stderr.trim() || `nib ended with ${ending.exitCode}.`);
    },
  };
}

function requireMatch(value: string, pattern: RegExp, name: string): string {
  if (pattern.test(value)) return value;
  throw new ToolError(`The argument ${name} cannot be ${JSON.stringify(value)}.`);
}

function readTables(root: string): string {
  const parts = TABLES.flatMap((name) => {
    try {
      return [`storydb/${name}.csv:\n${readText(resolveProjectFile(root, `storydb/${name}.csv`))}`];
    } catch {
      return [];
    }
  });
  return parts.length === 0 ? 'There is no index yet.' : truncateText(parts.join('\n'));
}

function truncateText(text: string): string {
  return text.length > MOST_CHARS
    ? `${text.slice(0, MOST_CHARS)}\n(Cut off here. Ask for fewer chapters.)`
    : text;
}

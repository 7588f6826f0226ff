import { readText, resolveProjectFile } from './project-file.ts';
import { createParameters, getCount, requireText, type Tool } from './tool.ts';

const MOST_CHARS = 60_000;

/** The tool that reads a project file, in parts if it is long. */
export function createReadTool(root: string): Tool {
  return {
    name: 'read',
    description: 'Reads a text file of the project.',
    parameters: createParameters(
      {
        path: ['string', "The file, relative to the project's root."],
        from_line: ['integer', 'The line to begin with; the first if left out.'],
      },
      ['path'],
    ),
    describe: (input) => `Reading ${String(input.path)}`,
    run(input) {
      const file = resolveProjectFile(root, requireText(input, 'path'));
      return readPart(readText(file), getCount(input, 'from_line', 1));
    },
  };
}

function readPart(text: string, from: number): string {
  const lines = text.split('\n');
  let chars = 0;
  let end = from - 1;
  while (end < lines.length && chars < MOST_CHARS) chars += (lines[end++]?.length ?? 0) + 1;
  const shown = lines.slice(from - 1, end).join('\n');
  if (shown === '' && from === 1) return '(The file is empty.)';
  if (from > lines.length) return `(The file has only ${lines.length} lines.)`;
  // A single line may exceed `MOST_CHARS`.
  const cut = shown.length > MOST_CHARS * 2 ? `${shown.slice(0, MOST_CHARS * 2)}…` : shown;
  return end < lines.length
    ? `${cut}\n\n(${lines.length} lines in all. Read on with from_line ${end + 1}.)`
    : cut;
}

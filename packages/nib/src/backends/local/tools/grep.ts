import { isSmall, listFiles, readSearchText, resolveProjectFile } from './project-file.ts';
import { createParameters, getOptionalText, requireText, type Tool, ToolError } from './tool.ts';

const MOST_HITS = 100;
const LINE_CHARS = 300;

/**
 * The tool that searches the project's files for a text. It takes no regular expressions: a model can write one whose
 * evaluation never ends.
 */
export function createGrepTool(root: string): Tool {
  return {
    name: 'grep',
    description:
      'Finds the lines that contain a text, in all files of the project or in one. Upper and lower case are the same.',
    parameters: createParameters(
      {
        text: ['string', 'What to look for, as it stands.'],
        path: ['string', 'A file; all of them if left out.'],
      },
      ['text'],
    ),
    describe: (input) => `Looking for ${JSON.stringify(input.text)}`,
    run(input) {
      const wanted = requireText(input, 'text').toLowerCase();
      if (wanted.trim() === '') throw new ToolError('Say which text to look for.');
      const path = getOptionalText(input, 'path');
      const files = path === '' ? listFiles(root).filter(isSmall) : [resolveProjectFile(root, path)];
      return formatHits(
        findHits(
          files.map((file) => [file.name, readSearchText(file)]),
          wanted,
        ),
      );
    },
  };
}

function findHits(files: readonly (readonly [name: string, text: string])[], wanted: string): string[] {
  return files.flatMap(([name, text]) =>
    text.split('\n').flatMap((line, at) => {
      const found = line.toLowerCase().indexOf(wanted);
      return found === -1 ? [] : [`${name}:${at + 1}: ${excerptAround(line, found)}`];
    }),
  );
}

function excerptAround(line: string, at: number): string {
  const start = Math.max(0, at - LINE_CHARS / 2);
  const shown = line.slice(start, start + LINE_CHARS).trim();
  return `${start > 0 ? '…' : ''}${shown}${start + LINE_CHARS < line.length ? '…' : ''}`;
}

function formatHits(lines: readonly string[]): string {
  if (lines.length === 0) return 'Nothing was found.';
  const shown = lines.slice(0, MOST_HITS).join('\n');
  return lines.length > MOST_HITS
    ? `${shown}\n(${lines.length - MOST_HITS} more. Look for something rarer.)`
    : shown;
}

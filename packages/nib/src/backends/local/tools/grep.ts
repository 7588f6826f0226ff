import { filesOf, isSmall, placeOf, searchTextOf } from './place.ts';
import { optionalText, parametersOf, type Tool, ToolError, textIn } from './tool.ts';

const MOST_HITS = 100;
const LINE_CHARS = 300;

/** Looks for words in the project's files. Not for patterns: a model can write one that never ends. */
export function grepTool(root: string): Tool {
  return {
    name: 'grep',
    description:
      'Finds the lines that contain a text, in all files of the project or in one. Upper and lower case are the same.',
    parameters: parametersOf(
      {
        text: ['string', 'What to look for, as it stands.'],
        path: ['string', 'A file; all of them if left out.'],
      },
      ['text'],
    ),
    describe: (input) => `Looking for ${JSON.stringify(input.text)}`,
    run(input) {
      const wanted = textIn(input, 'text').toLowerCase();
      if (wanted.trim() === '') throw new ToolError('Say which text to look for.');
      const path = optionalText(input, 'path');
      const places = path === '' ? filesOf(root).filter(isSmall) : [placeOf(root, path)];
      return told(
        hits(
          places.map((place) => [place.name, searchTextOf(place)]),
          wanted,
        ),
      );
    },
  };
}

function hits(files: readonly (readonly [name: string, text: string])[], wanted: string): string[] {
  return files.flatMap(([name, text]) =>
    text.split('\n').flatMap((line, at) => {
      const found = line.toLowerCase().indexOf(wanted);
      return found === -1 ? [] : [`${name}:${at + 1}: ${around(line, found)}`];
    }),
  );
}

function around(line: string, at: number): string {
  const start = Math.max(0, at - LINE_CHARS / 2);
  const shown = line.slice(start, start + LINE_CHARS).trim();
  return `${start > 0 ? '…' : ''}${shown}${start + LINE_CHARS < line.length ? '…' : ''}`;
}

function told(lines: readonly string[]): string {
  if (lines.length === 0) return 'Nothing was found.';
  const shown = lines.slice(0, MOST_HITS).join('\n');
  return lines.length > MOST_HITS
    ? `${shown}\n(${lines.length - MOST_HITS} more. Look for something rarer.)`
    : shown;
}

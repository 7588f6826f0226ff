import { matchesGlob } from 'node:path';
import { filesOf } from './place.ts';
import { optionalText, parametersOf, type Tool } from './tool.ts';

const MOST_NAMES = 300;

/** Names the project's files. */
export function globTool(root: string): Tool {
  return {
    name: 'glob',
    description: 'Lists the text files of the project whose path matches a pattern, such as scenes/**/*.md.',
    parameters: parametersOf({ pattern: ['string', 'The pattern; all files if left out.'] }, []),
    describe: (input) => `Listing ${String(input.pattern ?? 'all files')}`,
    run(input) {
      const pattern = optionalText(input, 'pattern').replace(/^\.?\//, '') || '**/*';
      const names = filesOf(root)
        .map(({ name }) => name)
        .filter((name) => matchesGlob(name, pattern));
      if (names.length === 0) return 'No file matches.';
      const shown = names.slice(0, MOST_NAMES).join('\n');
      return names.length > MOST_NAMES ? `${shown}\n(${names.length - MOST_NAMES} more.)` : shown;
    },
  };
}

import { matchesGlob } from 'node:path';
import { listFiles } from './project-file.ts';
import { createParameters, getOptionalText, type Tool } from './tool.ts';

const MOST_NAMES = 300;

/** The tool that lists the project's files. */
export function createGlobTool(root: string): Tool {
  return {
    name: 'glob',
    description: 'Lists the text files of the project whose path matches a pattern, such as scenes/**/*.md.',
    parameters: createParameters({ pattern: ['string', 'The pattern; all files if left out.'] }, []),
    describe: (input) => `Listing ${String(input.pattern ?? 'all files')}`,
    run(input) {
      const pattern = getOptionalText(input, 'pattern').replace(/^\.?\//, '') || '**/*';
      const names = listFiles(root)
        .map(({ name }) => name)
        .filter((name) => matchesGlob(name, pattern));
      if (names.length === 0) return 'No file matches.';
      const shown = names.slice(0, MOST_NAMES).join('\n');
      return names.length > MOST_NAMES ? `${shown}\n(${names.length - MOST_NAMES} more.)` : shown;
    },
  };
}

import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { searchScenes } from '../../manuscript/search.ts';
import { printJson } from '../../output.ts';
import { listScenes } from '../../project/book.ts';
import { openProject } from '../../project/project.ts';
import { selectScenes } from '../../project/range.ts';
import { formatEncodingWarning } from '../../project/scene-file.ts';

interface SearchOptions {
  readonly range?: string;
  readonly regex?: boolean;
  readonly caseSensitive?: boolean;
  readonly json?: boolean;
}

/** `nib ma search` */
export function registerManuscriptSearch(group: Command, env: Env): void {
  group
    .command('search <text...>')
    .alias('se')
    .description('Find a text in the scenes; prints reference:line: and the line.')
    .option('-r, --range <range>', 'only in these chapters or scenes')
    .option('-e, --regex', 'the text is a regular expression')
    .option('-s, --case-sensitive', 'tell capital letters from small ones')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nExamples:\n  nib ma search brass key\n  nib ma search -e "gr[ae]y eyes" --range 1-5',
    )
    .action(async (words: readonly string[], options: SearchOptions, command: Command) => {
      const project = await openProject(env.cwd);
      const { book } = project;
      const scenes =
        options.range === undefined ? listScenes(book) : selectScenes(book, options.range).scenes;
      const found = searchScenes(project, scenes, {
        text: words.join(' '),
        regex: options.regex ?? false,
        caseSensitive: options.caseSensitive ?? false,
      });
      env.err(
        formatEncodingWarning(project, scenes, 'so words with other letters than a to z are not found'),
      );
      if (options.json === true) return printJson(env, command, found);
      for (const { ref, line, text } of found) env.out(`${ref}:${line}: ${text}\n`);
      if (found.length === 0) env.err('Nothing was found.\n');
    });
}

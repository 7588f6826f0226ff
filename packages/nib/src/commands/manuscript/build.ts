import { mkdirSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { writeAtomic } from '../../files/atomic-write.ts';
import { resolveInProject } from '../../files/project-path.ts';
import { assembleManuscript } from '../../manuscript/assemble.ts';
import { NibError } from '../../nib-error.ts';
import { listScenes } from '../../project/book.ts';
import { openProject, type Project } from '../../project/project.ts';
import { BOOK_FILE } from '../../project/project-root.ts';
import { getScenePath } from '../../project/scene-file.ts';

const FORMATS: readonly string[] = ['md', 'docx', 'epub', 'pdf'];

/**
 * pandoc's Markdown without extensions that misread prose: prices as formulas, backslashes as TeX, `---` as a YAML
 * block.
 */
const PANDOC_INPUT = 'markdown-yaml_metadata_block-tex_math_dollars-raw_tex';

/** Used for a book.yaml without `language`: pandoc would take the language of the machine. */
const LANGUAGE = 'en';

/** `nib ma build` */
export function registerManuscriptBuild(group: Command, env: Env): void {
  group
    .command('build [format]')
    .alias('bu')
    .description('Put the manuscript together as md, docx, epub or pdf; all but md need pandoc.')
    .option('-o, --out <file>', 'the file to write (default: build/manuscript.FORMAT)')
    .addHelpText('after', '\nExamples:\n  nib ma build\n  nib ma build docx --out ~/draft.docx')
    .action(async (format = 'md', { out }: { out?: string }) => {
      if (!FORMATS.includes(format))
        throw new NibError(`nib builds ${FORMATS.join(', ')}, and not ${format}.`);
      const project = await openProject(env.cwd);
      const file = chooseTarget(env, project, format, out);
      const { text, empty } = assembleManuscript(project, format === 'md' ? 'md' : 'pandoc');
      if (empty.length > 0)
        env.err(`Left out, since nothing is written in it: chapter ${empty.join(', ')}.\n`);
      mkdirSync(dirname(file), { recursive: true });
      if (format === 'md') writeAtomic(file, text);
      else await convertWithPandoc(env, project, { file, format, text });
      env.out(`${file}\n`);
    });
}

/** The output file; throws for a file of the manuscript itself. */
function chooseTarget(env: Env, project: Project, format: string, out: string | undefined): string {
  const { root, book } = project;
  if (out === undefined) return resolveInProject(root, join('build', `manuscript.${format}`));
  const file = resolve(env.cwd, out);
  const own = [join(root, BOOK_FILE), ...listScenes(book).map((scene) => getScenePath(project, scene))];
  if (own.some((path) => resolveReal(path) === resolveReal(file))) {
    throw new NibError(`${file} belongs to the manuscript itself. Choose another file.`);
  }
  return file;
}

function resolveReal(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

interface Conversion {
  readonly file: string;
  readonly format: string;
  readonly text: string;
}

/** pandoc writes into a draft beside the file, so a failed run keeps the last good build. */
async function convertWithPandoc(
  env: Env,
  { root, book }: Project,
  { file, format, text }: Conversion,
): Promise<void> {
  const draft = join(dirname(file), `.nib-new.${basename(file, `.${format}`)}.${format}`);
  const fields = { title: book.title, author: book.author, lang: book.language || LANGUAGE };
  const about = Object.entries(fields).flatMap(([name, value]) =>
    value === '' ? [] : ['--metadata', `${name}=${value}`],
  );
  const to = format === 'pdf' ? [] : ['--to', format];
  const argv = ['pandoc', '--standalone', '--from', PANDOC_INPUT, ...to, ...about, '--output', draft, '-'];
  try {
    const end = await env.run(argv, { cwd: root, input: text });
    if (end.problem === 'not-found') {
      throw new NibError(`pandoc is needed for ${format} and is not on the PATH. Install it, or build md.`);
    }
    if (end.exitCode !== 0)
      throw new NibError(`pandoc could not make ${format}: ${end.stderr.trim() || 'it gave no reason'}`);
    renameSync(draft, file);
  } finally {
    rmSync(draft, { force: true });
  }
}

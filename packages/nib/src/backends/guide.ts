import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemCode } from './failure.ts';

/**
 * Writes the file that an agent reads when it starts in a project, CLAUDE.md or AGENTS.md, and returns the new files.
 * An existing file belongs to the author and is not changed.
 */
export function writeGuide(root: string, name: string, project: string): readonly string[] {
  try {
    writeFileSync(join(root, name), formatGuide(project), { flag: 'wx' });
    return [name];
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return [];
    throw error;
  }
}

function formatGuide(project: string): string {
  return `# ${project === '' ? 'This novel' : project}

This is the manuscript of a novel, kept with nib.

- \`book.yaml\` holds the order of chapters and scenes. Scenes are Markdown files in \`scenes/\`, named after their slug.
- \`characters/\` has a profile for each character, \`storydb/\` the index of the story: scenes, facts, who is where.
- \`STYLE.md\` says how the author wants to write, \`TROPES.md\` what to keep out of the prose.
- \`build/\` is made by nib and can be made again.

How to help

- The prose is the author's. Change it only when asked to, and only as far as asked.
- Read a scene before you speak about it, and quote it when you do.
- Mechanical corrections leave word choice, rhythm and dialogue alone.
- \`nib ct recap 1-3\` tells what the index knows of chapters 1 to 3, \`nib ma toc\` shows the order of the book,
  \`nib ct characters\` who appears in it.
- The index is written by \`nib ct index\`. Do not edit the files in \`storydb/\` by hand.
`;
}

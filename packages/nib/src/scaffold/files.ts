import { COLUMNS, TABLES } from '../storydb/columns.ts';
import { tablePath } from '../storydb/story.ts';
import { type Style, styleGuide } from './style.ts';
import { TROPES } from './tropes.ts';

/** The directories of a new project. */
export const DIRECTORIES: readonly string[] = [
  'scenes',
  'characters',
  'storydb',
  'appendices',
  'assets',
  'build',
];

/** One file of a new project. */
export interface ScaffoldFile {
  readonly path: string;
  readonly contents: string;
}

/** The files of a new project, in the order they are asked about and written. */
export function scaffoldFiles(title: string, style: Style | undefined): readonly ScaffoldFile[] {
  return [
    { path: 'book.yaml', contents: bookYaml(title) },
    ...(style === undefined ? [] : [{ path: 'STYLE.md', contents: styleGuide(style) }]),
    { path: 'TROPES.md', contents: TROPES },
    { path: '.gitignore', contents: IGNORED },
    ...TABLES.map((name) => ({ path: tablePath(name), contents: `${COLUMNS[name].join(',')}\n` })),
  ];
}

const IGNORED = `# What nib builds and remembers
build/
.nib/

# What editors leave behind
*~
*.swp
.DS_Store
.idea/
.vscode/
`;

function bookYaml(title: string): string {
  return `# What the title page says.
title: ${JSON.stringify(title)}
author: ""
language: en
---
# The order of the book. Scenes are files in base_dir, without .md.
book:
  base_dir: scenes
  chapters: []
`;
}

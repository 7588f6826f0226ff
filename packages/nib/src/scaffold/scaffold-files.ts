import { COLUMNS, TABLES } from '../storydb/columns.ts';
import { getTablePath } from '../storydb/story.ts';
import { formatStyleGuide, type Style } from './style-guide.ts';
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

export interface ScaffoldFile {
  readonly path: string;
  readonly contents: string;
}

/** The files of a new project, in the order of questions and writes. */
export function createScaffoldFiles(title: string, style: Style | undefined): readonly ScaffoldFile[] {
  return [
    { path: 'book.yaml', contents: formatBookYaml(title) },
    ...(style === undefined ? [] : [{ path: 'STYLE.md', contents: formatStyleGuide(style) }]),
    { path: 'TROPES.md', contents: TROPES },
    { path: '.gitignore', contents: IGNORED },
    ...TABLES.map((name) => ({ path: getTablePath(name), contents: `${COLUMNS[name].join(',')}\n` })),
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

function formatBookYaml(title: string): string {
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

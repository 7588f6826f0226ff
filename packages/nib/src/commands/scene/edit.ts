import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Command } from 'commander';
import type { Env } from '../../env.ts';
import { findScene } from '../../project/find-scene.ts';
import { focusedScene } from '../../project/focus.ts';
import { openProject } from '../../project/project.ts';
import { sceneFile } from '../../project/scene-file.ts';
import { editFile } from '../../terminal/editor.ts';

/** `nib sc edit` */
export function sceneEdit(group: Command, env: Env): void {
  group
    .command('edit [scene]')
    .alias('ed')
    .description('Open a scene, or the one in focus, in NIB_EDITOR, VISUAL or EDITOR.')
    .addHelpText(
      'after',
      '\nExamples:\n  nib sc edit\n  nib sc edit 3.2\n  NIB_EDITOR="code --wait" nib sc edit opening',
    )
    .action(async (name: string | undefined) => {
      const project = await openProject(env.cwd);
      const scene = name === undefined ? focusedScene(project) : findScene(project.book, name);
      const file = sceneFile(project, scene);
      mkdirSync(dirname(file), { recursive: true });
      await editFile(env, project.root, file);
    });
}

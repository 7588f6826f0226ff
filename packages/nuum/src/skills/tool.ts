import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Policy } from '../policy/policy.ts';
import { createLinkGuard } from '../policy/withheld-links.ts';
import { defineTool } from '../tools/define.ts';
import { openRegular } from '../tools/files/open.ts';
import { realPath } from '../tools/files/real-path.ts';
import { errorOutcome, firstLineOf, successOutcome } from '../tools/outcome.ts';
import type { Outcome, Tool } from '../tools/tool.ts';
import { parseSkill, type Skill } from './skill.ts';
import type { Skills } from './skills.ts';

const FILES_TOLD = 50;
const LARGEST_BODY = 50_000;

const schema = z.object({
  name: z.string().min(1, 'must not be empty').max(64, 'is too long').describe('The name of the skill.'),
});

/** The tool `skill`. */
export function skillTool(skills: Skills, policy: Policy): Tool {
  return defineTool({
    name: 'skill',
    description: 'Shows the instructions of a skill and the files that come with it.',
    schema,
    effect: 'read',
    subjects: () => [],
    run: async ({ name }, { directory }) => {
      const known = skills.scan();
      const skill = known.find((one) => one.name === name);
      return skill === undefined ? unknownSkill(name, known) : showSkill(skill, policy, directory);
    },
  });
}

function unknownSkill(name: string, known: readonly Skill[]): Outcome {
  const names = known.map((skill) => skill.name).join(', ');
  return errorOutcome(
    `There is no skill ${JSON.stringify(name)}. ${names === '' ? 'There are none.' : `There are: ${names}.`}`,
  );
}

async function showSkill({ name, folder }: Skill, policy: Policy, directory: string): Promise<Outcome> {
  try {
    const { body } = parseSkill(await textOf(join(folder, 'SKILL.md'), policy, directory));
    const text = body.length > LARGEST_BODY ? `${body.slice(0, LARGEST_BODY).toWellFormed()}… (cut)` : body;
    const files = await filesIn(folder);
    const list =
      files.length === 0 ? '' : `\n\nFiles in ${folder}:\n${files.map((file) => `- ${file}`).join('\n')}`;
    return successOutcome(`# Skill ${name}\n\n${text}${list}`);
  } catch (error) {
    return errorOutcome(`The skill ${name} cannot be read: ${firstLineOf(error)}`);
  }
}

async function textOf(path: string, policy: Policy, directory: string): Promise<string> {
  const real = realPath(path);
  const guard = createLinkGuard(policy, 'read', real, directory);
  const { handle } = await openRegular({ path, real }, guard);
  try {
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Files of the folder and of its subfolders, except `SKILL.md`. */
async function filesIn(folder: string): Promise<string[]> {
  const files: string[] = [];
  for (const [place, prefix] of await placesIn(folder)) {
    for await (const entry of await opendir(place)) {
      if (entry.isFile() && !(prefix === '' && entry.name === 'SKILL.md')) files.push(prefix + entry.name);
      if (files.length >= FILES_TOLD) return files.sort();
    }
  }
  return files.sort();
}

async function placesIn(folder: string): Promise<[path: string, prefix: string][]> {
  const places: [string, string][] = [[folder, '']];
  for await (const entry of await opendir(folder)) {
    if (entry.isDirectory() && places.length < FILES_TOLD)
      places.push([join(folder, entry.name), `${entry.name}/`]);
  }
  return places;
}

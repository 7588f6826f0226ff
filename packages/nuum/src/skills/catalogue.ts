import type { Skill } from './skill.ts';

const LARGEST = 8000;

/** The skills as a prompt tells of them; empty when there are none. */
export function catalogueOf(skills: readonly Skill[]): string {
  if (skills.length === 0) return '';
  const lines: string[] = ['Skills; read one with the skill tool before you do what it is for:'];
  let size = 0;
  for (const [index, { name, description }] of skills.entries()) {
    const line = `- ${name}: ${description}`;
    size += line.length;
    if (size > LARGEST) return [...lines, `- and ${skills.length - index} more`].join('\n');
    lines.push(line);
  }
  return lines.join('\n');
}

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@plugboard/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPolicy } from '../../src/policy/policy.ts';
import { parseSkill } from '../../src/skills/skill.ts';
import { catalogueOf, createSkills, type Skills } from '../../src/skills/skills.ts';
import { skillTool } from '../../src/skills/tool.ts';
import { contextIn, fail, succeed } from '../tools/context.ts';

let place: TemporaryDirectory;
let logged: string[];
let skills: Skills;

beforeEach(() => {
  place = temporaryDirectory();
  logged = [];
  mkdirSync(join(place.path, 'work'));
  const [directory, home] = [join(place.path, 'work'), join(place.path, 'home')];
  skills = createSkills({ directory, home, log: (text) => logged.push(text) });
});
afterEach(() => place[Symbol.dispose]());

function skill(folder: string, text: string): string {
  const path = join(place.path, folder);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'SKILL.md'), text);
  return path;
}

const matter = (name: string, description = 'does things', body = 'Do it.'): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n${body}\n`;

describe('reading a skill', () => {
  it('parseSkill separates front matter and body', () => {
    expect(parseSkill(matter('my-skill'))).toEqual({
      name: 'my-skill',
      description: 'does things',
      body: 'Do it.',
    });
    expect(parseSkill(matter('a').replaceAll('\n', '\r\n')).body).toBe('Do it.');
    expect(parseSkill(`\uFEFF${matter('a')}`).name).toBe('a');
    expect(parseSkill('---\nname: a\ndescription: b\n---').body).toBe('');
  });

  it('parseSkill cuts a long description', () => {
    expect(parseSkill(matter('a', 'word '.repeat(100))).description).toHaveLength(255);
  });

  it.each([
    ['no matter', 'front matter'],
    ['---\nname: a\n', 'front matter'],
    ['---\n[1, 2]\n---\n', 'names and values'],
    ['---\na: [\n---\n', 'not valid YAML'],
    [matter('Bad Name'), 'its name must be'],
    [matter('-x'), 'its name must be'],
    [matter('a--b'), 'its name must be'],
    [matter('x'.repeat(65)), 'its name must be'],
    [matter('7'), 'its name must be'],
    ['---\nname: a\n---\n', 'no description'],
  ])('parseSkill says what is wrong with %j', (text, problem) => {
    expect(() => parseSkill(text)).toThrow(problem);
  });
});

describe('looking for skills', () => {
  it('scan finds skills in six places, those of the working directory first', () => {
    skill('home/.claude/skills/one', matter('one', 'from home'));
    skill('work/.codex/skills/one', matter('one', 'from work'));
    skill('work/.nuum/skills/two', matter('two'));
    skill('home/.nuum/skills/three', matter('three'));
    expect(skills.scan().map(({ name, description }) => [name, description])).toEqual([
      ['two', 'does things'],
      ['one', 'from work'],
      ['three', 'does things'],
    ]);
  });

  it('scan sees new, changed and removed skills', () => {
    expect(skills.scan()).toEqual([]);
    const folder = skill('work/.nuum/skills/a', matter('a', 'first'));
    expect(skills.scan()[0]?.description).toBe('first');
    writeFileSync(join(folder, 'SKILL.md'), matter('a', 'second one'));
    expect(skills.scan()[0]?.description).toBe('second one');
    rmSync(folder, { recursive: true });
    expect(skills.scan()).toEqual([]);
  });

  it('scan reports an invalid skill once, and again when it has changed', () => {
    const folder = skill('work/.nuum/skills/bad', 'nothing');
    skill('work/.nuum/skills/good', matter('good'));
    expect(skills.scan()).toHaveLength(1);
    skills.scan();
    expect(logged).toHaveLength(1);
    expect(logged[0]).toContain(join(folder, 'SKILL.md'));
    writeFileSync(join(folder, 'SKILL.md'), 'still nothing');
    skills.scan();
    expect(logged).toHaveLength(2);
  });

  it('scan skips FIFOs, files in the wrong place and huge files', () => {
    const folder = skill('work/.nuum/skills/pipe', '');
    rmSync(join(folder, 'SKILL.md'));
    execFileSync('mkfifo', [join(folder, 'SKILL.md')]);
    writeFileSync(join(place.path, 'work/.nuum/skills/README.md'), '');
    skill('work/.nuum/skills/huge', matter('huge', 'x', 'y'.repeat(300_000)));
    expect(skills.scan()).toEqual([]);
    expect(logged).toHaveLength(2);
  });
});

describe('the catalogue', () => {
  it('catalogueOf is empty without skills, and lists them otherwise', () => {
    expect(catalogueOf([])).toBe('');
    skill('work/.nuum/skills/a', matter('a'));
    expect(catalogueOf(skills.scan())).toContain('\n- a: does things');
  });

  it('catalogueOf has a bounded length', () => {
    const many = Array.from({ length: 200 }, (_, n) => ({
      name: `s${n}`,
      description: 'x'.repeat(255),
      folder: '/',
    }));
    expect(catalogueOf(many).length).toBeLessThan(9000);
    expect(catalogueOf(many)).toMatch(/- and \d+ more$/);
  });
});

describe('the tool', () => {
  const context = contextIn('/');

  it('the tool skill shows the body and the files beside it', async () => {
    const folder = skill('work/.nuum/skills/a', matter('a', 'x', 'Follow **these** steps.'));
    mkdirSync(join(folder, 'scripts'));
    writeFileSync(join(folder, 'scripts', 'run.sh'), '');
    writeFileSync(join(folder, 'reference.md'), '');
    const text = await succeed(skillTool(skills, createPolicy({})), { name: 'a' }, context);
    expect(text).toBe(
      `# Skill a\n\nFollow **these** steps.\n\nFiles in ${folder}:\n- reference.md\n- scripts/run.sh`,
    );
  });

  it('the tool skill names the existing skills when it is asked for another', async () => {
    expect(await fail(skillTool(skills, createPolicy({})), { name: 'b' }, context)).toContain(
      'There are none',
    );
    skill('work/.nuum/skills/a', matter('a'));
    expect(await fail(skillTool(skills, createPolicy({})), { name: '../../etc' }, context)).toContain(
      'There are: a.',
    );
  });
});

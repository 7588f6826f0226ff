import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { temporaryDirectory } from '@plugboard/testkit';
import { type Circumstances, type Said, type World, worldWith } from './world.ts';

/** A request as a backend got it. */
export type Got = Readonly<Record<string, unknown>> & { readonly operation: string };

/** A project with a backend of its own that a test writes as a shell script. */
export interface Staged extends World {
  /** The directory on the PATH in which the backend lies. */
  readonly tools: string;
  /** Puts a program on the PATH. */
  tool(name: string, script: string): string;
  /** What the backend has written down with `cat >> "$GOT"; echo >> "$GOT"`. */
  got(): readonly Got[];
}

/** Lines of a script that read the request, keep it, and find out the operation. */
export const READ =
  'request=$(cat); printf "%s\\n" "$request" >> "$GOT"; operation=$(printf "%s" "$request" | sed \'s/.*"operation":"\\([a-z-]*\\)".*/\\1/\')';

/** A script that answers every text operation in the same words, after doing something. */
export function answering(text: string, first = ':'): string {
  return `${READ}\n${first}\nprintf '{"type":"success","operation":"%s","text":%s}\\n' "$operation" ${quoted(JSON.stringify(text))}`;
}

/** A script that answers with these bytes, whatever it was asked. */
export function saying(text: string): string {
  return `cat > /dev/null\nprintf %s ${quoted(text)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** A small project and, as `nib-agent-fake`, the backend it uses. */
export function stagedWith(script: string, files: Readonly<Record<string, string>> = {}): Staged {
  const directory = temporaryDirectory();
  const world = worldWith(files);
  const tools = join(directory.path, 'tools');
  const got = join(directory.path, 'got');
  mkdirSync(tools);
  const tool = (name: string, text: string): string => {
    const file = join(tools, name);
    writeFileSync(file, text.startsWith('#!') ? text : `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o755);
    return file;
  };
  tool('nib-agent-fake', script);
  writeFileSync(got, '');
  const variables = {
    PATH: `${tools}${delimiter}${process.env.PATH}`,
    NIB_AGENT: 'fake',
    GOT: got,
    GIT_CONFIG_NOSYSTEM: '1',
  };
  return {
    ...world,
    tools,
    tool,
    nib: (line: string | readonly string[], given: Circumstances = {}): Promise<Said> =>
      world.nib(line, { ...given, variables: { ...variables, ...given.variables } }),
    got: () =>
      readFileSync(got, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): Got => JSON.parse(line)),
    [Symbol.dispose]() {
      world[Symbol.dispose]();
      directory[Symbol.dispose]();
    },
  };
}

import { editTool } from './edit.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { readTool } from './read.ts';
import { recapTool } from './recap.ts';
import type { Tool } from './tool.ts';

/** Where and with what the tools work. */
export interface Workplace {
  readonly root: string;
  /** The files that may be corrected. */
  readonly paths: readonly string[];
  /** Of programs that a tool starts. */
  readonly env: Readonly<Record<string, string>>;
}

type Make = (workplace: Workplace) => Tool;

const read: Make = ({ root }) => readTool(root);
const grep: Make = ({ root }) => grepTool(root);
const glob: Make = ({ root }) => globTool(root);
const edit: Make = ({ root, paths }) => editTool(root, paths);
const recap: Make = ({ root, env }) => recapTool(root, env);

const RESEARCH: readonly Make[] = [read, grep, glob, recap];

const OFFERED: Readonly<Record<string, readonly Make[]>> = {
  'scene-proof': [read, edit],
  'chapter-proof': [read, edit],
  'voice-check': [read, grep, glob],
  'manuscript-search': [read, grep, glob],
  // The character knows what the context says, and nothing else.
  'character-talk': [],
};

/** The tools for an operation, or for talk that belongs to none. What is not offered is never run. */
export function offered(operation: string | undefined, workplace: Workplace): readonly Tool[] {
  const makes = operation === undefined ? undefined : OFFERED[operation];
  return (makes ?? RESEARCH).map((make) => make(workplace));
}

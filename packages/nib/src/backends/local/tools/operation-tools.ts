import { createEditTool } from './edit.ts';
import { createGlobTool } from './glob.ts';
import { createGrepTool } from './grep.ts';
import { createReadTool } from './read.ts';
import { createRecapTool } from './recap.ts';
import type { Tool } from './tool.ts';

/** The input of `createTools`. */
export interface ToolContext {
  readonly root: string;
  /** The files that `edit` may change. */
  readonly paths: readonly string[];
  /** The environment variables of programs that a tool starts. */
  readonly env: Readonly<Record<string, string>>;
}

type CreateTool = (context: ToolContext) => Tool;

const read: CreateTool = ({ root }) => createReadTool(root);
const grep: CreateTool = ({ root }) => createGrepTool(root);
const glob: CreateTool = ({ root }) => createGlobTool(root);
const edit: CreateTool = ({ root, paths }) => createEditTool(root, paths);
const recap: CreateTool = ({ root, env }) => createRecapTool(root, env);

const RESEARCH: readonly CreateTool[] = [read, grep, glob, recap];

const OPERATION_TOOLS: Readonly<Record<string, readonly CreateTool[]>> = {
  'scene-proof': [read, edit],
  'chapter-proof': [read, edit],
  'voice-check': [read, grep, glob],
  'manuscript-search': [read, grep, glob],
  // The character knows only the `context` field.
  'character-talk': [],
};

/** The tools for an operation; `undefined` is a message of a conversation. Other tools cannot be called. */
export function createTools(operation: string | undefined, context: ToolContext): readonly Tool[] {
  const makes = operation === undefined ? undefined : OPERATION_TOOLS[operation];
  return (makes ?? RESEARCH).map((make) => make(context));
}

import type { Memory } from '../memory/memory.ts';

export interface PromptParts {
  readonly memory: Memory;
  readonly directory: string;
  /** The text of `describePolicy`. */
  readonly policy: string;
  /** The text of `catalogueOf`; empty without skills. */
  readonly skills: string;
}

const ABOUT = `You are nuum, a coding agent that stays: one conversation, for ever, with one memory.

How you work
- Do what is asked with your tools, and check that it works before you say so. Read a file before you change it.
- Say briefly what you are about to do, then do it. Calls that do not depend on each other go together.
- The user may say more while you work; the last word counts.
- When something fails, read the error, and try another way. Never claim what you have not seen.

How you remember
- Everything ever said is kept. You see the last of it in full, and what came before as summaries; \`recall\` searches all of it, and \`recall_message\` reads one message by its number.
- Set your mission, your status and your list of things to do as they change: they stand in every prompt. What is said of them last counts.
- Every message of the user begins with its number and the time it came.
- What will matter later belongs into knowledge: how this project is built, what the user prefers, what was decided and why.
- Longer questions to your memory go to \`reflect\`, longer research to \`background_research\`; \`set_alarm\` wakes you later.`;

/** The system prompt stands before all messages: a change in it voids the provider's cache of the whole conversation. */
export function systemPrompt({ memory, directory, policy, skills }: PromptParts): string {
  const overlay = memory.settings.get(OVERLAY);
  const standing = memory.standing();
  return [
    ABOUT,
    `Your working directory is ${directory}.\n\nWhat you may do:\n${policy}`,
    skills,
    overlay === undefined ? '' : `From the program you run in:\n${overlay}`,
    standing === '' ? '' : `What you always know:\n${standing}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

/** The name of the setting with the host's `system_prompt`. */
export const OVERLAY = 'system_prompt';

export function researchPrompt(directory: string): string {
  return `You look into a topic for an agent that goes on with its own work meanwhile. Your working directory is ${directory}.
Search the agent's memory and knowledge first, then files and the web. Keep what will matter later in knowledge.
When you know enough, answer with what you found: the facts, where each comes from, and what stays open. You cannot ask back.`;
}

import type { Nuum } from '../agent/nuum.ts';
import type { KnowledgeNode } from '../memory/knowledge/entry.ts';
import { type Proposal, proposalsIn } from '../memory/knowledge/proposals.ts';
import type { Memory } from '../memory/memory.ts';
import { describeMemory } from '../memory/privacy/describe.ts';

/** The text of `--inspect`; with `full`, also knowledge, summaries and proposals. */
export function inspectMemory(memory: Memory, full: boolean): string {
  const all = describeMemory(memory);
  const { messages, view, present, bytes } = all;
  const lines = [
    `memory    ${all.file} (${toMiB(bytes.file + bytes.log)} MiB)`,
    `agent     ${all.session}, since ${dateText(all.createdAt)}`,
    `messages  ${messages.count}, about ${messages.tokens} tokens; ${messages.covered} of them in ${view.summaries} summaries`,
    `in view   about ${view.tokens} tokens: the whole is ${view.ratio} times as much`,
    `mission   ${present.mission || '(none)'}`,
    `status    ${present.status || '(none)'}`,
    ...present.todos.map(({ content, status }) => `          [${status}] ${content}`),
  ];
  if (full) lines.push(...proposalsIn(memory).flatMap((proposal) => ['', proposalText(proposal).trimEnd()]));
  if (full)
    lines.push('', 'Knowledge', ...knowledgeLines(all.knowledge), '', 'Last summaries', ...summaryLines(all));
  return `${lines.join('\n')}\n`;
}

export function proposalText({ slug, body }: Proposal): string {
  const text = body.replaceAll(/^/gm, '  ');
  return `Proposed for "${slug}", which stands in every prompt:\n${text}\n`;
}

function knowledgeLines(nodes: readonly KnowledgeNode[]): string[] {
  if (nodes.length === 0) return ['  (none)'];
  return nodes.map(({ path, title, version }) => `  ${path}: ${title} (version ${version})`);
}

function summaryLines({ lastSummaries }: ReturnType<typeof describeMemory>): string[] {
  if (lastSummaries.length === 0) return ['  (none)'];
  return lastSummaries.flatMap(({ from, to, context, facts }) => [
    `  #${from} to #${to}: ${context}`,
    ...facts.map((fact) => `    - ${fact}`),
  ]);
}

/** The text of `/tasks`. */
export function inspectTasks({ background }: Nuum): string {
  const tasks = background.snapshot();
  if (tasks.length === 0) return 'No background tasks, no alarms.\n';
  const lines = tasks.map(({ id, kind, status, description, firesAt }) => {
    return `${id}  ${kind} ${status}${firesAt === undefined ? '' : ` for ${firesAt}`}: ${description}`;
  });
  return `${lines.join('\n')}\n`;
}

function toMiB(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1);
}

function dateText(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

import { z } from 'zod';
import { defineTool } from '../tools/define.ts';
import { errorOutcome, successOutcome } from '../tools/outcome.ts';
import type { Tool } from '../tools/tool.ts';
import { readWhen } from './alarm-time.ts';
import type { BackgroundWork } from './background-work.ts';
import type { TaskKind } from './task-store.ts';

/** The model's tools for background tasks and alarms. */
export function createTaskTools(background: BackgroundWork, now: () => number): Tool[] {
  return [
    backgroundTool(
      background,
      'research',
      'topic',
      'Looks into a topic beside the conversation: reads files, the web and your memory, keeps what it learns, and tells you in a turn of its own.',
    ),
    backgroundTool(
      background,
      'reflect',
      'question',
      'Searches all of your memory for an answer beside the conversation, and tells you in a turn of its own.',
    ),
    alarmTool(background, now),
    listTool(background),
    cancelTool(background),
  ];
}

function backgroundTool(
  background: BackgroundWork,
  kind: TaskKind,
  field: string,
  description: string,
): Tool {
  return defineTool({
    name: `background_${kind}`,
    description,
    effect: 'memory',
    schema: z.object({ [field]: z.string().min(1) }),
    subjects: () => [],
    async run(input) {
      const started = background.runner.start(kind, String(input[field]));
      if ('problem' in started) return errorOutcome(started.problem);
      return successOutcome(`Started as ${started.id}. Go on with something else: you will be told.`);
    },
  });
}

function alarmTool(background: BackgroundWork, now: () => number): Tool {
  return defineTool({
    name: 'set_alarm',
    description:
      'Wakes you later in a turn of its own, with your note. Give `in` ("90s", "1h30m", "2 days") or `at` ("2026-11-16T09:00", "09:00"); `every` ("1 day") repeats it.',
    effect: 'memory',
    schema: z.object({
      note: z.string().min(1).describe('What to do then, for you to read.'),
      in: z.string().optional(),
      at: z.string().optional(),
      every: z.string().optional(),
    }),
    subjects: () => [],
    async run({ note, ...times }) {
      const when = readWhen(times, now());
      if (!when.ok) return errorOutcome(when.problem);
      const id = background.setAlarm(note, when.firesAt, when.every);
      const repeats = when.every === undefined ? '' : `, and every ${when.every} after that`;
      return successOutcome(`Alarm ${id} rings at ${new Date(when.firesAt).toISOString()}${repeats}.`);
    },
  });
}

const RECENT = 20;

function listTool(background: BackgroundWork): Tool {
  return defineTool({
    name: 'list_tasks',
    description:
      'Lists background tasks that run and alarms that are set; with `ended`, also the last tasks that have ended.',
    effect: 'memory',
    schema: z.object({ ended: z.boolean().optional() }),
    subjects: () => [],
    async run({ ended }) {
      const lines = background.snapshot().map(({ id, kind, status, description, firesAt }) => {
        return `${id} ${kind} ${status}${firesAt === undefined ? '' : ` at ${firesAt}`}: ${description}`;
      });
      const past = ended === true ? background.tasks.recent(RECENT) : [];
      for (const { id, kind, status, description, result } of past) {
        lines.push(`${id} ${kind} ${status}: ${description}\n  ${(result ?? '').slice(0, 500)}`);
      }
      return successOutcome(lines.length === 0 ? 'There are no tasks and no alarms.' : lines.join('\n'));
    },
  });
}

function cancelTool(background: BackgroundWork): Tool {
  return defineTool({
    name: 'cancel_task',
    description: 'Ends a background task for good, or takes back an alarm.',
    effect: 'memory',
    schema: z.object({ id: z.string() }),
    subjects: () => [],
    run: async ({ id }) =>
      background.cancel(id)
        ? successOutcome(`${id} is cancelled.`)
        : errorOutcome(`There is no task or alarm ${id} to cancel; see list_tasks.`),
  });
}

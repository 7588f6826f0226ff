import { codex, isObject } from '@plugboard/protocol';
import { objectsOf, type Probe } from '../../detect/probe.ts';

const INITIALIZE = {
  id: 'plugboard-detect',
  method: 'initialize',
  params: { clientInfo: { name: 'plugboard', title: 'Plugboard', version: '1' } },
};

/**
 * Recognizes Codex by its answer to `initialize`, which asks no model. The program is known by its name as well: the
 * questions of the other probes would cost a model call each.
 */
export const codexProbe: Probe = {
  dialect: 'codex',
  programs: ['codex', 'codex.exe', 'codex.cmd'],
  command(argv) {
    const launch = codex.host.launch(
      { ...codex.defaults, command: { argv } },
      { environment: {}, workspace: '/' },
    );
    return 'refused' in launch || 'shell' in launch.command ? argv : launch.command.argv;
  },
  start: () => ({
    steps: [
      { send: `${JSON.stringify(INITIALIZE)}\n` },
      // In a new home the program may end without an answer when its input ends at once. The end of input brings an
      // agent of another kind to its end.
      { pauseMs: 1_000 },
      { close: true },
      {
        wait: {
          what: 'an answer to initialize',
          done: (lines) => lines.some(({ text }) => text.includes(INITIALIZE.id)),
        },
      },
      // The program would stay for seconds.
      { stop: true },
    ],
  }),
  sign(sight) {
    const isAnswered = objectsOf(sight).some(
      ({ id, result }) =>
        id === INITIALIZE.id &&
        isObject(result) &&
        typeof result.userAgent === 'string' &&
        'codexHome' in result,
    );
    return isAnswered ? 'it answered an initialize request' : undefined;
  },
};

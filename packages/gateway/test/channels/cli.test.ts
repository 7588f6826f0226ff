import { createCliChannel } from '../../src/channels/cli/cli.ts';
import { describeChannel } from './channel-suite.ts';
import { openLogBench } from './log-bench.ts';

describeChannel('cli', () => openLogBench(createCliChannel()));

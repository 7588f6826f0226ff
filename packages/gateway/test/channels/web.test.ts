import { createWebChannel } from '../../src/channels/web/web.ts';
import { describeChannel } from './channel-suite.ts';
import { openLogBench } from './log-bench.ts';

describeChannel('web', () => openLogBench(createWebChannel()));

import { describeChannel } from '../channel-suite.ts';
import { openHookBench, openSlackBench } from './slack-bench.ts';

describeChannel('slack', openSlackBench);

describeChannel('slack in HTTP mode', openHookBench);

import { describeAgent } from './scenarios.ts';

describeAgent('opencode');

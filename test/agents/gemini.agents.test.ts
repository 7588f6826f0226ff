import { describeAgent } from './scenarios.ts';

describeAgent('gemini');

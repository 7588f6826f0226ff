import { open } from '@plugboard/host';
import { answerers, TERMINAL_FRAMES, terminalProfile } from './agents/agents.ts';
import { hostTurn } from './agents/turns.ts';
const argv=[...answerers().C!,TERMINAL_FRAMES];
const agent=open(terminalProfile(argv),{environment:process.env});
for(let i=0;i<600;i++) await hostTurn(agent);
process.exit(0);

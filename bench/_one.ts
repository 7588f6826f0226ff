import { open } from '@plugboard/host';
import { answerers, TERMINAL_FRAMES, terminalProfile, TURN } from './agents/agents.ts';
import { bareTurn, hostTurn } from './agents/turns.ts';
import { interleave, medianOf, ratioOf } from './method/rounds.ts';
const lang=process.argv[2]??'C';
const argv=[...answerers()[lang]!,TERMINAL_FRAMES];
const agent=open(terminalProfile(argv),{environment:process.env});
for(let i=0;i<200;i++){await bareTurn(argv);await hostTurn(agent);}
const s=await interleave({bare:()=>bareTurn(argv),detached:()=>bareTurn(argv,{detached:true}),ours:()=>hostTurn(agent)},{rounds:Number(process.argv[3]??150),warmUp:5});
for(const n of ['bare','detached','ours']) console.log(lang,n,'first',medianOf(s,n,'first').toFixed(3),ratioOf(s,n,'bare','first').toFixed(3),'done',medianOf(s,n,'done').toFixed(3),ratioOf(s,n,'bare','done').toFixed(3));
process.exit(0);

import { baseEnvironment, withoutUndefined } from '@plugboard/process';
import { bareTurn } from './agents/turns.ts';
import { answerers, TERMINAL_FRAMES } from './agents/agents.ts';
import { interleave, medianOf } from './method/rounds.ts';
const argv=[...answerers().C!,TERMINAL_FRAMES];
const BASE=new Set(['PATH','HOME','USER','LOGNAME','SHELL','LANG','TERM','COLORTERM','TMPDIR','TZ','http_proxy','https_proxy','ftp_proxy','all_proxy','no_proxy','HTTP_PROXY','HTTPS_PROXY','FTP_PROXY','ALL_PROXY','NO_PROXY','SSL_CERT_FILE','SSL_CERT_DIR','NODE_EXTRA_CA_CERTS','REQUESTS_CA_BUNDLE','CURL_CA_BUNDLE','X']);
const s=await interleave({x:async()=>{
 const src=process.env as Record<string,string|undefined>;
 let t=performance.now(); const o1:any={}; for(const n of Object.keys(src)) if(BASE.has(n)||n.startsWith('LC_')) {const v=src[n]; if(v!==undefined)o1[n]=v;} const a=performance.now()-t;
 t=performance.now(); const o2:any={}; for(const n in src) if(BASE.has(n)||n.startsWith('LC_')) {const v=src[n]; if(v!==undefined)o2[n]=v;} const b=performance.now()-t;
 t=performance.now(); baseEnvironment(src); const c=performance.now()-t;
 t=performance.now(); withoutUndefined(src); const d=performance.now()-t;
 t=performance.now(); const q={...src}; const e=performance.now()-t;
 t=performance.now(); Reflect.ownKeys(src); const f=performance.now()-t;
 t=performance.now(); const o3:any={}; for(const n of Reflect.ownKeys(src) as string[]) if(BASE.has(n)||n.startsWith('LC_')) {const v=src[n]; if(v!==undefined)o3[n]=v;} const g=performance.now()-t;
 await bareTurn(argv); return {a,b,c,d,e,f,g};}},{rounds:100,warmUp:5});
console.log(['a','b','c','d','e','f','g'].map(m=>m+' '+(1000*medianOf(s,'x',m)).toFixed(0)).join('  '));
process.exit(0);

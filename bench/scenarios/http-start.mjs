// Time from the start of the client to the first answered call of a tool over HTTP. The server is running and has not
// served a request yet; the modules of the client are loaded.

import { httpContenders, httpPairs, httpRatios } from '../contenders/http.mjs';

export { cases, roundsFactor } from './start.mjs';

export const metrics = [{ key: 'startMs', label: 'ms', digits: 1 }];

export const title = 'to the first answered tools/call over HTTP';
export const contenders = httpContenders;
export const ratios = httpRatios;

export async function measure(contender) {
  const { connect } = await contender.load();
  const client = await connect();
  await client.echo('first');
  const startMs = performance.now() - client.readyMs;
  await client.close();
  return { startMs };
}

export const targets = httpPairs.map(([ours, theirs]) => ({
  text: `to the first tools/call over HTTP: time, ${ours}/${theirs}`,
  value: ({ ratio }) => ratio('first call', ours, theirs, 'startMs'),
  atMost: 0.5,
}));

// Time from the spawn of the server to the first answer; the modules of the client are loaded.

import { echoContenders, echoRatios } from '../contenders/echo.mjs';

export const title = 'from spawn to the first answer';
export const contenders = echoContenders;
export const ratios = echoRatios;
export const metrics = [{ key: 'startMs', label: 'ms', digits: 0 }];
export const roundsFactor = 2;

export const cases = () => [{ label: 'first call' }];

export async function measure(contender) {
  const { connect } = await contender.load();
  const startMs = performance.now();
  const client = await connect();
  await client.echo('first');
  const elapsedMs = performance.now() - startMs;
  await client.close();
  return { startMs: elapsedMs };
}

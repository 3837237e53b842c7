// The instance that a call is sent to, and whether another one may still answer it after a refusal. A replica of a stateless server
// that refuses a call, or cannot be reached, is left out until all others have refused it too.

import type { Call } from './call.ts';
import type { InstanceChooser } from './choose-instance.ts';
import type { Instance } from './routing-table.ts';
import type { ServerRequests } from './server-requests.ts';

export function instanceFor(call: Call, requests: ServerRequests, chooser: InstanceChooser): Instance | undefined {
  const { instances, calls } = requests;
  if (call.only !== undefined) return instances.find(({ id }) => id === call.only);
  const isStateless = instances.length > 1 && requests.isStateless;
  const isAny = !isStateless || (!call.refusedBy && calls.network.isConnected);
  return chooser.choose(
    isAny ? instances : instances.filter(canAnswer(call, requests)),
    isStateless,
    call.caller?.client.identity,
  );
}

/** Called after the call's instance has refused it. False if another one may answer it now. */
export function isRefusedByAll(call: Call, requests: ServerRequests): boolean {
  if (call.only !== undefined || !requests.isStateless) return true;
  call.refusedBy ??= new Set();
  call.refusedBy.add(call.instance!.id);
  if (requests.instances.some(canAnswer(call, requests))) return false;
  call.refusedBy = undefined;
  return true;
}

function canAnswer({ refusedBy }: Call, { calls }: ServerRequests): (instance: Instance) => boolean {
  return (instance) => calls.canReach(instance) && !refusedBy?.has(instance.id);
}

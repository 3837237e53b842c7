// The instance that a call is sent to, and whether another one may still answer it after a refusal. A replica of a stateless server
// that refuses a call, or cannot be reached, is left out until all others have refused it too.

import type { Call } from './call.ts';
import type { InstanceChooser } from './choose-instance.ts';
import type { FleetChannel } from './fleet-channel.ts';
import type { Instance } from './routing-table.ts';

export function instanceFor(call: Call, channel: FleetChannel, chooser: InstanceChooser): Instance | undefined {
  const { instances, calls } = channel;
  if (call.only !== undefined) return instances.find(({ id }) => id === call.only);
  const isStateless = instances.length > 1 && channel.isStateless;
  const isAny = !isStateless || (!call.refusedBy && calls.fabric.isConnected);
  return chooser.choose(isAny ? instances : instances.filter(canAnswer(call, channel)), isStateless, call.sender);
}

/** Called after the call's instance has refused it. False if another one may answer it now. */
export function isRefusedByAll(call: Call, channel: FleetChannel): boolean {
  if (call.only !== undefined || !channel.isStateless) return true;
  call.refusedBy ??= new Set();
  call.refusedBy.add(call.instance!.id);
  if (channel.instances.some(canAnswer(call, channel))) return false;
  call.refusedBy = undefined;
  return true;
}

function canAnswer({ refusedBy }: Call, { calls }: FleetChannel): (instance: Instance) => boolean {
  return (instance) => calls.canReach(instance) && !refusedBy?.has(instance.id);
}

// A caller that keeps the id of the last request that was sent to a server for it.

import type { RequestLink, WireName } from '../../mcp/service.ts';
import type { RequestId } from '../../wire/jsonrpc/message.ts';
import { PassedCaller } from '../services/passed-caller.ts';
import type { HostCaller } from '../services/process-service.ts';

export class NumberedCaller extends PassedCaller implements HostCaller {
  readonly isOwner: HostCaller['isOwner'];
  readonly unanswered: HostCaller['unanswered'];
  sent: { readonly wire: WireName; readonly id: RequestId } | undefined;
  readonly #link: RequestLink;

  constructor(caller: HostCaller) {
    super(caller);
    this.isOwner = caller.isOwner;
    this.unanswered = caller.unanswered;
    this.#link = {
      sent: (wire, id) => {
        this.sent = { wire, id };
        caller.link?.sent(wire, id);
      },
      askedBy: (id) => caller.link?.askedBy(id),
    };
  }

  override get link(): RequestLink {
    return this.#link;
  }
}

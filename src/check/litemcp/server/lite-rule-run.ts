// One rule run on a LiteMCP server: the processes and the call that the rule may use.

import type { JsonObject } from '../../../base/json-object.ts';
import { RuleRun } from '../../rule-run.ts';
import { notApplicable } from '../../verdict.ts';
import type { LiteProbe } from './lite-probe.ts';
import type { LiteServerRun } from './lite-server-run.ts';
import type { PermittedCall } from './permitted-call.ts';

export class LiteRuleRun extends RuleRun<LiteProbe> {
  /** `data` of the first `info`, of any shape. */
  readonly facts: JsonObject;
  readonly #revisionRun: LiteServerRun;

  constructor(revisionRun: LiteServerRun) {
    super(revisionRun);
    this.#revisionRun = revisionRun;
    this.facts = revisionRun.tool!;
  }

  get timeoutMs(): number {
    return this.#revisionRun.options.timeoutMs;
  }

  /** The call that the check may make, or the reason why there is none. */
  call(): PermittedCall {
    const { name } = this.facts;
    return (
      this.#revisionRun.call ??
      notApplicable(`the tool may have effects: name it with --allow-calls ${JSON.stringify(name)}`)
    );
  }

  /** The permitted call, if other arguments may be tried too. */
  freeCall(): PermittedCall {
    const call = this.call();
    if (call.areGiven) notApplicable('the allowed call has arguments, and no others are tried');
    return call;
  }

  /** The process that rules share. Leave it able to answer. */
  async shared(): Promise<LiteProbe> {
    this.mustRun();
    return this.used((await this.#revisionRun.shared.use(this)).probe);
  }
}

// A rule for LiteMCP servers, and one run of it: the processes and the call that the rule may use.

import type { JsonObject } from '../../../base/json-object.ts';
import type { EndOfServer } from '../../check-alone.ts';
import { type RuleText, rowsOf } from '../../rule.ts';
import { RuleRun } from '../../rule-run.ts';
import { notApplicable } from '../../verdict.ts';
import type { LiteProbe } from './lite-probe.ts';
import type { LiteServerRun } from './lite-server-run.ts';
import type { PermittedCall } from './permitted-call.ts';

export interface LiteServerRule extends RuleText, EndOfServer {
  /** See `ServerRule` (server-rule.ts). */
  readonly uses: 'shared' | 'own' | 'seen';
  readonly check: (ruleRun: LiteRuleRun) => Promise<void> | void;
}

export const liteServerRows = rowsOf<LiteServerRule>();

export class LiteRuleRun extends RuleRun<LiteProbe> {
  /** `data` of the first `info`, of any shape. */
  readonly facts: JsonObject;
  readonly #revisionRun: LiteServerRun;

  readonly #isAlone: boolean;
  /** The process of a rule that runs alone, in place of the shared one. */
  #own: LiteProbe | undefined;

  constructor(revisionRun: LiteServerRun, isAlone = false) {
    super(revisionRun);
    this.#isAlone = isAlone;
    this.#revisionRun = revisionRun;
    this.facts = revisionRun.tool!;
  }

  get timeoutMs(): number {
    return this.#revisionRun.options.timeoutMs;
  }

  /** The permitted call. Not applicable if there is none. */
  call(): PermittedCall {
    const { name } = this.facts;
    return (
      this.#revisionRun.call ??
      notApplicable(`the tool may have effects: allow it with --allow-calls ${JSON.stringify(name)}`)
    );
  }

  /** The permitted call, if other arguments may be tried too. */
  freeCall(): PermittedCall {
    const call = this.call();
    if (call.areGiven) notApplicable('--allow-calls gives the arguments of the call, and the check tries no others');
    return call;
  }

  /** The process that rules share. It must be able to answer afterwards. */
  async shared(): Promise<LiteProbe> {
    this.mustRun();
    if (!this.#isAlone) return this.lasting((await this.#revisionRun.shared.use(this)).probe);
    if (!this.#own || this.#own.ended) this.#own = this.lasting(await this.start());
    return this.#own;
  }
}

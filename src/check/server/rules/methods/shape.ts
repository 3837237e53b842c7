// Rules on the shape of what the server wrote: they look at each part of the survey of one kind.

import { isObject, type JsonObject } from '../../../../base/json-object.ts';
import type { RuleText } from '../../../rule.ts';
import { notApplicable, Violation } from '../../../verdict.ts';
import type { ServerRule } from '../../server-rule.ts';
import type { ServerRuleRun } from '../../server-rule-run.ts';
import { type Exchange, listIn, proofOf } from './exchange.ts';
import { whyNoCalls } from './no-calls.ts';
import { type CallExchange, type Survey, surveyOf } from './survey.ts';

/** One part of an answer. */
export interface Part<T = unknown> {
  readonly value: T;
  /** What it is, as the subject of a sentence. */
  readonly what: string;
  readonly exchange: Exchange;
}

interface ShapeText<T> extends RuleText, Pick<ServerRule, 'since' | 'until'> {
  readonly parts: (survey: Survey) => readonly Part<T>[];
  /** The reason why the rule is not applicable if there are no parts. */
  readonly none: string;
  /** The parts come from calls: of which tools. */
  readonly ofCalls?: (tool: JsonObject) => boolean;
  /** What is wrong with it. */
  readonly problem: (value: T, ruleRun: ServerRuleRun) => Wrong | undefined | Promise<Wrong | undefined>;
}

/** The rest of the sentence; with a fix if that of the rule is about other mistakes. */
type Wrong = string | { readonly problem: string; readonly fix: string };

export function shapeRule<T>({ parts, none, ofCalls, problem, ...text }: ShapeText<T>): ServerRule {
  return {
    ...text,
    runs: 'each revision',
    uses: 'shared',
    check: async (ruleRun) => {
      const survey = await surveyOf(ruleRun);
      const found = parts(survey);
      if (found.length === 0) notApplicable(ofCalls ? whyNoCalls(ruleRun, survey, none, ofCalls) : none);
      for (const { value, what, exchange } of found) {
        const wrong = await problem(value, ruleRun);
        if (wrong === undefined) continue;
        const { problem: rest, fix } = typeof wrong === 'string' ? { problem: wrong, fix: undefined } : wrong;
        throw new Violation(`${what} ${rest}.`, proofOf(exchange), fix);
      }
    },
  };
}

const kinds = { tools: 'tool', resources: 'resource', resourceTemplates: 'resource template', prompts: 'prompt' };

/** Entries of a list as they were written, also those that are no objects. */
export function entriesOf(survey: Survey, ...members: (keyof typeof kinds)[]): Part[] {
  return survey.lists
    .filter(({ member }) => members.includes(member as keyof typeof kinds))
    .flatMap(({ pages, member, key }) =>
      pages.flatMap((exchange) =>
        listIn(exchange.result, member).map((value, at) => {
          const name = isObject(value) ? value[key] : undefined;
          const kind = kinds[member as keyof typeof kinds];
          const what = name === undefined ? `Entry ${at} of \`${member}\`` : `The ${kind} ${JSON.stringify(name)}`;
          return { value, what, exchange };
        }),
      ),
    );
}

export function objectEntriesOf(survey: Survey, ...members: (keyof typeof kinds)[]): Part<JsonObject>[] {
  return entriesOf(survey, ...members).filter(isObjectPart);
}

/** Results of tools. */
export function toolResults(survey: Survey): Part<{ result: JsonObject; call: CallExchange }>[] {
  return survey.calls.flatMap((call) =>
    call.result
      ? [{ value: { result: call.result, call }, what: `The result of the tool "${call.call.name}"`, exchange: call }]
      : [],
  );
}

/** Blocks of the results of tools and of the messages of prompts. */
export function contentBlocks(survey: Survey): Part[] {
  const ofTools = toolResults(survey).flatMap(({ value, what, exchange }) =>
    listIn(value.result, 'content').map((block, at) => ({
      value: block,
      what: `Block ${at} of ${lowered(what)}`,
      exchange,
    })),
  );
  const ofPrompts = survey.gets.flatMap((exchange) =>
    listIn(exchange.result, 'messages')
      .filter(isObject)
      .map(({ content }, at) => ({
        value: content,
        what: `The content of message ${at} of the prompt ${JSON.stringify(exchange.params.name)}`,
        exchange,
      })),
  );
  return [...ofTools, ...ofPrompts];
}

/** What `resources/read` gave. */
export function readContents(survey: Survey): Part[] {
  return survey.reads.flatMap((exchange) =>
    listIn(exchange.result, 'contents').map((value, at) => ({
      value,
      what: `Part ${at} of the contents of ${JSON.stringify(exchange.params.uri)}`,
      exchange,
    })),
  );
}

export function isObjectPart(part: Part): part is Part<JsonObject> {
  return isObject(part.value);
}

function lowered(what: string): string {
  return what.charAt(0).toLowerCase() + what.slice(1);
}

// Rules about the texts of definitions: a model reads them as instructions, and a person sees only a part of them.

import { mayHoldSecret, redactText } from '../../../base/secrets/redact-text.ts';
import { isSecretName } from '../../../base/secrets/secret-names.ts';
import {
  confusableName,
  contradictingAnnotations,
  controlCharacters,
  hiddenCharacters,
  instructionsAgainstUser,
  secretDefault,
} from '../../../mcp/definition-audit.ts';
import { serverRows } from '../server-rule.ts';
import { entriesOf, objectEntriesOf, type Part, shapeRule } from './methods/shape.ts';
import type { Survey } from './methods/survey.ts';

const noTools = 'the server has no tools';

/** The definitions of all lists. */
const definitions = {
  parts: (survey: Survey): readonly Part[] => entriesOf(survey, 'tools', 'resources', 'resourceTemplates', 'prompts'),
  none: 'the server has no tools, resources and prompts',
};

export const definitionRules = serverRows({ runs: 'each revision', uses: 'shared' }, [
  shapeRule({
    id: 'definitions/hidden-characters',
    level: 'ADVICE',
    title: 'write definitions without invisible characters',
    says: 'Characters without width, tag characters and changes of the direction hide text from a person, and a model reads it. Joiners in emoji and in scripts that need them are accepted, and so are directions in texts with right-to-left letters.',
    fix: 'Remove the character. Text that was copied from a web page often has zero-width spaces.',
    ...definitions,
    problem: hiddenCharacters,
  }),
  shapeRule({
    id: 'definitions/control-characters',
    level: 'ADVICE',
    title: 'write definitions without control characters',
    says: 'ESC begins a sequence that changes what a terminal shows: it can hide or replace text. Tab and line breaks are accepted.',
    fix: 'Remove colours and other control characters from names and descriptions.',
    ...definitions,
    problem: controlCharacters,
  }),
  shapeRule({
    id: 'definitions/distinct-names',
    level: 'ADVICE',
    title: 'give tools names that a person can tell apart',
    says: 'Two names that differ only by letters which look alike (`list` and `1ist`, a Latin and a Cyrillic `a`), or only by capital letters, are taken for each other when a person approves a call.',
    fix: 'Rename one of the tools, and write names with ASCII letters.',
    parts: (survey) => {
      const parts = objectEntriesOf(survey, 'tools');
      const names = parts.flatMap(({ value: { name } }) => (typeof name === 'string' ? [name] : []));
      return parts.map((part) => ({ ...part, value: { name: part.value.name, names } }));
    },
    none: noTools,
    problem: ({ name, names }) => (typeof name === 'string' ? confusableName(name, names) : undefined),
  }),
  shapeRule({
    id: 'definitions/no-instructions-against-users',
    level: 'ADVICE',
    title: 'not instruct the model against its user',
    says: 'A description says what a tool does. Instructions to hide something from the user, to ignore other instructions, or to read files with keys are how attacks through tools work, and scanners of hosts refuse them.',
    fix: 'Describe the tool, and leave out what the model shall hide, ignore, or read elsewhere.',
    ...definitions,
    problem: instructionsAgainstUser,
  }),
  shapeRule({
    id: 'definitions/no-secrets-in-defaults',
    level: 'ADVICE',
    title: 'not have secrets as defaults of arguments',
    says: 'The schema of a tool goes to every client and model. A key or password in `default` is known to all of them.',
    fix: 'Read the secret from the environment of the server, and leave the argument out.',
    parts: (survey) => objectEntriesOf(survey, 'tools'),
    none: noTools,
    problem: ({ inputSchema }) => secretDefault(inputSchema, hasSecret, isSecretName),
  }),
  shapeRule({
    id: 'definitions/annotations-match-names',
    level: 'ADVICE',
    title: 'annotate tools as their names say',
    says: 'Hosts run tools with `readOnlyHint` without asking. A name that begins with `delete`, `drop`, `overwrite`, `send` or the like contradicts it, and `destructiveHint: false` contradicts the first ones.',
    fix: 'Correct the annotation, or rename the tool.',
    parts: (survey) => objectEntriesOf(survey, 'tools'),
    none: noTools,
    problem: contradictingAnnotations,
  }),
]);

function hasSecret(text: string): boolean {
  return mayHoldSecret(text) && redactText(text, () => '[redacted]') !== text;
}

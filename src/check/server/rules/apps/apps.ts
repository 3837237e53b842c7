// Rules about MCP Apps (`io.modelcontextprotocol/ui`): tools, and the views that a host shows beside their results.

import { isObject, type JsonObject, jsonKind, metaOf } from '../../../../base/json-object.ts';
import { wrongMember } from '../../../../base/wrong-member.ts';
import { APP_TYPE } from '../../../../mcp/extensions/apps.ts';
import { bytesIn } from '../../../../mcp/extensions/skills/skill.ts';
import { apps } from '../../../sources.ts';
import { notApplicable, violation } from '../../../verdict.ts';
import { describeError } from '../../conversation.ts';
import { serverRows } from '../../server-rule.ts';
import { listIn, proofOf } from '../methods/exchange.ts';
import { judgeParts, type Part, toolResults, whyNoCalls } from '../methods/shape.ts';
import { surveyOf } from '../methods/survey.ts';
import { contentsProblem } from '../methods/tool-results.ts';
import { type AppSurvey, type AppTool, appSurvey, isViewUri, SCHEME, viewContents } from './app-survey.ts';

const NO_VIEW = 'no tool has a view';
const NOT_READ = 'no view of a tool could be read';
const NO_SETTINGS = 'no view has settings';

const requirements = apps('content-requirements');
const degradation = apps('server-behavior');

/** The members of `csp`. */
const domains = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'];
/** A scheme, a host of at most 128 labels that may begin with a wildcard, and a port. */
const ORIGIN = /^(?:https?|wss?):\/\/(?:\*\.)?(?:[\w-]+\.){0,127}[\w-]+(?::\d{1,5})?$/i;

export const appRules = serverRows({ level: 'MUST', runs: 'each era', uses: 'own' }, [
  {
    id: 'apps/view-uris',
    title: `name views by URIs that begin with ${SCHEME}`,
    says: '`_meta.ui.resourceUri` of a tool is the URI of its view. The URI of a view has the scheme `ui`.',
    source: requirements,
    fix: 'Give the view a URI such as `ui://my-server/view.html`, as a resource and in `_meta.ui.resourceUri`.',
    check: async (ruleRun) =>
      judgeParts((await appSurvey(ruleRun)).tools.filter(hasView), NO_VIEW, ({ uri }) =>
        isViewUri(uri) ? undefined : `has the view ${JSON.stringify(uri)}, which does not begin with ${SCHEME}`,
      ),
  },
  {
    id: 'apps/views-exist',
    title: 'serve the view of each tool as a resource',
    says: 'Hosts read the view of a tool with `resources/read`. The view exists on the server, but need not be listed.',
    source: apps('behavior'),
    fix: 'Register a resource with the URI that `_meta.ui.resourceUri` has, or correct the URI.',
    check: async (ruleRun) => {
      const { reads } = await appSurvey(ruleRun);
      if (reads.length === 0) notApplicable(NO_VIEW);
      for (const read of reads) {
        const what = JSON.stringify(read.params.uri);
        if (read.failure) violation(`${read.failure} The request was for the view ${what}.`, ...proofOf(read));
        if (read.error)
          violation(`Reading the view ${what} was answered with ${describeError(read.error)}.`, ...proofOf(read));
        if (listIn(read.result, 'contents').length === 0)
          violation(`The view ${what} has no contents.`, ...proofOf(read));
      }
    },
  },
  {
    id: 'apps/view-contents',
    title: 'return the HTML of a view as text or blob, under its URI',
    says: 'The contents of a view have the URI that was read, and the HTML as `text`, or in base64 as `blob`.',
    source: requirements,
    fix: 'Return `{"contents": [{"uri": …, "mimeType": "text/html;profile=mcp-app", "text": …}]}` with the requested URI.',
    check: async (ruleRun) =>
      judgeParts(await readViews(ruleRun), NOT_READ, ({ content, uri }) => {
        const wrong = contentsProblem(content);
        if (wrong !== undefined) return wrong;
        if (content.uri !== uri) return `was returned under the URI ${JSON.stringify(content.uri)}`;
        const bytes = bytesIn([content], uri);
        return bytes ? (bytes.length > 0 ? undefined : 'is empty') : 'has a blob that is not base64';
      }),
  },
  {
    id: 'apps/view-types',
    title: `return views with the media type ${APP_TYPE}`,
    says: `The contents of a view have the \`mimeType\` \`${APP_TYPE}\`. Other types are reserved.`,
    source: requirements,
    fix: `Set \`mimeType\` of the contents to exactly \`${APP_TYPE}\`, without spaces.`,
    check: async (ruleRun) =>
      judgeParts(viewContents(await appSurvey(ruleRun)), NOT_READ, ({ mimeType }) =>
        mimeType === APP_TYPE ? undefined : `has the mimeType ${JSON.stringify(mimeType) ?? 'undefined'}`,
      ),
  },
  {
    id: 'apps/listed-types',
    level: 'SHOULD',
    title: `list views with the media type ${APP_TYPE}`,
    says: `A resource whose URI begins with \`${SCHEME}\` has the \`mimeType\` \`${APP_TYPE}\` in the list too.`,
    source: apps('ui-resource-format'),
    fix: `Set \`mimeType\` of the resource to \`${APP_TYPE}\`.`,
    check: async (ruleRun) =>
      judgeParts((await appSurvey(ruleRun)).entries, 'no view is listed', ({ mimeType }) =>
        mimeType === APP_TYPE ? undefined : `has the mimeType ${JSON.stringify(mimeType) ?? 'undefined'}`,
      ),
  },
  {
    id: 'apps/html-documents',
    level: 'ADVICE',
    title: 'begin views with a doctype',
    says: 'A view is an HTML5 document. Without a doctype, a browser shows it in quirks mode.',
    source: requirements,
    fix: 'Begin the HTML with `<!doctype html>`.',
    check: async (ruleRun) =>
      judgeParts(await readViews(ruleRun), NOT_READ, ({ content, uri }) => {
        const bytes = bytesIn([{ ...content, uri }], uri);
        if (!bytes || bytes.length === 0) return undefined; // apps/view-contents reports this
        return beginsWithDoctype(new TextDecoder().decode(bytes)) ? undefined : 'does not begin with a doctype';
      }),
  },
  {
    id: 'apps/view-settings',
    title: 'write the settings of views with the right types',
    says: '`_meta.ui` of a view has `csp` with lists of strings, `permissions` with objects, `domain` as a string and `prefersBorder` as a boolean. All are optional.',
    source: apps('ui-resource-format'),
    fix: 'Write `"_meta": {"ui": {"csp": {"connectDomains": ["https://api.example.com"]}, "permissions": {"camera": {}}, "prefersBorder": true}}`.',
    check: async (ruleRun) => judgeParts(settings(await appSurvey(ruleRun)), NO_SETTINGS, settingsProblem),
  },
  {
    id: 'apps/csp-origins',
    level: 'ADVICE',
    title: 'list origins in the CSP of a view',
    says: 'The lists of `csp` have origins: a scheme, a host and perhaps a port. `*.` before a host is a wildcard. Hosts put them into a Content Security Policy, and ignore entries that they cannot use there.',
    source: apps('ui-resource-format'),
    fix: 'Write entries such as `https://cdn.example.com`, without a path, spaces, quotes and semicolons.',
    check: async (ruleRun) => {
      const parts = settings(await appSurvey(ruleRun)).flatMap((part) => {
        const csp = isObject(part.value) && isObject(part.value.csp) ? part.value.csp : {};
        const entries = domains.flatMap((name) => listIn(csp, name).map((origin) => ({ name, origin })));
        return entries.map((value) => ({ ...part, value }));
      });
      await judgeParts(parts, 'no view has a CSP', ({ name, origin }) =>
        typeof origin !== 'string' || ORIGIN.test(origin)
          ? undefined // apps/view-settings reports other types
          : `has ${JSON.stringify(origin)} in \`${name}\`, which is not an origin`,
      );
    },
  },
  {
    id: 'apps/tool-settings',
    title: 'write the settings of tools with the right types',
    says: '`_meta.ui` of a tool is an object. Its `visibility` is a list of "model" and "app".',
    source: apps('resource-discovery'),
    fix: 'Write `"_meta": {"ui": {"resourceUri": "ui://…", "visibility": ["model", "app"]}}`.',
    check: async (ruleRun) =>
      judgeParts((await appSurvey(ruleRun)).tools, NO_VIEW, ({ ui }) => {
        if (ui === undefined) return undefined;
        if (!isObject(ui)) return `has a \`_meta.ui\` that is ${jsonKind(ui)}`;
        const { visibility, resourceUri } = ui;
        if (resourceUri !== undefined && typeof resourceUri !== 'string')
          return `has a \`resourceUri\` that is ${jsonKind(resourceUri)}`;
        const isList = Array.isArray(visibility) && visibility.every((each) => each === 'model' || each === 'app');
        return visibility === undefined || isList ? undefined : `has the visibility ${JSON.stringify(visibility)}`;
      }),
  },
  {
    id: 'apps/settings-of-the-view',
    level: 'ADVICE',
    title: 'put CSP and permissions into the view, not into the tool',
    says: 'Hosts read `csp`, `permissions`, `domain` and `prefersBorder` from `_meta.ui` of the contents of a view. They ignore them in a tool.',
    source: apps('4-content-security-policy-enforcement'),
    fix: 'Move these members from `_meta.ui` of the tool to `_meta.ui` of the contents that `resources/read` returns.',
    check: async (ruleRun) =>
      judgeParts((await appSurvey(ruleRun)).tools, NO_VIEW, ({ ui }) => {
        const misplaced = isObject(ui) && viewMembers.find((member) => ui[member] !== undefined);
        return misplaced ? `has \`${misplaced}\` in its \`_meta.ui\`, where hosts ignore it` : undefined;
      }),
  },
  {
    id: 'apps/nested-uri',
    level: 'ADVICE',
    title: 'name the view in `_meta.ui.resourceUri`',
    says: 'The form `_meta["ui/resourceUri"]` is deprecated. It may be present too, with the same value.',
    source: apps('resource-discovery'),
    fix: 'Write `"_meta": {"ui": {"resourceUri": "ui://…"}}`.',
    check: async (ruleRun) =>
      judgeParts((await appSurvey(ruleRun)).tools, NO_VIEW, ({ ui, flatUri }) => {
        const nested = isObject(ui) ? ui.resourceUri : undefined;
        if (flatUri === undefined || flatUri === nested) return undefined;
        if (nested === undefined) return 'names its view only in the deprecated `_meta["ui/resourceUri"]`';
        return `names the view ${JSON.stringify(nested)}, and in the deprecated member ${JSON.stringify(flatUri)}`;
      }),
  },
  {
    id: 'apps/content-beside-views',
    title: 'return content from a tool with a view',
    says: 'A tool returns meaningful `content` even to a client that shows its view: the model reads it.',
    source: degradation,
    fix: 'Return a text block that describes the result, beside `structuredContent` for the view.',
    check: async (ruleRun) => {
      const { calls, tools } = await appSurvey(ruleRun);
      const isShown = shownToModels(tools);
      const results = calls.flatMap((exchange) => {
        const { result, call } = exchange;
        const isJudged = result && result.isError !== true && Array.isArray(result.content);
        return isJudged && isShown(call.tool)
          ? [{ value: result, what: `The result of the tool "${call.name}"`, exchange }]
          : [];
      });
      const none = () => whyNoCalls(ruleRun, { calls: [] }, 'no call of a tool with a view succeeded', isShown);
      await judgeParts(results, none, ({ content }) =>
        (content as unknown[]).length > 0 ? undefined : 'has an empty `content` for a client that shows its view',
      );
    },
  },
  {
    id: 'apps/text-fallback',
    level: 'SHOULD',
    title: 'return text from a tool with a view to clients without MCP Apps',
    says: 'A server provides a text-only fallback for each tool with a view.',
    source: degradation,
    fix: 'Return a text block beside images, resources and `structuredContent`.',
    check: async (ruleRun) => {
      const isShown = shownToModels((await appSurvey(ruleRun)).tools);
      const survey = await surveyOf(ruleRun);
      const results = toolResults(survey).filter(({ value: { result, call } }) => {
        // apps/content-beside-views reports an empty list.
        return isShown(call.call.tool) && result.isError !== true && listIn(result, 'content').length > 0;
      });
      const none = () => whyNoCalls(ruleRun, survey, 'no call of a tool with a view succeeded', isShown);
      await judgeParts(results, none, ({ result }) =>
        listIn(result, 'content').some((block) => isObject(block) && block.type === 'text')
          ? undefined
          : 'has no text block',
      );
    },
  },
]);

/** Settings of views. Tools do not have them. */
const viewMembers = ['csp', 'permissions', 'domain', 'prefersBorder'];

function hasView({ value }: Part<AppTool>): boolean {
  return typeof value.uri === 'string'; // apps/tool-settings reports other types
}

/** Comments may be before the doctype. A pattern for both can take exponential time. */
function beginsWithDoctype(html: string): boolean {
  let rest = html.trimStart();
  while (rest.startsWith('<!--')) {
    const end = rest.indexOf('-->');
    if (end < 0) return false;
    rest = rest.slice(end + '-->'.length).trimStart();
  }
  return /^<!doctype\s+html/i.test(rest);
}

/** Selects tools with a view that models may call too. The results of others are for their view alone. */
function shownToModels(tools: AppSurvey['tools']): (tool: JsonObject) => boolean {
  const isForModels = ({ ui }: AppTool) =>
    !isObject(ui) || !Array.isArray(ui.visibility) || ui.visibility.includes('model');
  const shown = tools.filter((part) => hasView(part) && isForModels(part.value));
  const names = new Set(shown.map(({ value }) => value.tool.name));
  return ({ name }) => names.has(name);
}

/** Contents with the URI that was read. */
async function readViews(
  ruleRun: Parameters<typeof appSurvey>[0],
): Promise<Part<{ content: JsonObject; uri: string }>[]> {
  return viewContents(await appSurvey(ruleRun)).map((part) => ({
    ...part,
    value: { content: part.value, uri: part.exchange.params.uri as string },
  }));
}

/** `_meta.ui` of views, in their contents and in the list. */
function settings(survey: AppSurvey): Part[] {
  return [...viewContents(survey), ...survey.entries].flatMap((part) => {
    const ui = metaOf(part.value)?.ui;
    return ui === undefined ? [] : [{ ...part, value: ui }];
  });
}

function settingsProblem(ui: unknown): string | undefined {
  if (!isObject(ui)) return `has a \`_meta.ui\` that is ${jsonKind(ui)}`;
  const { csp, permissions, domain, prefersBorder } = ui;
  if (csp !== undefined && !isObject(csp)) return `has a \`csp\` that is ${jsonKind(csp)}`;
  const isListed = (value: unknown) => Array.isArray(value) && value.every((each) => typeof each === 'string');
  const wrong = domains.find((name) => csp?.[name] !== undefined && !isListed(csp[name]));
  if (wrong) return `has a \`${wrong}\` in its \`csp\` that is not a list of strings`;
  if (permissions !== undefined && !isObject(permissions))
    return `has \`permissions\` that are ${jsonKind(permissions)}`;
  const flag = Object.entries(permissions ?? {}).find(([, value]) => !isObject(value));
  if (flag) return `has the permission \`${flag[0]}\` as ${jsonKind(flag[1])} instead of an object`;
  if (domain !== undefined && typeof domain !== 'string') return wrongMember(ui, 'domain');
  return prefersBorder === undefined || typeof prefersBorder === 'boolean'
    ? undefined
    : `has a \`prefersBorder\` that is ${jsonKind(prefersBorder)}`;
}

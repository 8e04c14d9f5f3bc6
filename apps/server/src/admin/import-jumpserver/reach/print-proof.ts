import { ACTION_CHOICES, type ActionName } from '@sallyport/contract/actions.ts'
import { type Language, type Say, translate } from '../../../kernel/i18n/translate.ts'
import { oneLine } from '../report/print.ts'
import type { Difference, DifferingPeople, ReachProof } from './prove-reach.ts'

type CauseOfAll = Parameters<ReachProof['causes']['get']>[0]

/** Each cause in words: in general, and of one right where more is known of it. */
const CAUSES: Readonly<Record<CauseOfAll, readonly [general: string, one?: string]>> = {
  absent: ['The user has not come'],
  'switched off': ['The user is switched off or has expired here'],
  'switched off there': ['The user is switched off or has expired there'],
  target: ['The target has not come'],
  anonymous: ['@ANON gives targets without accounts, which there are not here'],
  inactive: ['The target is switched off or deleted here'],
  membership: ['The user is no member of its organization here'],
  account: ['The account has not come, or has another name here'],
  protocols: ['Protocols and accounts of several permissions count together there'],
  organizations: ['Permissions there name groups or targets of another organization'],
  permission: ['No permission here gives it'],
  taken: ['Another permission takes it away there'],
  own: [
    'Permissions here that are not from there give it',
    'The permission {{permission}}, which is not from there, gives it',
  ],
  node: [
    'Nodes here have assets of their own',
    'The permission {{permission}} covers the node {{node}}, which has assets of its own here',
  ],
  placed: [
    'Nodes here hold other assets than there, or accounts differ in them',
    'The permission {{permission}} gives it by the node {{node}}',
  ],
  wider: ['Permissions have changed here', 'The permission {{permission}} gives it'],
}

const ACTIONS: readonly (readonly [bit: number, name: ActionName])[] = [
  [1, 'connect'],
  [2, 'upload_file'],
  [4, 'download_file'],
  [8, 'clipboard_copy'],
  [16, 'clipboard_paste'],
]
const USERS_A_LINE = 20

/** A cause in general, in English. */
export const causeWords = (cause: CauseOfAll): string => CAUSES[cause][0]

/** The result in few lines; `file` has all differences. */
export function linesOfProof(proof: ReachProof, language: Language, file: string): string[] {
  const say: Say = (english, values) => translate(language, english, values)
  const { people, rights, lost, gained, causes, unlisted } = proof
  const head = say('{{rights}} rights of {{people}} users were compared', { rights, people })
  if (!causes.size) return ['', say('Who reaches what'), `  ${head}: ${say('all are the same')}`]
  return [
    '',
    say('Who reaches what'),
    `  ${head}: ${say('{{lost}} are lost, {{gained}} are gained', { lost, gained })}`,
    ...[...causes]
      .sort(([, one], [, other]) => other - one)
      .map(([cause, count]) => `    ${say(CAUSES[cause][0])}: ${count}`),
    ...(unlisted ? [`  ${say('{{count}} of them are in no list: there are too many', { count: unlisted })}`] : []),
    `  ${say('The differences are in {{file}}.', { file })}`,
  ]
}

/** People with the same permissions, and each right in which theirs differ. */
export function linesOfDifferences(
  { usernames, everything, count, differences }: DifferingPeople,
  language: Language,
): string[] {
  const say: Say = (english, values) => translate(language, english, values)
  const people: string[] = []
  for (let at = 0; at < usernames.length; at += USERS_A_LINE)
    people.push(
      usernames
        .slice(at, at + USERS_A_LINE)
        .map(oneLine)
        .join(', '),
    )
  return [
    '',
    ...people,
    ...(everything
      ? [`  ${allOf(everything, count, say)}. ${say(CAUSES[everything][0])}`]
      : differences.map((one) => lineOf(one, say))),
  ]
}

const allOf = (everything: NonNullable<DifferingPeople['everything']>, count: number, say: Say): string =>
  everything === 'switched off there'
    ? say('All {{count|right|rights}} are gained', { count })
    : say('All {{count|right|rights}} are lost', { count })

function lineOf({ target, account, lost, gained, cause, permission, node }: Difference, say: Say): string {
  const [general, one = general] = CAUSES[cause]
  const why = say(one, { permission: oneLine(permission ?? ''), node: oneLine(node ?? '') })
  const parts = [
    ...(lost ? [`${say('lost')}: ${actionsIn(lost, say)}`] : []),
    ...(gained ? [`${say('gained')}: ${actionsIn(gained, say)}`] : []),
  ]
  return `  ${oneLine(target)}, ${oneLine(account)}; ${parts.join('; ')}. ${why}`
}

const actionsIn = (mask: number, say: Say) =>
  ACTIONS.filter(([bit]) => mask & bit)
    .map(([, name]) => say(ACTION_CHOICES[name]))
    .join(', ')

import { writeFile } from 'node:fs/promises'
import type { Stay, TakenBack } from '../../../kernel/arrivals/take-back.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { type Language, type Say, translate } from '../../../kernel/i18n/translate.ts'
import { WrongUse } from '../../wrong-use.ts'
import { ImportRefusal } from '../refusal.ts'
import { oneLine } from '../report/print.ts'
import { nameOfInstallation } from '../source/installation.ts'
import { openSource } from '../source/open-source.ts'
import {
  type ImportTakenBack,
  importedInstallations,
  type TakeBackRequest,
  takeBackImport,
} from './take-back-import.ts'

/** Labels of kinds, as the report of the import has them. Parts of permissions and the like have one together. */
const LABELS: Readonly<Record<string, string>> = {
  ...{ organization: 'Organizations', person: 'Users', group: 'User groups', access_key: 'API keys' },
  ...{ private_token: 'Private tokens', platform: 'Platforms', node: 'Nodes', network: 'Domains' },
  ...{ gateway: 'Gateways', asset: 'Assets', application: 'Applications', label: 'Labels' },
  ...{ system_user: 'System users', account: 'Accounts of assets', application_account: 'Accounts of applications' },
  ...{ permission: 'Permissions', command_filter: 'Command filters', command_filter_rule: 'Command filter rules' },
  ...{ login_rule: 'Login ACLs', connect_rule: 'Asset login ACLs', runbook: 'Runbooks', setting: 'Settings' },
  ...{ ticket_flow: 'Ticket flows' },
}
/** English label of a kind. */
export const labelOf = (kind: string): string => LABELS[kind] ?? kind

/** Names on the screen; the file has them all. */
const NAMES_SHOWN = 5

export interface TakeBackCommand extends Omit<TakeBackRequest, 'name'> {
  /** The address of their database, where one was given. */
  address: string | undefined
  language: Language
}

/** Takes an import back, with a report for its owner alone in a file, and few names on the screen. */
export async function takeBackInto(file: string, { address, language, ...request }: TakeBackCommand): Promise<void> {
  const name = await installationToTakeBack(request.db, address)
  const lines = await takeBackInLines({ ...request, name }, language)
  await writeFile(file, `${lines.file.join('\n')}\n`, { mode: 0o600 })
  console.log(lines.screen.join('\n'))
  console.log(`\n${translate(language, 'The whole report is in {{file}}.', { file })}`)
}

/** The installation that is meant: the only one, or that of a database. */
export async function installationToTakeBack(db: Database, address: string | undefined): Promise<string> {
  const all = await importedInstallations(db)
  if (!all.length) throw new ImportRefusal('Nothing has been imported from JumpServer')
  const [only] = all
  if (all.length === 1 && only) return only
  if (!address) throw new WrongUse('Several JumpServers were imported: say which by --database')
  const source = await openSource(address)
  try {
    return await nameOfInstallation(db, source)
  } finally {
    await source.close()
  }
}

/** Takes an import back. Answers the result in lines: few names for the screen, all for the file. */
export async function takeBackInLines(
  request: TakeBackRequest,
  language: Language,
): Promise<{ screen: string[]; file: string[] }> {
  return linesOfTakenBack(await takeBackImport(request), request, language)
}

/** An import that was taken back, in lines. */
export function linesOfTakenBack(
  { kinds, settings, history }: ImportTakenBack,
  request: Pick<TakeBackRequest, 'isDryRun' | 'name'>,
  language: Language,
): { screen: string[]; file: string[] } {
  const say: Say = (english, values) => translate(language, english, values)
  const head = request.isDryRun
    ? say('The import from {{name}} would be taken back. Nothing was written.', { name: request.name })
    : say('The import from {{name}} was taken back.', { name: request.name })
  const lines = (names: number) => [
    head,
    ...kinds.flatMap((one) => linesOf(one, say, names, settings)),
    ...historyLines(history, say),
  ]
  return { screen: lines(NAMES_SHOWN), file: lines(Number.POSITIVE_INFINITY) }
}

/** What happened there is evidence. */
function historyLines(history: ImportTakenBack['history'], say: Say): string[] {
  if (!Object.values(history).some((count) => count > 0)) return []
  const words =
    'Stay, as evidence: {{sessions}} sessions, {{recordings}} recordings, {{commands}} commands, {{logs}} rows of logs, {{tickets}} tickets, {{comments}} comments'
  return ['', say('History from JumpServer'), `  ${say(words, history)}`]
}

function linesOf(
  { kind, isPair, removed, changed, needed, evident }: TakenBack,
  say: Say,
  names: number,
  settings: readonly string[],
): string[] {
  const stays = changed.count + needed.count + evident.count
  // Pairs go and come with what they connect.
  if (isPair || !(removed || stays)) return []
  const gone = kind === 'setting' ? { count: settings.length, names: [...settings] } : { count: 0, names: [] }
  return [
    '',
    say(labelOf(kind)),
    `  ${say('{{removed}} removed, {{stays}} stay', { removed, stays })}`,
    ...staying(say('As they were before'), gone, say, names),
    ...staying(say('Have history, which stays'), evident, say, names),
    ...staying(say('Changed here'), changed, say, names),
    ...staying(say('Needed by something that was made here'), needed, say, names),
  ]
}

function staying(why: string, { count, names }: Stay, say: Say, most: number): string[] {
  if (!count) return []
  const shown = names.slice(0, most)
  const others = count - shown.length
  return [
    `    ${why}: ${shown.map(oneLine).join(', ')}`,
    ...(others > 0 ? [`    ${say('… and {{count}} more', { count: others })}`] : []),
  ]
}

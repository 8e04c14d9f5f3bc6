import { DEFAULT_ORG_ID } from '@sallyport/contract/constants.ts'
import type { ArrivalRun, ArrivingRow, Outcome, Outcomes } from '../../kernel/arrivals/arrival.ts'
import type { PairOutcome } from '../../kernel/arrivals/arrive-pairs.ts'
import type { Config } from '../../kernel/config.ts'
import type { Vault } from '../../kernel/secrets/vault.ts'
import type { HistoryRequest } from './history-request.ts'
import type { KindNotes, Report } from './report/report.ts'
import type { SecretKeys } from './secrets/index.ts'
import type { Source } from './source/source.ts'
import type { SourceVersion } from './source/version.ts'
import { uuid } from './values.ts'

/** Kinds of rows that others refer to by id. */
export type Referred =
  | 'organization'
  | 'person'
  | 'group'
  | 'platform'
  | 'node'
  | 'network'
  | 'asset'
  | 'label'
  | 'application'
  | 'system_user'
  | 'permission'

/** Wishes about settings. */
export interface SettingsRequest {
  /** Those with addresses and secrets come, too. */
  withAddresses?: boolean
}

/** What all stages of an import share. */
export interface ImportContext {
  source: Source
  version: SourceVersion
  keys: SecretKeys
  report: Report
  run: ArrivalRun
  ids: Ids
  config: Config
  secrets: Vault
  history: HistoryRequest
  settings: SettingsRequest
  /** Jobs come, which everybody of their organization can read here. */
  withJobs: boolean
  /** Files are as they were after it, as the database is. */
  isDryRun: boolean
}

/** Ids here by ids there: mostly the same. */
export class Ids {
  readonly #ids = new Map<Referred, Map<string, string>>()
  readonly #ours = new Map<Referred, Set<string>>()

  set(kind: Referred, theirs: string, ours: string): void {
    const known = this.#ids.get(kind) ?? new Map<string, string>()
    this.#ids.set(kind, known.set(theirs, ours))
    this.#ours.set(kind, (this.#ours.get(kind) ?? new Set()).add(ours))
  }

  /** Ids here of all of a kind that have come. */
  ours(kind: Referred): string[] {
    return [...(this.#ours.get(kind) ?? [])]
  }

  /** Whether something of this import has that id here. */
  has(kind: Referred, ours: string): boolean {
    return this.#ours.get(kind)?.has(ours) === true
  }

  /** By a value as they store it: with dashes or without. Undefined where the row has not come. */
  get(kind: Referred, theirs: string | null | undefined): string | undefined {
    const known = this.#ids.get(kind)
    return known?.get(uuid(theirs) ?? theirs ?? '')
  }

  /** The organization of a row that has come, by its id here. */
  readonly organizations = new Map<string, string>()

  /** Their `org_id`: none is Default. Undefined where the organization has not come. */
  organization(theirs: string | null | undefined): string | undefined {
    return theirs ? this.get('organization', theirs) : DEFAULT_ORG_ID
  }
}

export const KEPT = 'Changed there and here since the last run: stays as it is here'
export const GONE = 'Deleted here since the last run: does not come again'
export const TAKEN = 'The database refuses it: another one here has its name, or a value is out of bounds'
export const THERE = 'Was here before the first run: stays as it is, and what belongs to it there is added'
export const ORGANIZATION_GONE = 'Its organization is gone there'

type Arrive = (run: ArrivalRun, rows: readonly ArrivingRow[]) => Promise<Outcomes>

/** Stores a batch of rows by the function of its domain, and notes how they fared. */
export async function bring(
  { run, ids }: Pick<ImportContext, 'run' | 'ids'>,
  notes: KindNotes,
  arrive: Arrive,
  rows: readonly ArrivingRow[],
  kind?: Referred,
): Promise<Outcomes> {
  const outcomes = await arrive(run, rows)
  for (const { key, name, values } of rows) {
    count(notes, name, outcomes.get(key))
    const id = outcomes.ids.get(key)
    // One that came before goes on to have what belongs to it, also where its change is refused.
    if (!kind || id === undefined) continue
    ids.set(kind, key, id)
    if (typeof values.org_id === 'string') ids.organizations.set(id, values.org_id)
  }
  return outcomes
}

/** Notes how a row fared. */
export function count(notes: KindNotes, name: string, outcome: Outcome | undefined): void {
  if (outcome === 'added') notes.added++
  else if (outcome === 'updated') notes.updated++
  else if (outcome === 'gone') notes.staysBehind(name, GONE)
  else if (outcome === 'same' || outcome === 'kept' || outcome === 'there') notes.same++
  else notes.staysBehind(name, TAKEN)
  if (outcome === 'kept') notes.leaves(name, KEPT)
  if (outcome === 'there') notes.changes(name, THERE)
}

/**
 * Ends pairs that have ended there, by `end`. None where one of the tables that they are made of is
 * missing or may not be read, which looks the same: then nothing is known to have ended.
 */
export const ended = async (
  { source }: Pick<ImportContext, 'source'>,
  tables: readonly string[],
  end: () => Promise<number>,
): Promise<number> => (tables.every((table) => source.has(table)) ? await end() : 0)

/** Notes how pairs fared. */
export function countPairs(notes: KindNotes, { added, same, gone, refused }: PairOutcome): void {
  notes.added += added
  notes.same += same
  notes.behind += gone + refused.length
  notes.many(gone, 'Removed here since the last run: does not come again')
  notes.many(refused.length, 'One end is of another organization, or is missing')
}

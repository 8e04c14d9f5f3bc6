import type { PgTable } from 'drizzle-orm/pg-core'
import type { Database } from '../database/database.ts'
import type { Vault } from '../secrets/vault.ts'

/** One run of an import. */
export interface ArrivalRun {
  /** In a transaction: what a stage stores stays or goes as a whole. */
  db: Database
  secrets: Pick<Vault, 'seal' | 'fingerprint' | 'fingerprints'>
  /** The product that the rows come from, such as `jumpserver`. */
  source: string
  /** Id of the run. */
  run: string
}

/** Rows of one kind, and where they are stored. */
export interface ArrivalPlace {
  /** Several kinds may write to one table, each its own columns. */
  kind: string
  table: PgTable
  /** Column of the row's id here, a UUID or a number. */
  id?: string
  /** The rows are there already: other kinds add them. */
  isPart?: boolean
  /** A part that is written without people as well, so that a change says nothing. */
  changesByItself?: boolean
}

/** A row on its way in. */
export interface ArrivingRow {
  /** Its id there. */
  key: string
  /** Its id here. */
  id: string
  /** Columns and values as JSON has them, without the id; the same columns in each row of a kind. */
  values: Readonly<Record<string, unknown>>
  /**
   * Columns named `…_sealed`, and their plain secrets; null for none. `attrs.password` is one inside a
   * column of JSON. Sealed on the way.
   */
  plain?: Readonly<Record<string, string | null>>
  /** Further columns of a new row, which change here by themselves: never written again. */
  once?: Readonly<Record<string, unknown>>
  /** For reports. */
  name: string
}

/**
 * - `added`, `updated`: stored now
 * - `same`: nothing has changed there since the last run
 * - `kept`: changed there and here; stays as it is here
 * - `gone`: was deleted here since it came, and stays so
 * - `taken`: another row here has a value that must be unique, or a rule of the database refuses it
 * - `there`: the row was here before the first run, and stays as it is
 */
export type Outcome = 'added' | 'updated' | 'same' | 'kept' | 'gone' | 'taken' | 'there'

/** How rows of a batch fared, by their ids there. */
export class Outcomes extends Map<string, Outcome> {
  /** Ids here by ids there, of all that are here: also where a later change has been refused. */
  readonly ids = new Map<string, string>()
}

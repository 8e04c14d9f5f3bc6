/** Taking changes back, as the console sees it (docs/design/undo.md). */
import type { OperateLogChange } from './operate-log.ts'

/** `…/<id>/` of a row of the operation log, of a change (`CHANGE_HEADER`) or of an import. */
export const UNDO_PATH = '/api/v1/audits/undo/'

/** The header of an answer with the id by which the call's change is taken back. */
export const CHANGE_HEADER = 'x-change'

/**
 * The header by which calls say that they belong together, such as the rows of one file: any UUID of
 * the caller's own. `CHANGE_HEADER` of their answers has one id for all of them.
 */
export const IMPORT_HEADER = 'x-import'

/** Objects that one call takes back; the rest is left for the next one. */
export const UNDO_AT_ONCE = 1000

/** A field that has changed since, in the words of the reader's language. */
export interface UndoConflict {
  field: string
  label: string
  /** Null where nothing was there, and of secrets. */
  before: string | null
  after: string | null
  now: string | null
}

/** The effect of undo on one object. */
export interface UndoneObject {
  object_type: string
  object_id: string
  resource_type: string
  resource: string
  /** The act that undo is: a deletion is taken back by `create`. */
  action: 'create' | 'update' | 'delete'
  /** `before` is what is there now, `after` what comes. */
  changes: OperateLogChange[]
  conflicts: UndoConflict[]
  /** Sentences about links that do not come back, and rows that go as well. */
  notes: string[]
}

/** GET: what it would do; POST: what was done. */
export interface UndoAnswer {
  id: string
  is_possible: boolean
  /** Why not; null where it is possible. */
  reason: string | null
  /** Objects of the change, and those of them that are left for further calls. */
  total: number
  left: number
  /** The first hundred. */
  objects: UndoneObject[]
  /** POST: the change that this was, to be taken back itself. */
  change: string | null
}

/** POST: how fields that have changed since are treated. Without either, 409 answers them. */
export interface UndoRequest {
  /** Takes them back as well. */
  force?: boolean
  /** Leaves these as they are now. */
  keep?: string[]
}

/** An organization as files: what is sent for a plan, and what a plan says (docs/everything-as-code.md). */

export const AS_CODE = {
  export: '/api/v1/as-code/export/',
  plan: '/api/v1/as-code/plan/',
  apply: '/api/v1/as-code/apply/',
} as const

/** Rows of one call: an organization is compared in parts beyond that. */
export const MOST_ROWS = 20_000
/** Rows that one call changes, as many as one undo takes back. */
export const MOST_CHANGES = 1000
/** Rows that an export answers. */
export const MOST_EXPORTED = 100_000

/** A row of a file, by the names of its fields. A row that is no more than its name may be that text. */
export type AsCodeRow = Readonly<Record<string, unknown>> | string

/** Rows by their kind: `assets`, `user_groups` … */
export type AsCodeDocuments = Readonly<Record<string, readonly AsCodeRow[]>>

export interface AsCodeRequest {
  documents: Readonly<Record<string, readonly unknown[]>>
  /** Whether rows of these kinds go that no file names. */
  prune?: boolean
  /** Whether secrets of rows that exist are written too, rather than those of new rows alone. */
  set_secrets?: boolean
  /** That of the plan that is carried out. */
  digest?: string
}

/** One field of a row that changes; of lists, what comes and what goes. */
export interface AsCodeField {
  field: string
  before?: unknown
  after?: unknown
  added?: readonly unknown[]
  removed?: readonly unknown[]
  /** A secret is set; it is never shown. */
  is_secret?: boolean
}

export interface AsCodeChange {
  kind: string
  name: string
  action: 'create' | 'update' | 'delete'
  fields: readonly AsCodeField[]
}

/** A refusal, with the place in the documents that were sent. */
export interface AsCodeError {
  kind: string
  /** The row's, among those of its kind; null where no row of the files is meant. */
  index: number | null
  name: string
  /** With dots inside of objects and lists; empty for the row as a whole. */
  field: string
  message: string
}

/** A secret that must be sent to carry the plan out. */
export interface WantedSecret {
  kind: string
  index: number
  name: string
  field: string
}

/** A right that comes or goes, as previews of single changes tell it. */
export type AsCodeAccess = Readonly<Record<string, unknown>>

export interface AsCodePlan {
  /** Names all that the plan does; empty where there are errors. */
  digest: string
  created: number
  updated: number
  deleted: number
  unchanged: number
  changes: readonly AsCodeChange[]
  errors: readonly AsCodeError[]
  wanted_secrets: readonly WantedSecret[]
  /** The rights that come and go; null where no rights change, or too many to be compared. */
  access: AsCodeAccess | null
  /** The reason why rights were not compared; empty otherwise. */
  access_refusal: string
}

/** The answer of an export: a file of YAML, since JSON is that. */
export type AsCodeExport = AsCodeDocuments

/** Fields of files whose values are kept elsewhere: files say where, and never hold them. */
export const isSecretField = (name: string): boolean =>
  /^(password|private_key|passphrase|token|secret_id)$|_password$/.test(name)

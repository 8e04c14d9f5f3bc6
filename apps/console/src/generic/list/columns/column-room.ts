/** How much room the columns of tables want, in pixels: by the name of a field, else by its kind. */
import type { FieldKind } from '../../view/metadata.ts'

export interface ColumnRoom {
  /** The same on every screen: what it shows is always of about one length. */
  width?: number
  /** Of a column that takes what the others leave: below this the table scrolls instead. */
  min?: number
  /** Its part of what is left, beside others. */
  grow?: number
}

const DATE = 176
const STATE = 96
const ADDRESS = 128

const BY_NAME: Readonly<Record<string, ColumnRoom>> = {
  is_active: { width: STATE },
  is_valid: { width: STATE },
  is_success: { width: STATE },
  ip: { min: ADDRESS, grow: 0.5 },
  remote_addr: { min: ADDRESS, grow: 0.5 },
  protocol: { width: 108 },
  protocols: { min: 96, grow: 0.7 },
  platform: { min: 96, grow: 0.7 },
  base: { width: STATE },
  city: { min: 96 },
  user_agent: { min: 136 },
  login_from: { width: 120 },
  login_mode: { width: 148 },
  backend_display: { min: 124 },
  serial_num: { width: 140 },
  duration: { width: 92 },
  command_amount: { width: 108 },
  timestamp: { width: DATE },
  mfa: { width: STATE },
  // A person as name and username.
  user: { min: 150, grow: 1.4 },
  username: { min: 112 },
  asset: { min: 150, grow: 1.2 },
  email: { min: 150, grow: 1.4 },
}

/** What the rows of a list without names are about: a command, a subject, what happened. */
const SENTENCES: Readonly<Record<string, ColumnRoom>> = {
  input: { min: 180, grow: 3 },
  subject: { min: 220, grow: 3 },
  changes: { min: 260, grow: 4 },
  reason_display: { min: 260, grow: 4 },
  filename: { min: 260, grow: 4 },
  event: { min: 260, grow: 4 },
}

const BY_KIND: Readonly<Partial<Record<FieldKind, ColumnRoom>>> = {
  boolean: { width: STATE },
  // In the widest of the fonts that systems have.
  datetime: { width: DATE },
  integer: { width: 96 },
  float: { width: 96 },
  choice: { width: 124 },
}

const NAME: ColumnRoom = { min: 150, grow: 2 }
const TEXT: ColumnRoom = { min: 104, grow: 1 }
/** A bare number in the middle. */
const COUNT: ColumnRoom = { min: 72, grow: 0.3 }

interface ColumnLook {
  width?: number | undefined
  align?: string | undefined
  isName: boolean
}

/** The room of a column; a page may name a width of its own. */
export function columnRoom(field: string, kind: FieldKind, { width, align, isName }: ColumnLook): ColumnRoom {
  if (width) return { width }
  const sentence = SENTENCES[field]
  if (sentence) return sentence
  if (isName) return NAME
  if (align === 'center') return COUNT
  return BY_NAME[field] ?? BY_KIND[kind] ?? TEXT
}

/** What gives way first where a list does not fit, when its page says nothing else. */
export const FOLDED_FIRST: readonly string[] = ['org_name', 'comment', 'created_by', 'date_created']

/** How much room the columns of tables want, in pixels: by the name of a field, else by its kind. */
import type { FieldKind } from '../../view/metadata.ts'

export interface ColumnRoom {
  /** The same on every screen: what it shows is always of about one length. */
  width?: number
  /** Least width of a column that takes the rest: below this the table scrolls instead. */
  min?: number
  /** Its part of what is left, beside others. */
  grow?: number
}

const DATE = 176
const STATE = 96
const ADDRESS = 120

const BY_NAME: Readonly<Record<string, ColumnRoom>> = {
  is_active: { width: STATE },
  is_valid: { width: STATE },
  is_success: { width: STATE },
  ip: { min: ADDRESS, grow: 0.5 },
  remote_addr: { min: ADDRESS, grow: 0.5 },
  protocol: { width: 108 },
  protocols: { min: 88, grow: 0.7 },
  platform: { min: 84, grow: 0.7 },
  base: { width: STATE },
  city: { min: 96 },
  user_agent: { min: 136 },
  login_from: { width: 120 },
  login_mode: { width: 148 },
  backend_display: { min: 124 },
  serial_num: { width: 140 },
  reason: { min: 140, grow: 3 },
  duration: { width: 108 },
  command_amount: { width: 100 },
  timestamp: { width: DATE },
  mfa: { width: STATE },
  // A person as name and username.
  user: { min: 150, grow: 2 },
  username: { min: 112 },
  asset: { min: 150, grow: 1.6 },
  system_user: { min: 116, grow: 0.4 },
  category_display: { min: 108, grow: 0.3 },
  systemuser: { min: 140 },
  type_display: { min: 104, grow: 0.5 },
  // Several roles of one person.
  total_role_display: { min: 120, grow: 1.4 },
  groups_display: { min: 120, grow: 1.3 },
  priority: { width: 84 },
  // When something runs by itself, and how it chooses passwords: short sentences.
  periodic_display: { min: 168, grow: 0.8 },
  password_strategy_display: { min: 208, grow: 0.4 },
  run_times: { width: 108 },
  // Where an application is: an address with its port, a URL.
  attrs: { min: 184, grow: 0.8 },
  email: { min: 150, grow: 1.4 },
  // Where recordings are moved from and to.
  source_display: { min: 168, grow: 2 },
  account_display: { min: 128 },
  // Mostly empty.
  comment: { min: 104, grow: 0.7 },
}

/** Columns that lead in lists without names: a command, a subject, an event. */
const SENTENCES: Readonly<Record<string, ColumnRoom>> = {
  input: { min: 300, grow: 5 },
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

const NAME: ColumnRoom = { min: 180, grow: 3 }
const TEXT: ColumnRoom = { min: 104, grow: 1 }
/** A bare number, under a head of a word that orders by it. */
const COUNT: ColumnRoom = { min: 84, grow: 0.1 }

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
  if (align) return BY_NAME[field] ?? COUNT
  return BY_NAME[field] ?? BY_KIND[kind] ?? TEXT
}

/** What gives way first where a list does not fit, when its page says nothing else. */
export const FOLDED_FIRST: readonly string[] = ['org_name', 'comment', 'created_by', 'date_created']

import type { ForwardedOutcome } from '@sallyport/contract/resources/terminal/forwarded-connection.ts'
import type { TargetFamily } from '@sallyport/contract/target.ts'
import { bigint, boolean, doublePrecision, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'
import { createdBy, dateCreated, dateTime, dateUpdated, id, orgId, sealed } from '../../kernel/database/columns.ts'
import type { ReplaySuffix } from './replay-suffix.ts'

export const terminalTerminal = pgTable('terminal_terminal', {
  id: id(),
  name: text('name').notNull(),
  type: text('type').notNull().default('koko'),
  remote_addr: text('remote_addr').notNull().default(''),
  http_port: integer('http_port').notNull().default(5000),
  ssh_port: integer('ssh_port').notNull().default(2222),
  command_storage: text('command_storage').notNull().default('default'),
  replay_storage: text('replay_storage').notNull().default('default'),
  is_accepted: boolean('is_accepted').notNull().default(false),
  is_builtin: boolean('is_builtin').notNull().default(false),
  user_id: uuid('user_id'),
  comment: text('comment').notNull().default(''),
  date_created: dateCreated(),
  date_last_seen: dateTime('date_last_seen'),
  cpu_load: doublePrecision('cpu_load').notNull().default(0),
  memory_used: doublePrecision('memory_used').notNull().default(0),
  disk_used: doublePrecision('disk_used').notNull().default(0),
})

export const terminalSession = pgTable('terminal_session', {
  id: id(),
  org_id: orgId(),
  user: text('user').notNull(),
  asset: text('asset').notNull(),
  system_user: text('system_user').notNull(),
  user_id: text('user_id').notNull().default(''),
  /** Id of the target, of any family; `asset` is its name. */
  asset_id: text('asset_id').notNull().default(''),
  target_family: text('target_family').$type<TargetFamily>().notNull().default('asset'),
  system_user_id: text('system_user_id').notNull().default(''),
  login_from: text('login_from').notNull().default('ST'),
  remote_addr: text('remote_addr'),
  protocol: text('protocol').notNull().default('ssh'),
  is_success: boolean('is_success').notNull().default(true),
  is_finished: boolean('is_finished').notNull().default(false),
  has_replay: boolean('has_replay').notNull().default(false),
  /** The suffix of the recording's file; null until somebody has looked. */
  replay_suffix: text('replay_suffix').$type<ReplaySuffix>(),
  is_locked: boolean('is_locked').notNull().default(false),
  /** SHA-256 of the recording before packing, in hex; null until it is known. */
  replay_sha256: text('replay_sha256'),
  /** The storage outside that the recording is in; null with the server. */
  replay_storage: uuid('replay_storage'),
  /** The storage outside that it is still to be brought to. */
  replay_due: uuid('replay_due'),
  date_start: dateTime('date_start').notNull().defaultNow(),
  date_end: dateTime('date_end'),
  date_last_active: dateTime('date_last_active').notNull().defaultNow(),
  terminal: uuid('terminal'),
  /** The sign-in of the person; null where it is unknown. */
  sign_in_id: uuid('sign_in_id'),
  /** For whom a service identity connected. */
  on_behalf_of: text('on_behalf_of'),
  /** The product that an import brought it from; null for sessions of this installation. */
  arrived_from: text('arrived_from'),
})

export const terminalSessionEvent = pgTable('terminal_session_event', {
  id: id(),
  org_id: orgId(),
  session: uuid('session').notNull(),
  event: text('event').notNull(),
  user: text('user').notNull().default(''),
  remote_addr: text('remote_addr'),
  reason: text('reason'),
  date_created: dateCreated(),
})

export const terminalForwardedConnection = pgTable('terminal_forwarded_connection', {
  id: id(),
  org_id: orgId(),
  session_id: uuid('session_id'),
  user: text('user').notNull(),
  user_id: uuid('user_id').notNull(),
  asset: text('asset').notNull(),
  asset_id: uuid('asset_id').notNull(),
  system_user: text('system_user').notNull(),
  remote_addr: text('remote_addr'),
  destination: text('destination').notNull(),
  outcome: text('outcome').$type<ForwardedOutcome>().notNull().default('open'),
  /** Why it did not come about, or was cut off: an English sentence. */
  reason: text('reason'),
  bytes_sent: bigint('bytes_sent', { mode: 'number' }).notNull().default(0),
  bytes_received: bigint('bytes_received', { mode: 'number' }).notNull().default(0),
  date_start: dateTime('date_start').notNull().defaultNow(),
  date_end: dateTime('date_end'),
  sign_in_id: uuid('sign_in_id'),
  on_behalf_of: text('on_behalf_of'),
})

export const terminalSessionSharing = pgTable('terminal_session_sharing', {
  id: id(),
  org_id: orgId(),
  session: uuid('session').notNull(),
  creator: uuid('creator'),
  verify_code: text('verify_code').notNull(),
  action_permission: text('action_permission').notNull().default('writable'),
  is_active: boolean('is_active').notNull().default(true),
  /** Minutes. */
  expired_time: integer('expired_time').notNull().default(0),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export const terminalSessionJoinRecord = pgTable('terminal_session_join_record', {
  id: id(),
  org_id: orgId(),
  session: uuid('session'),
  sharing: uuid('sharing').notNull(),
  joiner: uuid('joiner'),
  joiner_display: text('joiner_display').notNull().default(''),
  verify_code: text('verify_code').notNull(),
  remote_addr: text('remote_addr'),
  login_from: text('login_from').notNull().default('WT'),
  is_success: boolean('is_success').notNull().default(true),
  reason: text('reason').default('-'),
  is_finished: boolean('is_finished').notNull().default(false),
  date_joined: dateTime('date_joined').notNull().defaultNow(),
  date_left: dateTime('date_left'),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_updated: dateUpdated(),
})

export const terminalCommand = pgTable('terminal_command', {
  id: id(),
  org_id: orgId(),
  user: text('user').notNull(),
  asset: text('asset').notNull(),
  system_user: text('system_user').notNull(),
  input: text('input').notNull(),
  output: text('output').notNull().default(''),
  session: text('session').notNull(),
  risk_level: integer('risk_level').notNull().default(0),
  /** For a command that a rule matched: its id, and the name of its filter at that time. */
  rule: uuid('rule'),
  rule_filter: text('rule_filter'),
  /** The ticket in which others decided. */
  ticket: uuid('ticket'),
  /** Unix seconds. */
  timestamp: bigint('timestamp', { mode: 'number' }).notNull(),
  /** The storage outside that it is still to be brought to. */
  due: uuid('due'),
})

/** What there is to a statement of a database beyond its row among the commands. */
export const terminalStatement = pgTable('terminal_statement', {
  command: uuid('command').primaryKey(),
  /** To 64 k characters. */
  text: text('text').notNull(),
  /** Size of the whole statement, as it was sent. */
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
  /** Checksum of the whole text; empty when its end is not known. */
  sha256: text('sha256').notNull().default(''),
  milliseconds: doublePrecision('milliseconds'),
  rows: bigint('rows', { mode: 'number' }),
  error: text('error'),
  /** The server's code of that error. */
  code: text('code'),
  database: text('database').notNull().default(''),
  /** The client's name for itself. */
  program: text('program').notNull().default(''),
})

export const terminalTask = pgTable('terminal_task', {
  id: id(),
  name: text('name').notNull(),
  args: text('args').notNull(),
  kwargs: jsonb('kwargs').notNull().default({}),
  is_finished: boolean('is_finished').notNull().default(false),
  date_created: dateCreated(),
  date_finished: dateTime('date_finished'),
  terminal: uuid('terminal'),
})

const storageColumns = () => ({
  id: id(),
  name: text('name').notNull(),
  type: text('type').notNull().default('server'),
  is_default: boolean('is_default').notNull().default(false),
  comment: text('comment').notNull().default(''),
  date_created: dateCreated(),
  /** By the shape of its type; keys are sealed inside it. */
  meta: jsonb('meta').$type<Record<string, unknown>>().notNull().default({}),
})
export const terminalCommandStorage = pgTable('terminal_command_storage', storageColumns())
export const terminalReplayStorage = pgTable('terminal_replay_storage', storageColumns())

export const terminalHostKey = pgTable('terminal_host_key', {
  id: integer('id').primaryKey().default(1),
  private_key_sealed: sealed('private_key_sealed').notNull(),
})

/** Recordings moved from one storage to another by a background task. */
export const terminalRecordingMove = pgTable('terminal_recording_move', {
  id: id(),
  source: uuid('source').notNull(),
  target: uuid('target').notNull(),
  date_from: dateTime('date_from'),
  date_to: dateTime('date_to'),
  rate_limit: integer('rate_limit').notNull().default(20),
  /** The background task that carries it out now, or did last. */
  task: uuid('task').notNull().defaultRandom(),
  amount: integer('amount').notNull().default(0),
  moved: integer('moved').notNull().default(0),
  bytes: bigint('bytes', { mode: 'number' }).notNull().default(0),
  /** Why it ended before its end: an English sentence. */
  reason: text('reason'),
  created_by: createdBy(),
  date_created: dateCreated(),
  date_finished: dateTime('date_finished'),
})

/**
 * Why a recording could not be moved, and stayed where it was: its files are not there; are not what
 * was recorded; came out of the other storage otherwise than they went in; lie on the disk of another
 * node; a storage refused them. `left`: it was moved, and the old storage did not delete its files.
 */
export type MoveFault = 'missing' | 'altered' | 'differs' | 'other_node' | 'refused' | 'left'

/** The open work of a move, by session: a row goes once it is done. */
export const terminalRecordingMoveItem = pgTable(
  'terminal_recording_move_item',
  {
    move: uuid('move').notNull(),
    session: uuid('session').notNull(),
    /** `moved`: the session's row names the new storage, and the old one still has the files. */
    state: text('state').$type<'waiting' | 'moved' | 'failed'>().notNull().default('waiting'),
    reason: text('reason').$type<MoveFault>(),
    date_moved: dateTime('date_moved'),
  },
  (table) => [primaryKey({ columns: [table.move, table.session] })],
)
